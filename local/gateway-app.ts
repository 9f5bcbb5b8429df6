import type { IncomingMessage } from 'node:http';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { createGatewayHandler, type GatewayHandler } from '../functions/http.ts';
import { type AnyRoute, ROUTES, UNKNOWN_ROUTE } from '../functions/routes.ts';
import { unknownPathEndpoint } from '../functions/unknown-path.ts';
import type { Config } from '../shared/config.ts';
import { refuse } from '../shared/errors.ts';
import { MAX_BODY_BYTES, MAX_HEADER_BYTES, MAX_TARGET_BYTES } from '../shared/limits.ts';
import type { Log } from '../shared/log.ts';
import type { Handlers } from './app.ts';
import { readBody } from './body.ts';
import type { Connections } from './connections.ts';
import { headerPairs, toContext, toEvent } from './event.ts';
import { createHostCheck } from './host-check.ts';
import { toRefusedResult } from './refusal.ts';
import { type ReplyOptions, reply } from './reply.ts';
import { parseTarget } from './target.ts';

export interface GatewayAppDeps {
  readonly handlers: Handlers;
  readonly config: Pick<Config, 'host' | 'allowedHosts'>;
  readonly log: Log;
  readonly connections: Connections;
  readonly replyOptions: () => ReplyOptions;
}

/** Bytes of a header line besides name and value: colon, space, line end. */
const HEADER_LINE_OVERHEAD = 4;

function checkSizes({ url = '' }: IncomingMessage, headers: ReturnType<typeof headerPairs>): void {
  if (url.length > MAX_TARGET_BYTES) throw refuse('uri_too_long', {});
  const sizes = headers.map(([name, value]) => name.length + value.length + HEADER_LINE_OVERHEAD);
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_HEADER_BYTES) throw refuse('headers_too_large', {});
}

function checkExpectation({ headers: { expect } }: IncomingMessage): void {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw refuse('invalid_request', {
    sentence: 'The Expect header can only be 100-continue.',
    errors: [{ field: 'Expect', detail: 'must be 100-continue.' }],
  });
}

/** What is refused before anybody looks at the path. */
function frontChecks(config: GatewayAppDeps['config']): RequestHandler {
  const checkHost = createHostCheck(config.host, config.allowedHosts);
  return (request, _response, next) => {
    const headers = headerPairs(request);
    checkSizes(request, headers);
    checkExpectation(request);
    const { authority, path, query } = parseTarget(request.url);
    const hosts = headers.filter(([name]) => name === 'host');
    checkHost(
      hosts.map(([, value]) => value),
      authority,
    );
    request.url = query === '' ? path : `${path}?${query}`;
    next();
  };
}

function isRecordOfStrings(params: Request['params']): params is Record<string, string> {
  return Object.values(params).every((value) => typeof value === 'string');
}

/** Hands requests to an endpoint as the gateway would. */
function serve(
  handler: GatewayHandler,
  route: AnyRoute,
  { connections, replyOptions }: GatewayAppDeps,
): RequestHandler {
  return async (request, response) => {
    // Only the endpoint's own method has a body that anybody reads.
    const wantsBody = request.method === route.method && route.method === 'POST';
    if (wantsBody && request.headers.expect !== undefined) response.writeContinue();
    const { broken } = connections.of(request.socket);
    const body = wantsBody ? await readBody(request, MAX_BODY_BYTES, broken) : Buffer.alloc(0);
    const pathParameters = isRecordOfStrings(request.params) ? request.params : {};
    const event = toEvent({ request, route, pathParameters, body });
    const result = await connections.track(handler(event, toContext(event, route)));
    await reply(request, response, result, replyOptions());
  };
}

/** An Express application that does what the HTTP API gateway does: the same routes, events and answers. */
export function createGatewayApp(deps: GatewayAppDeps): Express {
  const { handlers, config, log, replyOptions } = deps;
  const app = express();
  app.disable('x-powered-by').enable('strict routing').enable('case sensitive routing').set('query parser', false);
  app.use((_request, response, next) => {
    response.locals['startedAt'] = performance.now();
    next();
  });
  app.use(frontChecks(config));
  for (const route of Object.values(ROUTES)) {
    app.all(route.path.replace(/\{(\w+)\}/g, ':$1'), serve(handlers[route.name], route, deps));
  }
  const unknownPath = createGatewayHandler(unknownPathEndpoint(), { log, corsOrigins: [] });
  app.use(serve(unknownPath, UNKNOWN_ROUTE, deps));
  // Express tells an error handler by its four parameters.
  app.use(async (error: unknown, request: Request, response: Response, _next: NextFunction) => {
    const refused = {
      method: request.method,
      requestId: request.get('x-request-id'),
      startedAt: Number(response.locals['startedAt']),
    };
    await reply(request, response, toRefusedResult(error, refused, log), replyOptions());
  });
  return app;
}
