import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { afterAll } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { describeWith } from '../jest.ts';

/** Debian's Chromium; without the window that nobody sees it takes a third less of a processor. */
const PATH = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));

/** Without them the browser looks for its maker's hosts at every start, and cannot run as root. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let running: Promise<Browser> | undefined;

afterAll(async () => {
  const browser = await running;
  running = undefined;
  await Promise.all(browser?.contexts().flatMap((context) => context.pages().map(closePage)) ?? []);
  await browser?.close();
});

/** Closes a page. What stands in for an answer cannot give one to a closed page: it ends without an error. */
export async function closePage(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

/** Opens a page in a fresh profile of Debian's Chromium; the browser is closed after the file's tests. */
export async function openPage(): Promise<Page> {
  if (PATH === undefined) throw new Error('Chromium is not installed.');
  running ??= chromium.launch({ executablePath: PATH, args: FLAGS });
  const page = await (await (await running).newContext()).newPage();
  // What did not come is named soon. A busy machine takes longer to load a page, which proves nothing.
  page.setDefaultTimeout(10_000);
  page.setDefaultNavigationTimeout(30_000);
  return page;
}

/** As `describe` where Chromium is installed; elsewhere the tests are skipped, and it says so. */
export function describeInChromium(name: string, tests: () => void): void {
  describeWith({ program: 'Chromium', isThere: PATH !== undefined, package: 'chromium-headless-shell' }, name, tests);
}

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

const stops: (() => void)[] = [];

afterAll(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Starts a web server for pages and their scripts; it stops after the file's tests. */
export async function startSite(files: Readonly<Record<string, string>>) {
  const site = new Map(Object.entries(files));
  const server = createServer(({ url = '/' }, response) => {
    const [path = ''] = url.split('?');
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html; charset=utf-8');
    response.end(site.get(path) ?? '<!doctype html>');
  });
  stops.push(() => server.close());
  const origin = await listenOnLoopback(server);
  // Two names of one machine are two origins.
  const otherOrigin = origin.replace('127.0.0.1', 'localhost');
  return { origin, otherOrigin, serve: (path: string, content: string) => site.set(path, content) };
}
