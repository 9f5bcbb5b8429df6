import { randomUUID } from 'node:crypto';
import middy from '@middy/core';
import { printable, refuse } from '../shared/errors.ts';
import { GATEWAY_LIMIT_MS, WAY_MS } from '../shared/limits.ts';
import type { Log } from '../shared/log.ts';
import type {
  Endpoint,
  GatewayEvent,
  GatewayHandler,
  GatewayResult,
  HttpResponse,
  InvocationContext,
  Middleware,
  OriginPolicy,
  RequestState,
} from './http.ts';
import { toAppError, toProblem } from './problem.ts';
import type { AnyRoute } from './routes.ts';

/** The parts of the pipeline that all endpoints of a process share. */
export interface PipelineDeps {
  readonly log: Log;
  readonly corsOrigins: readonly string[];
}

/** The form of a caller's request id. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the caller's request id if it has the allowed form, else that of the invocation, or a new one. */
export function requestIdFrom(value: string | undefined, another: string = randomUUID()): string {
  return value !== undefined && REQUEST_ID.test(value) ? value : another;
}

/** Writes a response as the gateway takes it; a response to HEAD has no body. */
export function toResult({ status, headers, body }: HttpResponse, method: string): GatewayResult {
  const hasBody = body !== undefined;
  return {
    statusCode: status,
    headers: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headers,
    },
    // A line end, so that the prompt of a terminal starts on a line of its own.
    ...(hasBody && method !== 'HEAD' && { body: `${JSON.stringify(body)}\n` }),
  };
}

function allowedMethods(route: AnyRoute): readonly string[] {
  return route.method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [route.method, 'OPTIONS'];
}

/** Parses the query of a URL without its question mark; a second one belongs to the first name. */
export function parseQuery(rawQueryString: string): URLSearchParams {
  return new URLSearchParams(`?${rawQueryString}`);
}

function methodOf(event: GatewayEvent): string {
  return event.requestContext.http.method;
}

/** Returns the milliseconds since the gateway received a request; 0 if it gives no possible time. */
function waitedMs({ requestContext: { timeEpoch } }: GatewayEvent): number {
  const waited = Date.now() - timeEpoch;
  return waited <= GATEWAY_LIMIT_MS ? waited : 0;
}

/**
 * Returns API Gateway's and Lambda's ids of a request where the caller supplied X-Request-Id: their own logs have those. The
 * local server has one for both.
 */
function otherIds(requestId: string, gatewayId: string, lambdaId: string) {
  if (lambdaId === requestId || lambdaId === gatewayId) return {};
  return { gateway_request_id: gatewayId, lambda_request_id: lambdaId };
}

function openState(event: GatewayEvent, { awsRequestId }: InvocationContext, budgetMs: number): RequestState {
  const startedAt = performance.now();
  // The gateway counts from its receipt, so a cold start uses up time. A wrong clock never adds to the budget.
  const deadline = startedAt + Math.min(budgetMs, budgetMs + WAY_MS - waitedMs(event));
  const requestId = requestIdFrom(event.headers['x-request-id'], awsRequestId);
  const trace = { request_id: requestId, ...otherIds(requestId, event.requestContext.requestId, awsRequestId) };
  return { requestId, trace, startedAt, call: { deadline, venueRequests: [], trace } };
}

/** Ends every request: adds its id to the response and writes one line to the log. */
function trace(route: AnyRoute, { log }: PipelineDeps): Middleware {
  const close: NonNullable<Middleware['after']> = ({ event, response, context: { state } }) => {
    if (!response) return;
    response.headers = { ...response.headers, 'x-request-id': state.requestId };
    const status = response.statusCode ?? 200;
    // An alarm counts this line, so no threshold may drop it.
    const unlessFailed = state.trace['code'] === 'caller_not_identified' ? log.audit : log.info;
    const write = status >= 500 ? log.error : unlessFailed;
    write('request', {
      route: route.name,
      method: methodOf(event),
      ...(route.name === 'unknown' && { path: printable(event.rawPath) }),
      status,
      duration_ms: Number((performance.now() - state.startedAt).toFixed(1)),
      ...state.trace,
      venue_calls: state.call.venueRequests,
    });
  };
  return { after: close, onError: close };
}

const ALLOWED_HEADERS = [
  // A token of the page's user, where the gateway or a proxy checks one.
  'Authorization, Content-Type, Idempotency-Key, If-None-Match',
  'X-Client-Address, X-Client-Signature, X-Client-Signature-Expires, X-Request-Id',
].join(', ');
const EXPOSED_HEADERS = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate';
/** How long a browser may keep the response to a preflight. */
const PREFLIGHT_MAX_AGE_S = 600;

