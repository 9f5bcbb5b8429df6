#!/usr/bin/env node
import '../local/node-version.cjs';

const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');

// See local/start.js.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));

/** The commands by their names. In the package and the container, which have no npm scripts, the service is one of them. */
const COMMANDS = new Map([
  ['doctor', () => import('./doctor/main.ts')],
  ['orders', () => import('./desk/main.ts')],
  ['paper-venue', () => import('../packages/paper-venue/main.ts')],
]);

const [, , name = ''] = process.argv;
const command = COMMANDS.get(name);
if (command) process.argv.splice(2, 1);
await (command ?? (() => import('../local/main.ts')))();
