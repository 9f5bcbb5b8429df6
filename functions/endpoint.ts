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
  readonly body: unknown;
  /** Grows while the request is answered; ends up in its log line. */
  readonly logFields: Record<string, unknown>;
}

/** `body` is a JSON value, absent for none. */
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
  /** A time of `performance.now()`. */
  readonly startedAt: number;
  readonly origin: string | undefined;
  readonly call: Call;
  readonly logFields: Record<string, unknown>;
}

export type Middleware = middy.MiddlewareObj<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  Context & { readonly state: RequestState }
>;

export interface Endpoint {
  readonly route: AnyRoute;
  readonly origins: OriginPolicy;
  /** The service answers within this time, whatever the venue does. */
  readonly budgetMs: number;
  /** Run one after the other between the origin and the handler, and not for OPTIONS. */
  readonly checks?: readonly Middleware[];
  readonly handler: HttpHandler;
}
