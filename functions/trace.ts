import { randomUUID } from 'node:crypto';
import type { Call } from '../shared/call.ts';
import { printable } from '../shared/errors.ts';
import { GATEWAY_LIMIT_MS, WAY_MS } from '../shared/limits.ts';
import type { Log } from '../shared/log.ts';
import type { GatewayEvent, InvocationContext, Middleware, RequestState } from './http.ts';
import type { AnyRoute } from './routes.ts';

export const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the caller's request id if it has the allowed form, else that of the invocation, or a new one. */
export function requestIdFrom(value: string | undefined, another: string = randomUUID()): string {
  return value !== undefined && REQUEST_ID.test(value) ? value : another;
}

/** Returns the milliseconds since the gateway received a request; 0 if it states no valid time. */
function waitedMs({ requestContext: { timeEpoch } }: GatewayEvent): number {
  const waited = Date.now() - timeEpoch;
  return waited <= GATEWAY_LIMIT_MS ? waited : 0;
}

/** Returns the ids of a request in the logs of API Gateway and Lambda where the caller supplied X-Request-Id. */
function otherIds(requestId: string, gatewayId: string, lambdaId: string) {
  if (lambdaId === requestId || lambdaId === gatewayId) return {};
  return { gateway_request_id: gatewayId, lambda_request_id: lambdaId };
}

/** The tracing headers of other programs, each with its format and its name in log lines. */
const FOREIGN_TRACES = [
  ['traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/, 'traceparent'],
  ['x-amzn-trace-id', /^[\w=;:|.-]{1,256}$/, 'amzn_trace_id'],
] as const;

function foreignTraces(headers: GatewayEvent['headers']): Record<string, string | undefined> {
  const found = FOREIGN_TRACES.filter(([header, form]) => form.test(headers[header] ?? ''));
  return Object.fromEntries(found.map(([header, , name]) => [name, headers[header]]));
}

/** Returns the milliseconds of each part of a call. They show whether the venue or the service was slow. */
function timesOf({ venueRequests, spentMs = new Map() }: Call): Record<string, number> {
  const venue = venueRequests.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const parts = [...(venueRequests.length > 0 ? [['venue', venue] as const] : []), ...spentMs];
  return Object.fromEntries(parts.map(([part, milliseconds]) => [`${part}_ms`, Number(milliseconds.toFixed(1))]));
}

export function openState(event: GatewayEvent, { awsRequestId }: InvocationContext, budgetMs: number): RequestState {
  const startedAt = performance.now();
  // The gateway counts from its receipt, so a cold start uses up time. A wrong clock never adds to the budget.
  const deadline = startedAt + Math.min(budgetMs, budgetMs + WAY_MS - waitedMs(event));
  const requestId = requestIdFrom(event.headers['x-request-id'], awsRequestId);
  const ids = otherIds(requestId, event.requestContext.requestId, awsRequestId);
  const trace = { request_id: requestId, ...ids, ...foreignTraces(event.headers) };
  return { requestId, trace, startedAt, call: { deadline, venueRequests: [], spentMs: new Map(), trace } };
}

/** Ends every request: adds its id to the response and writes one line to the log. */
export function trace(route: AnyRoute, log: Log): Middleware {
  const close: NonNullable<Middleware['after']> = ({ event, response, context: { state } }) => {
    if (!response) return;
    response.headers = { ...response.headers, 'x-request-id': state.requestId };
    const status = response.statusCode ?? 200;
    // An alarm counts this line, so no threshold may drop it.
    const unlessFailed = state.trace['code'] === 'caller_not_identified' ? log.audit : log.info;
    const write = status >= 500 ? log.error : unlessFailed;
    write('request', {
      route: route.name,
      method: event.requestContext.http.method,
      ...(route.name === 'unknown' && { path: printable(event.rawPath) }),
      status,
      duration_ms: Number((performance.now() - state.startedAt).toFixed(1)),
      ...timesOf(state.call),
      ...state.trace,
      venue_calls: state.call.venueRequests,
    });
  };
  return { after: close, onError: close };
}
