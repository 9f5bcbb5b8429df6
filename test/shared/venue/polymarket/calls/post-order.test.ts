import { describe, expect, it } from '@jest/globals';
import { orderBody, readPosted } from '../../../../../shared/venue/polymarket/calls/post-order.ts';

const ID = `0x${'ab'.repeat(32)}`;
const CROSSES = 'invalid post-only order: order crosses book';
const NOBODY_KNOWS = 'nobody knows';
const REMOVED = (text: string) => text.replace('secret', '[removed]');

const ORDER = {
  ...{ orderId: ID, tokenId: '7', conditionId: null, postOnly: false, expiresAt: null, signedAt: 0 },
  payload: '{"side":"BUY","makerAmount":"4200000","takerAmount":"10000000"}',
};

/** The answer to an order that was accepted. */
function accepted(changes: object = {}) {
  const silence = { errorMsg: '', makingAmount: '', takingAmount: '', transactionsHashes: [], tradeIDs: [] };
  return { success: true, orderID: ID, status: 'live', ...silence, ...changes };
}

/** The same without its id and its status. */
const denied = (changes: object = {}) => accepted({ success: false, orderID: '', status: '', ...changes });

type Changes = { readonly isJson?: boolean; readonly retryAfter?: number | undefined };

function read(status: number, body: unknown, { isJson = true, retryAfter }: Changes = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readPosted({ status, isJson, retryAfter, text }, ORDER, REMOVED, 'eoa');
}

/** Sums up what an answer proves: the end of the order, or why it proves none and what it only claims. */
function proved(status: number, body: unknown, changes?: Changes): string {
  const posted = read(status, body, changes);
  const end = posted.kind === 'unconfirmed' ? posted.said : posted;
  const told = end === undefined || end.kind === 'placed' ? '' : ` ${end.kind} ${end.error.code}`;
  const freed = end?.kind === 'not_taken' && end.freesKey ? ' and frees the key' : '';
  if (posted.kind !== 'unconfirmed') return (told + freed).trim() || posted.kind;
  const { why, unknownMessage, isFirewall } = posted;
  const how = `${unknownMessage === undefined ? '' : ' in unknown words'}${isFirewall ? ' by a firewall' : ''}`;
  return `unconfirmed (${why})${how}${told}${freed}`;
}

it.each([
  [{ expiresAt: null, postOnly: false }, 'false', 'GTC'],
  [{ expiresAt: 1_790_000_000_000, postOnly: true }, 'true', 'GTD'],
])('the body of an order of %j has the signed order as it is, and its type by its end', (terms, postOnly, type) => {
  const body = `{"deferExec":false,"postOnly":${postOnly},"order":{"a":1},"owner":"k\\"y","orderType":"${type}"}`;
  expect(orderBody({ ...ORDER, ...terms, payload: '{"a":1}' }, 'k"y')).toBe(body);
});

describe('an accepted order', () => {
  it('is placed with the facts of the answer', () => {
    // Ids that are no texts are left out.
    const ids = { transactionsHashes: '0xaa', tradeIDs: [17, 't1', { id: 't2' }] };
    const fills = { filledSize: '2.5', remainingSize: '7.5', filledValue: '1.05' };
    expect(read(200, accepted({ status: 'matched', makingAmount: '1.05', takingAmount: 2.5, ...ids }))).toStrictEqual({
      kind: 'placed',
      placement: { orderId: ID, status: 'matched', ...fills, transactionHashes: ['0xaa'], tradeIds: ['t1'] },
    });
  });

  it.each([
    ['matched', {}, null],
    ['matched', { makingAmount: null, takingAmount: undefined }, null],
    ['matched', { makingAmount: '4.2', takingAmount: '10' }, '10'],
    ['live', {}, '0'],
    ['live', { tradeIDs: ['t1'] }, null],
    ['live', { transactionsHashes: ['0xaa'], makingAmount: '0', takingAmount: '0' }, null],
    ['live', { tradeIDs: ['t1'], makingAmount: '1.05', takingAmount: '2.5' }, '2.5'],
    ['live', { tradeIDs: [17] }, null],
    ['live', { transactionsHashes: '0xaa' }, null],
    ['live', { transactionsHashes: '', tradeIDs: null }, '0'],
    ['live', { makingAmount: { toString: 1, valueOf: 1 }, takingAmount: { toString: 1 } }, null],
    ['live', { makingAmount: ['4.2'], takingAmount: ['10'] }, null],
    ['live', { makingAmount: false, takingAmount: false }, null],
    ['delayed', {}, null],
  ])('that is %s %j has filled %j', (status, changes, filledSize) => {
    expect(read(200, accepted({ status, ...changes }))).toMatchObject({ kind: 'placed', placement: { filledSize } });
  });
});

const MEMBERS = 'unconfirmed (an answer with members of an accepted order)';
const wordless = (status: number) => `unconfirmed (status ${status} without a message of the venue)`;
const says = (error: string) => ({ error });

