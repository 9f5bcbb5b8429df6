import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Call } from '../../../shared/venue/port.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { afterTests } from '../jest.ts';

/** A request that a scripted venue has received. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
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
    const at = performance.now();
    const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://venue.invalid');
    const { method = '', headers } = message;
    const index = received;
    received += 1;
    const partial = { method, path, query, headers, at, port: message.socket.remotePort };
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

/** Encodes a value as DER. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), value]);
}

const [INTEGER, BIT_STRING, UTF8_TEXT, UTC_TIME, SEQUENCE, SET] = [0x02, 0x03, 0x0c, 0x17, 0x30, 0x31] as const;
const ECDSA_WITH_SHA256 = der(SEQUENCE, Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');

function pem(label: string, bytes: Buffer): string {
  return `-----BEGIN ${label}-----\n${bytes.toString('base64')}\n-----END ${label}-----\n`;
}

/** Creates a key and a certificate for `localhost` that it has signed itself. */
export function createCertificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_TEXT, Buffer.from('localhost')))));
  const from = der(UTC_TIME, Buffer.from('200101000000Z'));
  const until = der(UTC_TIME, Buffer.from('491231235959Z'));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const serial = der(INTEGER, Buffer.from([1]));
  const signed = der(SEQUENCE, serial, ECDSA_WITH_SHA256, name, der(SEQUENCE, from, until), name, spki);
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', signed, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem('CERTIFICATE', der(SEQUENCE, signed, ECDSA_WITH_SHA256, signature)),
  };
}
