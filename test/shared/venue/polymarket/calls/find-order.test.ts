import { describe, expect, it } from '@jest/globals';
import { createOrderFinder, type LookUp } from '../../../../../shared/venue/polymarket/calls/find-order.ts';
import type { SendAsAccount } from '../../../../../shared/venue/polymarket/http/signed-requests.ts';
import type { SignedOrder } from '../../../../../shared/venue/port.ts';
import { NOTHING_TOLD } from '../../../../support/orders/order-records.ts';
import { CREDENTIALS } from '../../../../support/orders/trading-world.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import { callWithin } from '../../../../support/venue/scripted-venue.ts';

const ID = `0x${'ab'.repeat(32)}`;
const MARKET = `0x${'3c'.repeat(32)}`;
const FUNDER = `0x${'5a'.repeat(20)}`;
const SIGNED_AT = 1_790_000_000_000;
const ORDER = {
  ...{ orderId: ID, tokenId: '7', conditionId: MARKET, postOnly: false, expiresAt: null, signedAt: SIGNED_AT },
  payload: '{"side":"BUY","makerAmount":"5000000","takerAmount":"10000000"}',
};

type Answer = { readonly status?: number; readonly isJson?: boolean; readonly body?: unknown };

/** A finder before a venue that answers so, and the paths that it asks for. */
function finder(answer: (path: string) => Answer) {
  const asked: string[] = [];
  const { log, lines } = collectLog();
  const send: SendAsAccount = async ({ path }) => {
    asked.push(path);
    const { status = 200, isJson = true, body } = answer(path);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { response: { status, isJson, text, retryAfter: undefined }, used: CREDENTIALS };
  };
  return { find: createOrderFinder(send, FUNDER, log), asked, lines };
}

const call = { ...callWithin(), trace: { request_id: 'r-1' } };

/** Returns the placement that a look-up finds, or what it comes to. */
const endOf = (found: LookUp) => (found.kind === 'found' ? found.fate.placement : found.kind);
const lookUp = async (answer: Answer) => endOf(await finder(() => answer).find.order(ORDER, call));

const shown = (status: string, changes: object = {}) => ({
  body: { id: ID, status, size_matched: '0', original_size: '10', associate_trades: [], ...changes },
});

