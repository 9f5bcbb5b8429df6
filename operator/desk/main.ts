import { createInterface } from 'node:readline/promises';
import { THIS_PROCESS } from '../command-line.ts';
import { runDesk } from './commands.ts';

const { stdin, stderr } = process;

async function ask(question: string): Promise<string> {
  using lines = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and Ctrl-D reject it: they are no consent, and no fault of ours.
  return await lines.question(question).catch(() => '');
}

/** Back to the beginning of the line, and all of it cleared. */
const CLEAR = '\r\u001b[K';

// Apart from the commands, so that tests can run those without a process of their own.
process.exitCode = await runDesk(process.env, {
  ...THIS_PROCESS,
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  progress: (text) => stderr.isTTY && stderr.write(CLEAR + text),
});
