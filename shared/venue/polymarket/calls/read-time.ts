import * as z from 'zod/mini';
import { LOOK_UP_MS } from '../../../limits.ts';
import type { Log } from '../../../log.ts';
import type { Call } from '../../port.ts';
import { readShape } from '../http/reads.ts';
import { READ_TIME, type Transport } from '../http/transport.ts';

const epochSeconds = z.int().check(z.minimum(1));

/**
 * `GET /time`: returns the milliseconds by which the venue's
 * clock is ahead of ours, right to half a second. Errors: those of `MarketData`.
 */
export async function readClockSkew(clob: Transport, call: Call): Promise<number> {
  const seconds = await readShape(clob, READ_TIME, epochSeconds, call);
  // The venue reports truncated whole seconds, read about halfway through the last round trip.
  const toldAt = Date.now() - (call.venueRequests.at(-1)?.milliseconds ?? 0) / 2;
  return seconds * 1_000 + 500 - toldAt;
}

/** Asks the venue for its time, which any answer carries in its `Date` header. Never fails. */
export async function askForTime(clob: Transport, call: Call, log: Log): Promise<void> {
  try {
    await clob.send({ ...READ_TIME, timeLimit: LOOK_UP_MS }, call);
  } catch (error) {
    log.warn('venue time unavailable', { ...call.trace, error });
  }
}
