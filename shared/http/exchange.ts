import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { CONNECT_MS, MAX_ANSWER_BYTES, MAX_IDLE_MS } from '../limits.ts';
import { errorCode } from '../node-error.ts';
import { type ProxyEnv, proxyOptions } from '../proxy.ts';
import { VERSION } from '../version.ts';

/** The reason for the lack of a readable answer. `sent` is false only if no byte of the request can have arrived. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'not_connected' | 'timeout' | 'reset' | 'no_http' | 'too_large';
  readonly sent: boolean;

  constructor(kind: TransportError['kind'], sent: boolean, cause?: unknown) {
    super(`no answer came: ${kind}`, { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query behind the base address; default: the base address as it is. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The largest answer; default: `MAX_ANSWER_BYTES.usual`. */
  readonly maxBytes?: number;
  /** Resolves with the head of the answer: `text` is empty, and the body is discarded within the time of the request. */
  readonly headOnly?: true;
  /** Uses a new connection: a kept-alive one may be dead, too. */
  readonly afresh?: true;
}

export interface HttpResponse {
  readonly status: number;
  /** The wait in seconds that `Retry-After` asks for. */
  readonly retryAfter: number | undefined;
  readonly isJson: boolean;
  readonly text: string;
}

/** Sends one request and returns its answer; rejects with `TransportError`, after `limitMs` at the latest. */
export type Exchange = (request: HttpRequest, limitMs: number) => Promise<HttpResponse>;

export interface ExchangeOptions {
  /** The wall clock in epoch milliseconds. */
  readonly now?: () => number;
  /** Takes the `Date` of each answer that no cache has kept, in epoch milliseconds. */
  readonly onDate?: (date: number) => void;
  readonly proxyEnv?: ProxyEnv | undefined;
  /** Further requests wait for a connection, within their own time. */
  readonly maxSockets?: number;
}

/** `Mon, 02 Nov 2026 09:10:10 GMT`; `Date.parse` alone reads a date into almost anything. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$/;

/** Reads a date of a header as epoch milliseconds; `NaN` for anything else. */
function parseHttpDate(text = ''): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

/** The host must have made a mistake in a longer wait. */
export const MAX_WAIT_S = 86_400;
function parseRetryAfter(value: string | undefined, now: () => number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value), MAX_WAIT_S);
  const seconds = Math.ceil((parseHttpDate(value) - now()) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_WAIT_S);
}

const MAX_SOCKETS = 256;

/**
 * Opens the exchanges with one host: no retry, no redirect, no answer over its limit of bytes. Connections are kept alive;
 * those that were idle for too long are closed before each request.
 *
 *   send ─> connect (CONNECT_MS) ─> write ─> head ─> body ─> answer
 *             │                       │        │       └ too_large, no_http, reset, timeout: sent
 *             └ not_connected: unsent └────────┴ no_http, reset, timeout: sent
 */
export function openExchange(
  baseUrl: string,
  { now = Date.now, onDate, proxyEnv, maxSockets = MAX_SOCKETS }: ExchangeOptions = {},
): Exchange {
  // If one address family of a name is dead, the other one gets the same time.
  const options = { keepAlive: true, maxSockets, autoSelectFamilyAttemptTimeout: CONNECT_MS / 2 };
  // Parsed once: Node would parse the URL for each request.
  const url = new URL(baseUrl);
  const { protocol, hostname, port, auth } = urlToHttpOptions(url);
  const base = url.pathname.replace(/\/$/, '');
  const secure = protocol === 'https:';
  // A host with http is on loopback or in a private network, where no proxy is used.
  const agent = secure ? new HttpsAgent({ ...options, ...proxyOptions(proxyEnv) }) : new HttpAgent(options);
  const target = { protocol, hostname, port, auth, agent };
  const send = secure ? sendHttps : sendHttp;
  const connectedEvent = secure ? 'secureConnect' : 'connect';
  const idleSince = new WeakMap<object, number>();
  agent.on('free', (socket: Socket) => idleSince.set(socket, now()));

  function dropIdle(afresh = false): void {
    // Copies the list, since Node removes a socket that is destroyed.
    for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => [...(sockets ?? [])])) {
      const idleMs = now() - (idleSince.get(socket) ?? 0);
      // A clock that was set back must not make a connection younger.
      if (afresh || idleMs < 0 || idleMs > MAX_IDLE_MS) socket.destroy();
    }
  }

  return async (spec, limitMs) => {
    if (limitMs <= 0) throw new TransportError('timeout', false);
    dropIdle(spec.afresh);
    const path = spec.path === undefined ? url.pathname + url.search : base + spec.path;
    let request: ClientRequest;
    try {
      request = send({ ...target, method: spec.method, path, headers: headersOf(spec) });
    } catch (error) {
      throw new TransportError('not_connected', false, error);
    }
    const head = headOf(request, limitMs, connectedEvent);
    request.end(spec.body);
    try {
      const response = await head;
      const date = parseHttpDate(response.headers.date);
      // An answer from a cache has an old time.
      if (response.headers.age === undefined && !Number.isNaN(date)) onDate?.(date);
      return await readAnswer(response, spec, now);
    } catch (error) {
      throw error instanceof TransportError ? error : new TransportError('reset', true, error);
    }
  };
}

