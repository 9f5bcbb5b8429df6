import type { SignatureType } from '../../../account.ts';
import { type AppError, type FactsOf, refuse } from '../../../errors.ts';
import { MAX_SENTENCE_LENGTH } from '../../../limits.ts';
import type { Fate } from '../../port.ts';
import { clampRetryAfter } from '../http/reads.ts';
import { decimalOrNull } from '../wire.ts';

export interface Said {
  /** The message without secrets, which a response may quote. */
  readonly reason: string;
  readonly retryAfter: number | undefined;
  readonly signatureType?: SignatureType;
  readonly isSale?: boolean;
}

export type SaidFate = Extract<Fate, { readonly kind: 'refused' | 'not_taken' }>;

/** `named`: the number in the message, in canonical form. */
type Write = (said: Said, named: string | undefined) => AppError;

/**
 * A message of the venue: its class, the words that carry its meaning, its source, and the error. Three classes name a check
 * before the book, which proves that the venue did not take the order: `order` refuses this order for good; `anew` refuses
 * the operator or the token, so that a new order may be signed; `now` refuses such orders at the moment. The venue uses
 * messages of the class `nothing` for orders that it holds or may have taken.
 */
type VenueMessage =
  | readonly [proves: 'order' | 'anew' | 'now', says: RegExp, source: string, error: Write]
  | readonly [proves: 'nothing', says: RegExp, source: string];

const ERROR_CODES = 'https://docs.polymarket.com/resources/error-codes';
const CLIENT_ISSUES = 'https://github.com/Polymarket';
const PLACE_ORDERS = 'https://docs.polymarket.com, page "place orders"';
const GEOBLOCK = 'https://docs.polymarket.com/api-reference/geoblock';

const withCause = ({ reason }: Said) => ({ cause: new Error(reason) });

const quoted =
  (code: 'post_only_would_cross' | 'market_not_accepting_orders' | 'order_rejected'): Write =>
  (said) =>
    refuse(code, { venueReason: said.reason }, withCause(said));

/** Quotes a message without its bound, since a code with a bound must send one. */
const bounded =
  (refusal: (bound: string, circumstances: ReturnType<typeof withCause>) => AppError): Write =>
  (said, bound) =>
    bound === undefined ? quoted('order_rejected')(said, bound) : refusal(bound, withCause(said));

const refusedService =
  (reason: FactsOf<'venue_refused_service'>['reason']): Write =>
  (said) =>
    refuse('venue_refused_service', { reason }, withCause(said));

const unavailable =
  (why: FactsOf<'venue_unavailable'>['why']): Write =>
  (said) =>
    refuse('venue_unavailable', { why }, { retryAfter: clampRetryAfter(said.retryAfter), ...withCause(said) });

/** Creates the refusal that quotes an unknown message. */
export function rejected(said: Said): SaidFate {
  return { kind: 'refused', error: quoted('order_rejected')(said, undefined) };
}

/**
 * The venue's messages. A row matches the few words that carry the meaning, since the venue rewords the rest. The first row
 * that matches counts, so those that prove nothing come first. A message without a row is unknown: it counts as a refusal
 * once look-ups have not shown the order for `LATE_ARRIVAL_MS`. Answers have no codes, and statuses prove nothing: the venue
 * derives them from the message ("unauthorized" becomes 401, "not found" 404).
 */
