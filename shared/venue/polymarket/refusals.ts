import { AppError, type ErrorCode, type ErrorFacts, type FactsOf } from '../../errors.ts';
import { toldWait } from './retry-after.ts';
import { decimalOrNull } from './wire.ts';

/** What the venue said when it did not take an order. */
export interface Refusal {
  /** The venue's sentence, cleaned. */
  readonly reason: string;
  /** Seconds. */
  readonly retryAfter: number | undefined;
}

/** `bounds` are the numbers that the sentence names. */
type Translate = (refusal: Refusal, bounds: readonly (string | undefined)[]) => AppError;

function rule(
  code: ErrorCode,
  detail: string,
  facts: (first: string | undefined) => ErrorFacts = () => ({}),
): Translate {
  return ({ reason }, [first]) => new AppError(detail, { code, facts: facts(first), cause: new Error(reason) });
}

/** With the venue's own sentence. */
function quoted(code: ErrorCode, detail: string): Translate {
  return ({ reason }) => new AppError(detail, { code, facts: { venueReason: reason } });
}

function refusedService(reason: FactsOf<'venue_refused_service'>['reason'], detail: string): Translate {
  return (refusal) =>
    new AppError(`The venue refuses this service: ${detail} Its operator has to act.`, {
      code: 'venue_refused_service',
      facts: { reason },
      cause: new Error(refusal.reason),
    });
}

function unavailable(detail: string): Translate {
  return ({ reason, retryAfter }) =>
    new AppError(`${detail} The order was not taken; try again later.`, {
      code: 'venue_unavailable',
      ...toldWait(retryAfter),
      cause: new Error(reason),
    });
}

/** The bound in a sentence of the venue, where it names one. */
function bound(name: 'tickSize' | 'minOrderSize' | 'minNotional') {
  return (text: string | undefined): ErrorFacts => {
    const value = decimalOrNull(text);
    return value === null ? {} : { [name]: value };
  };
}

/**
 * The venue's sentences (its documentation: error codes of the CLOB; the wire carries only these) and what each means to
 * a caller. The first that matches counts.
 */
const SENTENCES: readonly (readonly [RegExp, Translate])[] = [
  [
    /crosses (?:the )?book/i,
    quoted(
      'post_only_would_cross',
      'The post-only order would have matched at once; choose a price further from the other side.',
    ),
  ],
  [
    /breaks minimum tick size rule[^\d]*(\d+(?:\.\d+)?)?/i,
    rule(
      'price_off_tick',
      'The price is not on the tick grid of the market any more; read its book for the tick size.',
      bound('tickSize'),
    ),
  ],
  [
    /lower than the minimum:?\s*(\d+(?:\.\d+)?)?/i,
    rule(
      'size_below_minimum',
      'The size is below the minimum of the market; read its book for the minimum.',
      bound('minOrderSize'),
    ),
  ],
  [
    /min size:\s*\$(\d+(?:\.\d+)?)/i,
    rule(
      'notional_below_minimum',
      'An order that matches at once must be worth more; raise its size.',
      bound('minNotional'),
    ),
  ],
  // Its text shows the operator's balances, which are nobody else's business: logged, not quoted.
  [
    /not enough balance/i,
    rule(
      'insufficient_balance',
      "The operator's account cannot cover the order; order less, or let the operator add funds or allowances.",
    ),
  ],
  [/order_version_mismatch|invalid signature/i, refusedService('signature', 'it does not accept its signatures.')],
  [
    /address of the api key|owner of the api key|unauthorized|invalid api key|invalid l1 request headers/i,
    refusedService('credentials', 'its API credentials are not accepted.'),
  ],
  [/maker address not allowed/i, refusedService('wallet_type', 'its kind of account may not trade.')],
  [/address banned|closed only mode/i, refusedService('account_restricted', 'its account is restricted.')],
  [/restricted in your region/i, refusedService('region', 'it runs in a region from which orders are not accepted.')],
  [/trading is currently disabled/i, unavailable('The venue has halted trading.')],
  [/cancel-only/i, unavailable('The venue accepts only cancellations at the moment.')],
  [/post-only mode/i, unavailable('The venue accepts only post-only orders at the moment.')],
  [
    /not yet ready to process new orders|delayed due to market conditions|not accepting orders|market is closed/i,
    quoted('market_not_accepting_orders', 'The market does not accept orders now; try again later, or choose another.'),
  ],
  [
    /market not found|no orderbook exists/i,
    rule('unknown_token', 'The venue has no order book for this token; take token ids from GET /v1/markets.'),
  ],
];

/** Whether the venue's sentence is one of those that this service knows. */
export function isKnownSentence(text: string): boolean {
  return SENTENCES.some(([pattern]) => pattern.test(text));
}

/** Whether the sentence says that this very order is known to the venue, which proves nothing about how it ended. */
export function isDuplicate(text: string): boolean {
  return /duplicated/i.test(text);
}

/** The venue's refusal of an order as our error; a sentence that is not known is quoted as `order_rejected`. */
export function translateRefusal(text: string, refusal: Refusal): AppError {
  for (const [pattern, translate] of SENTENCES) {
    const match = pattern.exec(text);
    if (match) return translate(refusal, match.slice(1));
  }
  return quoted('order_rejected', 'The venue refused the order; venue_reason says why.')(refusal, []);
}
