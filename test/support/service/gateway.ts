import { createPublicKey, generateKeyPairSync, type JsonWebKey, sign, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { isSignedByCaller } from '../../../tools/support/sigv4.ts';
import { afterTests } from '../jest.ts';

/** A gateway before a service, as a deployment has it. */
export interface Gateway {
  readonly url: string;
  /** Answers so many requests 429 by itself, as above its rate. */
  throttle(requests: number): void;
}

/** An order as it reaches the gateway. */
interface OrderRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a gateway answers by itself. */
type Refusal = readonly [status: number, message: string] | undefined;

/** Belong to a connection, or to what the gateway itself has checked. */
const NOT_FORWARDED = /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect|authorization|x-amz-.*)$/;

const stops: (() => Promise<void>)[] = [];

afterTests(() => Promise.all(stops.splice(0).map((stop) => stop())));

/**
 * Starts a gateway: reads are open, and it refuses by itself the `POST /v1/orders` for which `refuse` says so. `service`
 * returns the base address of the service behind it. It ends after the test.
 */
async function startGateway(service: () => string, refuse: (order: OrderRequest) => Refusal): Promise<Gateway> {
  let throttled = 0;
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: target = '/', headers } = request;
    const body = await buffer(request);
    throttled -= 1;
    const isOrder = method === 'POST' && target.split('?')[0] === '/v1/orders';
    const refusal = isOrder ? refuse({ method, target, headers, body }) : undefined;
    const own: Refusal = throttled >= 0 ? [429, 'Too Many Requests'] : refusal;
    if (own) {
      const [status, message] = own;
      response.writeHead(status, { 'content-type': 'application/json', 'apigw-requestid': 'JKJaXmPLvHcESHA=' });
      response.end(JSON.stringify({ message }));
      return;
    }
    const forwarded = Object.entries(headers).filter(([name]) => !NOT_FORWARDED.test(name));
    const init = { method, headers: Object.fromEntries(forwarded.map(([name, value]) => [name, String(value)])) };
    const answer = await fetch(service() + target, { ...init, ...(body.length > 0 && { body }) });
    const kept = [...answer.headers].filter(([name]) => !NOT_FORWARDED.test(name));
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
  });
  stops.push(() => shut(server));
  return {
    url: await listenOnLoopback(server),
    throttle: (requests) => {
      throttled = requests;
    },
  };
}

/** Starts the gateway of `orderAccess=iam`: an order that is not signed with SigV4 is 403. */
export function startIamGateway(serviceUrl: string): Promise<Gateway> {
  return startGateway(
    () => serviceUrl,
    (order) => (isSignedByCaller(order) ? undefined : [403, 'Forbidden']),
  );
}

/**
 * Starts the gateway of `orderAccess=jwt`: an order without a token of the issuer is 401. `start` starts the service
 * behind it, whose clients sign for `authority`.
 */
export async function startTokenGateway(
  issuer: TokenIssuer,
  start: (authority: string) => Promise<{ readonly url: string }>,
): Promise<Gateway> {
  let serviceUrl = '';
  const gateway = await startGateway(
    () => serviceUrl,
    ({ headers }) => (issuer.verifies(headers.authorization) ? undefined : [401, 'Unauthorized']),
  );
  const service = await start(new URL(gateway.url).host);
  serviceUrl = service.url;
  return gateway;
}

/** An issuer of tokens: what `jwtIssuer` is to a deployment. */
export interface TokenIssuer {
  /** Its `POST /token` logs a client in, by OAuth's client credentials. */
  readonly url: string;
  /** Returns true for the header `Authorization` with a token that the gateway of a deployment lets through. */
  verifies(authorization: string | undefined): boolean;
}

const AUDIENCE = 'orders';

const claims = z.object({ iss: z.string(), aud: z.literal(AUDIENCE), sub: z.string(), exp: z.number() });

afterTests(() => Promise.all(stops.splice(0).map((stop) => stop())));

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Reads a token by the public key, as an authorizer of API Gateway does: signature, issuer, audience and end. */
function verifiesToken(token: string, jwk: JsonWebKey, issuer: string): boolean {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))
    return false;
  const { iss, exp } = claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return iss === issuer && exp * 1_000 > Date.now();
}

/** Starts an issuer, whose tokens last five minutes. It ends after the test. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = publicKey.export({ format: 'jwk' });
  let url = '';
  const server = createServer((_request, response) => {
    const payload = { iss: url, aud: AUDIENCE, sub: 'alice', exp: Math.floor(Date.now() / 1_000) + 300 };
    const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(payload)}`;
    const signature = sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: `${signed}.${signature}`, token_type: 'Bearer', expires_in: 300 }));
  });
  url = await listenOnLoopback(server);
  stops.push(() => shut(server));
  const verifies = (authorization = '') => {
    const [, token] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    return token !== undefined && verifiesToken(token, jwk, url);
  };
  return { url, verifies };
}
