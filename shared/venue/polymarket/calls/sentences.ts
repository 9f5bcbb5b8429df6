import type { SignatureType } from '../../../account.ts';
import { type AppError, type FactsOf, refuse } from '../../../errors.ts';
import { MAX_SENTENCE_LENGTH } from '../../../limits.ts';
import type { Fate } from '../../port.ts';
import { clampRetryAfter } from '../http/reads.ts';
import { decimalOrNull } from '../wire.ts';

/** A message of the venue about an order. */
export interface Said {
  /** The message without secrets, which a response may quote. */
  readonly reason: string;
  /** The wait in seconds that the venue asks for. */
  readonly retryAfter: number | undefined;
  /** The kind of account that the order was signed for. */
  readonly signatureType?: SignatureType;
  readonly isSale?: boolean;
}

/** The two fates that the venue can prove by a message. */
export type SaidFate = Extract<Fate, { readonly kind: 'refused' | 'not_taken' }>;

/** `named`: the number in the message, in canonical form. */
type Write = (said: Said, named: string | undefined) => AppError;

/**
 * A message of the venue, its class and its source. Three classes name a check before the book, which proves that the venue
 * did not take the order: `order` refuses this order for good; `anew` refuses the operator or the token, so that a new order
 * may be signed; `now` refuses such orders at the moment. The venue uses messages of the class `nothing` for orders that it
 * holds or may have taken.
 */
type VenueMessage = { readonly says: RegExp; readonly source: string } & (
  | { readonly proves: 'order' | 'anew' | 'now'; readonly error: Write }
  | { readonly proves: 'nothing' }
);

const ERROR_CODES = 'https://docs.polymarket.com/resources/error-codes';
const PLACE_ORDERS = 'https://docs.polymarket.com, page "place orders"';
const GEOBLOCK = 'https://docs.polymarket.com/api-reference/geoblock';

const withCause = ({ reason }: Said) => ({ cause: new Error(reason) });

const quoted =
  (code: 'post_only_would_cross' | 'market_not_accepting_orders' | 'order_rejected'): Write =>
  (said) =>
    refuse(code, { venueReason: said.reason }, withCause(said));

