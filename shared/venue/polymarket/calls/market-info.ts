import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { type Decimal, parseDecimal, ZERO } from '../../../decimal.ts';
import { isOwn404, parseAnswer, readWithRetry } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';
import { lenient } from '../wire.ts';

const number = z.pipe(z.number(), z.transform(String));
const feeDetails = z.object({ r: number, e: z.int().check(z.gte(0), z.lte(10)), to: z.boolean() });
const marketInfo = z.object({
  t: lenient(z.array(z.object({ t: z.string(), o: z.string() }))),
  // Unreadable details have no rate. `tbf` counts only without details.
  fd: z.nullish(z.catch(feeDetails, { r: '', e: 0, to: false })),
  tbf: lenient(z.number()),
});

/** The fees of a market: size × rate × (price × (1 − price)) ^ exponent. */
export interface Fees {
  readonly rate: Decimal;
  readonly exponent: number;
  readonly takerOnly: boolean;
}

/** Returns `null` if the venue does not state them. */
function feesOf({ fd, tbf }: z.infer<typeof marketInfo>): Fees | null {
  if (!fd) return tbf === 0 ? { rate: ZERO, exponent: 1, takerOnly: true } : null;
  const rate = parseDecimal(fd.r);
  return rate && rate.coefficient >= 0n ? { rate, exponent: fd.e, takerOnly: fd.to } : null;
}

/**
 * `GET /clob-markets/{condition_id}` of the CLOB (https://docs.polymarket.com, "migrate"): `undefined` for a market that the venue
 * has removed, as it does once one has closed; else its fees, and the names of its outcomes by token id. Errors: those of `MarketData`.
 */
export async function readMarketInfo(clob: Transport, conditionId: string, call: Call) {
  const spec = { name: 'read-market-info', method: 'GET', path: `/clob-markets/${conditionId}` } as const;
  const response = await readWithRetry(clob, spec, call);
  if (isOwn404(response)) return undefined;
  const info = parseAnswer(response, marketInfo);
  return { fees: feesOf(info), outcomes: new Map((info.t ?? []).map(({ t, o }) => [t, o])) };
}
