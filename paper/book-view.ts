import { createHash } from 'node:crypto';
import { mirrored } from './book.ts';
import type { Exchange, Floor } from './exchange.ts';
import type { OutcomeIndex } from './market.ts';
import { ONE, toDecimal } from './units.ts';

type Level = readonly [price: bigint, size: bigint];

function wireLevels(levels: readonly Level[]) {
  return levels.map(([price, size]) => ({ price: toDecimal(price), size: toDecimal(size) })).reverse();
}

/**
 * The book of a token as GET /book answers it: strings, both sides worst price first, `timestamp` in epoch milliseconds
 * of the last change, and the hash over the compact JSON in this order of keys.
 */
export function wireBook(floor: Floor, outcome: OutcomeIndex) {
  const { market, book, tick, changedAt, lastPrice } = floor;
  const { bids, asks } = book.levels(outcome);
  const summary = {
    market: market.conditionId,
    asset_id: market.tokenIds[outcome],
    timestamp: String(changedAt),
    hash: '',
    bids: wireLevels(bids),
    asks: wireLevels(asks),
    min_order_size: toDecimal(market.minSize),
    tick_size: toDecimal(tick),
    neg_risk: market.negRisk,
    last_trade_price: lastPrice === null ? '' : toDecimal(mirrored(outcome, lastPrice)),
    ...(market.version === 'v2' ? { version: 'v2' } : {}),
  };
  const hash = createHash('sha1').update(JSON.stringify(summary)).digest('hex');
  return { ...summary, hash };
}

/** Best prices of a token, null for an empty side. */
export function bestPrices(floor: Floor, outcome: OutcomeIndex) {
  const { bids, asks } = floor.book.levels(outcome);
  return { bid: bids[0]?.[0] ?? null, ask: asks[0]?.[0] ?? null };
}

/** Half way between the best prices (millionths); the only side's price, or the middle of all prices, when one is missing. */
export function midpoint(floor: Floor, outcome: OutcomeIndex): bigint {
  const { bid, ask } = bestPrices(floor, outcome);
  if (bid === null || ask === null) return bid ?? ask ?? ONE / 2n;
  return (bid + ask) / 2n;
}

/** The last trade of a market's token: its price and the taker's side, both empty when there was none. */
export function lastTrade(exchange: Exchange, floor: Floor, outcome: OutcomeIndex) {
  const trade = exchange.trades.findLast(({ market }) => market.id === floor.market.id);
  if (floor.lastPrice === null) return { price: '0.5', side: '' };
  return { price: toDecimal(mirrored(outcome, floor.lastPrice)), side: trade?.taker.side ?? '' };
}
