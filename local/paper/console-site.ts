import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { basename, extname, join } from 'node:path';
import { errorCode } from '../../shared/error-code.ts';
import { AppError, errorSpec } from '../../shared/errors.ts';
import { createHeadReader, type RequestHead } from '../http/request-head.ts';
import { SOURCES } from '../service/settings-file.ts';

/** Tried one after the other, behind those of the service (8080) and the paper venue (8081); 0 takes a free one. */
const PORTS = [8083, 0];
/** One user with a browser needs a few. */
const MAX_CONNECTIONS = 64;
const REQUEST_MS = 5_000;
/** Far more than any fault or cancellation has. */
const MAX_CONTROL_BYTES = 4_096;

/** The services that the page of the console talks to. */
export interface ConsoleOptions {
  /** Address of the paper venue, whose own paths under /paper the page may use. */
  readonly venueUrl: string;
  /** Address and wallet of the service, as soon as it listens. */
  readonly service: () => { readonly url: string; readonly walletAddress: string | null } | undefined;
  /** A port that is for somebody else. */
  readonly reservedPort?: string | undefined;
}

/** Static server of the console, for this machine alone. */
export interface ConsoleSite {
  readonly url: string;
  /** Origins that pages of it have: one for each name of this machine. */
  readonly origins: readonly string[];
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

function text(status: number, sentence: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body: `${sentence}\n` };
}

function json(value: unknown): Reply {
  return { status: 200, type: 'application/json', body: JSON.stringify(value) };
}

function toReply(name: string, body: Uint8Array): readonly [path: string, file: Reply] {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  return [name === 'index.html' ? '/' : `/${name}`, { status: 200, type, body }];
}

/** Reads the files of the console as the package has them, or builds them as `npm run build:console` does. */
async function loadFiles(): Promise<ReadonlyMap<string, Reply>> {
  const folder = join(SOURCES, 'console');
  const names = await readdir(folder);
  if (names.includes('app.ts')) return buildFiles(folder);
  return new Map(await Promise.all(names.map(async (name) => toReply(name, await readFile(join(folder, name))))));
}

async function buildFiles(folder: string): Promise<ReadonlyMap<string, Reply>> {
  // Loaded with the first page, so that the start does not wait for it.
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: ['app.ts', 'index.html', 'style.css'].map((name) => join(folder, name)),
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      loader: { '.html': 'copy' },
      outdir: folder,
      write: false,
    });
    return new Map(outputFiles.map(({ path, contents }) => toReply(basename(path), contents)));
  } finally {
    // It would keep a process for a next build.
    await stop();
  }
}

let loaded: ReturnType<typeof loadFiles> | undefined;

/** The files, loaded once in a process: the end of a build would end that of another console too. */
function files(): ReturnType<typeof loadFiles> {
  loaded ??= loadFiles().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

/** Allows the page to load from its own server alone, and to talk to that and to the service. */
function contentPolicy(serviceUrl: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${serviceUrl ?? ''}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function readControl(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_CONTROL_BYTES) throw new RangeError('A change of the venue is a few words of JSON.');
  }
  return body;
}

const CONTROLS: readonly string[] = [
  'GET /paper/orders',
  'GET /paper/trades',
  'POST /paper/cancel',
  'POST /paper/faults',
  'DELETE /paper/faults',
];

interface Pages extends ConsoleOptions {
  readonly origins: readonly string[];
  /** Throws `AppError` for what no request may have, such as the host name of somebody else. */
  readonly readHead: (request: IncomingMessage) => RequestHead;
}

/** Hands a request of the page to the venue's own paths; other pages may change nothing there. */
async function control(request: IncomingMessage, path: string, { venueUrl, origins }: Pages): Promise<Reply> {
  const { method = '', headers } = request;
  if (method !== 'GET' && !origins.includes(headers.origin ?? '')) {
    return text(403, 'Only the pages of this server may change the venue.');
  }
  const body = method === 'POST' ? await readControl(request) : null;
  const answer = await fetch(`${venueUrl}${path}`, { method, body, signal: AbortSignal.timeout(REQUEST_MS) });
  return { status: answer.status, type: 'application/json', body: await answer.text() };
}

async function answer(request: IncomingMessage, pages: Pages): Promise<Reply> {
  const { path } = pages.readHead(request);
  const { method = '' } = request;
  if (CONTROLS.includes(`${method} ${path}`)) return control(request, path, pages);
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'This server only hands out the console: use GET.');
  const service = pages.service();
  if (!service) return text(503, 'The service is still starting: load the page again.');
  // Every start has a wallet of its own: by it the page knows the service that is on paper.
  if (path === '/console.json') return json({ service_url: service.url, paper_wallet: service.walletAddress });
  return (await files()).get(path) ?? text(404, 'There is no such page: the console is at /.');
}

/** Returns the sentence on a wrong request; a fault of ours is only named. */
function explain(error: unknown): Reply {
  if (error instanceof AppError) {
    const isHost = error.code === 'host_not_allowed';
    const sentence = isHost ? 'The console answers to 127.0.0.1 and localhost only.' : error.message;
    return text(errorSpec(error.code).status, sentence);
  }
  if (error instanceof RangeError) return text(413, error.message);
  return text(502, 'The console could not be built, or the venue did not answer.');
}

async function respond(request: IncomingMessage, response: ServerResponse, pages: Pages): Promise<void> {
  const reply = await answer(request, pages).catch(explain);
  response.writeHead(reply.status, {
    'content-type': reply.type,
    'content-security-policy': contentPolicy(pages.service()?.url),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...(reply.status === 405 && { allow: 'GET, HEAD' }),
  });
  response.end(request.method === 'HEAD' ? undefined : reply.body);
}

async function bind(server: Server, port: number): Promise<number> {
  await once(server.listen({ host: '127.0.0.1', port }), 'listening');
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : port;
}

async function bindFirst(server: Server, [port = 0, ...others]: readonly number[]): Promise<number> {
  try {
    return await bind(server, port);
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE' || others.length === 0) throw error;
    return bindFirst(server, others);
  }
}

/** Serves the console on a port of its own on loopback. */
export async function startConsoleSite(options: ConsoleOptions): Promise<ConsoleSite> {
  const origins: string[] = [];
  const pages = { ...options, origins, readHead: createHeadReader('127.0.0.1', []) };
  const server = createServer({ requestTimeout: REQUEST_MS, requireHostHeader: false }, (request, response) => {
    respond(request, response, pages).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  const ports = PORTS.filter((port) => String(port) !== options.reservedPort || port === 0);
  const port = await bindFirst(server, ports);
  origins.push(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
  return {
    url: `http://127.0.0.1:${port}`,
    origins,
    close: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      return promise;
    },
  };
}
