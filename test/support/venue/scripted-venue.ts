import { createPrivateKey } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Call } from '../../../shared/call.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { afterTests } from '../jest.ts';

/** A request that a scripted venue has received. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The client's port: equal for requests on one connection. */
  readonly port: number | undefined;
}

/** An answer by HTTP. */
export interface HttpReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A reply to a request: an answer, silence, a cut connection, or whatever the function writes. */
export type Reply = HttpReply | 'hang' | 'reset' | ((response: ServerResponse) => void);

/** Returns a reply that is an answer by HTTP; throws for any other. */
export function asHttp(reply: Reply): HttpReply {
  if (typeof reply !== 'object') throw new Error('the reply is no answer');
  return reply;
}

/** Answers a request; `index` counts all requests from 0. */
export type Script = (request: SeenRequest, index: number) => Reply | Promise<Reply>;

/** A server that answers as a test says, and remembers what it was asked. */
export interface ScriptedVenue {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** `GET /book` and so on, in the order of arrival. */
  calls(): readonly string[];
  close(): Promise<void>;
}

const running: ScriptedVenue[] = [];

afterTests(() => Promise.all(running.splice(0).map((venue) => venue.close())));

function play(reply: Reply, response: ServerResponse): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    response.destroy();
    return;
  }
  if (typeof reply === 'function') {
    reply(response);
    return;
  }
  const { status = 200, headers = {}, body = '' } = reply;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Starts a scripted venue on a free port; it is closed after the test. */
export async function startVenue(script: Script): Promise<ScriptedVenue> {
  const seen: SeenRequest[] = [];
  let received = 0;
  const server = createServer(async (message, response) => {
    const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://venue.invalid');
    const { method = '', headers } = message;
    const index = received;
    received += 1;
    const partial = { method, path, query, headers, port: message.socket.remotePort };
    const request = { ...partial, body: await text(message) };
    seen[index] = request;
    play(await script(request, index), response);
  });
  const venue = {
    url: await listenOnLoopback(server),
    seen,
    calls: () => seen.map(({ method, path }) => `${method} ${path}`),
    close: () => shut(server),
  };
  running.push(venue);
  return venue;
}

/** A call of the service with so many milliseconds left. */
export function callWithin(milliseconds = 9_000): Call {
  return { deadline: performance.now() + milliseconds, venueRequests: [] };
}

/** Invented: a key of P-256. */
const KEY = {
  ...{ kty: 'EC', crv: 'P-256', d: '7xUE1WdEr8ADdcThW-5ffYEqOkWsZ1YtvzpiJtcV1YI' },
  x: 'I21-Y3CNlbw4pi5PezZnMk-cEKYABr1TaPitkFlR4KI',
  y: 'USuhtji5ZGhgpboPn6zebIaj9gVCLvFmyvzLmhJ88xk',
};

/** A key, and the certificate for `localhost` that it has signed itself, until the end of 2049. */
export const CERTIFICATE = {
  key: createPrivateKey({ key: KEY, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }),
  cert: `-----BEGIN CERTIFICATE-----\n${[
    'MIIBEDCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcNMjAwMTAxMDAwMDAwWhcNNDkxMjMxMjM1OTU5',
    'WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQjbX5jcI2VvDimLk97NmcyT5wQpgAGvVNo',
    '+K2QWVHgolErobY4uWRoYKW6D5+s3myGo/YFQi7xZsr8y5oSfPMZMAoGCCqGSM49BAMCA0kAMEYCIQDuDnDgGCkakPe1H/i2BcKN',
    '/yL9887UFgRwvwc1IbU93gIhAPGj2eVmfJi5VhWZR4L1aFHGMTCDg3bk1f+yhXMM9Zc8',
  ].join('\n')}\n-----END CERTIFICATE-----\n`,
};
