import { runDoctor } from './command.ts';

// Apart from the command, so that tests can run that without a process of its own.
process.exitCode = await runDoctor(process.env);
