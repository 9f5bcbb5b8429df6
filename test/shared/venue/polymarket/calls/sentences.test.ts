import { describe, expect, it } from '@jest/globals';
import type { SignatureType } from '../../../../../shared/account.ts';
import { type ErrorCode, FINAL_CODES } from '../../../../../shared/errors.ts';
import {
  fateSaidBy,
  rejected as rejectedBy,
  SENTENCES,
} from '../../../../../shared/venue/polymarket/calls/sentences.ts';

describe('the table of sentences', () => {
  it('names a source for each', () => {
    for (const { says, source } of SENTENCES)
      expect([says, source]).toStrictEqual([says, expect.stringMatching(/^https:/)]);
  });

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
  ])('proves nothing by: %s', (sentence) => {
    expect(fateSaidBy(sentence, { reason: sentence, retryAfter: undefined })).toBe('nothing');
  });
});

describe('a sentence about an order that the venue may have taken', () => {
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
    expect(fateSaidBy(sentence, { reason: sentence, retryAfter: undefined })).toBeUndefined();
  });
});

describe('an unknown message', () => {
  it('proves nothing by itself, and refuses the order for good once it is believed', () => {
    const said = { reason: 'no reason at all', retryAfter: undefined };
    expect(fateSaidBy(said.reason, said)).toBeUndefined();
    expect(rejectedBy(said)).toMatchObject({
      kind: 'refused',
      error: { code: 'order_rejected', facts: { venueReason: said.reason }, cause: new Error(said.reason) },
    });
  });
});

describe('a sentence that names a check before the book', () => {
  const say = (sentence: string) => fateSaidBy(sentence, { reason: sentence, retryAfter: undefined });

  it.each([
    ['order crosses book', 'order', 'post_only_would_cross'],
    ['breaks minimum tick size rule: 0.01', 'order', 'price_off_tick'],
    ['lower than the minimum: 5', 'order', 'size_below_minimum'],
    ['min size: $1', 'order', 'notional_below_minimum'],
    ['max accuracy of 4 decimals', 'order', 'order_rejected'],
    ['maximum accuracy of 4 decimals', 'order', 'order_rejected'],
    ['invalid expiration', 'order', 'order_rejected'],
    ['invalid order payload', 'order', 'order_rejected'],
    ['not enough balance', 'order', 'insufficient_balance'],
    ['market is closed', 'order', 'market_not_accepting_orders'],
    ['invalid nonce', 'order', 'order_rejected'],
    ['order canceled in the CTF exchange contract', 'order', 'order_rejected'],
    ['market not ready', 'order', 'market_not_accepting_orders'],
    ['invalid signature', 'anew', 'venue_refused_service'],
    ['invalid POLY_1271 signature: signature does not match order hash', 'anew', 'venue_refused_service'],
    ['invalid POLY_GNOSIS_SAFE signature', 'anew', 'venue_refused_service'],
    ['invalid POLY_PROXY signature', 'anew', 'venue_refused_service'],
    ['invalid EOA signature', 'anew', 'venue_refused_service'],
    ['invalid POLY_7702 signature', 'anew', 'venue_refused_service'],
    ['invalid POLY-7702 smart wallet signature: expired', 'anew', 'venue_refused_service'],
    ['order_version_mismatch', 'anew', 'venue_refused_service'],
    ['invalid order version, please use the latest clob-client', 'anew', 'venue_refused_service'],
    ['address of the api key', 'anew', 'venue_refused_service'],
    ['invalid api key', 'anew', 'venue_refused_service'],
    ['maker address not allowed', 'anew', 'venue_refused_service'],
    ['address banned', 'anew', 'venue_refused_service'],
    ['restricted in your region', 'anew', 'venue_refused_service'],
    ['trading is currently disabled', 'now', 'venue_unavailable'],
    ['cancel-only', 'now', 'venue_unavailable'],
    ['post-only mode', 'now', 'venue_unavailable'],
    ['market not found', 'anew', 'unknown_token'],
    ['the orderbook 7132 does not exist', 'anew', 'unknown_token'],
    ['Invalid token id', 'anew', 'unknown_token'],
    ['trading is disabled', 'now', 'venue_unavailable'],
    ['Trading disabled', 'now', 'venue_unavailable'],
    ['trading has been halted', 'now', 'venue_unavailable'],
    ['cancel only mode', 'now', 'venue_unavailable'],
    ['this post-only order would cross', 'order', 'post_only_would_cross'],
    ['order crosses the order book', 'order', 'post_only_would_cross'],
    ['price breaks the tick size: 0.01', 'order', 'price_off_tick'],
    ['size is less than the minimum 5', 'order', 'size_below_minimum'],
    ['the balance is not enough', 'order', 'insufficient_balance'],
    ['not enough allowance', 'order', 'insufficient_balance'],
    ['market closed', 'order', 'market_not_accepting_orders'],
    ['the market is not accepting new orders', 'order', 'market_not_accepting_orders'],
    ['invalid order expiration', 'order', 'order_rejected'],
    ['version mismatch', 'anew', 'venue_refused_service'],
    ['invalid apikey', 'anew', 'venue_refused_service'],
    ['the address is banned', 'anew', 'venue_refused_service'],
    ['restricted in your country', 'anew', 'venue_refused_service'],
  ])('%j proves the end of: %s', (sentence, proves, code) => {
    const error = expect.objectContaining({ code, cause: new Error(sentence) });
    expect(SENTENCES.find(({ says }) => says.test(sentence))).toMatchObject({ proves });
    // What is answered by a final code is kept under the key: a caller who has read it orders with a new one.
    expect(FINAL_CODES.some((final) => final === code)).toBe(proves === 'order');
    expect(say(sentence)).toStrictEqual(
      proves === 'order' ? { kind: 'refused', error } : { kind: 'not_taken', error, freesKey: proves === 'anew' },
    );
  });

  it.each([
    ['breaks minimum tick size rule', { venueReason: 'breaks minimum tick size rule' }],
    ['breaks minimum tick size rule: 10', { tickSize: '10' }],
    ['breaks minimum tick size rule, which is 12.0025', { tickSize: '12.0025' }],
    ['lower than the minimum', { venueReason: 'lower than the minimum' }],
    ['lower than the minimum: 15', { minOrderSize: '15' }],
    ['lower than the minimum:  15.25.', { minOrderSize: '15.25' }],
    ['min size: $12.25', { minNotional: '12.25' }],
    ['min size:  $10', { minNotional: '10' }],
    ['min size:$1', { minNotional: '1' }],
  ])('%j names the bound: %j', (sentence, facts) => {
    const fate = say(sentence);
    if (fate === undefined || fate === 'nothing') throw new Error('it proves nothing');
    expect(fate.error.facts).toStrictEqual(facts);
  });

  it.each([
    ['trading is currently disabled', 'has halted trading'],
    ['cancel-only', 'accepts only cancellations'],
    ['post-only mode', 'accepts only post-only orders'],
    ['breaks minimum tick size rule: 0.1', 'a multiple of 0.1'],
    ['lower than the minimum: 15', 'at least 15 shares'],
  ])('%j is told in our words: …%s…', (sentence, words) => {
    const fate = say(sentence);
    expect(typeof fate === 'object' && fate.error.message).toContain(words);
  });
});

