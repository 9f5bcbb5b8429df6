import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { CONNECT_MS, MAX_IDLE_MS } from '../../limits.ts';
import { VERSION } from '../../version.ts';
import { TransportError } from './transport-error.ts';

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

const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const MAX_SOCKETS = 256;
/** The connections to one host: kept alive, made when they are needed. */
export interface Connection {
  /** Sends one request and gives its answer's head; rejects with `TransportError` after `limit` milliseconds. */
  exchange(spec: VenueHttpRequest, limit: number): Promise<IncomingMessage>;
}

/** Idle connections that are too old to be trusted are closed before each request. `now`: the wall clock. */
export function createConnection(baseUrl: string, now: () => number): Connection {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  // Taken apart once: Node would parse the URL for each request.
  const url = new URL(baseUrl);
  const { protocol, hostname, port } = urlToHttpOptions(url);
  const base = url.pathname.replace(/\/$/, '');
  const secure = protocol === 'https:';
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
  const send = secure ? sendHttps : sendHttp;
  const connectedEvent = secure ? 'secureConnect' : 'connect';
  const idleSince = new WeakMap<object, number>();
  agent.on('free', (socket: Socket) => idleSince.set(socket, now()));

  function dropStale(): void {
    for (const socket of Object.values(agent.freeSockets).flat()) {
      if (socket && now() - (idleSince.get(socket) ?? 0) > MAX_IDLE_MS) socket.destroy();
    }
  }

  return {
    exchange(spec, limit) {
      dropStale();
      const path = base + spec.path;
      const open = () => send({ protocol, hostname, port, path, agent, method: spec.method, headers: headersOf(spec) });
      return new Promise((resolve, reject) => {
        let request: ClientRequest;
        try {
          request = open();
        } catch (error) {
          reject(new TransportError('not_connected', false, error));
          return;
        }
        watch(request, { limit, connectedEvent, resolve, reject });
        request.end(spec.body);
      });
    },
  };
}

function headersOf({ body, headers }: VenueHttpRequest): Readonly<Record<string, string | number>> {
  return {
    accept: 'application/json',
    'user-agent': `order-book-adapter/${VERSION}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
    ...headers,
  };
}

interface Watch {
  readonly limit: number;
  readonly connectedEvent: 'connect' | 'secureConnect';
  readonly resolve: (response: IncomingMessage) => void;
  readonly reject: (error: TransportError) => void;
}

/** Bounds a request in time, and notes from when on a byte of it may have arrived. */
function watch(request: ClientRequest, { limit, connectedEvent, resolve, reject }: Watch): void {
  let sent = false;
  let answer: IncomingMessage | undefined;
  const broken = (cause?: unknown) => new TransportError(sent ? 'reset' : 'not_connected', sent, cause);
  const timer = setTimeout(() => {
    const late = new TransportError('timeout', sent);
    // Node reports a request that we destroy in the middle of its answer as a reset: the answer is told first.
    answer?.destroy(late);
    request.destroy(late);
  }, limit);
  request.on('socket', (socket: Socket) => {
    if (!socket.connecting) {
      sent = true;
      return;
    }
    const connecting = setTimeout(() => request.destroy(new TransportError('not_connected', false)), CONNECT_MS);
    socket.once(connectedEvent, () => {
      sent = true;
      clearTimeout(connecting);
    });
    socket.once('close', () => clearTimeout(connecting));
  });
  request.on('response', (response) => {
    answer = response;
    resolve(response);
  });
  request.on('error', (error) => reject(error instanceof TransportError ? error : broken(error)));
  request.on('close', () => {
    clearTimeout(timer);
    // An answer that switches protocols ends in neither of the two above.
    if (!answer) reject(broken());
  });
}

/** Reads an answer's body; rejects with `too_large` above 8 MiB and when the connection ends before the body. */
export function readBody(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let ended = false;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) response.destroy(new TransportError('too_large', true));
      else chunks.push(chunk);
    });
    response.on('end', () => {
      ended = true;
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    response.on('error', reject);
    // A connection that closes in the middle of a body without a length ends in neither of the two.
    response.on('close', () => {
      if (!ended) reject(new TransportError('reset', true));
    });
  });
}
