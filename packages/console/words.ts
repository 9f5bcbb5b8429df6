import { type ErrorCode, OrderBookError, type OrderRequest, type PlacedOrder } from '../client/client.ts';
import { formatShares } from './figures.ts';

type Side = OrderRequest['side'];
/** What a failure is called in the list, and what the page says of it; `sale` replaces the sentence for a sale. */
type Words = readonly [
  reason: string,
  sentence: string,
  sale?: { readonly reason?: string; readonly sentence: string },
];

const MISFIT: Words = ['page out of date', 'This page does not fit the service. Load it again.'];
const UNLISTED: Words = ['not from this page', 'This page may not place orders here. Ask the operator of the service.'];

/** Every failure in words of a trader, for a read as for an order; `Details` have the words of the service. */
const WORDS: Readonly<Record<ErrorCode, Words>> = {
  invalid_request: ['terms not accepted', 'The service does not take these terms. Details say which.'],
  client_signature_required: ['not signed', 'The service takes orders that your wallet has signed. Connect it.'],
  client_signature_invalid: [
    'signature not accepted',
    'The service did not accept the signature. Sign with the account that is connected.',
  ],
  order_placement_disabled: ['orders are off', 'The service takes no orders now. Ask its operator.'],
  origin_not_allowed: UNLISTED,
  host_not_allowed: UNLISTED,
  caller_not_identified: ['not signed in', 'The service does not know who orders. Ask its operator.'],
  client_not_allowed: ['wallet not allowed', 'This wallet may not trade here. Ask the operator to allow it.'],
  not_found: MISFIT,
  unknown_token: ['no such market', 'The venue has no order book of it: the market may have closed.'],
  method_not_allowed: MISFIT,
  request_timeout: ['took too long', 'The request took too long to arrive. Try again.'],
  order_in_progress: ['still being placed', 'It is still being placed. Repeat it in a moment.'],
  payload_too_large: MISFIT,
  uri_too_long: MISFIT,
  unsupported_media_type: MISFIT,
  price_out_of_range: ['price out of range', 'The market does not take this price.'],
  price_off_tick: ['price between ticks', 'The price lies between two ticks of the market.'],
  size_precision: ['too many decimals', 'A size has at most two decimals.'],
  size_below_minimum: ['too small', 'The market takes no order that is so small.'],
  notional_below_minimum: ['worth too little', 'What matches at once must be worth at least 1 pUSD.'],
  expiry_too_soon: ['ends too soon', 'It would end too soon. Choose a later end.'],
  order_above_cap: ['above the limit', 'It is worth more than one order may be here. Order less.'],
  daily_cap_reached: ['daily limit reached', 'It would pass the limit of a day. Order less, or after midnight UTC.'],
  post_only_would_cross: [
    'would have matched at once',
    'It is post-only, and would have matched an ask at once. Bid less, or leave post-only out.',
    { sentence: 'It is post-only, and would have matched a bid at once. Ask for more, or leave post-only out.' },
  ],
  market_not_accepting_orders: ['market is closed', 'The market takes no orders now. Try again later.'],
  insufficient_balance: [
    'too little pUSD',
    'The wallet has too little free pUSD for it.',
    {
      reason: 'too few shares',
      sentence:
        'The wallet has too few free shares for it. Shares bought a moment ago can be sold once their trade is settled.',
    },
  ],
  order_rejected: ['refused by the venue', 'The venue refused it, or it ended before it got there.'],
  idempotency_key_reused: ['another order', 'The service knows another order by its key. Order anew.'],
  rate_limited: ['too many requests', 'There are too many requests. Try again in a moment.'],
  headers_too_large: MISFIT,
  internal_error: ['service failed', 'The service failed. Try again, or tell its operator.'],
  venue_error: ['no clear answer', 'The venue gave no clear answer. Try again.'],
  venue_refused_service: ['service refused', 'The venue refuses this service now. Tell its operator.'],
  venue_unavailable: ['venue unavailable', 'The venue is unavailable. Try again.'],
  client_chain_unavailable: ['signature not checked', 'Nothing could check the signature now. Try again.'],
  store_unavailable: ['service not ready', 'The service cannot keep orders now. Try again later.'],
  venue_timeout: ['venue too slow', 'The venue did not answer in time. Try again.'],
  outcome_unknown: ['not known', 'The venue has not said whether it took the order.'],
  network_error: ['no answer', 'The service does not answer. Is it running, and is this device online?'],
  aborted: ['not signed', 'You stopped waiting before it was sent.'],
  foreign_answer: ['no answer', 'Something else answered in place of the service. Is its address right?'],
  unsupported_platform: ['browser too old', 'This browser is too old for the page.'],
};

/** A failure of a wallet or of the page itself; the message is for the user. */
export class PageError extends Error {}

/** Creates the error of an order that the page itself does not send. */
export function notSent(sentence: string, code: ErrorCode): OrderBookError {
  return new OrderBookError(sentence, { code, cause: new PageError(sentence) });
}

const isCode = (code: string): code is ErrorCode => Object.hasOwn(WORDS, code);

/** Says what happened, and what a trader can do. */
export function sentenceOf(error: OrderBookError, side: Side = 'buy'): string {
  if (error.cause instanceof PageError) return error.cause.message;
  // A newer service may have further codes.
  const [, sentence, sale] = isCode(error.code) ? WORDS[error.code] : ['', 'The service gave no clear answer.'];
  return side === 'sell' && sale ? sale.sentence : sentence;
}

/** Says in a few words why an order was not placed. */
export function reasonOf(code: string, side: Side): string {
  const [reason, , sale] = isCode(code) ? WORDS[code] : ['no clear answer'];
  return (side === 'sell' && sale?.reason) || reason;
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
