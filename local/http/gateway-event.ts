import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { AnyRoute } from '../../functions/routes.ts';
import type { RequestHead } from './request-head.ts';

/** Headers of one connection (RFC 9110, 7.6.1): the gateway does not pass them on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding']);

/** Media types whose bodies the gateway passes on as text; all others are base64. */
const TEXT_LIKE = /^(?:text\/.*|application\/(?:json|javascript|xml|[^;]*\+json|[^;]*\+xml))\s*(?:;|$)/i;

/** A request with everything that the gateway would know about it. */
export interface EventSource {
  readonly request: IncomingMessage;
  readonly head: RequestHead;
  readonly route: AnyRoute;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Joins the values of repeated names as the gateway does. */
function join(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(joined);
}

/** Takes the cookies out of the headers, and leaves those of the connection out. */
function splitHeaders({ headers }: RequestHead) {
  const passedOn = headers.filter(([name]) => name !== 'cookie' && !HOP_BY_HOP.has(name));
  const cookies = headers.flatMap(([name, value]) => (name === 'cookie' ? value.split(';') : []));
  return { headers: join(passedOn), cookies: cookies.map((cookie) => cookie.trim()).filter((cookie) => cookie !== '') };
}

/** Writes a time in the common log format, UTC: `20/Nov/2026:17:21:09 +0000`. */
function commonLogTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

/** Returns the members of an event that hold the body. As text, bytes that are not UTF-8 would grow. */
export function toBody(body: Buffer, contentType = ''): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  if (body.length === 0) return { isBase64Encoded: false };
  const isBase64Encoded = !TEXT_LIKE.test(contentType) || !isUtf8(body);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

function requestContext({ request, head }: EventSource, routeKey: string): APIGatewayProxyEventV2['requestContext'] {
  const now = new Date();
  const domainName = request.headers.host ?? '';
  return {
    accountId: 'anonymous',
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.', 1).join(),
    http: {
      method: request.method ?? '',
      path: head.path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      userAgent: request.headers['user-agent'] ?? '',
    },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: commonLogTime(now),
    timeEpoch: now.getTime(),
  };
}

/**
 * Returns the event that API Gateway's HTTP API (payload version 2.0, `$default` stage) makes of a request, but for the
 * body, which may have yet to come.
 */
export function toEvent(source: EventSource): APIGatewayProxyEventV2 {
  const { head, route, pathParameters } = source;
  const { headers, cookies } = splitHeaders(head);
  const routeKey = route.path.startsWith('$') ? route.path : `ANY ${route.path}`;
  return {
    version: '2.0',
    routeKey,
    // The gateway hands the path on decoded, the query as it came.
    rawPath: head.path,
    rawQueryString: head.query,
    ...(head.query !== '' && { queryStringParameters: join(new URLSearchParams(head.query)) }),
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(Object.keys(pathParameters).length > 0 && { pathParameters: { ...pathParameters } }),
    requestContext: requestContext(source, routeKey),
    isBase64Encoded: false,
  };
}

const nothing = () => undefined;

/** Returns the context of an invocation, without a deadline: the handler has its own. */
export function toContext({ requestContext: { requestId } }: APIGatewayProxyEventV2, { name }: AnyRoute): Context {
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${name}`,
    memoryLimitInMB: '0',
    awsRequestId: requestId,
    logGroupName: 'local',
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Number.MAX_SAFE_INTEGER,
    done: nothing,
    fail: nothing,
    succeed: nothing,
  };
}
