import { createInterface } from 'node:readline/promises';
import { THIS_PROCESS } from '../command-line.ts';
import { DeskError } from './access.ts';
import { runDesk } from './commands.ts';

const { stdin, stdout, stderr } = process;

async function ask(question: string): Promise<string> {
  using lines = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and Ctrl-D reject it: they count as "no".
  return await lines.question(question).catch(() => '');
}

/** Writes a whole text, and rejects if its reader has gone. */
function deliver(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stdout.write(text, (error) => (error ? reject(new DeskError('The reader of the events has gone.')) : resolve()));
  return promise;
}

// Not in commands.ts, so that tests can run the commands in their own process.
process.exitCode = await runDesk(process.env, {
  ...THIS_PROCESS,
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  deliver,
});
