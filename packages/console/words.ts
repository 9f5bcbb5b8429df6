import { type ErrorCode, OrderBookError, type OrderRequest, type PlacedOrder } from '../client/client.ts';
import { formatShares } from './figures.ts';

type Side = OrderRequest['side'];
/** What happened, as in "not placed: …", and what a trader can do. */
type Words = readonly [reason: string, advice?: string];

const [AGAIN, LATER, ASK] = ['Try again.', 'Try again later.', 'Ask the operator of the service.'];
const UNLISTED: Words = ['this page may not order here', ASK];
const UNCLEAR: Words = ['the venue gave no clear answer', AGAIN];
const MISFIT: Words = ['this page does not fit the service', 'Load it again.'];

/** Every failure in words of a trader, of a read as of an order; `Details` have the words of the service. */
const WORDS: Readonly<Record<ErrorCode, Words>> = {
  invalid_request: ['the terms are not accepted', 'Details say which.'],
  client_signature_required: ['a signature is missing', 'Connect your wallet.'],
  client_signature_invalid: ['the signature is not accepted', 'Sign with the account that is connected.'],
  order_placement_disabled: ['the service takes no orders', ASK],
  origin_not_allowed: UNLISTED,
  host_not_allowed: UNLISTED,
  caller_not_identified: UNLISTED,
  client_not_allowed: ['this wallet may not trade here', ASK],
  not_found: MISFIT,
  unknown_token: ['the venue has no such book', 'The market may have closed.'],
  method_not_allowed: MISFIT,
  request_timeout: ['the request took too long', AGAIN],
  order_in_progress: ['it is still being placed', 'Repeat it in a moment.'],
  payload_too_large: MISFIT,
  uri_too_long: MISFIT,
  unsupported_media_type: MISFIT,
  price_out_of_range: ['the price is out of range'],
  price_off_tick: ['the price is between two ticks'],
  size_precision: ['the size has too many decimals'],
  size_below_minimum: ['the size is too small'],
  notional_below_minimum: ['what matches at once is worth less than 1 pUSD'],
  expiry_too_soon: ['it would end too soon', 'Choose a later end.'],
  order_above_cap: ['it is worth more than one order may be', 'Order less.'],
  daily_cap_reached: ['the limit of the day is reached', 'Order less, or after midnight UTC.'],
  post_only_would_cross: ['it would have matched at once', 'It is post-only: bid less, or leave post-only out.'],
  market_not_accepting_orders: ['the market takes no orders now', LATER],
  insufficient_balance: ['the wallet has too little free pUSD'],
  order_rejected: ['the venue refused it'],
  idempotency_key_reused: ['its key belongs to another order', 'Order anew.'],
  rate_limited: ['there are too many requests', 'Try again in a moment.'],
  headers_too_large: MISFIT,
  internal_error: ['the service failed', AGAIN],
  venue_error: UNCLEAR,
  venue_refused_service: ['the venue refuses this service', ASK],
  venue_unavailable: ['the venue is unavailable', AGAIN],
  client_chain_unavailable: ['the signature could not be checked', AGAIN],
  store_unavailable: ['the service cannot keep orders now', LATER],
  venue_timeout: UNCLEAR,
  outcome_unknown: ['the venue has not said whether it took the order'],
  network_error: ['the service does not answer', 'Is it running, and is this device online?'],
  aborted: ['you stopped waiting before it was sent'],
  foreign_answer: ['something else answers for the service', 'Is its address right?'],
  unsupported_platform: ['this browser is too old'],
};

/** Where a sale has other words. */
const SALES: Readonly<Partial<Record<ErrorCode, Words>>> = {
  post_only_would_cross: ['it would have matched at once', 'It is post-only: ask for more, or leave post-only out.'],
  insufficient_balance: [
    'the wallet has too few free shares',
    'Shares bought a moment ago can be sold once their trade is settled.',
  ],
};

/** A failure of a wallet or of the page itself; the message is for the user. */
export class PageError extends Error {}

/** Creates the error of an order that the page itself does not send. */
export function notSent(sentence: string, code: ErrorCode): OrderBookError {
  return new OrderBookError(sentence, { code, cause: new PageError(sentence) });
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(WORDS, code);

/** Returns the words of a code. A newer service may have further ones. */
function wordsOf(code: string, side: Side): Words {
  if (!isCode(code)) return ['for a reason that this page does not know'];
  return (side === 'sell' && SALES[code]) || WORDS[code];
}

/** Says what happened, and what a trader can do. */
export function sentenceOf({ code, cause }: OrderBookError, side: Side = 'buy'): string {
  if (cause instanceof PageError) return cause.message;
  const [reason, advice = ''] = wordsOf(code, side);
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ${advice}`.trim();
}

/** Says in a few words why an order was not placed. */
export function reasonOf(code: string, side: Side): string {
  return wordsOf(code, side)[0];
}

const STATUSES: Readonly<Record<PlacedOrder['status'], string>> = {
  live: 'resting',
  matched: 'filled',
  delayed: 'held by the venue',
  cancelled: 'cancelled',
};

/** Says in a few words how an accepted order stands; `filled` is `null` where that was not reported. */
export function standingOf(status: string, size: string, filled: string | null): string {
  const [, word = 'held by the venue'] = Object.entries(STATUSES).find(([name]) => name === status) ?? [];
  const [all, part] = [formatShares(size), formatShares(filled ?? '0')];
  if (filled === null) return status === 'matched' ? 'filled, wholly or partly' : `${word}, fills not reported`;
  if (part === all) return 'filled';
  if (status === 'matched') return `partly filled: ${part} of ${all}`;
  return filled === '0' ? word : `${word}, ${part} of ${all} filled`;
}
