import { fstatSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { THIS_PROCESS } from '../../local/command-line.ts';
import { errorCode } from '../../shared/node-error.ts';
import { runDesk } from './commands.ts';

const { stdin, stdout, stderr } = process;

async function ask(question: string): Promise<string> {
  using lines = createInterface({ input: stdin, output: stderr });
  // Ctrl-C and Ctrl-D reject it: they count as "no".
  return await lines.question(question).catch(() => '');
}

/** Writes a whole text, and rejects if its reader has gone. On a full disk it waits. */
async function deliver(text: string): Promise<void> {
  if (!fstatSync(1).isFile()) return promisify((done: (error?: Error | null) => void) => stdout.write(text, done))();
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (errorCode(error) !== 'ENOSPC') throw error;
      await sleep(1_000);
    }
  }
}

// Not in commands.ts, so that tests can run the commands in their own process.
process.exitCode = await runDesk(process.env, {
  ...THIS_PROCESS,
  ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  deliver,
});
