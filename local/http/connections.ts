import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AppError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { send, sendRaw, toRefusal } from './replies.ts';

/** A connection on which more requests wait is closed. */
export const MAX_WAITING = 100;

/** Creates the queues of requests: those of one connection are served one after the other. */
export function createConnections(serve: RequestListener, log: Log) {
  /** The connections that take further requests, each with the responses that are still to come, in their order. */
  const open = new Map<Duplex, Set<ServerResponse>>();

  function endWith(last: ServerResponse): void {
    const { socket } = last.req;
    open.delete(socket);
    if (!last.headersSent) last.setHeader('connection', 'close');
    last.once('close', () => socket.destroySoon());
  }

  /**
   * Closes a connection on which too many requests wait. Node frees them, up to 1,800, at the end of this turn of the event
   * loop: the others are read in the next one, the newest first. 500 floods in one turn took 1.2 GB.
   */
  function close(socket: Socket): void {
    log.warn('a connection was closed: too many requests wait on it', { address: socket.remoteAddress });
    open.delete(socket);
    socket.destroy();
    const others = [...open.keys()].reverse();
    for (const other of others) other.pause();
    setImmediate(() => {
      for (const other of others) other.resume();
    });
  }

  function enqueue(waiting: Set<ServerResponse>, response: ServerResponse): void {
    const serveFirst = () => {
      const [first] = waiting;
      if (first?.req.socket.writable) serve(first.req, first);
    };
    waiting.add(response);
    response.once('close', () => {
      waiting.delete(response);
      serveFirst();
    });
    // Called when all that was read at once is parsed, so that none of too many requests begins.
    if (waiting.size === 1) queueMicrotask(serveFirst);
    // Node drops the requests that it has read behind one for an upgrade, and would answer a later one in their place.
    if (response.req.headers.upgrade !== undefined) endWith(response);
  }

  /** Closes a connection after the responses that wait. Answers a request that did not come whole with an error. */
  function end(socket: Duplex, error: AppError): void {
    const waiting = open.get(socket);
    if (!waiting || !socket.writable) return;
    open.delete(socket);
    const last = [...waiting].at(-1);
    if (last) endWith(last);
    if (!last) sendRaw(socket, toRefusal(error, log));
    else if (!last.req.complete) send(last, toRefusal(error, log, last.req));
  }

  function add(socket: Socket): void {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  }

  /** Takes a request, unless its connection ends or too many wait. */
  const take: RequestListener = ({ socket }, response) => {
    const waiting = open.get(socket);
    if (waiting?.size === MAX_WAITING) close(socket);
    else if (waiting) enqueue(waiting, response);
  };

  /** Closes idle connections at once, and the others after the responses that wait. */
  function endAll(error: AppError): void {
    for (const [socket, { size }] of [...open]) {
      if (size === 0) socket.destroy();
      else end(socket, error);
    }
  }

  return { add, take, end, endAll };
}
