#!/usr/bin/env node
import '../local/quick-start.js';

/** The commands by their names. In the package and the container, which have no npm scripts, the service is one of them. */
const COMMANDS = new Map([
  ['doctor', () => import('./doctor/main.ts')],
  ['orders', () => import('./commands/main.ts')],
  ['paper-venue', () => import('../packages/paper-venue/main.ts')],
]);

const [, , name = ''] = process.argv;
const command = COMMANDS.get(name);
if (command) process.argv.splice(2, 1);
await (command ?? (() => import('../local/main.ts')))();