describe('the look-up of an order', () => {
  const FOK = "CANCELED_order couldn't be fully filled. FOK orders are fully filled or killed.";
  it.each<readonly [string, object, string, filled: string | null, remaining: string | null]>([
    ['LIVE', {}, 'live', '0', '10'],
    ['ORDER_STATUS_LIVE', { id: ID.toUpperCase() }, 'live', '0', '10'],
    ['live', { size_matched: '0.00' }, 'live', '0', '10'],
    ['LIVE', { size_matched: '' }, 'live', null, null],
    ['LIVE', { associate_trades: ['t1', 7] }, 'live', null, null],
    ['DELAYED', {}, 'delayed', null, null],
    ['ORDER_STATUS_DELAYED', { associate_trades: null }, 'delayed', null, null],
    ['MATCHED', { size_matched: '10', associate_trades: ['t1', 7] }, 'matched', '10', '0'],
    ['ORDER_STATUS_MATCHED', {}, 'matched', null, null],
    ...['LIVE', 'UNMATCHED', 'SOMETHING_NEW'].map(
      (state) => [state, { size_matched: '2.5' }, 'matched', '2.5', '7.5'] as const,
    ),
    ...['CANCELED', 'CANCELLED', 'INVALID', 'ORDER_STATUS_CANCELED_MARKET_RESOLVED'].map(
      (state) => [state, {}, 'cancelled', '0', '10'] as const,
    ),
    ['canceled_by the user', { size_matched: '2.5' }, 'cancelled', '2.5', '7.5'],
    [FOK, { size_matched: '' }, 'cancelled', null, null],
  ])('that shows %s %j: %s, filled %j', async (state, changes, status, filledSize, remainingSize) => {
    expect(await lookUp(shown(state, changes))).toStrictEqual({
      ...{ orderId: ID, status, filledSize, remainingSize, filledValue: null, transactionHashes: [] },
      tradeIds: JSON.stringify(changes).includes('t1') ? ['t1'] : [],
    });
  });

  it.each<readonly [string, Answer]>([
    ['not_found', { status: 404, body: { error: 'order not found' } }],
    ['not_found', { body: 'null' }],
    // A page of the edge, another status, an order as text, and another order.
    ['unusable', { status: 404, isJson: false, body: '{"error":"order not found"}' }],
    ['unusable', { status: 404, body: { message: 'no' } }],
    ['unusable', { status: 500, body: { error: 'x' } }],
    ['unusable', { status: 400, body: { error: 'order not found' } }],
    ['unusable', { ...shown('LIVE'), isJson: false }],
    ['unusable', shown('LIVE', { id: `0x${'ee'.repeat(32)}` })],
    ['unusable', shown('LIVE', { size_matched: undefined })],
    ...['PARKED', 'UNMATCHED', 'CANCELED by 0b54c7de-91a2-4f1e-8a36-5d2f90c1e7ab'].map(
      (state) => ['unusable', shown(state)] as const,
    ),
  ])('is %s after %j', async (kind, answer) => {
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
const ours = (changes: object = {}) => trade({ taker_order_id: ID, ...changes });
const pageOf = (data: unknown, next_cursor: string | null = 'LTE=') => ({ body: { data, next_cursor } });
const EMPTY = pageOf([]);

async function lookUpTrades(answer: (path: string) => Answer, changes: Partial<SignedOrder> = {}) {
  const { find, asked } = finder(answer);
  return { found: endOf(await find.trades({ ...ORDER, ...changes }, call)), asked };
}

describe('the look-up of trades', () => {
  it.each<[string, readonly object[], readonly string[], readonly string[]]>([
    ['the taker', [ours({ transaction_hash: '0xaa' })], ['t1'], ['0xaa']],
    ['a maker', [trade({ maker_orders: [{ order_id: ID.toUpperCase() }], transaction_hash: '' })], ['t1'], []],
    ['the taker beside unreadable makers', [ours({ maker_orders: 'many' })], ['t1'], []],
    [
      'one that is retried beside a failed one',
      [ours({ status: 'FAILED' }), ours({ id: 't2', status: 'RETRYING' })],
      ['t2'],
      [],
    ],
    [
      'two in one transaction',
      [ours({ transaction_hash: '0xaa' }), ours({ id: 't2', transaction_hash: '0xaa' }), ours()],
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

  it.each([
    ['one that is found', false, [ours()], { status: 'matched' }],
    // The venue may leave out what the account took.
    ['one that may have taken', false, [], 'unusable'],
    ['one that cannot have taken', true, [], 'not_found'],
  ])('asks by the account if the venue requires it: %s', async (_what, postOnly, rows, expected) => {
    const answer = (path: string) =>
      path.includes('maker_address') ? pageOf(rows) : { status: 400, body: { error: 'Invalid trade params payload' } };
    const { found, asked } = await lookUpTrades(answer, { postOnly });
    if (typeof expected === 'string') expect(found).toBe(expected);
    else expect(found).toMatchObject(expected);
    const first = '/data/trades?asset_id=7';
    expect(asked.slice(0, 2)).toStrictEqual([first, `${first}&maker_address=${FUNDER}`]);
  });

  const old = (ageMs: number) => trade({ match_time: String((SIGNED_AT - ageMs) / 1_000) });
  const others = { maker_orders: [{ order_id: '0x1' }] };
  it.each<readonly [string, Answer]>([
    ['not_found', EMPTY],
    ['not_found', pageOf([trade(others)], null)],
    ['unusable', { ...EMPTY, isJson: false }],
    ['unusable', { ...EMPTY, status: 500 }],
    ['unusable', { status: 404, body: { error: 'not found' } }],
    ['unusable', { body: 'null' }],
    ['unusable', pageOf('none')],
    // Failed trades alone, in both spellings.
    ...['FAILED', 'TRADE_STATUS_FAILED'].map((status) => ['unusable', pageOf([ours({ status })])] as const),
    // A trade that may be ours.
    ...['many', null, [{ order_id: null }], [{ order_id: '' }]].map(
      (maker_orders) => ['unusable', pageOf([trade({ maker_orders })])] as const,
    ),
    ...[undefined, null, ''].map(
      (taker_order_id) => ['unusable', pageOf([trade({ ...others, taker_order_id })])] as const,
    ),
    ['unusable', pageOf([], 'a cursor that stands still')],
    // Pages in the order of time that end more than an hour before the order, or less, or in no order, or without times.
    ['not_found', pageOf([old(0), old(3_601_000)], 'Mg==')],
    ['unusable', pageOf([old(0), old(3_599_000)], 'Mg==')],
    ['unusable', pageOf([old(3_602_000), old(0), old(3_601_000)], 'Mg==')],
    ['unusable', pageOf([trade()], 'Mg==')],
  ])('is %s after %j', async (kind, answer) => {
    expect((await lookUpTrades(() => answer)).found).toBe(kind);
  });

  it('reads ten pages of 1,000 rows at most, and does not believe an empty list without a market', async () => {
    let page = 0;
    const endless = await lookUpTrades(() => {
      page += 1;
      return pageOf([], `page ${page}`);
    });
    expect([endless.found, endless.asked.length]).toStrictEqual(['unusable', 10]);
    const rows = (length: number) => pageOf(Array.from({ length }, () => trade()));
    expect((await lookUpTrades(() => rows(1_000))).found).toBe('not_found');
    expect((await lookUpTrades(() => rows(1_001))).found).toBe('unusable');
    expect((await lookUpTrades(() => EMPTY, { conditionId: null })).found).toBe('unusable');
  });
});
