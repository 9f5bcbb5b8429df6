import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayResult } from '../../functions/endpoint.ts';
import { requestIdFrom, toResult } from '../../functions/pipeline.ts';
import { toAppError, toProblem } from '../../functions/problem.ts';
import { type AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';

/** Creates the error for a malformed request; `detail` completes the sentence about the field. */
export function invalid(field: string, detail: string): AppError {
  return refuse('invalid_request', { part: 'The request', errors: [{ field, detail }] });
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Translates Node's reason for giving up on a request into our error. */
export function fromParserError({ code, rawPacket, bytesParsed }: ParserError): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout', {});
  const isInHeaders = rawPacket?.subarray(0, bytesParsed).includes('\r\n');
  if (code === 'HPE_HEADER_OVERFLOW') return refuse(isInHeaders ? 'headers_too_large' : 'uri_too_long', {});
  return invalid('request', 'must be HTTP/1.1.');
}

/**
 * Returns the response to a request that was refused before it reached an endpoint, in the form that endpoints use, and
 * writes its log line. Node may have made no request of what came in.
 */
export function toRefusal(thrown: unknown, log: Log, request?: IncomingMessage): GatewayResult {
  const error = toAppError(thrown);
  const { code, message: detail } = error;
  const { method = null, headers } = request ?? {};
  const requestId = requestIdFrom(headers?.['x-request-id']?.toString());
  const problem = toProblem(error, requestId);
  if (code === 'internal_error') log.error('request failed', { request_id: requestId, error });
  log.info('request', { route: null, method, status: problem.status, request_id: requestId, code, detail });
  return toResult({ ...problem, headers: { ...problem.headers, 'x-request-id': requestId } }, method ?? 'GET');
}

/** Writes a result as the response, unless another one was written in the meantime. */
export function send(response: ServerResponse, { statusCode = 200, headers = {}, body }: GatewayResult): void {
  if (response.headersSent) return;
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  response.end(body);
}

/** Writes a result where Node made no request of what came in, and closes the connection. */
export function sendRaw(socket: Duplex, { statusCode = 500, headers, body = '' }: GatewayResult): void {
  const all = { ...headers, date: new Date().toUTCString(), 'content-length': body.length, connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`);
  // Time for the client to read that.
  setTimeout(() => socket.destroy(), 2_000).unref();
  socket.pause();
}
