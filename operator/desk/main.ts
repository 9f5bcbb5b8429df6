import { createInterface } from 'node:readline/promises';
import { THIS_PROCESS } from '../command-line.ts';
import { runDesk } from './commands.ts';

const { stdin, stderr } = process;

async function ask(question: string): Promise<string> {
  using lines = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and Ctrl-D reject it: they count as "no".
  return await lines.question(question).catch(() => '');
}

// Not in commands.ts, so that tests can run the commands in their own process.
process.exitCode = await runDesk(process.env, {
  ...THIS_PROCESS,
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
});
