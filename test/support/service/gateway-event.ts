import { randomUUID } from 'node:crypto';
import type { Endpoint, GatewayEvent, GatewayResult } from '../../../functions/http.ts';
import { createGatewayHandler } from '../../../functions/pipeline.ts';
import type { LogLevel } from '../../../shared/log.ts';
import { type CollectedLog, collectLog } from './collected-log.ts';
import { LISTED_ORIGIN } from './local-service.ts';

/** The parts of an event that a test states; the others are as the gateway sends them. */
interface EventParts extends Partial<Pick<GatewayEvent, 'headers' | 'pathParameters' | 'body' | 'isBase64Encoded'>> {
  readonly method?: string;
  readonly query?: string;
  /** The time at which the gateway took the request in; now by default. */
  readonly timeEpoch?: number;
  /** The id of the invocation on Lambda; as on the local server by default. */
  readonly awsRequestId?: string;
  /** Members of the request's context besides, such as `authorizer`. */
  readonly requestContext?: object;
}

/** What an endpoint has answered and logged. */
export interface Answered extends CollectedLog {
  readonly result: GatewayResult;
  /** The body, parsed; not one in base64. */
  readonly body: unknown;
}

/** Sends an event through the pipeline of an endpoint. */
export async function ask(
  endpoint: Endpoint,
  { method = 'GET', query = '', timeEpoch = Date.now(), awsRequestId, requestContext, ...parts }: EventParts = {},
  { level = 'debug' }: { readonly level?: LogLevel } = {},
): Promise<Answered> {
  const collected = collectLog({ level });
  const handler = createGatewayHandler(endpoint, { log: collected.log, corsOrigins: [LISTED_ORIGIN] });
  // They differ on Lambda alone.
  const requestId = awsRequestId === undefined ? randomUUID() : 'gateway-id';
  const event = {
    ...{ rawPath: '/x', rawQueryString: query, headers: {}, isBase64Encoded: false, ...parts },
    requestContext: { domainName: 'x.example', http: { method }, requestId, timeEpoch, ...requestContext },
  };
  // The last moment of a function: the request's own time ends it, and no bare 500 of the framework.
  const lambda = { getRemainingTimeInMillis: () => 0 };
  const result = await handler(event, { ...lambda, awsRequestId: awsRequestId ?? requestId });
  const { body, isBase64Encoded = false } = result;
  return { ...collected, result, body: body === undefined || isBase64Encoded ? undefined : JSON.parse(body) };
}