describe("the venue's own wording", () => {
  const say = (reason: string, more: { retryAfter?: number; signatureType?: SignatureType } = {}) => {
    const fate = fateSaidBy(reason, { reason, retryAfter: undefined, ...more });
    if (fate === undefined || fate === 'nothing') throw new Error('it proves nothing');
    return fate.error;
  };
  const CROSSES = 'invalid post-only order: order crosses book';
  const AMOUNTS = 'invalid amounts, the buy orders maker amount supports a max accuracy of 4 decimals';
  const SIGNER = 'the order signer address has to be the address of the API KEY';
  const OWNER = 'the order owner has to be the owner of the API KEY';
  const WALLET_TYPE = 'maker address not allowed, please use the deposit wallet flow';
  const NOT_READY = 'the market is not yet ready to process new orders';

  it.each<[string, ErrorCode, object]>([
    [CROSSES, 'post_only_would_cross', { venueReason: CROSSES }],
    [
      'order 0xab is invalid. Price (0.515) breaks minimum tick size rule: 0.01',
      'price_off_tick',
      { tickSize: '0.01' },
    ],
    ['Size (1.58) lower than the minimum: 5.', 'size_below_minimum', { minOrderSize: '5' }],
    [
      'invalid amount for a marketable BUY order ($0.9996), min size: $1',
      'notional_below_minimum',
      { minNotional: '1' },
    ],
    ['not enough balance / allowance: the balance is not enough -> balance: 17', 'insufficient_balance', {}],
    [AMOUNTS, 'order_rejected', { venueReason: AMOUNTS }],
    ['Invalid order payload', 'order_rejected', { venueReason: 'Invalid order payload' }],
    [NOT_READY, 'market_not_accepting_orders', { venueReason: NOT_READY }],
    ['order_version_mismatch', 'venue_refused_service', { reason: 'signature' }],
    [
      "'0x00000000000000000000000000000000000f00d5' address banned",
      'venue_refused_service',
      { reason: 'account_restricted' },
    ],
    ['the address is in closed only mode', 'venue_refused_service', { reason: 'account_restricted' }],
    [
      'Trading restricted in your region, please refer to available regions',
      'venue_refused_service',
      { reason: 'region' },
    ],
    ['No orderbook exists for the requested token id', 'unknown_token', {}],
    ['Trading is currently disabled. Check the site', 'venue_unavailable', {}],
    ['post-only mode: only post-only orders and cancels are allowed', 'venue_unavailable', {}],
  ])('%j is %s %j', (sentence, code, facts) => {
    const error = say(sentence);
    expect([error.code, error.facts]).toStrictEqual([code, facts]);
  });

  it.each([
    [SIGNER, 'deposit-wallet', 'wallet_type'],
    [SIGNER, 'safe', 'credentials'],
    [SIGNER, 'proxy', 'credentials'],
    [SIGNER, 'eoa', 'credentials'],
    [OWNER, 'deposit-wallet', 'credentials'],
    [OWNER, 'safe', 'credentials'],
    [WALLET_TYPE, 'safe', 'wallet_type'],
  ] as const)('%j to an account of kind %s is about %s', (sentence, signatureType, reason) => {
    expect(say(sentence, { signatureType }).facts).toStrictEqual({ reason });
  });

  it('passes on the wait that the venue asks for', () => {
    const waits = [undefined, 0, 119.5].map((retryAfter) =>
      say('cancel-only', retryAfter === undefined ? {} : { retryAfter }),
    );
    expect(waits.map(({ retryAfter }) => retryAfter)).toStrictEqual([5, 1, 120]);
  });

  it('counts with its first 500 characters', () => {
    const far = `${'x'.repeat(500 - CROSSES.length)}${CROSSES}`;
    expect(say(far).code).toBe('post_only_would_cross');
    expect(fateSaidBy(`x${far}`, { reason: far, retryAfter: undefined })).toBeUndefined();
  });
});
