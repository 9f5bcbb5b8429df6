import type { IncomingHttpHeaders } from 'node:http';

/** Request as the venue's handlers see it; `now` is the venue's clock in epoch milliseconds. */
export interface PaperRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly now: number;
  /** Checks funds before duplicates (fault `balance-first`). */
  readonly fundsFirst?: boolean;
}

/** Answer before it is written; `body` goes out as it is. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers a request, or throws a VenueRefusal. */
type Handler = (request: PaperRequest, parameter: string) => Reply;

/** Method and path of a handler; a path that ends in `/*` hands over what follows as the parameter. */
export type Route = readonly [method: string, path: string, handler: Handler];

/** Refusal in the venue's manner: the body is `{"error": text}`. */
export class VenueRefusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** Creates a JSON reply. */
export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** Parses the body; undefined when it is not JSON. */
export function parsedBody(body: Buffer | string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns what follows the prefix of a path that ends in `/*`, '' for an equal path, or undefined if they do not fit. */
function parameterOf(routePath: string, path: string): string | undefined {
  if (!routePath.endsWith('/*')) return path === routePath ? '' : undefined;
  const prefix = routePath.slice(0, -1);
  return path.startsWith(prefix) && path !== prefix ? path.slice(prefix.length) : undefined;
}

/**
 * Answers a request by its route, a refusal included; 404 and 405 if no route fits. No Express: a reply is a value here,
 * since a fault may change, delay or drop it, and a late request has no response to write to.
 */
export function dispatch(routes: readonly Route[], request: PaperRequest): Reply {
  const fitting = routes.filter(([, path]) => parameterOf(path, request.path) !== undefined);
  const route = fitting.find(([method]) => method === request.method);
  if (!route)
    return fitting.length > 0 ? json({ error: 'method not allowed' }, 405) : json({ error: 'not found' }, 404);
  const [, path, handler] = route;
  try {
    return handler(request, parameterOf(path, request.path) ?? '');
  } catch (error) {
    if (error instanceof VenueRefusal) return json({ error: error.message }, error.status);
    throw error;
  }
}
