import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayResult } from '../../functions/http.ts';
import { type AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { invalid, send, toRefusal } from './app.ts';

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
}

/** Creates the handlers that close connections. No client gets the response to another request. */
export function createConnectionEnds(log: Log) {
  /** The newest response that is under way on each connection. */
  const newest = new Map<Duplex, ServerResponse | undefined>();

  /** Lets a connection end after its responses. Answers an incomplete request with an error. */
  function end(socket: Duplex, error: AppError): void {
    const last = newest.get(socket);
    // The client would read an error as the response to its pending request, which may be an order.
    if (last && !last.headersSent) last.setHeader('connection', 'close');
    if (last?.req.complete === false) send(last, toRefusal(error, log, last.req));
    if (!last && socket.writable) sendRaw(socket, toRefusal(error, log));
  }

  return {
    add: (socket: Duplex): void => {
      newest.set(socket, undefined);
      socket.once('close', () => newest.delete(socket));
    },
    /** Records that a request now awaits its response. */
    begin: ({ socket, headers }: IncomingMessage, response: ServerResponse): void => {
      newest.set(socket, response);
      response.once('close', () => {
        if (newest.get(socket) === response) newest.set(socket, undefined);
      });
      // Node drops the requests behind one for an upgrade, and would answer a later one in their place.
      if (headers.upgrade !== undefined) response.setHeader('connection', 'close');
    },
    /** Answers bytes that Node's parser refuses. */
    refuse: (error: ParserError, socket: Duplex) => end(socket, fromParserError(error)),
    /** Closes idle and unused connections at once, and the others after their responses. */
    endAll: (): void => {
      for (const [socket, last] of newest) {
        if (last) end(socket, refuse('request_timeout', {}));
        else socket.destroy();
      }
    },
  };
}
