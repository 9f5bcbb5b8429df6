import { CREDENTIALS, TOKEN_ID } from './records.ts';

// The lists of an account that trades much, in three phases: before the look that is measured, once orders have left the book,
// and with the new trades that the look finds. A fourth has a tenth of the orders and a quarter of the trades.

const [ORDERS, LEFT, OLD_TRADES, NEW_TRADES, MARKETS, PAGE] = [1_000, 10, 1_950, 50, 5, 100];

/** Returns the id of the order of that number of the account. */
export function orderIdOf(number: number): string {
  return idOf('aa', number);
}

function idOf(kind: string, number: number): string {
  return `0x${kind}${number.toString(16).padStart(62, '0')}`;
}

function marketOf(number: number): string {
  return idOf('cd', number % MARKETS);
}

const startedAt = Math.floor(Date.now() / 1_000);

const orders = Array.from({ length: ORDERS }, (_, number) => ({
  ...{
    id: idOf('aa', number),
    status: 'LIVE',
    market: marketOf(number),
    asset_id: TOKEN_ID,
    side: 'BUY',
    outcome: 'Yes',
  },
  ...{ price: '0.51', original_size: '100', size_matched: '0', created_at: startedAt - 60, owner: CREDENTIALS.key },
}));

const trades = Array.from({ length: OLD_TRADES + NEW_TRADES }, (_, number) => ({
  ...{
    id: `t-${number}`,
    taker_order_id: idOf('bb', number),
    asset_id: TOKEN_ID,
    side: 'SELL',
    size: '1',
    price: '0.51',
  },
  // The new ones are in markets of their own.
  ...{
    market: number < OLD_TRADES ? marketOf(number) : idOf('ce', number % MARKETS),
    status: 'CONFIRMED',
    outcome: 'Yes',
  },
  ...{
    match_time: String(startedAt - 30 + Math.floor(number / 100)),
    last_update: String(startedAt),
    trader_side: 'MAKER',
  },
  maker_orders: [
    {
      ...{ order_id: idOf('aa', LEFT + (number % (ORDERS - LEFT))), owner: CREDENTIALS.key, matched_amount: '0.01' },
      ...{ price: '0.51', asset_id: TOKEN_ID, outcome: 'Yes', side: 'BUY' },
    },
  ],
}));

const INFO = JSON.stringify({ t: [{ t: TOKEN_ID, o: 'Yes' }], mts: 0.01, fd: { r: 0.04, e: 1, to: true } });

let phase = 0;

function pageOf(rows: readonly unknown[], url: URL): string {
  const from = Number(atob(url.searchParams.get('next_cursor') ?? ''));
  const next_cursor = from + PAGE < rows.length ? btoa(String(from + PAGE)) : 'LTE=';
  return JSON.stringify({ data: rows.slice(from, from + PAGE), next_cursor });
}

/** The pages of the look that is measured: orders, trades and questions. */
export const PAGES = Math.ceil((ORDERS - LEFT) / PAGE) + Math.ceil(trades.length / PAGE) + 1;
/** Its fewest requests: one for each page, each new market and each order that has left. */
export const FEWEST = PAGES + MARKETS + LEFT;

function tradesOf(phase: number) {
  if (phase === 3) return trades.slice(-trades.length / 4);
  return phase < 2 ? trades.slice(0, OLD_TRADES) : trades;
}

/** Answers what a follower asks; `undefined` for anything else. */
export function answerAccount(path: string): string | undefined {
  const url = new URL(path, 'http://venue.invalid');
  const resting = phase === 0 ? orders : orders.slice(LEFT, phase === 3 ? LEFT + ORDERS / 10 : ORDERS);
  if (url.pathname === '/bench/phase') {
    phase = Number(url.search.slice(1));
    return String(phase);
  }
  if (url.pathname === '/data/orders') return pageOf(resting, url);
  if (url.pathname === '/data/trades') return pageOf(tradesOf(phase), url);
  if (url.pathname.startsWith('/clob-markets/')) return INFO;
  if (url.searchParams.has('condition_ids')) {
    const ids = url.searchParams.getAll('condition_ids');
    return JSON.stringify({ markets: ids.map((conditionId) => ({ conditionId, question: 'Will it take place?' })) });
  }
  if (!url.pathname.startsWith('/data/order/')) return undefined;
  const found = orders.find(({ id }) => url.pathname.endsWith(id));
  return JSON.stringify(found ? { ...found, status: 'CANCELED' } : null);
}
