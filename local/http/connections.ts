import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { GatewayResult } from '../../functions/http.ts';
import { type AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { invalid, send, toRefusal } from './app.ts';

/** A connection with more waiting requests is closed. */
export const MAX_WAITING = 100;
/** Where there are as many connections, the one that is idle longest makes room for a new one. */
export const MAX_CONNECTIONS = 512;

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Translates Node's reason for giving up on a request into our error. */
function fromParserError({ code, rawPacket, bytesParsed }: ParserError): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout', {});
  const isInHeaders = rawPacket?.subarray(0, bytesParsed).includes('\r\n');
  if (code === 'HPE_HEADER_OVERFLOW') return refuse(isInHeaders ? 'headers_too_large' : 'uri_too_long', {});
  return invalid('request', 'must be HTTP/1.1.');
}

/** Writes a result on a connection whose bytes made no request, and closes it. */
function sendRaw(socket: Duplex, { statusCode = 500, headers, body = '' }: GatewayResult): void {
  const all = { ...headers, date: new Date().toUTCString(), 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`);
  // The client has this time to read the response.
  setTimeout(() => socket.destroy(), 2_000).unref();
  socket.pause();
}

/** Creates the queues of requests: those of one connection are served one after the other. */
export function createConnections(serve: RequestListener, log: Log) {
  /** The connections that take further requests, each with its waiting responses in their order; the idle longest first. */
  const open = new Map<Duplex, Set<ServerResponse>>();

  /** Serves requests that waited behind another one of their connection. */
  const later: (() => void)[] = [];

  /** One in a turn of the event loop, in which Node accepts one connection: a crowd delays no request of others. */
  function serveNext(): void {
    const next = later.shift();
    if (later.length > 0) setImmediate(serveNext);
    next?.();
  }

  function serveLater(serve: () => void): void {
    later.push(serve);
    if (later.length === 1) setImmediate(serveNext);
  }

  function endWith(last: ServerResponse): void {
    const { socket } = last.req;
    open.delete(socket);
    if (!last.headersSent) last.setHeader('connection', 'close');
    last.once('close', () => socket.destroySoon());
  }

  /**
   * Closes a connection with too many waiting requests. Node frees them, up to 1,800, at the end of this turn of the event
   * loop: the other connections are read in the next one, the newest first. 500 floods in one turn take 1.2 GB.
   */
  function close(socket: Socket): void {
    log.warn('connection closed: too many requests wait on it', { address: socket.remoteAddress });
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
      const { socket } = response.req;
      waiting.delete(response);
      if (waiting.size === 0 && open.delete(socket)) open.set(socket, waiting);
      // Node closes all responses of a closed connection at once: those that wait need no turn.
      else if (waiting.size > 0 && socket.writable) serveLater(serveFirst);
    });
    // After everything that was read at once is parsed, so that none of too many requests begins.
    if (waiting.size === 1) queueMicrotask(serveFirst);
    // Node drops the requests behind one for an upgrade, and would answer a later one in their place.
    if (response.req.headers.upgrade !== undefined) endWith(response);
  }

  /** Closes a connection after the waiting responses. Answers an incomplete request with an error. */
  function end(socket: Duplex, error: AppError): void {
    const waiting = open.get(socket);
    if (!waiting || !socket.writable) return;
    open.delete(socket);
    const last = [...waiting].at(-1);
    if (last) endWith(last);
    if (!last) sendRaw(socket, toRefusal(error, log));
    else if (!last.req.complete) send(last, toRefusal(error, log, last.req));
  }

  /** Closes the connection that is idle longest, or the new one where none is idle. */
  function makeRoomFor(socket: Socket): void {
    const [idle = socket] = [...open].find(([, { size }]) => size === 0) ?? [];
    log.warn('connection closed: too many are open', { address: socket.remoteAddress });
    open.delete(idle);
    idle.destroy();
  }

  return {
    add: (socket: Socket): void => {
      if (open.size >= MAX_CONNECTIONS) makeRoomFor(socket);
      if (socket.destroyed) return;
      open.set(socket, new Set());
      socket.once('close', () => open.delete(socket));
    },
    /** Takes a request, unless its connection ends or too many wait. */
    take: ({ socket }: IncomingMessage, response: ServerResponse): void => {
      const waiting = open.get(socket);
      if (waiting?.size === MAX_WAITING) close(socket);
      else if (waiting) enqueue(waiting, response);
    },
    /** Answers bytes that Node's parser refuses. */
    refuse: (error: ParserError, socket: Duplex) => end(socket, fromParserError(error)),
    /** Closes idle connections at once, and the others after their waiting responses. */
    endAll: (): void => {
      for (const [socket, { size }] of [...open]) {
        if (size === 0) socket.destroy();
        else end(socket, refuse('request_timeout', {}));
      }
    },
  };
}
