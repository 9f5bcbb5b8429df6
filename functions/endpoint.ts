import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Call } from '../shared/venue/port.ts';
import type { OriginPolicy } from './cors.ts';
import type { AnyRoute } from './routes.ts';

/** A request as a handler sees it: header names in lower case, the body parsed. */
interface HttpRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  readonly requestContext: APIGatewayProxyEventV2['requestContext'];
  readonly body: unknown;
  readonly requestId: string;
  /** Grows while the request is answered; ends up in its log line. */
  readonly logFields: Record<string, unknown>;
}

/** `body` is a JSON value; without it there is no body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The one thing an endpoint is: guard, parse, act, answer. Throws `AppError`. */
export type HttpHandler = (request: HttpRequest, call: Call) => Promise<HttpResponse> | HttpResponse;

/** The state of a request from its arrival to its log line. */
export interface RequestState {
  readonly requestId: string;
  /** Names the request as others know it, for its lines in the log. */
  readonly trace: Readonly<Record<string, string>>;
  /** A time of `performance.now()`. */
  readonly startedAt: number;
  /** Replaced when the body has come: its time begins then. */
  call: Call;
  /** Opened before the checks. */
  handler?: HttpHandler;
  readonly logFields: Record<string, unknown>;
}

type Body = Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>;

/** The context of a request; `receiveBody` brings the body of an event that was handed over before it had come. */
export type RequestContext = Context & { readonly receiveBody?: () => Promise<Body> };

/** A middy middleware of the pipeline, with the state of its request. */
export type Middleware = middy.MiddlewareObj<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  RequestContext & { readonly state: RequestState }
>;

interface EndpointRules {
  readonly route: AnyRoute;
  readonly origins: OriginPolicy;
  /** The service answers within this time, whatever the venue does. */
  readonly budgetMs: number;
  /** Run one after the other behind the origin, before the body is awaited. OPTIONS meets no checks. */
  readonly headChecks?: readonly Middleware[];
  /** Run one after the other when the body has come. */
  readonly bodyChecks?: readonly Middleware[];
}

/** An endpoint has its handler, or opens it for each request before the checks; what that throws is answered. */
export type Endpoint = EndpointRules &
  ({ readonly handler: HttpHandler } | { readonly open: (call: Call) => Promise<HttpHandler> });
