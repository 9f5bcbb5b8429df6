import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { originHeaders } from '../../functions/cors.ts';
import { requestIdFrom, toResult } from '../../functions/pipeline.ts';
import { toAppError, toProblem } from '../../functions/problem.ts';
import { type AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { replyRaw } from './body-and-reply.ts';
import type { Connections } from './connections.ts';
import { invalid } from './request-head.ts';

/** A request that was refused before it reached an endpoint. */
interface RefusedRequest {
  readonly method: string | null;
  /** The caller's `X-Request-Id`. */
  readonly requestId: string | undefined;
  /** A time of `performance.now()`. */
  readonly startedAt: number;
}

/** Returns the response to a refused request, in the form that endpoints use, and writes its log line. */
export function toRefusedResult(
  thrown: unknown,
  { method, requestId: wanted, startedAt }: RefusedRequest,
  log: Log,
): APIGatewayProxyStructuredResultV2 {
  const error = toAppError(thrown);
  const requestId = requestIdFrom(wanted);
  if (error.code === 'internal_error') log.error('request failed', { request_id: requestId, error });
  const problem = toProblem(error, requestId);
  log.info('request', {
    route: null,
    method,
    status: problem.status,
    duration_ms: Number((performance.now() - startedAt).toFixed(1)),
    request_id: requestId,
    venue_calls: [],
    code: error.code,
    detail: error.message,
  });
  // Only a page is told so here, and it can read it as it can read the market data.
  const cors = error.code === 'rate_limited' && originHeaders('any', undefined, []);
  const headers = { ...problem.headers, ...cors, 'x-request-id': requestId };
  return toResult({ ...problem, headers }, method ?? 'GET');
}

type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Returns true if the parser gave up within the request line, as far as that came in one packet. */
function isWithinTarget({ rawPacket, bytesParsed }: ParserError): boolean {
  return /^[A-Z-]+ \S+ ?$/.test(rawPacket?.subarray(0, bytesParsed).toString('latin1') ?? '');
}

/** Translates Node's reason for giving up on a request into our error. */
function translate(error: ParserError): AppError {
  const { code } = error;
  if (code === 'HPE_HEADER_OVERFLOW') return refuse(isWithinTarget(error) ? 'uri_too_long' : 'headers_too_large', {});
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuse('request_timeout', {});
  if (code === 'HPE_INVALID_METHOD') return invalid('The method is not known.', 'method', 'must be one of HTTP.');
  return invalid('The request is not valid HTTP/1.1.', 'request', 'must be HTTP/1.1.');
}

/**
 * Answers a request that Node's parser gives up: in our form, and never before a response that is still to come. The client
 * has `lingerMs` to close the connection after that.
 */
export function answerParserErrors(server: Server, connections: Connections, log: Log, lingerMs: number): void {
  const answer = (socket: Duplex, error: AppError, request?: IncomingMessage) => {
    const refused = {
      method: request?.method ?? null,
      requestId: request?.headers['x-request-id']?.toString(),
      startedAt: performance.now(),
    };
    connections.of(socket).fail(error, () => replyRaw(socket, toRefusedResult(error, refused, log), lingerMs));
  };
  server.on('clientError', (error: ParserError, socket) => {
    answer(socket, translate(error));
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy());
    answer(socket, invalid('This is not a proxy: CONNECT is not served.', 'method', 'must not be CONNECT.'), request);
  });
}