const SENTENCES: readonly VenueMessage[] = [
  // "Duplicated": the venue knows this order. Its fate is open.
  ['nothing', /duplicated/i, ERROR_CODES],
  // The venue's older page of errors: the order passed the checks and waits ("no failure: placement delayed").
  ['nothing', /delayed|delaying/i, ERROR_CODES],
  ['nothing', /could ?n[o']t insert|could ?n[o']t run the execution/i, ERROR_CODES],
  ['nothing', /internal|tim(?:ed|e)[ -]?out|deadline exceeded|context cancel/i, ERROR_CODES],
  ['order', /cross(?:es)? (?:the )?(?:order ?)?book|would cross/i, ERROR_CODES, quoted('post_only_would_cross')],
  [
    'order',
    /(?:breaks|invalid) (?:the )?(?:minimum )?tick[^\d]*(\d+(?:\.\d+)?)?/i,
    ERROR_CODES,
    bounded((tickSize, cause) => refuse('price_off_tick', { tickSize }, cause)),
  ],
  [
    'order',
    /(?:lower|less|smaller) than (?:the )?minimum:?\s*(\d+(?:\.\d+)?)?/i,
    ERROR_CODES,
    bounded((minOrderSize, cause) => refuse('size_below_minimum', { minOrderSize }, cause)),
  ],
  [
    'order',
    /min(?:imum)? size:?\s*\$(\d+(?:\.\d+)?)/i,
    `${CLIENT_ISSUES}/py-clob-client/issues/253`,
    bounded((minNotional, cause) => refuse('notional_below_minimum', { minNotional }, cause)),
  ],
  ['order', /\baccuracy\b/i, `${CLIENT_ISSUES}/py-clob-client-v2/issues/99`, quoted('order_rejected')],
  ['order', /invalid (?:\w+ )?expiration/i, PLACE_ORDERS, quoted('order_rejected')],
  ['order', /invalid nonce|canceled in the ctf exchange/i, ERROR_CODES, quoted('order_rejected')],
  ['order', /invalid (?:\w+ )?payload/i, ERROR_CODES, quoted('order_rejected')],
  [
    'order',
    /not enough (?:balance|allowance)|(?:balance|allowance) is not enough/i,
    ERROR_CODES,
    // Its text has the operator's balances: it is logged, not quoted.
    (said) => refuse('insufficient_balance', { isSale: said.isSale }, withCause(said)),
  ],
  [
    'order',
    /not (?:yet )?ready to process|not (?:currently )?accepting (?:new )?orders|market (?:is )?(?:closed|not ready)/i,
    ERROR_CODES,
    quoted('market_not_accepting_orders'),
  ],
  [
    'anew',
    // The kinds of account have their own messages, such as "invalid POLY_1271 signature: …".
    /version[_ ]mismatch|invalid (?:order )?version|invalid (?:[\w.-]+ ){0,4}signature/i,
    ERROR_CODES,
    refusedService('signature'),
  ],
  [
    'anew',
    /address of the api key/i,
    `${CLIENT_ISSUES}/py-clob-client-v2/issues/90`,
    // A deposit wallet signs for itself. The account is none of the key's deposit wallets, but for example its Safe.
    (said) => refusedService(said.signatureType === 'deposit-wallet' ? 'wallet_type' : 'credentials')(said, undefined),
  ],
  [
    'anew',
    /owner of the api key|unauthorized|invalid api[ -]?key|invalid l[12] request headers/i,
    ERROR_CODES,
    refusedService('credentials'),
  ],
  [
    'anew',
    /maker address (?:is )?not allowed/i,
    `${CLIENT_ISSUES}/py-clob-client-v2/issues/111`,
    refusedService('wallet_type'),
  ],
  ['anew', /address (?:is )?banned|closed[ -]only/i, ERROR_CODES, refusedService('account_restricted')],
  ['anew', /restricted in your (?:region|country)/i, GEOBLOCK, refusedService('region')],
  [
    'now',
    /trading (?:is |has been )?(?:\w+ )?(?:disabled|halted|paused|suspended)/i,
    ERROR_CODES,
    unavailable('halted'),
  ],
  ['now', /cancel[- ]only/i, ERROR_CODES, unavailable('cancel_only')],
  ['now', /post[- ]only mode/i, ERROR_CODES, unavailable('post_only_phase')],
  [
    'anew',
    /market (?:was )?not found|no order ?book|order ?book .{0,120}does not exist|invalid token ?id/i,
    ERROR_CODES,
    (said) => refuse('unknown_token', {}, withCause(said)),
  ],
];

/** Reads the fate that a message proves, or `nothing`; `undefined` for a message without a row. */
export function fateSaidBy(sentence: string, said: Said): SaidFate | 'nothing' | undefined {
  const judged = sentence.slice(0, MAX_SENTENCE_LENGTH);
  for (const [proves, says, , write] of SENTENCES) {
    const match = says.exec(judged);
    if (!match) continue;
    if (proves === 'nothing') return 'nothing';
    const error = write(said, decimalOrNull(match[1]) ?? undefined);
    return proves === 'order' ? { kind: 'refused', error } : { kind: 'not_taken', error, freesKey: proves === 'anew' };
  }
  return undefined;
}
