import { type AcceptedOrder, mirrored } from '../exchange/book.ts';
import type { Trade } from '../exchange/exchange.ts';
import { toDecimal } from '../exchange/millionths.ts';
import type { VenueState } from '../state/state.ts';

/** Order as GET /data/order/{id} and /data/orders answer it: decimals in strings, `created_at` in Unix seconds. */
export function wireOrder(state: VenueState, order: AcceptedOrder) {
  const { market } = state.exchange.floor(order.marketId);
  return {
    id: order.id,
    status: state.settings.prefixedStatuses ? `ORDER_STATUS_${order.status}` : order.status,
    owner: order.owner,
    maker_address: order.maker,
    market: market.conditionId,
    asset_id: state.exchange.tokenOf(order),
    side: order.side,
    original_size: toDecimal(order.size),
    size_matched: toDecimal(order.filled),
    price: toDecimal(order.price),
    outcome: market.outcomes[order.outcome],
    expiration: String(order.expiration),
    order_type: order.type,
    associate_trades: order.tradeIds,
    created_at: Math.floor(order.acceptedAt / 1_000),
  };
}

/** Trade as GET /data/trades answers it to the account that asks: decimals in strings, times in Unix seconds. */
export function wireTrade(state: VenueState, trade: Trade, account: string) {
  const { market, taker, resting } = trade;
  const restingPrice = mirrored(resting.outcome, mirrored(taker.outcome, trade.price));
  const seconds = String(Math.floor(trade.at / 1_000));
  const settled = !state.hiddenHashes.has(trade.id);
  const status = state.settlements.get(trade.id) ?? (settled ? 'CONFIRMED' : 'MATCHED');
  return {
    id: trade.id,
    taker_order_id: taker.id,
    market: market.conditionId,
    asset_id: state.exchange.tokenOf(taker),
    side: taker.side,
    size: toDecimal(trade.size),
    fee_rate_bps: '0',
    price: toDecimal(trade.price),
    status: state.settings.prefixedStatuses ? `TRADE_STATUS_${status}` : status,
    match_time: seconds,
    last_update: seconds,
    outcome: market.outcomes[taker.outcome],
    bucket_index: 0,
    owner: taker.owner,
    maker_address: taker.maker,
    ...(settled ? { transaction_hash: trade.transactionHash } : {}),
    trader_side: taker.account === account ? 'TAKER' : 'MAKER',
    maker_orders: [
      {
        order_id: resting.id,
        owner: resting.owner,
        maker_address: resting.maker,
        matched_amount: toDecimal(trade.size),
        price: toDecimal(restingPrice),
        fee_rate_bps: '0',
        asset_id: state.exchange.tokenOf(resting),
        outcome: market.outcomes[resting.outcome],
        side: resting.side,
      },
    ],
  };
}
