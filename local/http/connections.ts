import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { endRaw, send, toRefusal } from './replies.ts';

/** A connection on which more requests wait is closed. */
export const MAX_WAITING = 100;

/** How long a refused client may take to read its response and to close the connection. */
const LINGER_MS = 2_000;

/** The client connections that take further requests, each with the responses that are still to come, in their order. */
export class Connections {
  readonly #waiting = new Map<Duplex, Set<ServerResponse>>();
  readonly #serve: RequestListener;
  readonly #log: Log;

  constructor(serve: RequestListener, log: Log) {
    this.#serve = serve;
    this.#log = log;
  }

  open(socket: Duplex): void {
    this.#waiting.set(socket, new Set());
    socket.once('close', () => this.#waiting.delete(socket));
  }

  /** Serves a request after those before it on its connection. Drops it where the connection ends or too many wait. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const waiting = this.#waiting.get(socket);
    if (!waiting) return;
    if (waiting.size >= MAX_WAITING) {
      this.#close(socket);
      return;
    }
    const serveFirst = () => {
      const [first] = waiting;
      if (first && socket.writable) this.#serve(first.req, first);
    };
    waiting.add(response);
    response.once('close', () => {
      waiting.delete(response);
      serveFirst();
    });
    // Node drops the requests that it has read behind one for an upgrade, and would answer a later one in their place.
    if (request.headers.upgrade !== undefined) this.#endWith(response);
    // When all that was read at once is parsed: none of too many requests begins.
    if (waiting.size === 1) queueMicrotask(serveFirst);
  }

  /**
   * Closes a connection on which too many requests wait. Node parses up to 1,800 requests of it at once and frees them at
   * the end of this turn of the event loop, so the others are read in the next turn: 500 floods at once took 1.2 GB. The
   * newest are read first, so that a client need not wait for all floods before it.
   */
  #close(socket: Socket): void {
    const message = 'a connection was closed: too many requests wait on it';
    this.#log.warn(message, { address: socket.remoteAddress, waiting: MAX_WAITING });
    this.#waiting.delete(socket);
    socket.destroy();
    const others = [...this.#waiting.keys()].reverse();
    for (const other of others) other.pause();
    setImmediate(() => {
      for (const other of others) other.resume();
    });
  }

  /** Closes a connection after this response. */
  #endWith(last: ServerResponse): void {
    const { socket } = last.req;
    this.#waiting.delete(socket);
    if (!last.headersSent) last.setHeader('connection', 'close');
    last.once('close', () => socket.destroySoon());
  }

  /** Answers a request that Node's parser has given up, after the requests before it, and closes the connection. */
  refuse(socket: Duplex, error: AppError): void {
    const waiting = [...(this.#waiting.get(socket) ?? [])];
    if (!this.#waiting.delete(socket)) return;
    const incomplete = waiting.find(({ req }) => !req.complete);
    if (incomplete) {
      this.#endWith(incomplete);
      send(incomplete, toRefusal(error, this.#log, incomplete.req));
      return;
    }
    const answer = () => {
      if (!socket.writable) return;
      endRaw(socket, toRefusal(error, this.#log));
      socket.pause();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    };
    const last = waiting.at(-1);
    if (last) last.once('close', answer);
    else answer();
  }

  /** Closes idle connections at once, and the others after their responses. Refuses a request that has not come whole. */
  stop(): void {
    for (const [socket, waiting] of [...this.#waiting]) {
      const last = [...waiting].at(-1);
      if (!last) socket.destroy();
      else if (last.req.complete) this.#endWith(last);
      else this.refuse(socket, refuse('request_timeout', {}));
    }
  }
}
