import * as z from 'zod/mini';
import { compareDecimals, ONE, parseDecimal } from '../../shared/decimal.ts';
import { isTokenId } from '../../shared/token-id.ts';
import { decimalOrNull, epochMs, lenient, lenientConditionId, readBy } from '../../shared/venue/polymarket/wire.ts';

// The venue's records as its official client hands them on, parsed. Times are in milliseconds of the Unix epoch.

/** Makes foreign text safe to print: drops the characters that control a terminal. */
export function printable(text: string, atMost = 200): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').slice(0, atMost);
}

/** Creates the schema of a text that `read` understands. */
function parsed<T>(read: (text: string) => T | undefined) {
  return z.nonoptional(z.pipe(z.string(), z.transform(read)));
}

const amount = z.nonoptional(readBy((value) => parseDecimal(decimalOrNull(value) ?? '')));
/** Collateral for a share. */
const price = amount.check(z.refine((decimal) => compareDecimals(decimal, ONE) <= 0));
export const ORDER_ID = /^0x[0-9a-f]{64}$/;
const id = parsed((text) => printable(text).toLowerCase() || undefined);
export const orderId = id.check(z.regex(ORDER_ID));
const conditionId = z.pipe(lenientConditionId, z.string());
const tokenId = parsed((text) => (isTokenId(text) ? text : undefined));
const side = parsed((text) => ({ BUY: 'buy' as const, SELL: 'sell' as const })[text.toUpperCase()]);
/** The names of states come with a prefix, or without. */
const status = parsed((text) => printable(text.replace(/^(?:ORDER|TRADE)_STATUS_/i, '').toLowerCase()));
const time = z.nonoptional(readBy(epochMs));
const text = lenient(parsed((value) => printable(value)));

/** An unreadable part is `null`: an odd row does not hide the others, and can be cancelled by its id. */
export const order = z.object({
  id: lenient(id),
  status: lenient(status),
  market: lenient(conditionId),
  asset_id: lenient(tokenId),
  outcome: text,
  side: lenient(side),
  price: lenient(price),
  original_size: lenient(amount),
  size_matched: lenient(amount),
  created_at: lenient(time),
});
export const orderRow = z.catch(order, order.parse({}));

/** Names the account of a part of a trade, and the fee if the venue states it. */
const part = { asset_id: tokenId, price, outcome: text, owner: text, maker_address: text, fee: lenient(amount) };
const makerOrder = z.object({ ...part, order_id: orderId, matched_amount: amount, side: lenient(side) });
export const trade = z.object({
  ...part,
  id: parsed((text) => printable(text) || undefined),
  taker_order_id: orderId,
  market: conditionId,
  side,
  status,
  size: amount,
  match_time: time,
  last_update: z.catch(time, 0),
  trader_side: text,
  transaction_hash: text,
  maker_orders: z.array(makerOrder),
});
export const tradePage = z.object({ trades: z.array(z.unknown()), next_cursor: z.string() });
export const oddTrade = z.catch(z.object({ id: z.catch(trade.shape.id, 'without id') }), { id: 'without id' });

export const cancellation = z.object({
  canceled: z.array(id),
  not_canceled: z.catch(z.record(z.string(), z.string()), {}),
});
const number = z.pipe(z.number(), z.transform(String));
const feeDetails = z.object({ r: number, e: z.int().check(z.gte(0), z.lte(10)), to: z.boolean() });
// Unreadable details have no rate. `tbf` counts only without details.
export const marketInfo = z.object({
  fd: z.nullish(z.catch(feeDetails, { r: '', e: 0, to: false })),
  tbf: lenient(z.number()),
});
export const apiKey = z.object({ key: z.string(), secret: z.string(), passphrase: z.string() });

/** An order as the venue has it; times in milliseconds of the Unix epoch. */
export interface VenueOrder extends z.infer<typeof order> {
  readonly id: string;
}
/** A trade in which an order of the account took part. */
export type Trade = z.infer<typeof trade>;

/** Returns true if every part of an order that decides about money was read. */
export function isReadable({ outcome: _, ...order }: VenueOrder): boolean {
  return !Object.values(order).includes(null);
}
