import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { parseAnswer } from '../http/reads.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import { textBy } from './account-fields.ts';
import { cleanVenueReason, secretsOf } from './venue-text.ts';

/** The venue takes at most this many ids in one call. */
export const MAX_CANCELLED = 1_000;

const cancellation = z.object({
  canceled: z.array(textBy((id) => id.toLowerCase())),
  not_canceled: z.catch(z.record(z.string(), z.string()), {}),
});

export interface Cancellation {
  readonly cancelled: ReadonlySet<string>;
  /** Its reasons, by order id. */
  readonly refused: ReadonlyMap<string, string>;
}

/**
 * `DELETE /orders` and `DELETE /cancel-all` (https://docs.polymarket.com/api-reference/trade/cancel-multiple-orders): takes these
 * orders off the book, at most `MAX_CANCELLED`, or all of the account. Errors: those of `MarketData`, after which they may
 * be cancelled or not.
 */
export async function cancelOrders(
  send: SendAsAccount,
  ids: readonly string[] | 'all',
  call: Call,
): Promise<Cancellation> {
  const asked = ids === 'all' ? { path: '/cancel-all' } : { path: '/orders', body: JSON.stringify(ids) };
  const { response, used } = await send({ name: 'cancel-orders', method: 'DELETE', ...asked }, call);
  const { canceled, not_canceled } = parseAnswer(response, cancellation);
  const refused = Object.entries(not_canceled).map(
    ([id, why]) => [id.toLowerCase(), cleanVenueReason(why, secretsOf(used))] as const,
  );
  return { cancelled: new Set(canceled), refused: new Map(refused) };
}
