import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { READ_ATTEMPT_MS } from '../../../limits.ts';
import { answerTo, parseAnswer } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';

const READ_TIME = { name: 'read-time', method: 'GET', path: '/time', timeLimit: READ_ATTEMPT_MS } as const;

const epochSeconds = z.int().check(z.minimum(1));

/**
 * `GET /time` of the CLOB (https://docs.polymarket.com, "server time"): returns the milliseconds by which the venue's clock is
 * ahead of ours, right to half a second and half of the round trip. Errors: those of `MarketData`.
 */
export async function readClockSkew(clob: Transport, call: Call): Promise<number> {
  const askedAt = Date.now();
  const seconds = parseAnswer(await answerTo(clob.send(READ_TIME, call)), epochSeconds);
  // The venue reports truncated whole seconds, read about halfway through the request.
  return seconds * 1_000 + 500 - (askedAt + Date.now()) / 2;
}
