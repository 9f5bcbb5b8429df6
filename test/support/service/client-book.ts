import type { Book } from '../../../packages/client/client.ts';

/** Book as the typed client reads it. */
export const BOOK = {
  token_id: '1',
  condition_id: null,
  bids: [
    { price: '0.51', size: '40' },
    { price: '0.5', size: '60' },
  ],
  asks: [
    { price: '0.53', size: '10' },
    { price: '0.55', size: '20.5' },
  ],
  tick_size: '0.01',
  min_order_size: '5',
  neg_risk: false,
  last_trade_price: null,
  timestamp: null,
  hash: null,
} satisfies Book;

/** Fees of its market, as it publishes them. */
export const FEES = { taker_rate: '0.04', exponent: '1', taker_only: true };
