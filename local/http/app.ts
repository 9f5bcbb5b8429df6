import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { GatewayEvent, GatewayHandler } from '../../functions/endpoint.ts';
import { type AnyRoute, ROUTES, UNKNOWN_ROUTE } from '../../functions/routes.ts';
import { refuse } from '../../shared/errors.ts';
import { MAX_BODY_BYTES, MAX_TARGET_BYTES } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { createHostTest } from './hosts.ts';
import { invalid, send, toRefusal } from './replies.ts';

/** The handlers of all endpoints, by the names of their routes. */
export type Handlers = Readonly<Record<AnyRoute['name'], GatewayHandler>>;

/** The parts of the application. */
export interface AppDeps {
  readonly handlers: Handlers;
  readonly config: Pick<LocalConfig, 'host' | 'allowedHosts'>;
  readonly log: Log;
  /** The handlers at work; one goes on when its client is gone. */
  readonly atWork: Set<Promise<unknown>>;
}

/** A path and a query. The authority of an absolute URL goes before the `Host` header (RFC 9112, 3.2.2). */
const TARGET = /^(?:https?:\/\/(?<authority>[^/?#]*))?(?<encoded>\/[^?#]*)(?:\?(?<query>[^#]*))?$/i;

type Target = ReturnType<typeof readTarget>;

type Handle = RequestHandler<Request['params'], unknown, unknown, Request['query'], { target: Target }>;

/** Takes a target apart; throws 414 for a long one, and 400 where it is no path in UTF-8. */
function readTarget(target: string) {
  if (target.length > MAX_TARGET_BYTES) throw refuse('uri_too_long', {});
  const { authority, encoded = '%', query = '' } = TARGET.exec(target)?.groups ?? {};
  try {
    return { authority, encoded, path: decodeURIComponent(encoded), query };
  } catch {
    const sentence = 'The URL is not valid: send a path that begins with a slash, in percent-encoded UTF-8.';
    throw invalid(sentence, 'path', 'must begin with a slash and be percent-encoded UTF-8.');
  }
}

/** Checks the target and `Host`. */
function checkHead({ host, allowedHosts }: AppDeps['config']): Handle {
  const isAllowed = createHostTest(host, allowedHosts);
  return (request, { locals }, next) => {
    locals.target = readTarget(request.url);
    const { authority, encoded, query } = locals.target;
    const hosts = request.headersDistinct['host'] ?? [];
    if (hosts.length !== 1) throw invalid('The request needs exactly one Host header.', 'Host', 'must be there once.');
    const refused = [...hosts, authority ?? []].flat().find((name) => !isAllowed(name));
    if (refused !== undefined) throw refuse('host_not_allowed', { host: refused });
    // An absolute URL is routed by its path.
    request.url = query === '' ? encoded : `${encoded}?${query}`;
    next();
  };
}

/** Stands for a body that was too large, so that the endpoint refuses it in the order of its checks. */
const TOO_LARGE = Buffer.alloc(MAX_BODY_BYTES + 1);

/** Reads a body, of any media type. One that could not be read is absent. */
function readBody(): RequestHandler {
  const read = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });
  return (request, response, next) => {
    read(request, response, (error: unknown) => {
      if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') request.body = TOO_LARGE;
      next();
    });
  };
}

/** Returns the event that API Gateway's HTTP API (payload version 2.0) makes of a request, as far as endpoints read it. */
function toEvent(request: Parameters<Handle>[0], { path, query }: Target): GatewayEvent {
  // The gateway joins the values of a repeated header; Node would drop some of them.
  const headers = Object.entries(request.headersDistinct).map(([name, values = []]) => [name, values.join(',')]);
  const body = Buffer.isBuffer(request.body) ? request.body : undefined;
  const isBase64Encoded = body !== undefined && !isUtf8(body);
  return {
    rawPath: path,
    rawQueryString: query,
    headers: Object.fromEntries(headers),
    pathParameters: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, `${value}`])),
    requestContext: {
      domainName: request.headers.host ?? '',
      http: { method: request.method },
      requestId: randomUUID(),
      timeEpoch: Date.now(),
    },
    ...(body && { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
    isBase64Encoded,
  };
}

/** Hands requests to an endpoint as the gateway would. */
function serve(handler: GatewayHandler, atWork: AppDeps['atWork']): Handle {
  return async (request, response) => {
    // The request may have been refused while its body was awaited.
    if (response.headersSent) return;
    const event = toEvent(request, response.locals.target);
    const work = handler(event, { awsRequestId: event.requestContext.requestId });
    atWork.add(work);
    send(response, await work.finally(() => atWork.delete(work)));
  };
}

/** Creates an Express application that does what the HTTP API gateway does: the same routes, events and responses. */
export function createApp({ handlers, config, log, atWork }: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by').enable('strict routing').enable('case sensitive routing').set('query parser', false);
  app.use(checkHead(config));
  app.post(ROUTES.orders.path, readBody());
  for (const { name, path } of Object.values(ROUTES)) {
    app.all(path.replace(/\{(\w+)\}/g, ':$1'), serve(handlers[name], atWork));
  }
  app.use(serve(handlers[UNKNOWN_ROUTE.name], atWork));
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    send(response, toRefusal(error, log, request));
  });
  return app;
}
