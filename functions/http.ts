import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Call } from '../shared/call.ts';
import type { AnyRoute } from './routes.ts';

type EventParts = 'rawPath' | 'rawQueryString' | 'headers' | 'pathParameters' | 'body' | 'isBase64Encoded';

/** An event of API Gateway's HTTP API (payload version 2), as far as endpoints read it. */
export type GatewayEvent = Pick<APIGatewayProxyEventV2, EventParts> & {
  readonly requestContext: Pick<APIGatewayProxyEventV2['requestContext'], 'domainName' | 'requestId' | 'timeEpoch'> & {
    readonly http: Pick<APIGatewayProxyEventV2['requestContext']['http'], 'method'>;
  };
};

export type GatewayResult = APIGatewayProxyStructuredResultV2;

export type InvocationContext = Pick<Context, 'awsRequestId'>;

/** Answers an event of API Gateway or the local server. */
export type GatewayHandler = (event: GatewayEvent, context: InvocationContext) => Promise<GatewayResult>;

/** A request as a handler sees it: header names in lower case, the body parsed. */
interface HttpRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  readonly domainName: string;
  readonly body: unknown;
  readonly requestId: string;
  readonly caller: string | null;
  /** The members that all later log lines of the request get. */
  readonly trace: Record<string, unknown>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * The header of market data: a cache in front may answer with it for a second, and a browser asks each time. Every response
 * without it is `no-store`.
 */
export const SHARED_FOR_A_SECOND = { 'cache-control': 'public, max-age=0, s-maxage=1' } as const;

/** Handles a request: guard, parse, act, answer. Throws `AppError`. */
export type HttpHandler = (request: HttpRequest, call: Call) => Promise<HttpResponse> | HttpResponse;

export interface RequestState {
  readonly requestId: string;
  readonly trace: Record<string, unknown>;
  /** A time of `performance.now()`. */
  readonly startedAt: number;
  readonly call: Call;
  caller?: string;
}

export type Middleware = middy.MiddlewareObj<
  GatewayEvent,
  GatewayResult,
  Error,
  InvocationContext & { readonly state: RequestState }
>;

export type Check = Middleware | middy.MiddlewareObj<APIGatewayProxyEventV2, unknown, Error>;

/**
 * Rules on reading the responses of an endpoint from a browser.
 * - `any`: every origin;
 * - `listed`: only the operator's origins can read the response;
 * - `listed-only`: requests from other origins are refused as well, so that no web page can trade with the wallet.
 */
export type OriginPolicy = 'any' | 'listed' | 'listed-only';

export interface Endpoint {
  readonly route: AnyRoute;
  readonly origins: OriginPolicy;
  /** The service answers within this time, whatever the venue does. */
  readonly budgetMs: number;
  /** Run in this order after method and origin, before the handler. OPTIONS skips them. */
  readonly checks?: readonly Check[];
  readonly handler: HttpHandler;
}
