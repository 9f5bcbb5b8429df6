import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../shared/config.ts';
import type { Log } from '../shared/log.ts';
import type { Handlers } from './app.ts';
import { type Connections, createConnections } from './connections.ts';
import { createGatewayApp } from './gateway-app.ts';
import { bracketed } from './host-check.ts';
import { PARSER_HEADER_BYTES, SERVER_LIMITS, type ServerLimits } from './limits.ts';
import { explainListenFailure } from './listen-error.ts';
import { answerParserErrors } from './parser-errors.ts';

export interface ServerDeps {
  readonly handlers: Handlers;
  readonly config: Pick<Config, 'host' | 'port' | 'allowedHosts'>;
  readonly log: Log;
  readonly limits?: Partial<ServerLimits>;
}

export interface RunningServer {
  /** Base address without trailing slash. */
  readonly url: string;
  /** Stops accepting, drops idle connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

function listen(server: Server, { host, port }: ServerDeps['config']): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    reject(explainListenFailure(`${bracketed(host)}:${port}`, error));
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
    headersTimeout: limits.headersTimeout,
    requestTimeout: limits.requestTimeout,
    connectionsCheckingInterval: limits.connectionsCheckingInterval,
    keepAliveTimeout: limits.keepAliveTimeout,
    noDelay: true,
  });
  server.timeout = limits.silenceTimeout;
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  // More than fit into MAX_HEADER_BYTES, so that their bytes alone decide.
  server.maxHeadersCount = 4_096;
  // A client may close its half after the request (`nc -N`), and still wants the answer. Node knows this setting, its
  // types do not.
  Reflect.set(server, 'httpAllowHalfOpen', true);
  return server;
}

/** Waits for the connections and for the handlers: an order goes on when its client is gone. */
async function stop(server: Server, connections: Connections, stopTime: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  connections.dropIdle();
  const { promise: tooLong, resolve: giveUp } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.closeAllConnections();
    giveUp();
  }, stopTime);
  await Promise.race([tooLong, Promise.all([closed, connections.settled()])]);
  clearTimeout(timer);
}

/**
 * Serves the endpoints over HTTP as the gateway does. Rejects with `ListenError` where the address cannot be listened
 * on.
 */
export async function startServer({ handlers, config, log, limits }: ServerDeps): Promise<RunningServer> {
  const granted = { ...SERVER_LIMITS, ...limits };
  const connections = createConnections();
  const server = createLimitedServer(granted);
  let closing = false;
  const replyOptions = () => ({ last: closing, drainTime: granted.drainTime });
  const app = createGatewayApp({ handlers, config, log, connections, replyOptions });
  const dispatch = (request: IncomingMessage, response: ServerResponse) => {
    const answered = new Promise<void>((resolve) => response.once('close', resolve));
    connections.of(request.socket).run(() => {
      app(request, response);
      return answered;
    });
  };
  // The first two by default answer by themselves, before the checks.
  server.on('checkContinue', dispatch).on('checkExpectation', dispatch).on('request', dispatch);
  server.on('connection', connections.of);
  answerParserErrors({ server, connections, log, lingerTime: granted.drainTime });
  await listen(server, config);
  return {
    url: urlOf(server, config.host),
    close: () => {
      closing = true;
      return stop(server, connections, granted.stopTime);
    },
  };
}
