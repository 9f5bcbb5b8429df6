import type { Call } from '../../call.ts';
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  isMultipleOf,
  ONE,
  parseDecimal,
  subtractDecimals,
  toDecimal,
} from '../../decimal.ts';
import { refuse } from '../../errors.ts';
import { RULES_MAX_AGE_MS, SENDING_RESERVE_MS } from '../../limits.ts';
import type { LimitOrder } from '../port.ts';
import { readBook } from './calls/read-book.ts';
import { waitUntil } from './http/reads.ts';
import type { Transport } from './http/transport.ts';
import { protocolOf } from './wire.ts';

/** The rules that an order on a token has to respect, all of them from one answer of `GET /book`. */
export type OrderRules = Readonly<Awaited<ReturnType<typeof readRules>>>;

/** Decimals of a size at every tick (https://docs.polymarket.com, page "place orders"). */
const MAX_SIZE_DECIMALS = 2;
/** Tokens whose rules are kept; the oldest goes first. */
const MAX_TOKENS = 1_000;

function required(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (!decimal) throw refuse('venue_error', { why: 'rules' });
  return decimal;
}

async function readRules(clob: Transport, tokenId: string, call: Call) {
  const { book, version } = await readBook(clob, tokenId, call);
  const protocol = protocolOf(tokenId);
  if (version !== undefined && version !== protocol) {
    // A contradiction stops the order: it must not be signed under the domain of the wrong protocol.
    throw refuse('venue_error', { why: 'rules' });
  }
  return {
    tickSize: required(book.tick_size),
    minOrderSize: required(book.min_order_size),
    negRisk: book.neg_risk,
    protocol,
    // `null` where the book does not name its market.
    conditionId: book.condition_id,
  };
}

/** Throws the 422 of the first rule that the order breaks: range, tick, decimals of the size, minimum. */
function checkRules(order: LimitOrder, { tickSize, minOrderSize }: OrderRules): void {
  const [price, size] = [toDecimal(order.price), toDecimal(order.size)];
  const tick = formatDecimal(tickSize);
  const maxPrice = subtractDecimals(ONE, tickSize);
  if (compareDecimals(price, tickSize) < 0 || compareDecimals(price, maxPrice) > 0) {
    throw refuse('price_out_of_range', { minPrice: tick, maxPrice: formatDecimal(maxPrice) });
  }
  if (!isMultipleOf(price, tickSize)) throw refuse('price_off_tick', { tickSize: tick });
  if (size.scale > MAX_SIZE_DECIMALS) throw refuse('size_precision', { maxDecimals: MAX_SIZE_DECIMALS });
  // Zero and below are no sizes, even where a market names no minimum.
  if (compareDecimals(size, minOrderSize) < 0 || size.coefficient <= 0n) {
    throw refuse('size_below_minimum', { minOrderSize: formatDecimal(minOrderSize) });
  }
}

/**
 * Keeps the rules of each token for at most 60 s. `now`: the wall clock, since the monotonic clock of a process that stood
 * still makes rules look younger. Errors: those of `MarketData`.
 */
export function createOrderRuleBook(clob: Transport, now: () => number = Date.now) {
  const kept = new Map<string, { readonly rules: OrderRules; readonly readAt: number }>();
  return {
    /** Drops the rules of a token, so that the next order reads them again. */
    forget: (tokenId: string) => kept.delete(tokenId),
    /** Returns the rules by which the order passes; a refusal by rules that were kept is checked against fresh ones. */
    async admit(order: LimitOrder, call: Call): Promise<OrderRules> {
      const { tokenId } = order;
      const entry = kept.get(tokenId);
      // A clock that was set back must not make rules younger.
      const age = entry ? now() - entry.readAt : 0;
      if (entry && age >= 0 && age < RULES_MAX_AGE_MS) {
        try {
          checkRules(order, entry.rules);
          return entry.rules;
        } catch {
          // The rules may have changed since; the answer to the caller comes from fresh ones.
        }
      }
      const readAt = now();
      const rules = await waitUntil(call.deadline - SENDING_RESERVE_MS, readRules(clob, tokenId, call));
      kept.delete(tokenId);
      kept.set(tokenId, { rules, readAt });
      const [oldest] = kept.size > MAX_TOKENS ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
      checkRules(order, rules);
      return rules;
    },
  };
}
