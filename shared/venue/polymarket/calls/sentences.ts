import { type AppError, type FactsOf, refuse } from '../../../errors.ts';
import type { Fate } from '../../port.ts';
import { toldWait } from '../http/transport.ts';
import { decimalOrNull } from '../wire.ts';

/** A sentence of the venue about an order that it did not take. */
export interface Said {
  /** The sentence without secrets, as it may be passed on. */
  readonly reason: string;
  /** The wait in seconds that the venue asks for. */
  readonly retryAfter: number | undefined;
}

/** The two ends of an order that the venue itself can prove by a sentence. */
export type SaidFate = Extract<Fate, { readonly kind: 'refused' | 'not_taken' }>;

/** `named`: the number that the sentence names, in canonical form. */
type Write = (said: Said, named: string | undefined) => AppError;

interface Row {
  readonly says: RegExp;
  /** `refused` is final; after `not_taken` the same order may be sent again. */
  readonly proves: SaidFate['kind'];
  readonly error: Write;
}

const quoted =
  (code: 'post_only_would_cross' | 'market_not_accepting_orders'): Write =>
  ({ reason }) =>
    refuse(code, { venueReason: reason });

const refusedService =
  (reason: FactsOf<'venue_refused_service'>['reason']): Write =>
  (said) =>
    refuse('venue_refused_service', { reason }, { cause: new Error(said.reason) });

const unavailable =
  (why: FactsOf<'venue_unavailable'>['why']): Write =>
  ({ reason, retryAfter }) =>
    refuse('venue_unavailable', { why }, { retryAfter: toldWait(retryAfter), cause: new Error(reason) });

/**
 * The venue's sentences and the end that each proves. The first that matches counts. Source: the venue's page of error
 * codes (https://docs.polymarket.com/resources/error-codes); the wire carries the texts alone, without a code.
 */
const SENTENCES: readonly Row[] = [
  { says: /crosses (?:the )?book/i, proves: 'refused', error: quoted('post_only_would_cross') },
  {
    says: /breaks minimum tick size rule[^\d]*(\d+(?:\.\d+)?)?/i,
    proves: 'refused',
    error: ({ reason }, tickSize) =>
      refuse('price_off_tick', { contradicted: true, ...(tickSize && { tickSize }) }, { cause: new Error(reason) }),
  },
  {
    says: /lower than the minimum:?\s*(\d+(?:\.\d+)?)?/i,
    proves: 'refused',
    error: ({ reason }, minimum) =>
      refuse(
        'size_below_minimum',
        { contradicted: true, ...(minimum && { minOrderSize: minimum }) },
        { cause: new Error(reason) },
      ),
  },
  {
    says: /min size:\s*\$(\d+(?:\.\d+)?)/i,
    proves: 'refused',
    error: ({ reason }, minNotional) =>
      refuse('notional_below_minimum', minNotional ? { minNotional } : {}, { cause: new Error(reason) }),
  },
  {
    says: /not enough balance/i,
    proves: 'refused',
    // Its text shows the operator's balances, which are nobody else's business: logged, not quoted.
    error: ({ reason }) => refuse('insufficient_balance', {}, { cause: new Error(reason) }),
  },
  { says: /order_version_mismatch|invalid signature/i, proves: 'not_taken', error: refusedService('signature') },
  {
    says: /address of the api key|owner of the api key|unauthorized|invalid api key|invalid l1 request headers/i,
    proves: 'not_taken',
    error: refusedService('credentials'),
  },
  { says: /maker address not allowed/i, proves: 'not_taken', error: refusedService('wallet_type') },
  { says: /address banned|closed only mode/i, proves: 'not_taken', error: refusedService('account_restricted') },
  { says: /restricted in your region/i, proves: 'not_taken', error: refusedService('region') },
  { says: /trading is currently disabled/i, proves: 'not_taken', error: unavailable('halted') },
  { says: /cancel-only/i, proves: 'not_taken', error: unavailable('cancel_only') },
  { says: /post-only mode/i, proves: 'not_taken', error: unavailable('post_only_phase') },
  {
    says: /not yet ready to process new orders|delayed due to market conditions|not accepting orders|market is closed/i,
    proves: 'refused',
    error: quoted('market_not_accepting_orders'),
  },
  {
    says: /market not found|no orderbook exists/i,
    proves: 'not_taken',
    error: ({ reason }) => refuse('unknown_token', {}, { cause: new Error(reason) }),
  },
];

/** Finds the end that a sentence of the venue proves; `undefined` for a sentence that is not known. */
export function fateSaidBy(sentence: string, said: Said): SaidFate | undefined {
  for (const { says, proves, error } of SENTENCES) {
    const match = says.exec(sentence);
    if (match) return { kind: proves, error: error(said, decimalOrNull(match[1]) ?? undefined) };
  }
  return undefined;
}

/** Tells the sentence that this very order is known to the venue, which proves nothing about how it ended. */
export function isDuplicate(sentence: string): boolean {
  return /duplicated/i.test(sentence);
}

/** Characters of a venue's sentence that are passed on. */
const MAX_REASON_LENGTH = 200;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Matches what may be a credential, or an address; the end of a name (`maker=`) does not belong to it. */
const WORDS = /0x[0-9a-fA-F]{40}(?![\w+/-])|[A-Za-z0-9+/_-]{16,}=*/g;

/** Finds digits mixed with anything else, and letters without a break for longer than any word; numbers are ids and amounts. */
function looksLikeCredential(word: string): boolean {
  if (ADDRESS.test(word)) return false;
  return (/\d/.test(word) && /\D/.test(word)) || /[A-Za-z]{24,}/.test(word);
}

/**
 * Cleans a sentence of the venue so that it may be passed on: addresses are kept, the given secrets and everything else
 * that looks like a credential are removed.
 */
export function cleanVenueReason(text: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets
    .filter((secret) => secret !== '')
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '[removed]'), text);
  const cleaned = withoutSecrets
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(WORDS, (word) => (looksLikeCredential(word) ? '[removed]' : word))
    .trim();
  return Array.from(cleaned).slice(0, MAX_REASON_LENGTH).join('');
}
