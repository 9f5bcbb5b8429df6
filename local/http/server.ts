import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../shared/error-code.ts';
import { MAX_HEADER_BYTES, STOP_MS } from '../../shared/limits.ts';
import type { Log } from '../../shared/log.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { createApp, type Handlers } from './app.ts';
import { Connections } from './connections.ts';
import { bracketed, urlOf } from './hosts.ts';
import { fromParserError } from './replies.ts';

const SERVER_LIMITS = {
  /** Ends the wait for the headers: a slower client gets 408. */
  headersMs: 10_000,
  /** Ends the wait for the body, counted from the first byte of the request: at most 16 KiB come in. */
  requestMs: 15_000,
  /** Pause between two looks at the two above. */
  checkIntervalMs: 1_000,
  /** Longer than clients and proxies commonly keep an idle connection (60 s), so that they close it and no order meets its end. */
  keepAliveMs: 65_000,
  /** A connection on which nothing moves is dropped; an order takes up to 25 s in silence. */
  silenceMs: 60_000,
  maxConnections: 512,
  /** How long a stop waits for requests in flight. */
  stopMs: STOP_MS,
};

/** Limits for clients; tests shorten the times. */
export type ServerLimits = Readonly<typeof SERVER_LIMITS>;

/** The parts of a server. */
export interface ServerDeps {
  readonly handlers: Handlers;
  readonly config: Pick<LocalConfig, 'host' | 'port' | 'allowedHosts'>;
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
    maxHeaderSize: MAX_HEADER_BYTES,
    // A missing Host is refused by our own check, as a problem.
    requireHostHeader: false,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveMs,
  });
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.silenceMs;
  // Node drops headers above this number without an error, an Idempotency-Key among them.
  server.maxHeadersCount = 0;
  return server;
}

/** Serves the endpoints over HTTP as the gateway does. Rejects with `ConfigError` where it cannot listen. */
export async function startServer({ handlers, config, log, limits }: ServerDeps) {
  const granted = { ...SERVER_LIMITS, ...limits };
  const atWork = new Set<Promise<unknown>>();
  const connections = new Connections(createApp({ handlers, config, log, atWork }), log);
  const server = createLimitedServer(granted);
  const dispatch: RequestListener = (request, response) => connections.take(request, response);
  // Node would answer an unknown expectation without a body.
  server.on('request', dispatch).on('checkExpectation', dispatch);
  server.on('connection', (socket) => connections.open(socket));
  server.on('clientError', (error, socket) => connections.refuse(socket, fromParserError(error)));
  await listen(server, config);
  const address = server.address();
  return {
    /** Base address without trailing slash. */
    url: urlOf(config.host, typeof address === 'object' ? address?.port : undefined),
    /** Stops accepting, and resolves when the requests in flight are answered and their handlers have ended. */
    close: async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      connections.stop();
      const drained = new AbortController();
      // It keeps the process, which would otherwise end with its last connection, before the store is closed.
      const timeout = sleep(granted.stopMs, undefined, { signal: drained.signal }).catch(() => undefined);
      await Promise.race([closed.then(() => Promise.allSettled(atWork)), timeout]);
      drained.abort();
      server.closeAllConnections();
    },
  };
}

/** A server that listens. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>;
