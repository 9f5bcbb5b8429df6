import { runDoctor } from './command.ts';

// Not in command.ts, so that tests can run the command in their own process.
process.exitCode = await runDoctor(process.env);
