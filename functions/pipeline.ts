import middy from '@middy/core';
import { errorSpec, refuse } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { crossOrigin, preflightHeaders } from './cors.ts';
import type {
  Endpoint,
  GatewayEvent,
  GatewayHandler,
  GatewayResult,
  HttpResponse,
  InvocationContext,
  Middleware,
  RequestState,
} from './http.ts';
import { toAppError, toProblem } from './problem.ts';
import type { AnyRoute } from './routes.ts';
import { openState, trace } from './trace.ts';

/** The parts of the pipeline that all endpoints of a process share. */
export interface PipelineDeps {
  readonly log: Log;
  readonly corsOrigins: readonly string[];
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
    // Ends with a line break, so that a terminal's prompt starts on a new line.
    ...(hasBody && method !== 'HEAD' && { body: `${JSON.stringify(body)}\n` }),
  };
}

/**
 * Parses a query without its leading question mark; a further one is part of the first name. A query of just `&` counts as a
 * parameter of that name, so that it is refused.
 */
export function parseQuery(rawQueryString: string): URLSearchParams {
  const query = new URLSearchParams(`?${rawQueryString}`);
  return rawQueryString !== '' && query.size === 0 ? new URLSearchParams([['&', '']]) : query;
}

function methodOf(event: GatewayEvent): string {
  return event.requestContext.http.method;
}

function allowedMethods({ method }: AnyRoute): readonly string[] {
  return method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [method, 'OPTIONS'];
}

/** Refuses (405 `method_not_allowed`) another method than those of a route. */
function checkMethod(route: AnyRoute): Middleware {
  return {
    before: ({ event }) => {
      const methods = allowedMethods(route);
      if (route.method === 'ANY' || methods.includes(methodOf(event))) return;
      throw refuse('method_not_allowed', { methods, path: route.path });
    },
  };
}

/** Answers OPTIONS, including a browser's preflight. */
function answerOptions(endpoint: Endpoint, { headers }: GatewayEvent): HttpResponse {
  const allow = allowedMethods(endpoint.route).join(', ');
  const asked = headers['access-control-request-headers'];
  const preflight = headers['origin'] !== undefined && preflightHeaders(allow, endpoint, asked);
  return { status: 204, headers: { allow, ...preflight } };
}

function problems(route: AnyRoute, log: Log): Middleware {
  return {
    onError: (request) => {
      const { requestId, trace } = request.context.state;
      const error = toAppError(request.error);
      const { orderId, reason } = error.facts;
      if (orderId !== undefined) trace['order_id'] = orderId;
      if (reason !== undefined) trace['reason'] = reason;
      // Only this line has the stack of an internal error.
      const write = error.code === 'internal_error' ? log.error : log.warn;
      if (error.cause !== undefined) write('request failed', { ...trace, error });
      trace['code'] = error.code;
      if (errorSpec(error.code).next === 'operator') trace['detail'] = error.message;
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
    .use(trace(endpoint.route, deps.log))
    .use(checkMethod(endpoint.route))
    .use(crossOrigin(endpoint, deps.corsOrigins))
    .use(problems(endpoint.route, deps.log));
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
    trace,
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
  // One by one: a list would give the chain the event type of middy's own middlewares.
  for (const check of checks) chain.use(check);
  const main = chain.handler((event, { state }) => answer(event, state, endpoint));
  const options = createChain(endpoint, deps).handler((event) =>
    toResult(answerOptions(endpoint, event), methodOf(event)),
  );
  return async (event, context) => {
    const isPreflight = methodOf(event) === 'OPTIONS' && route.method !== 'ANY';
    return (isPreflight ? options : main)(event, { ...context, state: openState(event, context, budgetMs) });
  };
}
