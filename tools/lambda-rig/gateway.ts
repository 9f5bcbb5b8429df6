import { z } from 'zod';
import { ROUTES } from '../../functions/routes.ts';
import { isSignedByCaller } from '../support/sigv4.ts';

/** The name by which functions know the gateway. */
export const DOMAIN = 'abc123.execute-api.eu-west-1.amazonaws.com';
/** The signer of orders, as IAM knows the caller. */
export const CALLER_ARN = 'arn:aws:sts::123456789012:assumed-role/trader/session';

/** A request as a client writes it. */
export interface ClientRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The caller that IAM knows; `null` for an event without one. */
  readonly callerArn?: string | null;
}

/** The routes that a test of the template looks at (test/infra/template.test.ts): health answers the rest. */
function routeOf(method: string, path: string, takesOrders: boolean) {
  const [token] = /(?<=^\/v1\/book\/)[^/]+$/.exec(path) ?? [];
  if (token !== undefined) {
    return { target: 'book', key: `ANY ${ROUTES.book.path}`, pathParameters: { token_id: decodeURIComponent(token) } };
  }
  if (path === ROUTES.markets.path) return { target: 'markets', key: `ANY ${path}` };
  if (path === ROUTES.orders.path && method === 'POST' && takesOrders) return { target: 'orders', key: `POST ${path}` };
  const isKnown = path === ROUTES.health.path || path === ROUTES.orders.path;
  return { target: 'health', key: isKnown ? `ANY ${path}` : '$default' };
}

function bodyOf({ headers, body }: ClientRequest): object {
  if (body === undefined) return { isBase64Encoded: false };
  const isText = /^(?:text\/|application\/(?:json|javascript|xml))/.test(headers?.['content-type'] ?? '');
  return { body: Buffer.from(body).toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

/** Makes the event of an HTTP API (payload version 2.0, as AWS describes it), and names the function behind its route. */
export function toEvent(request: ClientRequest, takesOrders: boolean) {
  const { method, headers = {}, callerArn = CALLER_ARN } = request;
  // A second question mark belongs to the query.
  const [path = '', ...queries] = request.path.split('?');
  const rawQueryString = queries.join('?');
  const { target, key, ...parameters } = routeOf(method, path, takesOrders);
  const isKnownCaller = target === 'orders' && callerArn !== null;
  const event = {
    version: '2.0',
    routeKey: key,
    // As behind a custom domain with a path of its own: functions go by the route.
    rawPath: `/adapter${decodeURIComponent(path)}`,
    rawQueryString,
    headers: { host: DOMAIN, ...headers },
    ...parameters,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abc123',
      domainName: DOMAIN,
      domainPrefix: 'abc123',
      http: { method, path: decodeURIComponent(path), protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'rig' },
      requestId: 'JKJaXmPLvHcESHA=',
      ...(isKnownCaller && { authorizer: { iam: { userArn: callerArn } } }),
      routeKey: key,
      stage: '$default',
      time: '20/Nov/2026:17:21:09 +0000',
      timeEpoch: Date.now(),
    },
    ...bodyOf(request),
  };
  return { target, event };
}

const functionResult = z.strictObject({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().optional(),
});

/** Makes a response of a function's result, as the gateway does. */
export function toResponse(result: unknown): Response {
  const { statusCode: status, headers, body, isBase64Encoded = false } = functionResult.parse(result);
  if (body === undefined) return new Response(null, { status, headers });
  return new Response(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'), { status, headers });
}

/** Makes a `fetch` through a gateway whose order route is guarded by IAM. */
export function gatewayFetch(invoke: (target: string, event: object) => Promise<unknown>, takesOrders: boolean) {
  return async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const { host } = new URL(url);
    const sent = Object.fromEntries(new Headers(headers));
    // A Request would name a type for a text; the suite names its own.
    const bytes = Buffer.from(await new Response(body ?? null).arrayBuffer());
    const path = url.slice(url.indexOf(host) + host.length);
    const request = { method, path, headers: sent, ...(bytes.length > 0 && { body: bytes }) };
    const { target, event } = toEvent(request, takesOrders);
    const isSigned = isSignedByCaller({ method, target: path, headers: { host, ...sent }, body: bytes });
    if (target === 'orders' && !isSigned) return Response.json({ message: 'Forbidden' }, { status: 403 });
    return toResponse(await invoke(target, event));
  };
}
