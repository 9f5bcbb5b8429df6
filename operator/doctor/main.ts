import { runDoctor } from './doctor.ts';

// Not in doctor.ts, so that tests can run it in their own process.
process.exitCode = await runDoctor(process.env);
