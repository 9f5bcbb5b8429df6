import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type AppError, refuse } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Connections } from './connections.ts';
import { toRefusedResult } from './refusal.ts';
import { replyRaw } from './reply.ts';

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Whether the parser gave up within the request line; it tells for a line that comes in one packet, as they do. */
function isWithinTarget({ rawPacket, bytesParsed }: ParserError): boolean {
  return /^[A-Z-]+ \S+ ?$/.test(rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '');
}

/** Node's reasons to give up a request, as ours. */
function translate(error: ParserError): AppError {
  const { code } = error;
  if (code === 'HPE_HEADER_OVERFLOW') return refuse(isWithinTarget(error) ? 'uri_too_long' : 'headers_too_large', {});
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return refuse('request_timeout', {});
  }
  return refuse('invalid_request', {
    sentence: 'The request is not valid HTTP/1.1.',
    errors: [{ field: 'request', detail: 'must be HTTP/1.1.' }],
  });
}

export interface ParserErrorDeps {
  readonly server: Server;
  readonly connections: Connections;
  readonly log: Log;
  /** Milliseconds for the client to close the connection after its answer. */
  readonly lingerTime: number;
}

/** Answers what Node's parser gives up: in our shape, and never in the place of an answer that is still to come. */
export function answerParserErrors({ server, connections, log, lingerTime }: ParserErrorDeps): void {
  const answer = (socket: Duplex, error: AppError, request?: IncomingMessage) => {
    const refused = {
      method: request?.method ?? null,
      requestId: request?.headers['x-request-id']?.toString(),
      startedAt: performance.now(),
    };
    connections.of(socket).fail(error, () => replyRaw(socket, toRefusedResult(error, refused, log), lingerTime));
  };
  server.on('clientError', (error: ParserError, socket) => {
    answer(socket, translate(error));
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy());
    const error = refuse('invalid_request', {
      sentence: 'This is not a proxy: CONNECT is not served.',
      errors: [{ field: 'method', detail: 'must not be CONNECT.' }],
    });
    answer(socket, error, request);
  });
}
