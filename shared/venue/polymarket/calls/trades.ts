import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { withoutControls } from '../../../foreign-text.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import type { MakerOrder, Trade as VenueTrade } from '../official-client.ts';
import { lenient, type Members } from '../wire.ts';
import { amount, conditionId, price, shownText, side, status, textBy, time, tokenId } from './account-fields.ts';
import { ORDER_ID } from './account-orders.ts';
import { readRows, TRADES } from './pages.ts';

const orderId = textBy((text) => text.toLowerCase()).check(z.regex(ORDER_ID));

/** Names the account of a part of a trade, and the fee if the venue states it. */
const part = {
  asset_id: tokenId,
  price,
  outcome: shownText,
  owner: shownText,
  maker_address: shownText,
  fee: lenient(amount),
};

const makerOrder = z.object({
  ...part,
  order_id: orderId,
  matched_amount: amount,
  side: lenient(side),
} satisfies Members<MakerOrder & { readonly fee: unknown }>);

/** Strict about what sums are made of; times are in milliseconds of the Unix epoch. */
const trade = z.object({
  ...part,
  id: textBy((text) => withoutControls(text) || undefined),
  taker_order_id: orderId,
  market: conditionId,
  side,
  status,
  size: amount,
  match_time: time,
  last_update: z.catch(time, 0),
  trader_side: shownText,
  transaction_hash: shownText,
  maker_orders: z.array(makerOrder),
} satisfies Members<VenueTrade & { readonly fee: unknown }>);

const oddTrade = z.catch(z.object({ id: z.catch(trade.shape.id, 'without id') }), { id: 'without id' });

function partOf({
  asset_id: tokenId,
  maker_address: maker,
  price,
  outcome,
  owner,
  fee,
}: z.infer<typeof makerOrder | typeof trade>) {
  return { tokenId, price, outcome, owner, maker, fee };
}

/** A trade in which an order of the account took part, in our words. Times are in milliseconds of the Unix epoch. */
function tradeOf(row: z.infer<typeof trade>) {
  const { id, status, side, size, market: conditionId, taker_order_id: takerOrderId } = row;
  return {
    ...{ id, status, side, size, conditionId, takerOrderId, ...partOf(row) },
    ...{ at: row.match_time, changedAt: row.last_update, transactionHash: row.transaction_hash },
    /** True where the venue states that the account took. */
    isTaker: row.trader_side?.toUpperCase() === 'TAKER',
    makers: row.maker_orders.map((entry) => ({
      ...{ orderId: entry.order_id, size: entry.matched_amount, side: entry.side, ...partOf(entry) },
    })),
  };
}

export type Trade = Readonly<ReturnType<typeof tradeOf>>;

/** The filter of a list of trades; times in milliseconds of the Unix epoch. */
export interface TradeFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly conditionId?: string | null;
  /** See `readPages`. */
  readonly maker?: string | undefined;
}

/** Trades, the oldest first, and the ids of those that cannot be read. */
export interface TradeList {
  readonly trades: readonly Trade[];
  readonly unreadable: readonly string[];
}

/** Lists trades, each once: one that is listed again has its later state. Errors: those of `MarketData`. */
export async function listTrades(
  send: SendAsAccount,
  { since = 0, until = Number.POSITIVE_INFINITY, conditionId: market, maker }: TradeFilter,
  call: Call,
): Promise<TradeList> {
  // A second more on both sides: it is not documented whether the bounds are inclusive.
  const filter = {
    ...(since > 0 && { after: String(Math.floor(since / 1_000) - 1) }),
    ...(Number.isFinite(until) && { before: String(Math.ceil(until / 1_000) + 1) }),
    ...(market && { market }),
  };
  const trades = new Map<string, Trade>();
  const unreadable: string[] = [];
  for (const row of await readRows(send, { ...TRADES, filter, maker }, call)) {
    const { data } = trade.safeParse(row);
    const next = data && tradeOf(data);
    if (!next) unreadable.push(oddTrade.parse(row).id);
    else if ((trades.get(next.id)?.changedAt ?? 0) <= next.changedAt) trades.set(next.id, next);
  }
  const within = [...trades.values()].filter(({ at }) => at >= since && at < until);
  // The newest come first, also among those of one second.
  return { trades: within.toReversed().toSorted((a, b) => a.at - b.at), unreadable };
}