/** Quotes a message that does not name its bound: a code that has one always names it. */
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
  { says: /duplicated/i, proves: 'nothing', source: ERROR_CODES },
  // The venue's older page of errors: the order passed the checks and waits ("no failure: placement delayed").
  { says: /delayed|delaying/i, proves: 'nothing', source: ERROR_CODES },
  { says: /could ?n[o']t insert|could ?n[o']t run the execution/i, proves: 'nothing', source: ERROR_CODES },
  { says: /internal|tim(?:ed|e)[ -]?out|deadline exceeded|context cancel/i, proves: 'nothing', source: ERROR_CODES },
  {
    says: /cross(?:es)? (?:the )?(?:order ?)?book|would cross/i,
    proves: 'order',
    source: ERROR_CODES,
    error: quoted('post_only_would_cross'),
  },
  {
    says: /(?:breaks|invalid) (?:the )?(?:minimum )?tick[^\d]*(\d+(?:\.\d+)?)?/i,
    proves: 'order',
    source: ERROR_CODES,
    error: bounded((tickSize, cause) => refuse('price_off_tick', { tickSize }, cause)),
  },
  {
    says: /(?:lower|less|smaller) than (?:the )?minimum:?\s*(\d+(?:\.\d+)?)?/i,
    proves: 'order',
    source: ERROR_CODES,
    error: bounded((minOrderSize, cause) => refuse('size_below_minimum', { minOrderSize }, cause)),
  },
  {
    says: /min(?:imum)? size:?\s*\$(\d+(?:\.\d+)?)/i,
    proves: 'order',
    source: 'https://github.com/Polymarket/py-clob-client/issues/253',
    error: bounded((minNotional, cause) => refuse('notional_below_minimum', { minNotional }, cause)),
  },
  {
    says: /\baccuracy\b/i,
    proves: 'order',
    source: 'https://github.com/Polymarket/py-clob-client-v2/issues/99',
    error: quoted('order_rejected'),
  },
  { says: /invalid (?:\w+ )?expiration/i, proves: 'order', source: PLACE_ORDERS, error: quoted('order_rejected') },
  {
    says: /invalid nonce|canceled in the ctf exchange/i,
    proves: 'order',
    source: ERROR_CODES,
    error: quoted('order_rejected'),
  },
  { says: /invalid (?:\w+ )?payload/i, proves: 'order', source: ERROR_CODES, error: quoted('order_rejected') },
  {
    says: /not enough (?:balance|allowance)|(?:balance|allowance) is not enough/i,
    proves: 'order',
    source: ERROR_CODES,
    // Its text has the operator's balances: it is logged, not quoted.
    error: (said) => refuse('insufficient_balance', { isSale: said.isSale }, withCause(said)),
  },
  {
    says: /not (?:yet )?ready to process|not (?:currently )?accepting (?:new )?orders|market (?:is )?(?:closed|not ready)/i,
    proves: 'order',
    source: ERROR_CODES,
    error: quoted('market_not_accepting_orders'),
  },
  {
    // The kinds of account have their own messages, such as "invalid POLY_1271 signature: …".
    says: /version[_ ]mismatch|invalid (?:order )?version|invalid (?:[\w.-]+ ){0,4}signature/i,
    proves: 'anew',
    source: ERROR_CODES,
    error: refusedService('signature'),
  },
  {
    // A deposit wallet signs for itself. The account is none of the key's deposit wallets, but for example its Safe.
    says: /address of the api key/i,
    proves: 'anew',
    source: 'https://github.com/Polymarket/py-clob-client-v2/issues/90',
    error: (said) =>
      refusedService(said.signatureType === 'deposit-wallet' ? 'wallet_type' : 'credentials')(said, undefined),
  },
  {
    says: /owner of the api key|unauthorized|invalid api[ -]?key|invalid l[12] request headers/i,
    proves: 'anew',
    source: ERROR_CODES,
    error: refusedService('credentials'),
  },
  {
    says: /maker address (?:is )?not allowed/i,
    proves: 'anew',
    source: 'https://github.com/Polymarket/py-clob-client-v2/issues/111',
    error: refusedService('wallet_type'),
  },
  {
    says: /address (?:is )?banned|closed[ -]only/i,
    proves: 'anew',
    source: ERROR_CODES,
    error: refusedService('account_restricted'),
  },
  {
    says: /restricted in your (?:region|country)/i,
    proves: 'anew',
    source: GEOBLOCK,
    error: refusedService('region'),
  },
  {
    says: /trading (?:is |has been )?(?:\w+ )?(?:disabled|halted|paused|suspended)/i,
    proves: 'now',
    source: ERROR_CODES,
    error: unavailable('halted'),
  },
  { says: /cancel[- ]only/i, proves: 'now', source: ERROR_CODES, error: unavailable('cancel_only') },
  { says: /post[- ]only mode/i, proves: 'now', source: ERROR_CODES, error: unavailable('post_only_phase') },
  {
    says: /market (?:was )?not found|no order ?book|order ?book .{0,120}does not exist|invalid token ?id/i,
    proves: 'anew',
    source: ERROR_CODES,
    error: (said) => refuse('unknown_token', {}, withCause(said)),
  },
];

/** Reads the fate that a message proves, or `nothing`; `undefined` for a message without a row. */
export function fateSaidBy(sentence: string, said: Said): SaidFate | 'nothing' | undefined {
  const judged = sentence.slice(0, MAX_SENTENCE_LENGTH);
  for (const row of SENTENCES) {
    const match = row.says.exec(judged);
    if (!match) continue;
    if (row.proves === 'nothing') return 'nothing';
    const error = row.error(said, decimalOrNull(match[1]) ?? undefined);
    return row.proves === 'order'
      ? { kind: 'refused', error }
      : { kind: 'not_taken', error, freesKey: row.proves === 'anew' };
  }
  return undefined;
}
