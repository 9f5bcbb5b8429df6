import { describe, expect, it } from '@jest/globals';
import type { SignatureType } from '../../../../../shared/account.ts';
import { type ErrorCode, FINAL_CODES } from '../../../../../shared/errors.ts';
import { fateSaidBy, rejected } from '../../../../../shared/venue/polymarket/calls/sentences.ts';

const say = (reason: string) => fateSaidBy(reason, { reason, retryAfter: undefined });

/** The error that a sentence comes to. */
function errorOf(reason: string, more: { retryAfter?: number; signatureType?: SignatureType } = {}) {
  const fate = fateSaidBy(reason, { reason, retryAfter: undefined, ...more });
  if (fate === undefined || fate === 'nothing') throw new Error('it proves nothing');
  return fate.error;
}

describe('a sentence about an order that the venue holds or may have taken', () => {
  it.each([
    'order 0x1 is invalid. Duplicated.',
    'order match delayed due to market conditions',
    'error delaying the order',
    'could not insert order: not enough balance / allowance',
    "couldn't insert order",
    'could not run the execution',
    "couldn't run the execution",
    'Internal server error',
    'context deadline exceeded',
    'order timed out',
    'upstream request timeout',
    'context canceled',
  ])('proves nothing: %s', (sentence) => {
    expect(say(sentence)).toBe('nothing');
  });

  it.each([
    'order crossed the book and was matched',
    'the order was canceled because the minimum tick size changed',
    'there are no matching orders',
    'the trade contains rounding issues',
    "the price of the taker's order has a discrepancy greater than allowed with the worst maker order",
    "order couldn't be fully filled. FOK orders are fully filled or killed.",
    'FOK orders are filled or killed',
    'no orders found to match with FAK order',
    'order accepted for asynchronous processing',
    'order canceled',
    'order expired',
    'trading volume counted',
    'post-only order accepted',
    'not enough liquidity',
    'market order matched',
    'balance updated',
  ])('is no refusal: %s', (sentence) => {
    expect(say(sentence)).toBeUndefined();
  });
});

it('an unknown message proves nothing at first, and refuses the order for good once it is believed', () => {
  const said = { reason: 'no reason at all', retryAfter: undefined };
  expect(fateSaidBy(said.reason, said)).toBeUndefined();
  const error = { code: 'order_rejected', facts: { venueReason: said.reason }, cause: new Error(said.reason) };
  expect(rejected(said)).toMatchObject({ kind: 'refused', error });
});

type Proof = 'order' | 'anew' | 'now';
/** The facts of an error that quotes the sentence. */
const QUOTED = 'quoted';
const REASON = (reason: string) => ({ reason });

