import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { GatewayHandler } from '../../functions/pipeline.ts';
import { type AnyRoute, ROUTES, UNKNOWN_ROUTE } from '../../functions/routes.ts';
import { MAX_BODY_BYTES } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { brokenOff, type ReplyOptions, readBody, reply } from './body-and-reply.ts';
import { type Connections, isAwaited } from './connections.ts';
import { toRefusedResult } from './early-refusals.ts';
import { toBody, toContext, toEvent } from './gateway-event.ts';
import { createForeignPageLimit, createHeadReader, type RequestHead } from './request-head.ts';

/** The handlers of all endpoints, by the names of their routes. */
export type Handlers = Readonly<Record<AnyRoute['name'], GatewayHandler>>;

/** The parts of the application. */
export interface ExpressAppDeps {
  readonly handlers: Handlers;
  readonly config: Pick<LocalConfig, 'host' | 'allowedHosts' | 'corsOrigins'>;
  readonly log: Log;
  readonly connections: Connections;
  readonly replyOptions: () => ReplyOptions;
}

/** Kept beside the response while a request is answered. */
type Locals = { startedAt: number; head: RequestHead };

type Handle = RequestHandler<Request['params'], unknown, unknown, unknown, Locals>;

function begin({ host, allowedHosts, corsOrigins }: ExpressAppDeps['config']): Handle {
  const readHead = createHeadReader(host, allowedHosts);
  const limitForeignPages = createForeignPageLimit(corsOrigins);
  return (request, { locals }, next) => {
    locals.startedAt = performance.now();
    locals.head = readHead(request);
    limitForeignPages(locals.head);
    const { encodedPath, query } = locals.head;
    // An absolute-form target is routed by its path.
    request.url = query === '' ? encodedPath : `${encodedPath}?${query}`;
    next();
  };
}

/** Hands requests to an endpoint as the gateway would. */
function serve(handler: GatewayHandler, route: AnyRoute, { connections, replyOptions }: ExpressAppDeps): Handle {
  return async (request, response) => {
    const pathParameters = Object.fromEntries(
      Object.entries(request.params).map(([name, value]) => [name, `${value}`]),
    );
    const event = toEvent({ request, head: response.locals.head, route, pathParameters });
    const receiveBody = async () => {
      // A client of HTTP/1.0 would take it for its response.
      if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue();
      const connection = connections.of(request.socket);
      connection.awaitedSince = performance.now();
      const body = await readBody(request, MAX_BODY_BYTES, connection.broken);
      connection.awaitedSince = undefined;
      if (!(await isAwaited(response))) throw brokenOff('before the order was begun');
      return toBody(body, event.headers['content-type']);
    };
    // Only the endpoint's own method has a body that is read.
    const wantsBody = request.method === route.method && route.method === 'POST';
    const context = { ...toContext(event, route), ...(wantsBody && { receiveBody }) };
    connections.atWork += 1;
    const result = await handler(event, context).finally(() => {
      connections.atWork -= 1;
    });
    await reply(request, response, result, replyOptions());
  };
}

/** Creates an Express application that does what the HTTP API gateway does: the same routes, events and responses. */
export function createExpressApp(deps: ExpressAppDeps): Express {
  const { handlers, config, log, replyOptions } = deps;
  const app = express();
  app.disable('x-powered-by').enable('strict routing').enable('case sensitive routing').set('query parser', false);
  app.use(begin(config));
  for (const route of Object.values(ROUTES)) {
    app.all(route.path.replace(/\{(\w+)\}/g, ':$1'), serve(handlers[route.name], route, deps));
  }
  app.use(serve(handlers[UNKNOWN_ROUTE.name], UNKNOWN_ROUTE, deps));
  // Express tells an error handler by its four parameters.
  app.use(async (error: unknown, request: Request, response: Response<unknown, Locals>, _next: NextFunction) => {
    const { startedAt } = response.locals;
    const refused = { method: request.method, requestId: request.get('x-request-id'), startedAt };
    await reply(request, response, toRefusedResult(error, refused, log), replyOptions());
  });
  return app;
}
