import { hash } from 'node:crypto';
import { type Level, mirrored } from './book.ts';
import type { Floor } from './exchange.ts';
import type { OutcomeIndex } from './market.ts';
import { ONE, toDecimal } from './millionths.ts';

function wireLevels(levels: readonly Level[]) {
  return levels.map(([price, size]) => ({ price: toDecimal(price), size: toDecimal(size) })).reverse();
}

/**
 * Book of a token as GET /book answers it: strings, both sides worst price first, `timestamp` of the last change (epoch
 * milliseconds), and the hash over the compact JSON in this order of keys.
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
  return hashed(summary);
}

/** Returns the book with its hash: the SHA-1 of the compact JSON with an empty hash. */
export function hashed<T extends { readonly hash: string }>(book: T): T {
  const text = JSON.stringify({ ...book, hash: '' });
  return { ...book, hash: hash('sha1', text) };
}

/** Best prices of a token, null for an empty side. */
export function bestPrices(floor: Floor, outcome: OutcomeIndex) {
  const { bids, asks } = floor.book.levels(outcome);
  return { bid: bids[0]?.[0] ?? null, ask: asks[0]?.[0] ?? null };
}

/** Midpoint of the best prices (millionths): of a single side its price, of an empty book 0.5. */
export function midpoint(floor: Floor, outcome: OutcomeIndex): bigint {
  const { bid, ask } = bestPrices(floor, outcome);
  if (bid === null || ask === null) return bid ?? ask ?? ONE / 2n;
  return (bid + ask) / 2n;
}
