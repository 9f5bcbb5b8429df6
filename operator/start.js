#!/usr/bin/env node
import '../local/quick-start.js';

async function servePaperVenue() {
  const command = import('../packages/paper-venue/command.ts');
  const [{ runCommand }, { COMMAND, serve }] = await Promise.all([import('../local/command-line.ts'), command]);
  process.exitCode = await runCommand(COMMAND, serve);
}

/** The commands by their names. In the package and the container, which have no npm scripts, the service is one of them. */
const COMMANDS = new Map([
  ['doctor', () => import('./doctor/main.ts')],
  ['orders', () => import('./commands/main.ts')],
  ['paper-venue', servePaperVenue],
]);

const [, , name = ''] = process.argv;
const command = COMMANDS.get(name);
if (command) process.argv.splice(2, 1);
await (command ?? (() => import('../local/main.ts')))();
