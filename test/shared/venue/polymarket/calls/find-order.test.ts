import { describe, expect, it } from '@jest/globals';
import { createOrderFinder } from '../../../../../shared/venue/polymarket/calls/find-order.ts';
import type { SendAsAccount } from '../../../../../shared/venue/polymarket/http/signed-requests.ts';
import { NOTHING_TOLD } from '../../../../support/orders/order-records.ts';
import { CREDENTIALS } from '../../../../support/orders/trading-world.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin } from '../../../../support/venue/scripted-venue.ts';

const ID = `0x${'ab'.repeat(32)}`;
const MARKET = `0x${'3c'.repeat(32)}`;
const SIGNED_AT = 1_790_000_000_000;
const ORDER = {
  orderId: ID,
  tokenId: '7',
  conditionId: MARKET,
  postOnly: false,
  expiresAt: null,
  signedAt: SIGNED_AT,
  payload: '{"side":"BUY","makerAmount":"5000000","takerAmount":"10000000"}',
};

interface Answer {
  readonly status?: number;
  readonly isJson?: boolean;
  readonly body?: unknown;
}

/** A finder before a venue that answers so, and the paths that it asks for. */
function finder(answer: (path: string) => Answer) {
  const asked: string[] = [];
  const { log, lines } = collectLog();
  const send: SendAsAccount = async (make) => {
    const { path } = make(CREDENTIALS);
    asked.push(path);
    const { status = 200, isJson = true, body } = answer(path);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { response: { status, isJson, text, retryAfter: undefined }, used: CREDENTIALS };
  };
  return { find: createOrderFinder(send, log), asked, lines };
}

const call = { ...callWithin(), trace: { request_id: 'r-1' } };

async function lookUp(answer: Answer) {
  const found = await finder(() => answer).find.order(ORDER, call);
  return found.kind === 'found' ? found.fate.placement : found.kind;
}

const shown = (status: string, changes: object = {}) => ({
  body: { id: ID, status, size_matched: '0', original_size: '10', associate_trades: [], ...changes },
});

describe('the look-up of an order', () => {
  const FOK = "CANCELED_order couldn't be fully filled. FOK orders are fully filled or killed.";
  it.each<[string, object, string, filled: string | null, remaining: string | null]>([
    ['LIVE', {}, 'live', '0', '10'],
    ['ORDER_STATUS_LIVE', { id: ID.toUpperCase() }, 'live', '0', '10'],
    ['live', { size_matched: '0.00' }, 'live', '0', '10'],
    ['LIVE', { size_matched: '' }, 'live', null, null],
    ['LIVE', { size_matched: '2.5' }, 'matched', '2.5', '7.5'],
    ['LIVE', { associate_trades: ['t1', 7] }, 'live', null, null],
    ['DELAYED', {}, 'delayed', null, null],
    ['ORDER_STATUS_DELAYED', { associate_trades: null }, 'delayed', null, null],
    ['MATCHED', { size_matched: '10', associate_trades: ['t1', 7] }, 'matched', '10', '0'],
    ['ORDER_STATUS_MATCHED', {}, 'matched', null, null],
    ['UNMATCHED', { size_matched: '2.5' }, 'matched', '2.5', '7.5'],
    ['SOMETHING_NEW', { size_matched: '1' }, 'matched', '1', '9'],
    ['CANCELED', {}, 'cancelled', '0', '10'],
    ['CANCELED', { size_matched: '2.5' }, 'cancelled', '2.5', '7.5'],
    ['CANCELLED', {}, 'cancelled', '0', '10'],
    ['INVALID', {}, 'cancelled', '0', '10'],
    ['ORDER_STATUS_CANCELED_MARKET_RESOLVED', {}, 'cancelled', '0', '10'],
    [FOK, { size_matched: '' }, 'cancelled', null, null],
    ['canceled_by the user', { size_matched: '2.5' }, 'cancelled', '2.5', '7.5'],
  ])('that shows %s %j: %s, filled %j', async (state, changes, status, filledSize, remainingSize) => {
    expect(await lookUp(shown(state, changes))).toStrictEqual({
      ...{ orderId: ID, status, filledSize, remainingSize, filledValue: null, transactionHashes: [] },
      tradeIds: JSON.stringify(changes).includes('t1') ? ['t1'] : [],
    });
  });

  it.each<[string, Answer, string]>([
    ["the venue's own 404", { status: 404, body: { error: 'order not found' } }, 'not_found'],
    ['null', { body: 'null' }, 'not_found'],
    ['a 404 of the edge', { status: 404, isJson: false, body: '<html>' }, 'unusable'],
    ['a foreign 404', { status: 404, body: { message: 'no' } }, 'unusable'],
    ['500', { status: 500, body: { error: 'x' } }, 'unusable'],
    ['404 as another status', { status: 400, body: { error: 'order not found' } }, 'unusable'],
    ['an order as text', { ...shown('LIVE'), isJson: false }, 'unusable'],
    ['another order', shown('LIVE', { id: `0x${'ee'.repeat(32)}` }), 'unusable'],
    ['a status that is new', shown('PARKED'), 'unusable'],
    ['UNMATCHED', shown('UNMATCHED'), 'unusable'],
    ['a status with a tail', shown('CANCELED by 0b54c7de-91a2-4f1e-8a36-5d2f90c1e7ab'), 'unusable'],
    ['an order without size_matched', shown('LIVE', { size_matched: undefined }), 'unusable'],
  ])('that says %s is %s', async (_what, answer, kind) => {
    expect(await lookUp(answer)).toBe(kind);
  });

  it('asks for the order by its id; a failed request is unusable, and a line for debugging', async () => {
    const { find, asked, lines } = finder(() => {
      throw new Error('down');
    });
    expect(await find.order(ORDER, call)).toStrictEqual({ kind: 'unusable' });
    expect(asked).toStrictEqual([`/data/order/${ID}`]);
    const line = { level: 'debug', message: 'look-up failed', venue_request: 'read-order', request_id: 'r-1' };
    expect(lines).toMatchObject([{ ...line, error: { message: 'down' } }]);
  });
});

