#!/usr/bin/env node
import './node-version.cjs';

// An older Node has not got all of these, and would say so before the line above.
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');

/**
 * Keeps what Node compiles: the second start takes two thirds of the time. JavaScript, so that with everything
 * kept, Node does not even load its TypeScript parser. Not in Node's default place, the directory for temporary files,
 * where another user could put code for a process that holds a key.
 */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));

/** The other commands by their names, for the package and the container, which have no npm scripts. */
const COMMANDS = new Map([
  ['doctor', () => import('../operator/doctor/main.ts')],
  ['orders', () => import('../operator/desk/main.ts')],
  ['paper-venue', () => import('../packages/paper-venue/main.ts')],
]);

const [, , name = ''] = process.argv;
const command = COMMANDS.get(name);
if (command) {
  process.argv.splice(2, 1);
  await command();
} else {
  await import('./main.ts');
}
