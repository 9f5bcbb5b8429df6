import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../shared/error-code.ts';
import { refuse } from '../../shared/errors.ts';
import { ORDER_BUDGET_MS, STOP_MS, WAY_MS } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { Connections } from './connections.ts';
import { answerParserErrors } from './early-refusals.ts';
import { createExpressApp, type Handlers } from './express-app.ts';
import { bracketed, urlOf } from './request-head.ts';

const SERVER_LIMITS = {
  /** Ends the wait for the headers: a slower client gets 408. */
  headersMs: 10_000,
  /** Ends the wait for the body, counted from the first byte of the request: at most 16 KiB come in. */
  requestMs: 15_000,
  /** Pause between two looks at the two above. */
  checkIntervalMs: 1_000,
  /**
   * An idle connection stays open for the next request. Longer than clients and proxies commonly keep a connection (60 s),
   * so that it is they who close it, not we while an order is on its way.
   */
  keepAliveMs: 65_000,
  /** A connection on which nothing moves is dropped; an order takes up to 25 s in silence. */
  silenceMs: 60_000,
  maxConnections: 512,
  /** The most that is kept for clients that do not read. */
  maxUnreadBytes: 32 * 1024 * 1024,
  /** How long an unwanted body is taken in and dropped, so that the client gets to read its response. */
  drainMs: 5_000,
  /** How long a stop waits for requests in flight. */
  stopMs: STOP_MS,
  /** How long a stop waits for the rest of their bodies: an order that begins later would be cut off. */
  stopBodiesMs: STOP_MS - ORDER_BUDGET_MS - WAY_MS,
};

/** Limits for clients; tests shorten the times. */
export type ServerLimits = Readonly<typeof SERVER_LIMITS>;

/**
 * Node itself stops reading here. More than MAX_TARGET_BYTES and MAX_HEADER_BYTES together, so that we can name the one
 * of the two that is a little too large.
 */
const PARSER_HEADER_BYTES = 32_768;

/** The parts of a server. */
export interface ServerDeps {
  readonly handlers: Handlers;
  readonly config: Pick<LocalConfig, 'host' | 'port' | 'allowedHosts' | 'corsOrigins'>;
  readonly log: Log;
  readonly limits?: Partial<ServerLimits>;
}

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use: stop the other program or set SERVICE_PORT',
  EACCES: 'may not be used by this user: set SERVICE_PORT to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine: set SERVICE_HOST',
  ENOTFOUND: 'has no address, since the name cannot be resolved: set SERVICE_HOST',
};

async function listen(server: Server, { host, port }: ServerDeps['config']): Promise<void> {
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (cause) {
    const code = errorCode(cause) ?? '';
    const reason = LISTEN_FAILURES[code] ?? `cannot be listened on (${code})`;
    throw new ConfigError(`${bracketed(host)}:${port} ${reason}.`, { cause });
  }
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
  });
  server.timeout = limits.silenceMs;
  // More than fit into MAX_HEADER_BYTES, so that their bytes alone decide.
  server.maxHeadersCount = 4_096;
  // A client may close its half after the request (`nc -N`), and still wants the response. Node knows this setting, its
  // types do not.
  Reflect.set(server, 'httpAllowHalfOpen', true);
  return server;
}

const SETTLED_CHECK_MS = 5;

/** Waits for the connections and for the handlers: an order goes on when its client is gone. */
async function stop(server: Server, connections: Connections, { stopMs, stopBodiesMs }: ServerLimits): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A closed server of Node no longer looks at the time that its requests take.
  const bodies = setTimeout(() => connections.giveUpBodies(refuse('request_timeout', {})), stopBodiesMs);
  // It keeps the process, which would else end with its last connection: before the store is closed.
  const end = setTimeout(() => server.closeAllConnections(), stopMs);
  const endsAt = performance.now() + stopMs;
  while (connections.atWork > 0 && performance.now() < endsAt) await sleep(SETTLED_CHECK_MS);
  await closed;
  clearTimeout(end);
  clearTimeout(bodies);
}

/** Serves the endpoints over HTTP as the gateway does. Rejects with `ConfigError` where it cannot listen. */
export async function startServer({ handlers, config, log, limits }: ServerDeps) {
  const granted = { ...SERVER_LIMITS, ...limits };
  const connections = new Connections(granted);
  let closing = false;
  const onWritten = (socket: Duplex) => connections.awaitReader(socket);
  const replyOptions = () => ({ last: closing, drainMs: granted.drainMs, onWritten });
  const app = createExpressApp({ handlers, config, log, connections, replyOptions });
  const server = createLimitedServer(granted);
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    connections.of(request.socket).run(async () => {
      app(request, response);
      await once(response, 'close');
      // Its head may have been written before the stop, and does not say then that the connection ends.
      if (closing) request.socket.destroySoon();
    });
  };
  // By default, Node answers the first two by itself, before the checks.
  server.on('checkContinue', dispatch).on('checkExpectation', dispatch).on('request', dispatch);
  server.on('connection', (socket) => connections.admit(socket));
  // Called by `close()`. Node's own would also cut off a response that its client has yet to read to the end.
  server.closeIdleConnections = () => connections.dropIdle();
  answerParserErrors(server, connections, log, granted.drainMs);
  await listen(server, config);
  const address = server.address();
  return {
    /** Base address without trailing slash. */
    url: urlOf(config.host, typeof address === 'object' ? address?.port : undefined),
    /** Stops accepting, drops idle connections, and resolves when the requests in flight are answered. */
    close: () => {
      closing = true;
      return stop(server, connections, granted);
    },
  };
}

/** A server that listens. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>;
