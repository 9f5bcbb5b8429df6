import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { millisecondsSince } from '../shared/elapsed.ts';
import { refuse } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { VenueRequest } from '../shared/venue/port.ts';
import { checkOrigin, originHeaders, preflightHeaders } from './cross-origin.ts';
import type { Endpoint, Exchange, Middleware } from './endpoint.ts';
import { toAppError, toProblem } from './problem.ts';
import { requestIdFrom } from './request-id.ts';
import { type HttpResponse, toResult } from './response.ts';
import type { AnyRoute } from './routes.ts';

/** What the gateway invokes, and the local server too: API Gateway HTTP API events, payload version 2. */
export type GatewayHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** What is known of a request when it is answered. */
export interface AnsweredRequest {
  readonly venueRequests: readonly VenueRequest[];
  readonly logFields: Readonly<Record<string, unknown>>;
}

export interface PipelineDeps {
  readonly log: Log;
  readonly corsOrigins: readonly string[];
  /** Further members of a request's log line, for a monitoring system that reads its metrics out of the log. */
  readonly metrics?: (request: AnsweredRequest) => Readonly<Record<string, unknown>>;
}

function allowedMethods(route: AnyRoute): readonly string[] {
  return route.method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [route.method, 'OPTIONS'];
}

function methodOf(event: APIGatewayProxyEventV2): string {
  return event.requestContext.http.method;
}

function openExchange(event: APIGatewayProxyEventV2, budget: number): Exchange {
  const startedAt = performance.now();
  return {
    requestId: requestIdFrom(event.headers['x-request-id']),
    startedAt,
    origin: event.headers['origin'],
    call: { deadline: startedAt + budget, venueRequests: [] },
    logFields: {},
  };
}

/** Closes the exchange: the request id on the answer and one line in the log. */
function trace(route: AnyRoute, { log, metrics }: PipelineDeps): Middleware {
  const close: NonNullable<Middleware['after']> = ({ event, response, context: { exchange } }) => {
    if (!response) return;
    response.headers = { ...response.headers, 'x-request-id': exchange.requestId };
    const status = response.statusCode ?? 200;
    const write = status >= 500 ? log.error : log.info;
    const { logFields } = exchange;
    const { venueRequests } = exchange.call;
    write('request', {
      route: route.name,
      method: methodOf(event),
      status,
      duration_ms: millisecondsSince(exchange.startedAt),
      request_id: exchange.requestId,
      venue_calls: venueRequests,
      ...logFields,
      ...metrics?.({ venueRequests, logFields }),
    });
  };
  return { after: close, onError: close };
}

/** Method and origin, then the CORS headers of every answer. */
function crossOrigin({ route, origins }: Endpoint, listed: readonly string[]): Middleware {
  const addHeaders: NonNullable<Middleware['after']> = ({ response, context: { exchange } }) => {
    if (response) response.headers = { ...response.headers, ...originHeaders(origins, exchange.origin, listed) };
  };
  return {
    before: ({ event, context: { exchange } }) => {
      if (route.method !== 'ANY' && !allowedMethods(route).includes(methodOf(event))) {
        throw refuse('method_not_allowed', { methods: allowedMethods(route), path: route.path });
      }
      checkOrigin(origins, exchange.origin, listed);
    },
    after: addHeaders,
    onError: addHeaders,
  };
}

/** The only place where an error becomes an answer. */
function problems(route: AnyRoute, log: Log): Middleware {
  return {
    onError: (request) => {
      const { requestId, logFields } = request.context.exchange;
      const error = toAppError(request.error);
      logFields['code'] = error.code;
      if (error.facts['orderId'] !== undefined) logFields['order_id'] = error.facts['orderId'];
      if (error.cause !== undefined) log.warn('request failed', { request_id: requestId, error });
      const problem = toProblem(error, requestId);
      const allow = error.code === 'method_not_allowed' && { allow: allowedMethods(route).join(', ') };
      // Set, not returned: what is returned ends middy's chain before the headers are added.
      request.response = toResult({ ...problem, headers: { ...problem.headers, ...allow } }, methodOf(request.event));
    },
  };
}

function skipForOptions({ before }: Middleware): Middleware {
  return { before: (request) => (methodOf(request.event) === 'OPTIONS' ? undefined : before?.(request)) };
}

function answerOptions(route: AnyRoute, origin: string | undefined): HttpResponse {
  const allow = allowedMethods(route).join(', ');
  return { status: 204, headers: { allow, ...(origin !== undefined && preflightHeaders(allow)) } };
}

async function answer(
  { route, handler }: Endpoint,
  event: APIGatewayProxyEventV2,
  exchange: Exchange,
): Promise<APIGatewayProxyStructuredResultV2> {
  const method = methodOf(event);
  if (method === 'OPTIONS' && route.method !== 'ANY') return toResult(answerOptions(route, exchange.origin), method);
  const request = {
    headers: event.headers,
    query: new URLSearchParams(event.rawQueryString),
    pathParameters: event.pathParameters ?? {},
    body: event.body,
    logFields: exchange.logFields,
  };
  return toResult(await handler(request, exchange.call), method);
}

/** Puts the pipeline around an endpoint's handler: request id, log line, method, origin, checks, error mapping. */
export function createGatewayHandler(endpoint: Endpoint, deps: PipelineDeps): GatewayHandler {
  const { route, budget, checks = [] } = endpoint;
  // Every handler has a time budget of its own, shorter than Lambda's: middy's early time-out would answer a bare 500
  // while an order may be live.
  const pipeline = middy<
    APIGatewayProxyEventV2,
    APIGatewayProxyStructuredResultV2,
    Error,
    Context & { readonly exchange: Exchange }
  >({ timeoutEarlyInMillis: 0 })
    .use(trace(route, deps))
    .use(crossOrigin(endpoint, deps.corsOrigins))
    .use(problems(route, deps.log))
    .use(checks.map(skipForOptions))
    .handler((event, context) => answer(endpoint, event, context.exchange));
  return async (event, context) => pipeline(event, { ...context, exchange: openExchange(event, budget) });
}