describe('an answer to an order', () => {
  it.each<readonly [number, unknown, string]>([
    [200, accepted({ status: 'LIVE', orderID: ID.toUpperCase() }), 'placed'],
    [201, accepted(), 'placed'],
    [200, accepted({ errorMsg: undefined, transactionsHashes: null, tradeIDs: null }), 'placed'],
    ...[
      { orderID: `0x${'cd'.repeat(32)}` },
      { success: false },
      { success: undefined },
      { success: 'true' },
      { errorMsg: NOBODY_KNOWS },
      { error: NOBODY_KNOWS },
      { errorMsg: CROSSES },
      { errorMsg: { code: 7 } },
      { error: 400 },
      { status: 'parked' },
      { status: 'parked', orderID: '' },
      { status: '' },
    ].map((changes) => [200, accepted(changes), MEMBERS] as const),
    ...[202, 400, 429, 500].map((status) => [status, accepted(), MEMBERS] as const),
    // Its members go before its words, which then are a claim.
    [200, accepted({ status: 'parked', success: false, errorMsg: NOBODY_KNOWS }), `${MEMBERS} in unknown words`],
    [200, accepted({ status: 'parked', errorMsg: CROSSES }), `${MEMBERS} refused post_only_would_cross`],
    ...[
      { tradeIDs: ['t1'] },
      { transactionsHashes: ['0xaa'] },
      { tradeIDs: [17] },
      { transactionsHashes: '0xaa' },
    ].flatMap((named) => [
      [200, denied({ errorMsg: CROSSES, ...named }), MEMBERS] as const,
      [429, { error: 'Too Many Requests', ...named }, MEMBERS] as const,
    ]),
    // A sentence of the venue, by its status.
    ...[200, 400, 499].map((status) => [status, says(CROSSES), 'refused post_only_would_cross'] as const),
    ...[302, 500, 503].map((status) => [status, says(CROSSES), `unconfirmed (status ${status}: ${CROSSES})`] as const),
    [400, says('invalid signature'), 'not_taken venue_refused_service and frees the key'],
    [401, says('address banned'), 'not_taken venue_refused_service and frees the key'],
    [404, says('market not found'), 'not_taken unknown_token and frees the key'],
    [503, says('cancel-only'), 'not_taken venue_unavailable'],
    [500, says('cancel-only'), 'unconfirmed (status 500: cancel-only)'],
    ...[400, 499].map(
      (status) => [status, says(NOBODY_KNOWS), `unconfirmed (${NOBODY_KNOWS}) in unknown words`] as const,
    ),
    [500, says(NOBODY_KNOWS), `unconfirmed (status 500: ${NOBODY_KNOWS})`],
    ...[200, 201].map((status) => [status, says(NOBODY_KNOWS), `unconfirmed (${NOBODY_KNOWS})`] as const),
    ...[400, 425].map((status) => [status, says('Duplicated'), 'unconfirmed (Duplicated)'] as const),
    [400, says('a secret'), 'unconfirmed (a [removed]) in unknown words'],
    [400, says('Duplicated secret'), 'unconfirmed (Duplicated [removed])'],
    // In a 200, and in two places.
    [200, denied({ errorMsg: NOBODY_KNOWS }), `unconfirmed (${NOBODY_KNOWS}) in unknown words`],
    [200, denied({ errorMsg: NOBODY_KNOWS, success: true }), `unconfirmed (${NOBODY_KNOWS})`],
    [200, denied({ errorMsg: CROSSES, error: NOBODY_KNOWS }), 'refused post_only_would_cross'],
    [200, denied({ errorMsg: 'Duplicated', error: CROSSES }), 'unconfirmed (Duplicated)'],
    [200, denied({ errorMsg: CROSSES, error: 'Duplicated' }), `unconfirmed (${CROSSES})`],
    [429, { errorMsg: 'x', error: 'Duplicated' }, 'unconfirmed (x)'],
    // Without a sentence.
    ...['', '[]', 'null', '{"error":1}', `{"error":"${CROSSES}"`].map((body) => [400, body, wordless(400)] as const),
    [401, {}, 'not_taken venue_refused_service'],
    ...[200, 400, 403, 409, 499].map((status) => [status, {}, wordless(status)] as const),
    ...[202, 503].map((status) => [status, {}, `unconfirmed (status ${status}: no sentence)`] as const),
    [403, { cloudflare_error: true }, `${wordless(403)} by a firewall`],
    [403, { cloudflare_error: false }, wordless(403)],
    [403, { cloudflare_error: 1 }, wordless(403)],
    [400, { cloudflare_error: true }, wordless(400)],
  ])('%i %j proves: %s', (status, body, end) => {
    expect(proved(status, body)).toBe(end);
  });

  it.each<readonly [number, string]>([
    [425, 'not_taken venue_unavailable'],
    [429, 'not_taken rate_limited'],
    ...[201, 400, 401, 404, 408].map((status) => [status, wordless(status)] as const),
    [403, `${wordless(403)} by a firewall`],
    ...[399, 500].map((status) => [status, `unconfirmed (status ${status}: no sentence)`] as const),
  ])('that is not JSON, under %i, proves: %s', (status, end) => {
    for (const text of ['', JSON.stringify(says(CROSSES))]) expect(proved(status, text, { isJson: false })).toBe(end);
  });

  const wait = (message: string) => ({ message, retryAfter: 7 });
  it.each<readonly [number, object, object]>([
    [425, {}, wait("The venue's matching engine is restarting. The order was not placed. Try again later.")],
    [429, {}, wait('The venue limits the rate of orders. The order was not placed. Try again later.')],
    [401, {}, { facts: { reason: 'credentials' }, cause: new Error('no sentence') }],
    [401, says('who?'), { facts: { reason: 'credentials' }, cause: new Error('who?') }],
  ])('under %i %j becomes our own error, with its cause for the log', (status, body, error) => {
    expect(read(status, body, { retryAfter: 7 })).toMatchObject({ error });
  });

  it.each<readonly [number | undefined, unknown, number]>([
    [7, undefined, 7],
    [7, 9, 7],
    [undefined, 9, 9],
    [undefined, 8.2, 9],
    [undefined, 0, 1],
    ...[undefined, -1, '9', null].map((senseless) => [undefined, senseless, 1] as const),
  ])('asks for a wait by its header (%j), else by its body (%j): %i', (retryAfter, retry_after_seconds, wait) => {
    expect(read(429, { retry_after_seconds }, { retryAfter })).toMatchObject({ error: { retryAfter: wait } });
  });
});
