import { createPublicKey, generateKeyPairSync, type JsonWebKey, sign, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { z } from 'zod';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { afterTests } from '../after-tests.ts';

/** An issuer of tokens: what `jwtIssuer` is to a deployment. */
export interface TokenIssuer {
  /** Its `POST /token` logs a client in, by OAuth's client credentials. */
  readonly url: string;
  /** Returns true for the header `Authorization` with a token that the gateway of a deployment lets through. */
  verifies(authorization: string | undefined): boolean;
}

const AUDIENCE = 'orders';

const claims = z.object({ iss: z.string(), aud: z.literal(AUDIENCE), sub: z.string(), exp: z.number() });

const stops: (() => Promise<void>)[] = [];

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
