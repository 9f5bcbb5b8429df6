import { createHandler } from './handler.ts';

/** The Lambda handler of the schedule. What a run throws is in its log; the next run begins where this one began. */
export const handler = createHandler(process.env);
