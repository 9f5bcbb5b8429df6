import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Call } from '../shared/venue/port.ts';
import type { OriginPolicy } from './cross-origin.ts';
import type { HttpResponse } from './response.ts';
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

/** The one thing an endpoint is: guard, parse, act, answer. Throws `AppError`. */
export type HttpHandler = (request: HttpRequest, call: Call) => Promise<HttpResponse> | HttpResponse;

/** What is known of a request while it is answered. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAt: number;
  readonly origin: string | undefined;
  readonly call: Call;
  readonly logFields: Record<string, unknown>;
}

export type Middleware = middy.MiddlewareObj<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  Context & { readonly exchange: Exchange }
>;

export interface Endpoint {
  readonly route: AnyRoute;
  readonly origins: OriginPolicy;
  /** Milliseconds in which the service answers, whatever the venue does. */
  readonly budget: number;
  /** Checks between the origin and the handler; they do not run for OPTIONS. */
  readonly checks?: readonly Middleware[];
  readonly handler: HttpHandler;
}
