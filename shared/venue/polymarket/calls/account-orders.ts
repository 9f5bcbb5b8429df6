import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { type Decimal, parseDecimal } from '../../../decimal.ts';
import { withoutControls } from '../../../foreign-text.ts';
import { isOwn404, parseAnswer } from '../http/reads.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import type { OpenOrder } from '../official-client.ts';
import { decimalText, lenient, type Members } from '../wire.ts';
import { amount, conditionId, price, shownText, side, status, textBy, time, tokenId } from './account-fields.ts';
import { readRows } from './pages.ts';

/**
 * An order as the venue has it; times in milliseconds of the Unix epoch. An unreadable member is `null`: an odd row does
 * not hide the others, and can be cancelled by its id.
 */
export const order = z.object({
  id: lenient(textBy((text) => withoutControls(text).toLowerCase() || undefined)),
  status: lenient(status),
  market: lenient(conditionId),
  asset_id: lenient(tokenId),
  outcome: shownText,
  side: lenient(side),
  price: lenient(price),
  original_size: lenient(amount),
  /** Empty if the venue does not report it. */
  size_matched: lenient(z.union([decimalText, z.literal('')])),
  created_at: lenient(time),
  associate_trades: lenient(z.array(z.unknown())),
} satisfies Members<OpenOrder>);

/** The state of an order by its status; `undefined` for one that we do not know, in which it may still execute. */
export function stateOf(status: string): 'live' | 'matched' | 'delayed' | 'cancelled' | undefined {
  // A reason may follow: `canceled_market_resolved`, `canceled_order couldn't be fully filled. …`.
  const [name] = status.split('_');
  if (name === 'canceled' || name === 'cancelled' || name === 'invalid') return 'cancelled';
  return name === 'live' || name === 'matched' || name === 'delayed' ? name : undefined;
}

/** Returns true for an order that can no longer execute. In an unknown state it can. */
export function isOver({ status }: Pick<VenueOrder, 'status'>): boolean {
  return ['matched', 'cancelled'].includes(stateOf(status ?? '') ?? '');
}

/** Returns true if every member that decides about money was read. */
export function isReadable({ outcome: _, ...rest }: VenueOrder): boolean {
  return !Object.values(rest).includes(null);
}

/** Matches ids of orders; what stands in for a missing id does not match. */
export const ORDER_ID = /^0x[0-9a-f]{64}$/;

/** An order of the account in our words; an unreadable member is `null`. Times are in milliseconds of the Unix epoch. */
export interface VenueOrder extends Pick<z.infer<typeof order>, 'status' | 'outcome' | 'side' | 'price'> {
  readonly id: string;
  readonly conditionId: string | null;
  readonly tokenId: string | null;
  /** In shares. */
  readonly size: Decimal | null;
  readonly filledSize: Decimal | null;
  readonly createdAt: number | null;
}

function orderOf(row: z.infer<typeof order>, otherId: string): VenueOrder {
  const { status, outcome, side, price, market: conditionId, asset_id: tokenId, created_at: createdAt } = row;
  const sizes = { size: row.original_size, filledSize: parseDecimal(row.size_matched ?? '') ?? null };
  return { id: row.id ?? otherId, status, conditionId, tokenId, outcome, side, price, ...sizes, createdAt };
}

/**
 * `GET /data/orders` (https://docs.polymarket.com/api-reference/trade/get-user-orders): the orders that rest, each once. A row
 * without an id has its place in the list instead. Errors: those of `MarketData`.
 */
export async function listOpenOrders(send: SendAsAccount, call: Call): Promise<readonly VenueOrder[]> {
  const rows = await readRows(send, { name: 'list-open-orders', path: '/data/orders', filter: {} }, call);
  // A row of another form has no readable member.
  const readRow = z.catch(order, order.parse({})).parse;
  const orders = rows.map((row, index) => orderOf(readRow(row), `row ${index + 1}, without id`));
  return [...new Map(orders.map((each) => [each.id, each])).values()];
}

/**
 * `GET /data/order/{id}` (https://docs.polymarket.com/api-reference/trade/get-single-order-by-id): `null` for an order that
 * the venue does not know, or has forgotten. Errors: those of `MarketData`, also where the answer is about another order.
 */
export async function readOrder(send: SendAsAccount, id: string, call: Call): Promise<VenueOrder | null> {
  const { response } = await send({ name: 'read-order', method: 'GET', path: `/data/order/${id}` }, call);
  if (isOwn404(response)) return null;
  const found = parseAnswer(response, z.nullable(order.check(z.refine((found) => found.id === id))));
  return found && orderOf(found, id);
}