const trade = (changes: object = {}) => ({ id: 't1', taker_order_id: '0x0', maker_orders: [], ...changes });
const OURS = trade({ taker_order_id: ID });
const pageOf = (data: unknown, next_cursor: string | null = 'LTE=') => ({ body: { data, next_cursor } });
const EMPTY = pageOf([]);

async function lookUpTrades(answer: (path: string) => Answer, conditionId: string | null = MARKET) {
  const { find, asked } = finder(answer);
  const found = await find.trades({ ...ORDER, conditionId }, call);
  return { found: found.kind === 'found' ? found.fate.placement : found.kind, asked };
}

describe('the look-up of trades', () => {
  it.each<[string, readonly object[], readonly string[], readonly string[]]>([
    ['the taker', [{ ...OURS, transaction_hash: '0xaa' }], ['t1'], ['0xaa']],
    ['a maker', [trade({ maker_orders: [{ order_id: ID.toUpperCase() }], transaction_hash: '' })], ['t1'], []],
    ['the taker beside unreadable makers', [trade({ taker_order_id: ID, maker_orders: 'many' })], ['t1'], []],
    [
      'one that is retried beside a failed one',
      [
        { ...OURS, status: 'FAILED' },
        { ...OURS, id: 't2', status: 'RETRYING' },
      ],
      ['t2'],
      [],
    ],
    [
      'two in one transaction',
      [{ ...OURS, transaction_hash: '0xaa' }, { ...OURS, id: 't2', transaction_hash: '0xaa' }, OURS],
      ['t1', 't2'],
      ['0xaa'],
    ],
  ])('finds an order as %s, with nothing known of its amounts', async (_what, rows, tradeIds, transactionHashes) => {
    const { found, asked } = await lookUpTrades(() => pageOf([trade({ id: 't0' }), ...rows]));
    expect(found).toStrictEqual({ orderId: ID, status: 'matched', ...NOTHING_TOLD, transactionHashes, tradeIds });
    // By the token, and not by a time, which would be one of a clock.
    expect(asked).toStrictEqual(['/data/trades?asset_id=7']);
  });

  it('asks by the market too, where the other token was matched, and for all pages', async () => {
    const { found, asked } = await lookUpTrades((path) => {
      if (!path.includes('market')) return EMPTY;
      return path.includes('next_cursor') ? pageOf([trade({ maker_orders: [{ order_id: ID }] })]) : pageOf([], 'Mg==');
    });
    expect(found).toMatchObject({ status: 'matched', tradeIds: ['t1'] });
    const market = `/data/trades?market=${MARKET}`;
    expect(asked).toStrictEqual(['/data/trades?asset_id=7', market, `${market}&next_cursor=Mg%3D%3D`]);
  });

  const old = (ageMs: number) => trade({ match_time: String((SIGNED_AT - ageMs) / 1_000) });
  it.each<readonly [string, Answer, string]>([
    ['none', EMPTY, 'not_found'],
    ['those of others', pageOf([trade({ maker_orders: [{ order_id: '0x1' }] })], null), 'not_found'],
    ['no text', { ...EMPTY, isJson: false }, 'unusable'],
    ["the venue's own 404", { status: 404, body: { error: 'not found' } }, 'unusable'],
    ['500', { ...EMPTY, status: 500 }, 'unusable'],
    ['null', { body: 'null' }, 'unusable'],
    ['no list', pageOf('none'), 'unusable'],
    ['more rows than a page has', pageOf(Array.from({ length: 1_001 }, () => trade())), 'unusable'],
    ['a failed one alone', pageOf([{ ...OURS, status: 'FAILED' }]), 'unusable'],
    ['a failed one in the other spelling', pageOf([{ ...OURS, status: 'TRADE_STATUS_FAILED' }]), 'unusable'],
    ...['many', null, [{ order_id: null }], [{ order_id: '' }]].map(
      (maker_orders) =>
        [`the makers ${JSON.stringify(maker_orders)}`, pageOf([trade({ maker_orders })]), 'unusable'] as const,
    ),
    ...[undefined, null, ''].map(
      (taker_order_id) =>
        [
          `the taker ${JSON.stringify(taker_order_id)}`,
          pageOf([trade({ taker_order_id, maker_orders: [{ order_id: '0x0' }] })]),
          'unusable',
        ] as const,
    ),
    ['a cursor that stands still', pageOf([], 'again'), 'unusable'],
    ['a page that ends more than an hour before the order', pageOf([old(0), old(3_601_000)], 'Mg=='), 'not_found'],
    ['one that ends less than an hour before it', pageOf([old(0), old(3_599_000)], 'Mg=='), 'unusable'],
    ['one that is not sorted', pageOf([old(3_602_000), old(0), old(3_601_000)], 'Mg=='), 'unusable'],
    ['one without times', pageOf([trade()], 'Mg=='), 'unusable'],
  ])('that has %s: %s', async (_what, answer, kind) => {
    expect((await lookUpTrades(() => answer)).found).toBe(kind);
  });

  it('reads ten pages at most, and does not believe an empty list without a market', async () => {
    let page = 0;
    const endless = await lookUpTrades(() => {
      page += 1;
      return pageOf([], `page ${page}`);
    });
    expect([endless.found, endless.asked.length]).toStrictEqual(['unusable', 10]);
    expect((await lookUpTrades(() => EMPTY, null)).found).toBe('unusable');
  });
});
