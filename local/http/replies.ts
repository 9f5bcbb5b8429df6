import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { requestIdFrom, toResult } from '../../functions/pipeline.ts';
import { toAppError, toProblem } from '../../functions/problem.ts';
import { type AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';

type Result = APIGatewayProxyStructuredResultV2;

/** Writes a handler's result as the response, unless another one was written in the meantime. */
export function send(response: ServerResponse, { statusCode = 200, headers = {}, body }: Result): void {
  if (response.headersSent) return;
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  response.end(body);
}

/** Creates the error for a malformed request; `detail` completes the sentence about the field. */
export function invalid(sentence: string, field: string, detail: string): AppError {
  return refuse('invalid_request', { sentence, errors: [{ field, detail }] });
}

/**
 * Returns the response to a request that was refused before it reached an endpoint, in the form that endpoints use, and
 * writes its log line. Node may have made no request of what came in.
 */
export function toRefusal(thrown: unknown, log: Log, request?: IncomingMessage): Result {
  const error = toAppError(thrown);
  const requestId = requestIdFrom(request?.headers['x-request-id']?.toString());
  if (error.code === 'internal_error') log.error('request failed', { request_id: requestId, error });
  const problem = toProblem(error, requestId);
  log.info('request', {
    route: null,
    method: request?.method ?? null,
    status: problem.status,
    request_id: requestId,
    code: error.code,
    detail: error.message,
  });
  const headers = { ...problem.headers, 'x-request-id': requestId };
  return toResult({ ...problem, headers }, request?.method ?? 'GET');
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Returns true if the parser gave up within the request line, as far as that came in one packet. */
function isWithinTarget({ rawPacket, bytesParsed }: ParserError): boolean {
  return /^[A-Z-]+ \S+ ?$/.test(rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '');
}

/** Translates Node's reason for giving up on a request into our error. */
export function fromParserError(error: ParserError): AppError {
  const { code } = error;
  if (code === 'HPE_HEADER_OVERFLOW') return refuse(isWithinTarget(error) ? 'uri_too_long' : 'headers_too_large', {});
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout', {});
  return invalid('The request is not valid HTTP/1.1.', 'request', 'must be HTTP/1.1.');
}

/** Writes a result where Node made no request of what came in, and closes the connection. */
export function endRaw(socket: Duplex, { statusCode = 500, headers = {}, body = '' }: Result): void {
  const all = {
    ...headers,
    date: new Date().toUTCString(),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`);
}
