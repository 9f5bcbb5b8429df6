import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Endpoint } from '../../../functions/http.ts';
import { createGatewayHandler } from '../../../functions/pipeline.ts';
import type { LogLevel } from '../../../shared/log.ts';
import { type CollectedLog, collectLog } from './collected-log.ts';
import { LISTED_ORIGIN } from './local-service.ts';

/** The parts of an event that a test states; the others are as the gateway sends them. */
export interface EventParts {
  readonly method?: string;
  readonly query?: string;
  /** Names in lower case, as the gateway gives them. */
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly pathParameters?: Record<string, string>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  /** The time at which the gateway took the request in; now by default. */
  readonly timeEpoch?: number;
  /** The id of the invocation on Lambda; as on the local server by default. */
  readonly awsRequestId?: string;
  /** Members of the request's context besides, such as `authorizer`. */
  readonly requestContext?: object;
}

/** An event as the HTTP API gateway sends it. */
function gatewayEvent(
  {
    method = 'GET',
    path = '/x',
    query = '',
    headers = {},
    pathParameters,
    body,
    isBase64Encoded = false,
    timeEpoch = Date.now(),
    requestContext,
  }: EventParts,
  requestId: string,
): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    routeKey: 'ANY /x',
    rawPath: path,
    rawQueryString: query,
    headers,
    ...(pathParameters && { pathParameters }),
    requestContext: {
      accountId: '0',
      apiId: 'x',
      domainName: 'x.example',
      domainPrefix: 'x',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' },
      requestId,
      routeKey: 'ANY /x',
      stage: '$default',
      time: '01/Jan/2026:00:00:00 +0000',
      timeEpoch,
      ...requestContext,
    },
    ...(body !== undefined && { body }),
    isBase64Encoded,
  };
}

/** What an endpoint has answered and logged. */
export interface Answered extends CollectedLog {
  readonly result: APIGatewayProxyStructuredResultV2;
  /** The body, parsed; not one in base64. */
  readonly body: unknown;
}

interface AskOptions {
  readonly level?: LogLevel;
}

/** Sends an event through the pipeline of an endpoint. */
export async function ask(
  endpoint: Endpoint,
  parts: EventParts = {},
  { level = 'debug' }: AskOptions = {},
): Promise<Answered> {
  const collected = collectLog({ level });
  const handler = createGatewayHandler(endpoint, { log: collected.log, corsOrigins: [LISTED_ORIGIN] });
  // They differ on Lambda alone.
  const { awsRequestId = randomUUID() } = parts;
  const requestId = parts.awsRequestId === undefined ? awsRequestId : 'gateway-id';
  const result = await handler(gatewayEvent(parts, requestId), { awsRequestId });
  const { body, isBase64Encoded = false } = result;
  return { ...collected, result, body: body === undefined || isBase64Encoded ? undefined : JSON.parse(body) };
}
