import { runDoctor } from './command.ts';

// Apart from the command, so that tests can run that without a process of its own.
process.exitCode = await runDoctor({
  args: process.argv.slice(2),
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
