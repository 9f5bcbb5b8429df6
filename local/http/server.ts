import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { MAX_HEADER_BYTES, STOP_MS } from '../../shared/limits.ts';
import { errorCode } from '../../shared/node-error.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { type AppDeps, bracketed, createApp } from './app.ts';
import { createConnectionEnds } from './connection-ends.ts';

/** Further connections are dropped. Each needs a file descriptor, of which a process commonly has 1,024. */
const MAX_CONNECTIONS = 512;

/** Node's limits for clients. */
const LIMITS: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  /** A slower client gets 408. */
  headersTimeout: 10_000,
  /** Counted from the first byte of a request, of which at most 16 KiB are read. */
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  /** Longer than most clients and proxies keep idle connections (60 s): a server that closes first can lose an order. */
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
  /** Overrides --insecure-http-parser in NODE_OPTIONS, which accepts two lengths for one body. */
  insecureHTTPParser: false,
};

/** A client cannot connect to a wildcard. */
const REACHABLE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);

export interface ServerDeps extends Omit<AppDeps, 'atWork'> {
  readonly config: AppDeps['config'] & { readonly port: number };
  /** Tests replace these limits and the time that a stop waits for requests in flight. */
  readonly limits?: ServerOptions & { readonly stopMs?: number; readonly maxConnections?: number };
}

async function listen(server: Server, { host, port }: ServerDeps['config']): Promise<void> {
  try {
    await once(server.listen({ host, port }), 'listening');
  } catch (cause) {
    const failed = `The service cannot listen on ${bracketed(host)}:${port} (${errorCode(cause)})`;
    throw new ConfigError(`${failed}: set SERVICE_PORT or SERVICE_HOST, or stop the program that uses it.`, { cause });
  }
}

/** Serves the endpoints over HTTP as the gateway does. Rejects with `ConfigError` where it cannot listen. */
export async function startServer({ limits = {}, ...deps }: ServerDeps) {
  const { stopMs = STOP_MS, maxConnections = MAX_CONNECTIONS, ...options } = limits;
  const atWork = new Set<Promise<unknown>>();
  const app = createApp({ ...deps, atWork });
  const connections = createConnectionEnds(deps.log);
  const serve: RequestListener = (request, response) => {
    connections.begin(request, response);
    app(request, response);
  };
  const server = createServer({ ...LIMITS, ...options });
  server.maxConnections = maxConnections;
  server.on('drop', (dropped) =>
    deps.log.warn('connection dropped: too many are open', { address: dropped?.remoteAddress }),
  );
  // Node drops a silent connection after this time; an order may be silent for 25 s.
  server.timeout = 60_000;
  // Node would answer an unknown expectation without a body.
  server.on('request', serve).on('checkExpectation', serve);
  server.on('connection', connections.add).on('clientError', connections.refuse);
  await listen(server, deps.config);
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const host = bracketed(deps.config.host);
  const reachable = REACHABLE.get(host) ?? host;
  const names = new Set([host.toLowerCase(), 'localhost', '127.0.0.1', '[::1]']);
  return {
    /** Base address for clients on this machine, without trailing slash. */
    url: `http://${reachable}:${port}`,
    listensOn: `http://${host}:${port}`,
    /** The authorities by which clients on this machine know it. */
    authorities: [...names].map((name) => (port === 80 ? name : `${name}:${port}`)),
    /** Stops accepting, and resolves when the requests in flight are answered and their handlers have ended. */
    close: async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      connections.endAll();
      // Without a timer the process would end with its last connection, before the store is closed.
      const timeout = setTimeout(() => server.closeAllConnections(), stopMs);
      await closed;
      await Promise.allSettled(atWork);
      clearTimeout(timeout);
    },
  };
}
