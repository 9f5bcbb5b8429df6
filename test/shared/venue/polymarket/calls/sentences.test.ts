import { describe, expect, it } from '@jest/globals';
import { computeAddress } from 'ethers';
import fc from 'fast-check';
import { z } from 'zod';
import { FINAL_CODES } from '../../../../../shared/errors.ts';
import {
  cleanVenueReason,
  fateSaidBy,
  rejected as rejectedBy,
  SENTENCES,
} from '../../../../../shared/venue/polymarket/calls/sentences.ts';
import {
  API_KEY,
  API_SECRET,
  openWorld,
  PASSPHRASE,
  PRIVATE_KEY,
  place,
} from '../../../../support/orders/trading-world.ts';
import type { Reply } from '../../../../support/venue/scripted-venue.ts';
import { funderOf } from '../../../../support/venue/signing.ts';

const ended = z.looseObject({ facts: z.looseObject({ orderId: z.optional(z.string()) }) });

/** Returns the fate of an order to which the venue answers this, and how often it was sent. */
async function answeredWith(reply: Reply) {
  const world = await openWorld({ post: () => reply });
  const { signed, result } = await place(world);
  const {
    facts: { orderId, ...facts },
    ...told
  } = ended.parse(result);
  expect(orderId).toBe(signed.orderId);
  return { result: { ...told, facts }, sent: world.venue.calls().filter((call) => call === 'POST /order').length };
}

function error(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, body: { error: text } };
}

const HTML = { 'content-type': 'text/html' };
const service = (reason: string) => ({ code: 'venue_refused_service', facts: { reason } });
const rejected = (text: string) => ({ code: 'order_rejected', facts: { venueReason: text } });
const CROSSES = 'invalid post-only order: order crosses book';
const SIGNER = 'the order signer address has to be the address of the API KEY';
const OWNER = 'the order owner has to be the owner of the API KEY';
const WALLET_TYPE = 'maker address not allowed, please use the deposit wallet flow';
const AMOUNTS = 'invalid amounts, the buy orders maker amount supports a max accuracy of 4 decimals';
const BALANCE = 'not enough balance / allowance: the balance is not enough -> balance: 17, order amount: 5000000';
const POST_ONLY = 'post-only mode: only post-only orders and cancels are allowed';

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

describe('a refusal by the venue', () => {
  it.each<[number, string, object]>([
    [400, CROSSES, { code: 'post_only_would_cross', facts: { venueReason: CROSSES } }],
    [
      400,
      'order crosses the book',
      { code: 'post_only_would_cross', facts: { venueReason: 'order crosses the book' } },
    ],
    [
      400,
      'order is invalid. Price (0.515) breaks minimum tick size rule: 0.01',
      { code: 'price_off_tick', facts: { tickSize: '0.01' } },
    ],
    [400, 'Size (1.58) lower than the minimum: 5.', { code: 'size_below_minimum', facts: { minOrderSize: '5' } }],
    [
      400,
      'invalid amount for a marketable BUY order ($0.9996), min size: $1',
      { code: 'notional_below_minimum', facts: { minNotional: '1' } },
    ],
    [400, BALANCE, { code: 'insufficient_balance', facts: {} }],
    [400, AMOUNTS, rejected(AMOUNTS)],
    [400, 'invalid expiration', rejected('invalid expiration')],
    [400, 'Invalid order payload', rejected('Invalid order payload')],
    [400, 'order_version_mismatch', service('signature')],
    [400, 'invalid signature', service('signature')],
    [400, SIGNER, service('credentials')],
    [400, OWNER, service('credentials')],
    [400, WALLET_TYPE, service('wallet_type')],
    [400, "'0x00000000000000000000000000000000000f00d5' address banned", service('account_restricted')],
    [400, 'the address is in closed only mode', service('account_restricted')],
    [
      400,
      'the market is not yet ready to process new orders',
      {
        code: 'market_not_accepting_orders',
        facts: { venueReason: 'the market is not yet ready to process new orders' },
      },
    ],
    [403, 'Trading restricted in your region, please refer to available regions', service('region')],
    [404, 'market not found', { code: 'unknown_token', facts: {} }],
    [404, 'No orderbook exists for the requested token id', { code: 'unknown_token', facts: {} }],
    [400, 'the orderbook 7132 does not exist', { code: 'unknown_token', facts: {} }],
    [400, 'Invalid token id', { code: 'unknown_token', facts: {} }],
    [503, 'trading is disabled', { code: 'venue_unavailable', facts: {}, retryAfter: 5 }],
    [425, 'restarting', { code: 'venue_unavailable', facts: {}, retryAfter: 5 }],
    [429, 'Too Many Requests', { code: 'rate_limited', facts: {}, retryAfter: 1 }],
    [503, 'Trading is currently disabled. Check the site', { code: 'venue_unavailable', facts: {}, retryAfter: 5 }],
    [503, 'Trading is currently cancel-only.', { code: 'venue_unavailable', facts: {}, retryAfter: 5 }],
    [503, POST_ONLY, { code: 'venue_unavailable', facts: {}, retryAfter: 5 }],
  ])('%i %j is told as what it is, and the order is sent once', async (status, text, result) => {
    expect(await answeredWith(error(status, text))).toStrictEqual({ result, sent: 1 });
  });

  it.each([
    [SIGNER, 'deposit-wallet', 'wallet_type'],
    [SIGNER, 'safe', 'credentials'],
    [SIGNER, 'proxy', 'credentials'],
    [OWNER, 'deposit-wallet', 'credentials'],
    [OWNER, 'safe', 'credentials'],
    [WALLET_TYPE, 'safe', 'wallet_type'],
  ] as const)('%j to an account of kind %s is about %s', async (text, signatureType, reason) => {
    const funderAddress = funderOf(computeAddress(PRIVATE_KEY), signatureType);
    const world = await openWorld({ post: () => error(400, text) }, { signatureType, funderAddress });
    expect((await place(world)).result).toMatchObject(service(reason));
  });

  it.each<[string, Reply, object]>([
    ['an empty 425', { status: 425, headers: { 'retry-after': '1' } }, { code: 'venue_unavailable', retryAfter: 1 }],
    [
      'a 429 of the edge',
      { status: 429, headers: { ...HTML, 'retry-after': '9' } },
      { code: 'rate_limited', retryAfter: 9 },
    ],
    ['a 429 that wants no wait', error(429, 'x', { 'retry-after': '0' }), { code: 'rate_limited', retryAfter: 1 }],
    ['a 429 that wants for ever', error(429, 'x', { 'retry-after': '9'.repeat(12) }), { retryAfter: 86_400 }],
    [
      'a hint in the body',
      { status: 503, body: { error: POST_ONLY, retry_after_seconds: 119.5 } },
      { retryAfter: 120 },
    ],
    ['a senseless hint', { status: 503, body: { error: POST_ONLY, retry_after_seconds: -1 } }, { retryAfter: 5 }],
  ])('passes on the wait and the reason of %s', async (_what, reply, expected) => {
    expect(await answeredWith(reply)).toMatchObject({ result: expected, sent: 1 });
  });

  it.each<[object, object]>([
    [{ success: true, errorMsg: CROSSES, orderID: '', status: '' }, { code: 'post_only_would_cross' }],
    [
      { success: true, errorMsg: BALANCE, orderID: '', status: '' },
      { code: 'insufficient_balance', facts: {} },
    ],
    [{ success: false, errorMsg: 'invalid expiration', orderID: '', status: '' }, rejected('invalid expiration')],
    [{ errorMsg: POST_ONLY }, { code: 'venue_unavailable', retryAfter: 5 }],
  ])('is a refusal in a 200 too: %j', async (body, expected) => {
    expect(await answeredWith({ body })).toMatchObject({ result: expected, sent: 1 });
  });

  it.each([400, 404, 405, 408, 409, 422])('is believed by its sentence under a %i too', async (status) => {
    expect(await answeredWith(error(status, CROSSES))).toMatchObject({
      result: { code: 'post_only_would_cross' },
      sent: 1,
    });
  });

  it('is found by look-ups when no message of the venue reports it', async () => {
    const replies = [
      { status: 403, headers: HTML, body: '<html>' },
      // So the firewall answers those that accept JSON.
      { status: 403, body: { title: 'Error 1020: Access denied', status: 403, cloudflare_error: true } },
      error(403, 'Forbidden'),
    ];
    expect(await Promise.all(replies.map(answeredWith))).toMatchObject([
      { result: service('firewall'), sent: 1 },
      { result: service('firewall'), sent: 1 },
      { result: { code: 'outcome_unknown', facts: { venueReason: 'Forbidden' } }, sent: 1 },
    ]);
  }, 20_000);

  it('names the order in its sentence, which makes it no acceptance', async () => {
    const world = await openWorld({
      post: (id) => error(400, `order ${id} is invalid. Price (0.515) breaks minimum tick size rule: 0.01`),
    });
    expect((await place(world)).result).toMatchObject({ code: 'price_off_tick', facts: { tickSize: '0.01' } });
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order']);
  });
});