/** Refuses (403 `origin_not_allowed`) a request from an origin that is not listed. */
function checkOrigin(origin: string | undefined, listed: readonly string[]): void {
  if (origin !== undefined && !listed.includes(origin)) throw refuse('origin_not_allowed', { origin });
}

/** Returns the CORS headers of every response of an endpoint, problems included. */
function originHeaders(
  policy: OriginPolicy,
  origin: string | undefined,
  listed: readonly string[],
): Record<string, string> {
  if (policy === 'any') {
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS };
  }
  if (origin === undefined || !listed.includes(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
  };
}

/** Returns the headers that a response to OPTIONS adds for a preflight. */
function preflightHeaders(allow: string): Record<string, string> {
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
  };
}

/** Checks method and origin, and puts the CORS headers on every response. */
function crossOrigin({ route, origins }: Endpoint, listed: readonly string[]): Middleware {
  const addHeaders: NonNullable<Middleware['after']> = ({ event, response }) => {
    if (!response) return;
    response.headers = { ...response.headers, ...originHeaders(origins, event.headers['origin'], listed) };
  };
  return {
    before: ({ event }) => {
      if (route.method !== 'ANY' && !allowedMethods(route).includes(methodOf(event))) {
        throw refuse('method_not_allowed', { methods: allowedMethods(route), path: route.path });
      }
      if (origins === 'listed-only') checkOrigin(event.headers['origin'], listed);
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

/** Turns every error into a response. */
function problems(route: AnyRoute, log: Log): Middleware {
  return {
    onError: (request) => {
      const { requestId, trace } = request.context.state;
      const error = toAppError(request.error);
      const { orderId } = error.facts;
      if (orderId !== undefined) trace['order_id'] = orderId;
      // Only this line has the stack of our own fault.
      const write = error.code === 'internal_error' ? log.error : log.warn;
      if (error.cause !== undefined) write('request failed', { ...trace, error });
      trace['code'] = error.code;
      // The operator can mend these two.
      const isForOperator = error.code === 'origin_not_allowed' || error.code === 'venue_refused_service';
      if (isForOperator) trace['detail'] = error.message;
      const problem = toProblem(error, requestId);
      const allow = error.code === 'method_not_allowed' && { allow: allowedMethods(route).join(', ') };
      // Set, not returned: a returned value would end middy's chain before it adds the headers.
      request.response = toResult({ ...problem, headers: { ...problem.headers, ...allow } }, methodOf(request.event));
    },
  };
}

/** Creates the chain that every response passes. */
function createChain(endpoint: Endpoint, deps: PipelineDeps) {
  // Every handler has a time budget of its own, shorter than Lambda's: middy's early time-out would answer a bare 500
  // while an order may be live.
  return middy<GatewayEvent, GatewayResult, Error, InvocationContext & { readonly state: RequestState }>({
    timeoutEarlyInMillis: 0,
  })
    .use(trace(endpoint.route, deps))
    .use(crossOrigin(endpoint, deps.corsOrigins))
    .use(problems(endpoint.route, deps.log));
}

function answerOptions(route: AnyRoute, { headers }: GatewayEvent): HttpResponse {
  const allow = allowedMethods(route).join(', ');
  return { status: 204, headers: { allow, ...(headers['origin'] !== undefined && preflightHeaders(allow)) } };
}

async function answer(event: GatewayEvent, state: RequestState, { handler }: Endpoint) {
  const { call, trace, requestId } = state;
  const request = {
    headers: event.headers,
    query: parseQuery(event.rawQueryString),
    pathParameters: event.pathParameters ?? {},
    domainName: event.requestContext.domainName,
    caller: state.caller ?? null,
    body: event.body,
    requestId,
    note: (members: Readonly<Record<string, unknown>>) => void Object.assign(trace, members),
  };
  return toResult(await handler(request, call), methodOf(event));
}

/**
 * Puts the pipeline around an endpoint's handler: request id, log line, method, origin, checks, error mapping. OPTIONS
 * skips the checks and the handler.
 */
export function createGatewayHandler(endpoint: Endpoint, deps: PipelineDeps): GatewayHandler {
  const { route, budgetMs, checks = [] } = endpoint;
  const chain = createChain(endpoint, deps);
  const main = chain.use([...checks]).handler((event, { state }) => answer(event, state, endpoint));
  const options = createChain(endpoint, deps).handler((event) =>
    toResult(answerOptions(route, event), methodOf(event)),
  );
  return async (event, context) => {
    const opened = { ...context, state: openState(event, context, budgetMs) };
    const isPreflight = methodOf(event) === 'OPTIONS' && route.method !== 'ANY';
    return (isPreflight ? options : main)(event, opened);
  };
}
