import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS, STOP_MS, WAY_MS } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { type Connections, createConnections } from './connections.ts';
import { answerParserErrors } from './early-refusals.ts';
import { createExpressApp } from './express-app.ts';
import type { Handlers } from './handlers.ts';
import { bracketed } from './request-head.ts';

/** Limits for clients; tests shorten the times. */
export interface ServerLimits {
  /** Ends the wait for the headers: a slower client gets 408. */
  readonly headersMs: number;
  /** Ends the wait for the body, counted from the first byte of the request. */
  readonly requestMs: number;
  /** Pause between two looks at the two above. */
  readonly checkIntervalMs: number;
  /** An idle connection stays open for the next request. */
  readonly keepAliveMs: number;
  /** A connection on which nothing moves is dropped. */
  readonly silenceMs: number;
  readonly maxConnections: number;
  /** How long an unwanted body is taken in and dropped, so that the client gets to read its response. */
  readonly drainMs: number;
  /** How long a stop waits for requests in flight. */
  readonly stopMs: number;
  /** How long a stop waits for the rest of their bodies: an order that begins later would be cut off. */
  readonly stopBodiesMs: number;
}

const SERVER_LIMITS: ServerLimits = {
  headersMs: 10_000,
  // At most 16 KiB come in.
  requestMs: 15_000,
  checkIntervalMs: 1_000,
  // Longer than clients and proxies commonly keep a connection (60 s), so that it is they who close it, not we while
  // an order is on its way.
  keepAliveMs: 65_000,
  // An order takes up to 25 s in silence.
  silenceMs: 60_000,
  maxConnections: 512,
  drainMs: 5_000,
  stopMs: STOP_MS,
  stopBodiesMs: STOP_MS - ORDER_BUDGET_MS - WAY_MS,
};

/**
 * Node itself stops reading here. More than MAX_TARGET_BYTES and MAX_HEADER_BYTES together: what is only a little too
 * large is told which of the two it is.
 */
const PARSER_HEADER_BYTES = 32_768;

/** The parts of a server. */
export interface ServerDeps {
  readonly handlers: Handlers;
  readonly config: Pick<LocalConfig, 'host' | 'port' | 'allowedHosts' | 'corsOrigins'>;
  readonly log: Log;
  readonly limits?: Partial<ServerLimits>;
}

/** A server that listens. */
export interface RunningServer {
  /** Base address without trailing slash. */
  readonly url: string;
  /** Stops accepting, drops idle connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

/** The address cannot be listened on. The message is a sentence for the operator. */
class ListenError extends ConfigError {
  override readonly name = 'ListenError';
}

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use: stop the other program or set SERVICE_PORT',
  EACCES: 'may not be used by this user: set SERVICE_PORT to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine: set SERVICE_HOST',
  ENOTFOUND: 'has no address, since the name cannot be resolved: set SERVICE_HOST',
};

function listen(server: Server, { host, port }: ServerDeps['config']): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    const reason = LISTEN_FAILURES[error.code ?? ''] ?? `cannot be listened on (${error.code})`;
    reject(new ListenError(`${bracketed(host)}:${port} ${reason}.`, { cause: error }));
  });
  server.listen({ host, port }, resolve);
  return promise;
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  // The wildcard addresses are not ones to connect to.
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${bracketed(reachable)}:${port}`;
}

function createLimitedServer(limits: ServerLimits): Server {
  const server = createServer({
    maxHeaderSize: PARSER_HEADER_BYTES,
    insecureHTTPParser: false,
    // A missing Host is refused by our own check, in our own words.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveMs,
    noDelay: true,
  });
  server.timeout = limits.silenceMs;
  server.maxConnections = limits.maxConnections;
  // Node would answer the next one by itself, a bare 503.
  server.maxRequestsPerSocket = 0;
  // More than fit into MAX_HEADER_BYTES, so that their bytes alone decide.
  server.maxHeadersCount = 4_096;
  // A client may close its half after the request (`nc -N`), and still wants the response. Node knows this setting, its
  // types do not.
  Reflect.set(server, 'httpAllowHalfOpen', true);
  return server;
}

/** Waits for the connections and for the handlers: an order goes on when its client is gone. */
async function stop(
  server: Server,
  connections: Connections,
  { stopMs, stopBodiesMs }: Pick<ServerLimits, 'stopMs' | 'stopBodiesMs'>,
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  connections.dropIdle();
  // A closed server of Node no longer looks at the time that its requests take.
  const bodies = setTimeout(() => connections.giveUpBodies(refuse('request_timeout', {})), stopBodiesMs);
  const { promise: tooLong, resolve: giveUp } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    giveUp();
  }, stopMs);
  await Promise.race([tooLong, Promise.all([closed, connections.settled()])]);
  clearTimeout(timer);
  clearTimeout(bodies);
}

/**
 * Serves the endpoints over HTTP as the gateway does. Rejects with `ListenError` where the address cannot be listened
 * on.
 */
export async function startServer({ handlers, config, log, limits }: ServerDeps): Promise<RunningServer> {
  const granted = { ...SERVER_LIMITS, ...limits };
  const connections = createConnections();
  let closing = false;
  const replyOptions = () => ({ last: closing, drainMs: granted.drainMs });
  const app = createExpressApp({ handlers, config, log, connections, replyOptions });
  const server = createLimitedServer(granted);
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    connections.of(request.socket).run(() => {
      const answered = new Promise<void>((resolve) => response.once('close', resolve));
      app(request, response);
      return answered;
    });
  };
  // The first two by default answer by themselves, before the checks.
  server.on('checkContinue', dispatch).on('checkExpectation', dispatch).on('request', dispatch);
  server.on('connection', connections.of);
  answerParserErrors({ server, connections, log, lingerMs: granted.drainMs });
  await listen(server, config);
  return {
    url: urlOf(server, config.host),
    close: () => {
      closing = true;
      return stop(server, connections, granted);
    },
  };
}