const SECRETS = [API_KEY, API_SECRET, PASSPHRASE];
const ADDRESS = '0x00000000000000000000000000000000000F00d5';

describe("the venue's sentence", () => {
  it.each([
    ['invalid post-only order: order crosses book', 'invalid post-only order: order crosses book'],
    [`maker ${ADDRESS} is odd`, `maker ${ADDRESS} is odd`],
    [`maker=${ADDRESS}, size=5`, `maker=${ADDRESS}, size=5`],
    [`'${ADDRESS}' address banned`, `'${ADDRESS}' address banned`],
    [`the key ${API_KEY} is bad`, 'the key [removed] is bad'],
    [`the key ${API_KEY.toUpperCase()} is bad`, 'the key [removed] is bad'],
    [`pass ${PASSPHRASE}.`, 'pass [removed].'],
    [`secret "${API_SECRET}"`, 'secret "[removed]"'],
    ['uuid 11112222-3333-4444-8555-666677778888!', 'uuid [removed]!'],
    [`hash 0x${'ab12'.repeat(16)}`, 'hash [removed]'],
    [`token ${API_KEY.slice(0, 4)}${ADDRESS}`, 'token [removed]'],
    [`token ${ADDRESS}${API_KEY.slice(0, 4)}`, 'token [removed]'],
    ['token AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf', 'token [removed]'],
    ['api_key=k1k1k1k1k1k1k1k1k1k1', 'api_key=[removed]'],
    [`token ${'7'.repeat(77)}`, `token ${'7'.repeat(77)}`],
    ['see https://docs.example.com/api-reference/geoblock', 'see https://docs.example.com/api-reference/geoblock'],
    ['two\r\nlines\u0000 and\u200b  a\ttab ', 'two lines and a tab'],
    ['', ''],
  ])('%j is passed on as %j', (text, cleaned) => {
    expect(cleanVenueReason(text, SECRETS)).toBe(cleaned);
  });

  it('has 200 characters at most, none of them half', () => {
    expect(cleanVenueReason(`${'x '.repeat(99)}x😀😀`, [])).toBe(`${'x '.repeat(99)}x😀`);
  });

  it('never holds a secret', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...SECRETS), fc.string(), (before, secret, after) => {
        expect(cleanVenueReason(before + secret + after, SECRETS)).not.toContain(secret);
      }),
    );
  });
});
