import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { errorCode } from '../../shared/node-error.ts';
import { createHostTest } from '../http/app.ts';
import { SOURCES } from '../service/folders.ts';
import type { Listening } from '../service/service.ts';

/** One user with a browser needs a few. */
const MAX_CONNECTIONS = 64;
const REQUEST_MS = 5_000;
/** Far larger than the body of any fault or cancellation. */
const MAX_CONTROL_BYTES = 4_096;

/** The services that the page of the console talks to. */
export interface ConsoleOptions {
  /** Address of the paper venue, whose own paths under /paper the page may use. */
  readonly venueUrl: string;
  /** Address and wallet of the service, as soon as it listens. */
  readonly service: () => Listening | undefined;
  /** Port to listen on; 0 takes a free one. */
  readonly port: number;
}

type Files = ReadonlyMap<string, Uint8Array>;

/** Reads the files of the console as the package has them, or builds them as `npm run build:console` does. */
async function loadFiles(): Promise<Files> {
  const folder = join(SOURCES, 'packages/console');
  const names = await readdir(folder);
  if (names.includes('app.ts')) return buildFiles(folder);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}

async function buildFiles(folder: string): Promise<Files> {
  // Loaded with the first page, so that the start does not wait for it.
  const { buildSync } = await import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: ['app.ts', 'index.html', 'style.css'].map((name) => join(folder, name)),
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.html': 'copy' },
    outdir: folder,
    write: false,
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Lets the page load from its own server only, and connect only to that and to the service. */
function contentPolicy(serviceUrl: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // A policy has no form for an address of IPv6: any host, and the service's port.
    `connect-src 'self' ${serviceUrl?.replace(/\[.*\]/, '*') ?? ''}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sayIn(response: Response, status: number, sentence: string): void {
  response.status(status).type('text').send(`${sentence}\n`);
}

/** Creates the site: the paths of the venue that the page may use, then the files of the console. */
function createSite({ venueUrl, service }: ConsoleOptions, origins: readonly string[]) {
  const isAllowed = createHostTest([]);
  let files: Files | undefined;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use((request, response, next) => {
    response.set({
      'content-security-policy': contentPolicy(service()?.url),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    if (isAllowed(request.headers.host ?? '')) next();
    else sayIn(response, 403, 'The console answers to 127.0.0.1 and localhost only.');
  });
  const fromOwnPage: RequestHandler = ({ headers }, response, next) => {
    if (origins.includes(headers.origin ?? '')) next();
    else sayIn(response, 403, 'Only the pages of this server may change the venue.');
  };
  const handOn: RequestHandler = async ({ method, url, body: change = null }, response) => {
    const answer = await fetch(venueUrl + url, { method, body: change, signal: AbortSignal.timeout(REQUEST_MS) });
    const body = await answer.text();
    response.status(answer.status).type('json').send(body);
  };
  const text = express.text({ type: () => true, limit: MAX_CONTROL_BYTES });
  app.get(['/paper/orders', '/paper/accounts'], handOn);
  app.post(['/paper/cancel', '/paper/faults'], fromOwnPage, text, handOn);
  app.delete('/paper/faults', fromOwnPage, handOn);
  app.use(async ({ method, path }, response) => {
    if (method !== 'GET' && method !== 'HEAD') {
      return sayIn(response.set('allow', 'GET, HEAD'), 405, 'This server only hands out the console: use GET.');
    }
    const found = service();
    if (!found) return sayIn(response, 503, 'The service is still starting: load the page again.');
    // Every start has a wallet of its own, by which the page recognises the service on paper.
    if (path === '/console.json') return response.json({ service_url: found.url, paper_wallet: found.walletAddress });
    const name = path === '/' ? 'index.html' : path.slice(1);
    files ??= await loadFiles();
    const file = files.get(name);
    if (file) return response.type(extname(name)).send(Buffer.from(file));
    sayIn(response, 404, 'There is no such page: the console is at /.');
  });
  app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    sayIn(response, 502, 'The console could not be built, or the venue did not answer.'),
  );
  return app;
}

/** Listens on a port, or on a free one where it is taken. */
export async function listenNear<T>(port: number, listen: (port: number) => Promise<T>): Promise<T> {
  try {
    return await listen(port);
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    return listen(0);
  }
}

/** Serves the console on a port of its own, to this machine alone. */
export async function startConsoleSite(options: ConsoleOptions) {
  const origins: string[] = [];
  const server = createServer({ requestTimeout: REQUEST_MS, requireHostHeader: false }, createSite(options, origins));
  server.maxConnections = MAX_CONNECTIONS;
  await listenNear(options.port, (port) => once(server.listen({ host: '127.0.0.1', port }), 'listening'));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  origins.push(`http://127.0.0.1:${port}`, `http://localhost:${port}`);
  return {
    url: `http://127.0.0.1:${port}`,
    /** The origins that its pages have: one for each name of this machine. */
    origins,
    close: async () => {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}
