import type { OrderRequest } from '../client/client.ts';
import { formatShares } from './figures.ts';

type Side = OrderRequest['side'];
/** Words by code: for a purchase, and for a sale if they differ. */
type Words = Readonly<Record<string, readonly [buy: string, sell?: string]>>;

/** Refusals in a few words of a trader; the code of any other one reads well enough without its underscores. */
const REASONS: Words = {
  insufficient_balance: ['too little pUSD', 'too few shares'],
  post_only_would_cross: ['would have matched at once'],
  network_error: ['no answer'],
  aborted: ['not signed'],
};

/** Refusals as sentences for a trader, where those of the service are for its operator. */
const ADVICE: Words = {
  insufficient_balance: [
    'The wallet has too little free pUSD for it.',
    'The wallet has too few free shares for it. Shares bought a moment ago can be sold once their trade is settled.',
  ],
  post_only_would_cross: [
    'It is post-only, and would have matched an ask at once. Bid less, or leave post-only out.',
    'It is post-only, and would have matched a bid at once. Ask for more, or leave post-only out.',
  ],
  aborted: ['You stopped waiting before it was sent.'],
};

const wordsIn = (table: Words) => (code: string, side: Side) => {
  const [buy, sell = buy] = table[code] ?? [];
  return side === 'buy' ? buy : sell;
};

/** Says what a trader can do about a refusal; `undefined` where the service's own sentence says it. */
export const adviceOn = wordsIn(ADVICE);

/** Says in a few words why an order was not placed. */
export function reasonOf(code: string, side: Side): string {
  return wordsIn(REASONS)(code, side) ?? code.replaceAll('_', ' ');
}

/** Says in a few words how an accepted order stands; `filled` is `null` where that was not reported. */
export function standingOf(status: string, size: string, filled: string | null): string {
  const word = status === 'live' ? 'resting' : status === 'delayed' ? 'held by the venue' : status;
  const [all, part] = [formatShares(size), formatShares(filled ?? '0')];
  if (filled === null) return status === 'matched' ? 'filled, wholly or partly' : `${word}, fills not reported`;
  if (part === all) return 'filled';
  if (status === 'matched') return `partly filled: ${part} of ${all}`;
  return filled === '0' ? word : `${word}, ${part} of ${all} filled`;
}
