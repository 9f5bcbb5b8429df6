import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { toAppError, toProblem } from '../functions/problem.ts';
import { requestIdFrom } from '../functions/request-id.ts';
import { toResult } from '../functions/response.ts';
import { millisecondsSince } from '../shared/elapsed.ts';
import type { Log } from '../shared/log.ts';

/** What is known of a request that never reached an endpoint. */
export interface Refused {
  readonly method: string | null;
  /** The caller's `X-Request-Id`. */
  readonly requestId: string | undefined;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
}

/** The problem that a refused request is answered with, in the form in which endpoints answer; writes its log line. */
export function toRefusedResult(
  thrown: unknown,
  { method, requestId: wanted, startedAt }: Refused,
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
    duration_ms: millisecondsSince(startedAt),
    request_id: requestId,
    venue_calls: [],
    code: error.code,
  });
  return toResult({ ...problem, headers: { ...problem.headers, 'x-request-id': requestId } }, method ?? 'GET');
}