/** What the venue says of checks before the book, by what it proves, and the facts of the error. */
const PROOFS: readonly (readonly [Proof, ErrorCode, object | typeof QUOTED, ...sentences: string[]])[] = [
  ['order', 'post_only_would_cross', QUOTED, 'order crosses book', 'order crosses the order book'],
  ['order', 'post_only_would_cross', QUOTED, 'this post-only order would cross'],
  ['order', 'price_off_tick', { tickSize: '0.01' }, 'breaks minimum tick size rule: 0.01'],
  ['order', 'price_off_tick', { tickSize: '0.01' }, 'order 0xab is invalid. Price (0.515) breaks the tick size: 0.01'],
  ['order', 'price_off_tick', { tickSize: '12.0025' }, 'breaks minimum tick size rule, which is 12.0025'],
  ['order', 'price_off_tick', { tickSize: '10' }, 'invalid tick: 10'],
  ['order', 'size_below_minimum', { minOrderSize: '5' }, 'Size (1.58) lower than the minimum: 5.'],
  ['order', 'size_below_minimum', { minOrderSize: '15' }, 'size is less than the minimum 15'],
  ['order', 'size_below_minimum', { minOrderSize: '15.25' }, 'smaller than minimum:  15.25.'],
  ['order', 'notional_below_minimum', { minNotional: '1' }, 'invalid amount ($0.9996), min size: $1', 'min size:$1'],
  ['order', 'notional_below_minimum', { minNotional: '12.25' }, 'minimum size:  $12.25'],
  // Without its bound.
  ['order', 'order_rejected', QUOTED, 'breaks minimum tick size rule', 'lower than the minimum'],
  ['order', 'order_rejected', QUOTED, 'max accuracy of 4 decimals', 'invalid expiration', 'invalid order expiration'],
  ['order', 'order_rejected', QUOTED, 'invalid payload', 'Invalid order payload', 'invalid nonce'],
  ['order', 'order_rejected', QUOTED, 'order canceled in the CTF exchange contract'],
  ['order', 'insufficient_balance', {}, 'not enough balance / allowance: balance: 17', 'not enough allowance'],
  ['order', 'insufficient_balance', {}, 'the balance is not enough', 'the allowance is not enough'],
  ['order', 'market_not_accepting_orders', QUOTED, 'market is closed', 'market closed', 'market not ready'],
  ['order', 'market_not_accepting_orders', QUOTED, 'the market is not yet ready to process new orders'],
  ['order', 'market_not_accepting_orders', QUOTED, 'not accepting orders', 'is not currently accepting new orders'],
  ['anew', 'venue_refused_service', REASON('signature'), 'invalid signature', 'invalid EOA signature'],
  ['anew', 'venue_refused_service', REASON('signature'), 'invalid POLY_1271 signature: it does not match order hash'],
  ['anew', 'venue_refused_service', REASON('signature'), 'invalid POLY-7702 smart wallet signature: expired'],
  ['anew', 'venue_refused_service', REASON('signature'), 'order_version_mismatch', 'version mismatch'],
  ['anew', 'venue_refused_service', REASON('signature'), 'invalid order version, please use the latest clob-client'],
  ['anew', 'venue_refused_service', REASON('credentials'), 'invalid api key', 'invalid apikey', 'Unauthorized'],
  ['anew', 'venue_refused_service', REASON('credentials'), 'Invalid L1 Request headers', 'the owner of the API KEY'],
  ['anew', 'venue_refused_service', REASON('credentials'), 'has to be the address of the API KEY'],
  ['anew', 'venue_refused_service', REASON('wallet_type'), 'maker address not allowed', 'maker address is not allowed'],
  ['anew', 'venue_refused_service', REASON('account_restricted'), 'address banned', 'the address is banned'],
  ['anew', 'venue_refused_service', REASON('account_restricted'), 'the address is in closed only mode'],
  ['anew', 'venue_refused_service', REASON('region'), 'restricted in your region', 'restricted in your country'],
  ['anew', 'unknown_token', {}, 'market not found', 'market was not found', 'the orderbook 7132 does not exist'],
  ['anew', 'unknown_token', {}, 'No orderbook exists for the requested token id', 'Invalid token id'],
  ['now', 'venue_unavailable', {}, 'trading is currently disabled', 'trading is disabled', 'Trading disabled'],
  ['now', 'venue_unavailable', {}, 'trading has been halted', 'cancel-only', 'cancel only mode', 'post-only mode'],
];

describe('a sentence that names a check before the book', () => {
  const rows = PROOFS.flatMap(([proves, code, facts, ...sentences]) =>
    sentences.map((sentence) => [sentence, proves, code, facts] as const),
  );

  it.each(rows)('%j proves the end of: %s (%s %j)', (sentence, proves, code, facts) => {
    const error = expect.objectContaining({
      ...{ code, cause: new Error(sentence) },
      facts: facts === QUOTED ? { venueReason: sentence } : facts,
    });
    // What is answered by a final code is kept under the key: a caller who has read it orders with a new one.
    expect(FINAL_CODES.some((final) => final === code)).toBe(proves === 'order');
    expect(say(sentence)).toStrictEqual(
      proves === 'order' ? { kind: 'refused', error } : { kind: 'not_taken', error, freesKey: proves === 'anew' },
    );
  });

  it.each([
    ['trading is currently disabled', 'has halted trading'],
    ['cancel-only', 'accepts only cancellations'],
    ['post-only mode', 'accepts only post-only orders'],
    ['breaks minimum tick size rule: 0.1', 'a multiple of 0.1'],
    ['lower than the minimum: 15', 'at least 15 shares'],
  ])('%j becomes a sentence of ours: …%s…', (sentence, words) => {
    expect(errorOf(sentence).message).toContain(words);
  });

  it.each([
    ['deposit-wallet', 'wallet_type'],
    ['safe', 'credentials'],
    ['proxy', 'credentials'],
    ['eoa', 'credentials'],
  ] as const)(
    'about the signer of an order of kind %s is about %s, and one about its owner is not',
    (signatureType, reason) => {
      const signer = 'the order signer address has to be the address of the API KEY';
      const owner = 'the order owner has to be the owner of the API KEY';
      const reasons = [signer, owner].map((sentence) => errorOf(sentence, { signatureType }).facts['reason']);
      expect(reasons).toStrictEqual([reason, 'credentials']);
    },
  );

  it('repeats the wait that the venue asks for', () => {
    const waits = [{}, { retryAfter: 0 }, { retryAfter: 119.5 }].map((more) => errorOf('cancel-only', more).retryAfter);
    expect(waits).toStrictEqual([5, 1, 120]);
  });

  it('is recognised in its first 500 characters only', () => {
    const crosses = 'order crosses book';
    const far = `${'x'.repeat(500 - crosses.length)}${crosses}`;
    expect(errorOf(far).code).toBe('post_only_would_cross');
    expect(say(`x${far}`)).toBeUndefined();
  });
});
