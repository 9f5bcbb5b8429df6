import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { GatewayEvent, GatewayHandler, GatewayResult } from '../../functions/http.ts';
import { toResult } from '../../functions/pipeline.ts';
import { toAppError, toProblem } from '../../functions/problem.ts';
import { type AnyRoute, ROUTES, UNKNOWN_ROUTE } from '../../functions/routes.ts';
import { requestIdFrom } from '../../functions/trace.ts';
import { type AppError, refuse } from '../../shared/errors.ts';
import { MAX_BODY_BYTES, MAX_TARGET_BYTES } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';

export type Handlers = Readonly<Record<AnyRoute['name'], GatewayHandler>>;

export interface AppDeps {
  readonly handlers: Handlers;
  readonly config: { readonly host: string; readonly allowedHosts: readonly string[] };
  readonly log: Log;
  /** The running handlers. A handler continues after its client disconnects. */
  readonly atWork: Set<Promise<unknown>>;
}

/** Writes a host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Returns the canonical name in a `Host`, without port and final dot; `undefined` for anything else. */
function nameOf(authority: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(authority)) return undefined;
  return URL.parse(`http://${authority}`)?.hostname.replace(/\.$/, '');
}

/** Creates the error for a malformed request; `detail` completes the sentence about the field. */
export function invalid(field: string, detail: string): AppError {
  return refuse('invalid_request', { part: 'The request', errors: [{ field, detail }] });
}

/** Creates the guard against DNS rebinding: a web page whose name was pointed at this machine sends that name as `Host`. */
function createHostTest(hosts: readonly string[]): (authority: string) => boolean {
  const names = new Set(['127.0.0.1', 'localhost', '::1', ...hosts].map((host) => nameOf(bracketed(host))));
  names.delete(undefined);
  return (authority) => names.has(nameOf(authority));
}

/** The parts of an absolute request URL, whose host overrides `Host` (RFC 9112, 3.2.2). */
const ABSOLUTE = /^http:\/\/([^/?#]+)(.*)$/i;

/** Checks the target and `Host`. A URL of another host is refused: this is no proxy. */
function checkHead({ host, allowedHosts }: AppDeps['config']): RequestHandler {
  const isAllowed = createHostTest([host, ...allowedHosts]);
  return (request, _response, next) => {
    if (request.url.length > MAX_TARGET_BYTES) throw refuse('uri_too_long', {});
    const [, authority, rest = request.url] = ABSOLUTE.exec(request.url) ?? [];
    if (authority !== undefined) {
      request.headers.host = authority;
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
    if (request.url.includes('#')) throw invalid('path', 'must not have a fragment (#).');
    if (!request.url.startsWith('/')) throw invalid('path', 'must begin with a slash.');
    const [host, ...others] = request.headersDistinct['host'] ?? [];
    const named = authority ?? host;
    if (named === undefined || others.length > 0) throw invalid('Host', 'must be given exactly once.');
    if (!isAllowed(named)) throw refuse('host_not_allowed', { host: named });
    next();
  };
}

/** Reads a body. Replaces one that is too large, so that the endpoint refuses it in the order of its checks. */
function readBody(): RequestHandler {
  const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  return (request, response, next) => {
    read(request, response, (error: unknown) => {
      if (error instanceof Error && 'type' in error && error.type === 'entity.too.large')
        request.body = Buffer.alloc(MAX_BODY_BYTES + 1);
      next();
    });
  };
}

/** Returns the event that API Gateway's HTTP API (payload version 2.0) makes of a request, as far as endpoints read it. */
function toEvent({ method, url, path, params, headers, headersDistinct, body }: Request): GatewayEvent {
  // The gateway joins the values of a repeated header; Node would drop some of them.
  const joined = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]);
  return {
    rawPath: path,
    rawQueryString: url.slice(path.length + 1),
    headers: Object.fromEntries(joined),
    pathParameters: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
    requestContext: {
      domainName: headers.host ?? '',
      http: { method },
      requestId: randomUUID(),
      timeEpoch: Date.now(),
    },
    ...(Buffer.isBuffer(body) && { body: body.toString('base64') }),
    isBase64Encoded: true,
  };
}

/**
 * Returns the response to a request that was refused before it reached an endpoint, in the form that endpoints use, and
 * writes its log line. `request` is absent where the bytes did not form one.
 */
export function toRefusal(thrown: unknown, log: Log, request?: IncomingMessage): GatewayResult {
  const error = toAppError(thrown);
  const { code, message: detail } = error;
  const { method = null, headers } = request ?? {};
  const requestId = requestIdFrom(headers?.['x-request-id']?.toString());
  const problem = toProblem(error, requestId);
  if (code === 'internal_error') log.error('request failed', { request_id: requestId, error });
  log.info('request', { route: null, method, status: problem.status, request_id: requestId, code, detail });
  return toResult({ ...problem, headers: { ...problem.headers, 'x-request-id': requestId } }, method ?? 'GET');
}

/** Writes a result as the response, unless another one was written in the meantime. */
export function send(response: ServerResponse, { statusCode = 200, headers = {}, body }: GatewayResult): void {
  if (response.headersSent) return;
  // Node leaves the length out for HTTP/1.0. In one call: setting the headers one by one costs a book 2 % of its time.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(statusCode, { ...headers, ...length }).end(body);
}

/** Hands requests to an endpoint as the gateway would. */
function serve(handler: GatewayHandler, atWork: AppDeps['atWork']): RequestHandler {
  return async (request, response) => {
    // The request may have been refused while its body was awaited.
    if (response.headersSent) return;
    const event = toEvent(request);
    const work = handler(event, { awsRequestId: event.requestContext.requestId });
    atWork.add(work);
    send(response, await work.finally(() => atWork.delete(work)));
  };
}

/** Concurrent lists: each computes for milliseconds, and the venue takes 30 list requests a second. */
const LISTS_AT_ONCE = 8;

/** Limits concurrent requests of a handler. Others queue in order, and their time budget runs. */
function atMost(most: number, handler: GatewayHandler): GatewayHandler {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (event, context) => {
    if (running === most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await handler(event, context);
    } finally {
      const next = waiting.shift();
      if (next) setImmediate(next);
      else running -= 1;
    }
  };
}

/** Creates an Express application that does what the HTTP API gateway does: the same routes, events and responses. */
export function createApp({ handlers, config, log, atWork }: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by').enable('strict routing').enable('case sensitive routing').set('query parser', false);
  app.use(checkHead(config));
  app.post(ROUTES.orders.path, readBody());
  const limited = { ...handlers, markets: atMost(LISTS_AT_ONCE, handlers.markets) };
  for (const { name, path } of Object.values(ROUTES)) {
    app.all(path.replace(/\{(\w+)\}/g, ':$1'), serve(limited[name], atWork));
  }
  app.use(serve(handlers[UNKNOWN_ROUTE.name], atWork));
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const malformed = invalid('path', 'must be percent-encoded UTF-8.');
    send(response, toRefusal(error instanceof URIError ? malformed : error, log, request));
  });
  return app;
}
