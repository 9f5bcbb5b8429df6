import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { AnyRoute } from '../functions/routes.ts';
import { parseTarget, type Target } from './target.ts';

/** Belong to one connection (RFC 9110, 7.6.1): the gateway does not pass them on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding']);

/** Media types whose bodies the gateway passes on as text; all others are base64. */
const TEXT_LIKE = /^(?:text\/.*|application\/(?:json|javascript|xml|[^;]*\+json|[^;]*\+xml))\s*(?:;|$)/i;

export interface EventSource {
  readonly request: IncomingMessage;
  readonly route: AnyRoute;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The headers as they came, duplicates included: Node would drop some of them. */
export function headerPairs({ rawHeaders }: IncomingMessage): (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  );
}

/** Repeated names joined as the gateway does. */
function join(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(joined);
}

function cookiesOf(pairs: readonly (readonly [string, string])[]): string[] {
  const values = pairs.filter(([name]) => name === 'cookie').map(([, value]) => value);
  return values.flatMap((value) => value.split(';').map((cookie) => cookie.trim())).filter((cookie) => cookie !== '');
}

/** Common log format, UTC: `20/Nov/2026:17:21:09 +0000`. */
function commonLogTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}

function toBody(body: Buffer, contentType: string): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  if (body.length === 0) return { isBase64Encoded: false };
  const isBase64Encoded = !TEXT_LIKE.test(contentType);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

function routeKey({ path }: AnyRoute): string {
  return path.startsWith('$') ? path : `ANY ${path}`;
}

function requestContext({ request, route }: EventSource, path: string): APIGatewayProxyEventV2['requestContext'] {
  const now = new Date();
  const domainName = request.headers.host ?? '';
  return {
    accountId: 'anonymous',
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.', 1).join(),
    http: {
      method: request.method ?? '',
      path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      userAgent: request.headers['user-agent'] ?? '',
    },
    requestId: randomUUID(),
    routeKey: routeKey(route),
    stage: '$default',
    time: commonLogTime(now),
    timeEpoch: now.getTime(),
  };
}

function queryOf({ query }: Target): Pick<APIGatewayProxyEventV2, 'rawQueryString' | 'queryStringParameters'> {
  if (query === '') return { rawQueryString: '' };
  return { rawQueryString: query, queryStringParameters: join(new URLSearchParams(query)) };
}

/** The event that API Gateway's HTTP API (payload version 2.0, `$default` stage) makes of a request. */
export function toEvent(source: EventSource): APIGatewayProxyEventV2 {
  const { request, route, pathParameters, body } = source;
  const target = parseTarget(request.url ?? '');
  // The gateway hands the path on decoded, the query as it came.
  const path = decodeURIComponent(target.path);
  const pairs = headerPairs(request);
  const cookies = cookiesOf(pairs);
  const headers = join(pairs.filter(([name]) => name !== 'cookie' && !HOP_BY_HOP.has(name)));
  return {
    version: '2.0',
    routeKey: routeKey(route),
    rawPath: path,
    ...queryOf(target),
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(Object.keys(pathParameters).length > 0 && { pathParameters: { ...pathParameters } }),
    requestContext: requestContext(source, path),
    ...toBody(body, headers['content-type'] ?? ''),
  };
}

const nothing = () => undefined;

/** What Lambda tells a function about its invocation; there is no deadline here but the handler's own. */
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
