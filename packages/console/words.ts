import type { OrderRequest } from '../client/client.ts';
import { formatShares } from './figures.ts';

type Side = OrderRequest['side'];

/** Words for a code, or for each side of an order. */
type Words = Readonly<Record<string, string | Readonly<Record<Side, string>>>>;

/** Refusals in a few words of a trader; the code of any other one reads well enough without its underscores. */
const REASONS: Words = {
  insufficient_balance: { buy: 'too little pUSD', sell: 'too few shares' },
  post_only_would_cross: 'would have matched at once',
  market_not_accepting_orders: 'the market takes no orders',
  order_rejected: 'refused by the venue',
  order_above_cap: 'above the limit of one order',
  daily_cap_reached: "above the day's limit",
  venue_refused_service: 'the venue refuses this service',
  network_error: 'no answer of the service',
  foreign_answer: 'no answer of the service',
  aborted: 'not signed',
};

/** Refusals as sentences for a trader, where those of the service are for its operator. */
const ADVICE: Words = {
  insufficient_balance: {
    buy: 'The wallet has too little free pUSD for it.',
    sell: 'The wallet has too few free shares for it. Shares bought a moment ago can be sold once their trade is settled.',
  },
  post_only_would_cross: {
    buy: 'It is post-only, and would have matched an ask at once. Bid less, or leave post-only out.',
    sell: 'It is post-only, and would have matched a bid at once. Ask for more, or leave post-only out.',
  },
  aborted: 'You stopped waiting before it was sent.',
};

function wordsFor(table: Words, code: string, side: Side): string | undefined {
  const words = table[code];
  return typeof words === 'object' ? words[side] : words;
}

/** Says in a few words why an order was not placed. */
export function reasonOf(code: string, side: Side): string {
  return wordsFor(REASONS, code, side) ?? code.replaceAll('_', ' ');
}

/** Says what a trader can do about a refusal; `undefined` where the service's own sentence says it. */
export function adviceOn(code: string, side: Side): string | undefined {
  return wordsFor(ADVICE, code, side);
}

const STATUSES: Readonly<Record<string, string>> = { live: 'resting', delayed: 'held by the venue' };

/** An order as the service or the venue has it. */
export interface Standing {
  readonly status: string;
  readonly size: string;
  /** Shares that are filled; `null` if that was not reported. */
  readonly filled: string | null;
}

/** Says in a few words how an accepted order stands, where the API has the venue's own word. */
export function standingOf({ status, size, filled }: Standing): string {
  const [all, part] = [formatShares(size), formatShares(filled ?? '0')];
  if (filled === null)
    return status === 'matched' ? 'filled, wholly or partly' : `${wordOf(status)}, fills not reported`;
  if (part === all) return 'filled';
  if (status === 'matched') return `partly filled: ${part} of ${all}`;
  return filled === '0' ? wordOf(status) : `${wordOf(status)}, ${part} of ${all} filled`;
}

function wordOf(status: string): string {
  return STATUSES[status] ?? status;
}
