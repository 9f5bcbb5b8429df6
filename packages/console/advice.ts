import { type Book, formatUnits, parseUnits, type Quote } from '../client/client.ts';
import type { Draft } from './draft.ts';
import { formatMoney, formatPrice, formatShares, largest, SUM_DECIMALS } from './figures.ts';
import type { Holdings } from './holdings.ts';

/** A limit this far past the best price of the other side is likely a slip: three ticks of most markets. */
const FAR = parseUnits('0.03');

/** An order that is not sent yet, and what the page knows about it. */
export interface Weighed {
  readonly draft: Draft;
  readonly quote: Quote;
  readonly book: Book;
  /** What the wallet holds, where the page can learn it. */
  readonly holdings: Holdings | undefined;
  /** Time of the last good book, where it is not up to date. */
  readonly staleSince: string | undefined;
}

/** Formats what a purchase gains if its outcome wins: each share is then worth 1 pUSD. */
function profitOf({ profit_if_wins: profit, total }: Quote): string {
  if (profit === null || total === null) return 'not known';
  const percent = (parseUnits(profit.replace('-', ''), SUM_DECIMALS) * 100n) / parseUnits(total, SUM_DECIMALS);
  return `${formatMoney(profit)} (${profit.startsWith('-') ? '−' : ''}${percent} %)`;
}

/** Describes the cost as a list of facts. The list shows their names before it has values. */
export function listCost(side: Draft['side'], weighed: Weighed | undefined): Readonly<Record<string, string>> {
  const isBuy = side === 'buy';
  const fact = (describe: (quote: Quote, draft: Draft) => string) =>
    weighed ? describe(weighed.quote, weighed.draft) : '—';
  const money = (sum: string | null, up = isBuy) => (sum === null ? 'not known' : formatMoney(sum, up));
  const shares = (size: string, price: string | null) =>
    price === null || size === '0' ? 'nothing' : `${formatShares(size)} at ${formatPrice(price)}`;
  return {
    Matches: fact(({ matched_size: size, average_price: price, worst_price: worst, ticks_moved: moved }) =>
      worst === null || moved === 0 ? shares(size, price) : `${shares(size, price)}, to ${formatPrice(worst)}`,
    ),
    Rests: fact(({ resting_size: size }, { price }) => shares(size, price)),
    Fee: fact(({ fee }) => money(fee, true)),
    [isBuy ? 'Cost' : 'You get']: fact(({ total }) => money(total)),
    // The bound for any move of the book: limit × shares, with the fee.
    [isBuy ? 'At most, with fee' : 'At least, with fee']: fact(({ bound }) => money(bound)),
    ...(isBuy && { 'Payout if it wins': fact((_quote, { size }) => formatMoney(size)), Profit: fact(profitOf) }),
  };
}

/** Labels the button: an order that matches now, or one that rests. */
export function labelOf({ draft: { side, price }, quote }: Weighed, outcome: string): string {
  const { worst_price: worst, matched_size, resting_size: resting } = quote;
  const [buy, bid, most] = side === 'buy' ? ['Buy', 'Bid for', 'most '] : ['Sell', 'Offer', 'least '];
  // A whole number without its decimals.
  const [limit, size, rest] = [
    formatPrice(price),
    ...[matched_size, resting].map((each) => formatShares(each).replace(/\.00$/, '')),
  ];
  if (worst === null) return `${bid} ${rest} ${outcome} at ${limit}`;
  if (resting !== '0') return `${buy} ${size} ${outcome} now, ${bid?.toLowerCase()} ${rest} at ${limit}`;
  return `${buy} ${size} ${outcome} now at ${parseUnits(worst) === parseUnits(price) ? '' : most}${limit}`;
}

function shortOf({ draft: { side, price, size }, quote, holdings }: Weighed): string | undefined {
  if (!holdings) return undefined;
  if (side === 'sell') {
    const missing = parseUnits(size) - parseUnits(holdings.freeShares);
    return missing > 0n ? `${formatShares(formatUnits(missing))} shares short.` : undefined;
  }
  // The venue reserves what the limit allows, also where the order matches at better prices.
  const sums = [parseUnits(size) * parseUnits(price), parseUnits(quote.total ?? '0', SUM_DECIMALS)];
  const free = parseUnits(holdings.freeCollateral, SUM_DECIMALS);
  const missing = largest(sums) - free;
  return missing > 0n ? `${formatMoney(formatUnits(missing, SUM_DECIMALS), true)} short.` : undefined;
}

function farOf({ draft: { side, price }, quote, book }: Weighed): string | undefined {
  const isBuy = side === 'buy';
  const best = (isBuy ? book.asks : book.bids)[0]?.price;
  if (best === undefined || quote.worst_price === null) return undefined;
  const past = isBuy ? parseUnits(price) - parseUnits(best) : parseUnits(best) - parseUnits(price);
  if (past < FAR) return undefined;
  const ticks = `${past / parseUnits(book.tick_size)} ticks past the best ${isBuy ? 'ask' : 'bid'} of ${formatPrice(best)}`;
  return `${ticks}: ${isBuy ? 'up' : 'down'} to ${formatPrice(price)}.`;
}

/** Lists what speaks against an order, the worst first. */
export function warningsOf(weighed: Weighed) {
  const { quote, staleSince } = weighed;
  const refusal = quote.would_be_refused;
  const texts = {
    short: shortOf(weighed),
    refused: refusal ? `Would be refused: ${refusal.detail}` : undefined,
    far: refusal ? undefined : farOf(weighed),
    stale: staleSince === undefined ? undefined : `The book is from ${staleSince}: no answer since.`,
  };
  return Object.entries(texts).flatMap(([kind, text]) => (text === undefined ? [] : [{ kind, text }]));
}

/** Returns a sentence on missing facts. */
export function noteOn({ quote: { total, fee } }: Weighed): string {
  return total === null && fee !== null ? 'What rests may pay a fee: the market does not publish it.' : '';
}
