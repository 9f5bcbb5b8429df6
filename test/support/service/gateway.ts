import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
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
export async function startGateway(service: () => string, refuse: (order: OrderRequest) => Refusal): Promise<Gateway> {
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
  /** Returns true for the header `Authorization` with a token that the issuer has given. */
  verifies(authorization: string | undefined): boolean;
}

/** Starts an issuer, whose tokens only it can read. It ends after the test. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const issued = new Set<string>();
  const server = createServer((_request, response) => {
    const access_token = randomUUID();
    issued.add(`Bearer ${access_token}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 300 }));
  });
  stops.push(() => shut(server));
  return { url: await listenOnLoopback(server), verifies: (authorization = '') => issued.has(authorization) };
}
