import { createServer } from 'node:http';
import { extname } from 'node:path';
import { afterEach } from '@jest/globals';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';

const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

const stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A web server for a page and its scripts; it stops after the test. */
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
