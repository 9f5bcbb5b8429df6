import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { compareTexts, subtractTexts } from '../../shared/decimal.ts';
import { formatTime } from '../../shared/time.ts';
import type { Followed, FollowState } from './state.ts';

// What a receiver gets. The interface description is made from these schemas.

const text = (meaning: string) => z.string().check(z.describe(meaning));
const maybe = (meaning: string) => z.nullable(z.string()).check(z.describe(meaning));

/** The order at the time of the event. */
const ORDER = {
  revision: z
    .int()
    .check(z.describe('The event with the highest has the newest state, in whatever order they arrive.')),
  client_address: maybe('The client of the order; `null` where it named none, or the order has no record.'),
  client_address_verified: z
    .nullable(z.boolean())
    .check(z.describe('Whether a signature proves the address; otherwise it is a claim.')),
  caller: maybe('The caller that a gateway identified.'),
  token_id: text('The outcome token.'),
  question: maybe('The question of the market; `null` where the catalogue does not name it.'),
  outcome: maybe('The outcome.'),
  side: z.enum(['buy', 'sell']),
  filled_size: text('Shares of the trades whose settlement has not failed.'),
  remaining_size: maybe('Shares that are not filled; `null` where the size of the order is unknown.'),
};

const TRADE = {
  ...{ order_id: text('The order.'), ...ORDER, trade_id: text('The trade.') },
  price: maybe(
    'The price of this trade; `null` where that of several makers is no short decimal, or they do not add up.',
  ),
  size: text('Shares of the order in this trade.'),
  value: text('Collateral for these shares, without the fee; at the limit price where the makers do not add up.'),
  fee: maybe('The fee of this trade; `null` where it is unknown.'),
};

const CLOSED = {
  ...{ order_id: text('The order.'), ...ORDER, trade_id: z.null() },
  token_id: maybe('The outcome token.'),
  side: z.nullable(ORDER.side),
  price: maybe('The limit price.'),
  size: maybe('The size of the order.'),
  value: text('Collateral for all its trades, without fees.'),
  fee: maybe('The fees of all its trades; `null` where one is unknown.'),
  status: maybe("The venue's word for the end; `null` where no look-up finds the order any more."),
  reason: z
    .nullable(z.enum(['filled', 'cancelled', 'expired', 'ended']))
    .check(z.describe('`ended` by the venue; `null` where no look-up finds the order any more, which proves nothing.')),
};

const UNREADABLE = {
  ...{ order_id: z.null(), revision: ORDER.revision, client_address: z.null(), client_address_verified: z.null() },
  ...{ caller: z.null(), token_id: z.null(), question: z.null(), outcome: z.null(), side: z.null() },
  ...{ filled_size: z.null(), remaining_size: z.null() },
  ...{ price: z.null(), size: z.null(), value: z.null(), fee: z.null() },
  trade_id: maybe('The trade; `null` for an open order without an id.'),
  status: text('Why it cannot be used.'),
};

function event<T extends string, D extends z.core.$ZodShape>(type: T, data: D, meaning: string) {
  const fact = { id: text('The same for the same fact, however often it is sent.'), type: z.literal(type) };
  const timestamp = text('When it happened, RFC 3339 in UTC; for order.closed, when it was seen.');
  return z.object({ ...fact, timestamp, data: z.object(data) }).check(z.describe(meaning));
}

const [matched, confirmed, failed] = [z.literal('matched'), z.literal('confirmed'), z.literal('failed')];

export const orderEvent = z.discriminatedUnion('type', [
  event('order.filled', { ...TRADE, status: matched }, 'The order has traded.'),
  event('order.settled', { ...TRADE, status: confirmed }, 'A trade of the order was settled on the chain.'),
  event('order.settlement_failed', { ...TRADE, status: failed }, 'A settlement failed: the trade is no fill any more.'),
  event('order.closed', CLOSED, 'The order is off the book, and its trades were reported.'),
  event('order.unreadable', UNREADABLE, 'A row of the venue cannot be used; it is reported once it can be.'),
]);

export type OrderEvent = z.infer<typeof orderEvent>;

/** A fact, with the members that its event has beside those of its order; the time is in milliseconds of the Unix epoch. */
export interface Fact {
  readonly type: OrderEvent['type'];
  readonly orderId: string | null;
  readonly at: number;
  readonly data: Readonly<
    Record<'trade_id' | 'status', string | null> & Partial<Record<'token_id' | 'side' | 'reason', string | null>>
  >;
}

const NO_ORDER = Object.fromEntries(
  [...Object.keys(ORDER), 'price', 'size', 'value', 'fee'].map((name) => [name, null]),
);

/** Returns what is left of an order; `null` if its size is unknown. More than its size may have been reported. */
function remainingOf({ size, filled_size }: Followed): string | null {
  if (size === null) return null;
  return compareTexts(filled_size, size) < 0 ? subtractTexts(size, filled_size) : '0';
}

/** Creates the events of facts, with the state of their orders at the end of a look: trades can arrive out of order. */
export function eventsOf(
  facts: readonly Fact[],
  { orders, revision }: FollowState,
  markets: ReadonlyMap<string, { readonly question: string | null }>,
): readonly OrderEvent[] {
  return facts.map(({ type, orderId, at, data }) => {
    const { trade_id, reason } = data;
    // An unknown end and the end that is found later are two facts.
    const end = reason === null ? [reason] : [];
    const hash = createHash('sha256').update(JSON.stringify([type, orderId, trade_id, ...end]));
    const order = orders[orderId ?? ''];
    const { question = null } = markets.get(order?.market ?? '') ?? {};
    const about = order && { ...order, question, remaining_size: remainingOf(order) };
    return orderEvent.parse({
      ...{ id: `evt_${hash.digest('hex').slice(0, 32)}`, type, timestamp: formatTime(at) },
      data: { ...NO_ORDER, ...about, revision, order_id: orderId, ...data },
    });
  });
}
