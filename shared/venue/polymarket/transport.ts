import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import type { Socket } from 'node:net';
import { VERSION } from '../../version.ts';
import type { Call } from '../port.ts';

export interface VenueHttpRequest {
  /** What the call is named in the log. */
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for this attempt; never more than what is left of the call. */
  readonly timeLimit?: number;
}

export interface VenueHttpResponse {
  readonly status: number;
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | undefined;
  readonly isJson: boolean;
  readonly text: string;
}

/** Why there is no readable answer. `sent` is false only where not a byte of the request can have arrived. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'not_connected' | 'timeout' | 'reset' | 'too_large';
  readonly sent: boolean;

  constructor(kind: TransportError['kind'], sent: boolean, cause?: unknown) {
    super(`the venue's answer did not come: ${kind}`, { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

/** One HTTP exchange with a host of the venue: no retry, no redirect, no answer over 8 MiB; throws `TransportError`. */
export interface Transport {
  send(request: VenueHttpRequest, call: Call): Promise<VenueHttpResponse>;
  /** Milliseconds by which the venue's clock is ahead of ours, from the last `Date` header. */
  clockSkew(): number;
}

const CONNECT_TIME_LIMIT = 3_000;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const MAX_SOCKETS = 256;
/**
 * Milliseconds that a connection may lie idle. The venue's edge closes its side after a while, and a frozen Lambda
 * does not notice: an order written to such a connection is lost, and nobody can tell whether it arrived.
 */
const MAX_IDLE = 4_000;

interface Connection {
  readonly agent: HttpAgent;
  readonly send: (url: string, options: RequestOptions) => ReturnType<typeof sendHttp>;
  readonly connectedEvent: 'connect' | 'secureConnect';
}

/** The idle connections of an agent that are too old to be trusted are closed before each request. */
function createConnection(baseUrl: string): Connection & { dropStale(): void } {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const secure = baseUrl.startsWith('https:');
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
  const idleSince = new WeakMap<object, number>();
  agent.on('free', (socket: Socket) => idleSince.set(socket, Date.now()));
  const dropStale = () => {
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket && Date.now() - (idleSince.get(socket) ?? 0) > MAX_IDLE) socket.destroy();
    }
  };
  return {
    agent,
    send: secure ? sendHttps : sendHttp,
    connectedEvent: secure ? 'secureConnect' : 'connect',
    dropStale,
  };
}

function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}

function readBody(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) response.destroy(new TransportError('too_large', true));
      else chunks.push(chunk);
    });
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.on('error', reject);
    // A connection that closes in the middle of a body without a length ends in neither of the two.
    response.on('close', () => reject(new TransportError('reset', true)));
  });
}

function exchange(
  connection: Connection,
  url: string,
  spec: VenueHttpRequest,
  limit: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let sent = false;
    const { body, method } = spec;
    const request = connection.send(url, {
      agent: connection.agent,
      method,
      headers: {
        accept: 'application/json',
        'user-agent': `order-book-adapter/${VERSION}`,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...spec.headers,
      },
    });
    const timer = setTimeout(() => request.destroy(new TransportError('timeout', sent)), limit);
    request.on('socket', (socket: Socket) => {
      if (!socket.connecting) {
        sent = true;
        return;
      }
      const connecting = setTimeout(
        () => request.destroy(new TransportError('not_connected', false)),
        CONNECT_TIME_LIMIT,
      );
      socket.once(connection.connectedEvent, () => {
        sent = true;
        clearTimeout(connecting);
      });
      socket.once('close', () => clearTimeout(connecting));
    });
    request.on('close', () => clearTimeout(timer));
    request.on('error', (error) => {
      reject(
        error instanceof TransportError ? error : new TransportError(sent ? 'reset' : 'not_connected', sent, error),
      );
    });
    request.on('response', resolve);
    request.end(body);
  });
}

/** Node reports a request that we destroy in the middle of its answer as a reset. */
function asTransportError(error: unknown, timeIsUp: boolean): TransportError {
  const failure = error instanceof TransportError ? error : new TransportError('reset', true, error);
  return timeIsUp && failure.kind === 'reset' ? new TransportError('timeout', failure.sent, failure) : failure;
}

/** Opens a transport to a host of the venue; connections are kept alive and made when they are needed. */
export function createTransport(baseUrl: string): Transport {
  const connection = createConnection(baseUrl);
  let skew = 0;

  async function receive(spec: VenueHttpRequest, limit: number): Promise<VenueHttpResponse> {
    connection.dropStale();
    const response = await exchange(connection, baseUrl + spec.path, spec, limit);
    const { headers, statusCode = 0 } = response;
    const date = Date.parse(headers.date ?? '');
    if (!Number.isNaN(date)) skew = date - Date.now();
    const text = await readBody(response);
    return {
      status: statusCode,
      retryAfter: parseRetryAfter(headers['retry-after'], Date.now()),
      isJson: /^application\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? ''),
      text,
    };
  }

  return {
    clockSkew: () => skew,
    async send(spec, call) {
      const startedAt = performance.now();
      const limit = Math.min(spec.timeLimit ?? Number.POSITIVE_INFINITY, call.deadline - startedAt);
      let result: number | string = 'timeout';
      try {
        if (limit <= 0) throw new TransportError('timeout', false);
        const response = await receive(spec, limit);
        result = response.status;
        return response;
      } catch (error) {
        const failure = asTransportError(error, performance.now() - startedAt >= limit);
        result = failure.kind;
        throw failure;
      } finally {
        const milliseconds = Math.round((performance.now() - startedAt) * 10) / 10;
        call.venueRequests.push({ name: spec.name, result, milliseconds });
      }
    },
  };
}