function headersOf({ body, headers }: HttpRequest): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'user-agent': `order-book-adapter/${VERSION}`,
    // Without a length, the body of a GET would be the next request. Node gives one to a POST.
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
}

/** Awaits the head of an answer for a time, and notes when a byte of the request may have arrived. */
function headOf(request: ClientRequest, limit: number, connectedEvent: string): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let sent = false;
  let answer: IncomingMessage | undefined;
  const broken = (cause?: unknown) => {
    // The codes of Node's parser.
    const kind = errorCode(cause)?.startsWith('HPE_') ? 'no_http' : 'reset';
    return new TransportError(sent ? kind : 'not_connected', sent, cause);
  };
  const timer = setTimeout(() => {
    const late = new TransportError('timeout', sent);
    // Node reports a request that is destroyed during its answer as a reset: the answer is destroyed first.
    answer?.destroy(late);
    request.destroy(late);
    // Node emits no event for a request that still waits for a free connection.
    reject(late);
  }, limit);
  request.on('socket', (socket: Socket) => {
    if (!socket.connecting) {
      // A kept-alive connection, or none: a `connect` that fails at once has failed by now.
      sent = !socket.destroyed;
      return;
    }
    const connecting = setTimeout(() => request.destroy(new TransportError('not_connected', false)), CONNECT_MS);
    socket.once(connectedEvent, () => {
      clearTimeout(connecting);
      sent = true;
    });
    socket.once('close', () => clearTimeout(connecting));
  });
  request.on('response', (response) => {
    answer = response;
    resolve(response);
  });
  request.on('error', (error) => {
    const failure = error instanceof TransportError ? error : broken(error);
    // Node reports a body that is no HTTP to the request, and to its answer as a reset.
    answer?.destroy(failure);
    reject(failure);
  });
  request.on('close', () => {
    clearTimeout(timer);
    // For 101, Node emits neither `response` nor `error`.
    if (!answer) reject(broken());
  });
  return promise;
}

/** Reads an answer's body; cuts a refusal off after its limit, and rejects any other answer above it with `too_large`. */
async function readBody(response: AsyncIterable<Buffer>, isRefusal: boolean, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let left: number = isRefusal ? MAX_ANSWER_BYTES.refusal : maxBytes;
  for await (const chunk of response) {
    if (!isRefusal && chunk.length > left) throw new TransportError('too_large', true);
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readAnswer(response: IncomingMessage, spec: HttpRequest, now: () => number): Promise<HttpResponse> {
  const { headers, statusCode: status = 0 } = response;
  const { headOnly, maxBytes = MAX_ANSWER_BYTES.usual } = spec;
  if (headOnly) response.resume();
  return {
    status,
    retryAfter: parseRetryAfter(headers['retry-after'], now),
    isJson: /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(headers['content-type'] ?? ''),
    text: headOnly ? '' : await readBody(response, status >= 400, maxBytes),
  };
}
