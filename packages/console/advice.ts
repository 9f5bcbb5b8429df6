import { type Book, formatUnits, parseUnits, type Quote } from '../client/client.ts';
import type { Draft } from './draft.ts';
import { formatMoney, formatPrice, formatShares, SUM_DECIMALS } from './figures.ts';
import type { Holdings } from './holdings.ts';

/** A limit this far past the best price of the other side is likely a slip: three ticks of most markets. */
const FAR = parseUnits('0.03');

/** Why the user should look again before this order is sent. */
export interface Warning {
  readonly kind: 'short' | 'refused' | 'far' | 'stale';
  readonly text: string;
}

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

function money(sum: string | null, up: boolean): string {
  return sum === null ? 'not known' : formatMoney(sum, up);
}

/** Formats shares for the button: a whole number without its decimals. */
function short(size: string): string {
  return formatShares(size).replace(/\.00$/, '');
}

function matchedPart({ matched_size, average_price, worst_price, ticks_moved }: Quote): string {
  if (average_price === null || worst_price === null) return 'nothing';
  const levels = ticks_moved === 0 ? '' : `, to ${formatPrice(worst_price)}`;
  return `${formatShares(matched_size)} at ${formatPrice(average_price)}${levels}`;
}

/** Formats what a purchase gains if its outcome wins: each share is then worth 1 pUSD. */
function profitOf({ profit_if_wins: profit, total }: Quote): string {
  if (profit === null || total === null) return 'not known';
  const percent = (parseUnits(profit.replace('-', ''), SUM_DECIMALS) * 100n) / parseUnits(total, SUM_DECIMALS);
  return `${formatMoney(profit)} (${profit.startsWith('-') ? '−' : ''}${percent} %)`;
}

/** Describes the cost as a list of facts; their terms stand there before the order can be weighed. */
export function listCost(side: Draft['side'], weighed: Weighed | undefined): Readonly<Record<string, string>> {
  const isBuy = side === 'buy';
  const fact = (describe: (of: Weighed) => string) => (weighed ? describe(weighed) : '—');
  return {
    Matches: fact(({ quote }) => matchedPart(quote)),
    Rests: fact(({ draft: { price }, quote: { resting_size: rest } }) =>
      rest === '0' ? 'nothing' : `${formatShares(rest)} at ${formatPrice(price)}`,
    ),
    Fee: fact(({ quote }) => money(quote.fee, true)),
    [isBuy ? 'Cost' : 'You get']: fact(({ quote }) => money(quote.total, isBuy)),
    // However the book moves: the limit on all shares, and the fee at it.
    [isBuy ? 'At most, with fee' : 'At least, with fee']: fact(({ quote }) => money(quote.bound, isBuy)),
    ...(isBuy && {
      'Payout if it wins': fact(({ draft }) => formatMoney(draft.size)),
      Profit: fact(({ quote }) => profitOf(quote)),
    }),
  };
}

/** Names what the button does: an order that matches now is told from one that rests. */
export function labelOf({ draft: { side, price }, quote }: Weighed, outcome: string): string {
  const { matched_size, resting_size, worst_price } = quote;
  const isBuy = side === 'buy';
  const [limit, rest] = [formatPrice(price), short(resting_size)];
  if (worst_price === null) return `${isBuy ? 'Bid for' : 'Offer'} ${rest} ${outcome} at ${limit}`;
  const taking = `${isBuy ? 'Buy' : 'Sell'} ${short(matched_size)} ${outcome} now`;
  if (resting_size !== '0') return `${taking}, ${isBuy ? 'bid for' : 'offer'} ${rest} at ${limit}`;
  const isAtLimit = parseUnits(worst_price) === parseUnits(price);
  return `${taking} at ${isAtLimit ? '' : isBuy ? 'most ' : 'least '}${limit}`;
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
  const [missing = 0n] = sums.map((sum) => sum - free).toSorted((one, other) => (one > other ? -1 : 1));
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
export function warningsOf(weighed: Weighed): readonly Warning[] {
  const { quote, staleSince } = weighed;
  const refusal = quote.would_be_refused;
  const all: readonly (readonly [Warning['kind'], string | undefined])[] = [
    ['short', shortOf(weighed)],
    ['refused', refusal ? `Would be refused: ${refusal.detail}` : undefined],
    ['far', refusal ? undefined : farOf(weighed)],
    ['stale', staleSince === undefined ? undefined : `The book is from ${staleSince}: no answer since.`],
  ];
  return all.flatMap(([kind, text]) => (text === undefined ? [] : [{ kind, text }]));
}

/** Returns a sentence on what becomes of an order that nothing speaks against. */
export function noteOn({ quote: { total, fee, matched_size, resting_size } }: Weighed): string {
  if (total === null && fee !== null) return 'What rests may pay a fee: the market does not publish it.';
  if (resting_size === '0') return 'It matches at once.';
  return `${matched_size === '0' ? 'It' : 'The rest'} waits on the book until somebody takes it.`;
}
