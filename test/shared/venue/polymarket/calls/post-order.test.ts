import { describe, expect, it } from '@jest/globals';
import { orderBody, readPosted } from '../../../../../shared/venue/polymarket/calls/post-order.ts';

const ID = `0x${'ab'.repeat(32)}`;
const CROSSES = 'invalid post-only order: order crosses book';
const NOBODY_KNOWS = 'nobody knows';
const REMOVED = (text: string) => text.replace('secret', '[removed]');

const ORDER = {
  orderId: ID,
  tokenId: '7',
  conditionId: null,
  postOnly: false,
  expiresAt: null,
  signedAt: 0,
  payload: '{"side":"BUY","makerAmount":"4200000","takerAmount":"10000000"}',
};
const ACCEPTED = {
  success: true,
  errorMsg: '',
  orderID: ID,
  status: 'live',
  makingAmount: '',
  takingAmount: '',
  transactionsHashes: [],
  tradeIDs: [],
};

interface Changes {
  readonly status?: number;
  readonly isJson?: boolean;
  readonly retryAfter?: number | undefined;
}

function read(body: unknown, { status = 200, isJson = true, retryAfter }: Changes = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readPosted({ status, isJson, retryAfter, text }, ORDER, REMOVED, 'eoa');
}

/** Sums up what an answer proves: the end of the order, or why it proves none and what it only claims. */
function proved(body: unknown, changes: Changes = {}): string {
  const posted = read(body, changes);
  const end = posted.kind === 'unconfirmed' ? posted.said : posted;
  const told =
    end?.kind === 'refused' || end?.kind === 'not_taken'
      ? ` ${end.kind} ${end.error.code}${end.kind === 'not_taken' && end.freesKey ? ' and frees the key' : ''}`
      : '';
  if (posted.kind !== 'unconfirmed') return told.trim() || posted.kind;
  const { why, unknownMessage, isFirewall } = posted;
  return `unconfirmed (${why})${unknownMessage === undefined ? '' : ' in unknown words'}${isFirewall ? ' by a firewall' : ''}${told}`;
}

/** An error of the venue under a status. */
function proven(status: number, error: string, changes: Changes = {}): string {
  return proved({ error }, { status, ...changes });
}

describe('the body of an order', () => {
  it.each([
    [
      { expiresAt: null, postOnly: false },
      '{"deferExec":false,"postOnly":false,"order":{"a":1},"owner":"k\\"y","orderType":"GTC"}',
    ],
    [
      { expiresAt: 1_790_000_000_000, postOnly: true },
      '{"deferExec":false,"postOnly":true,"order":{"a":1},"owner":"k\\"y","orderType":"GTD"}',
    ],
  ])('of %j has the signed order as it is, and its type by its end', (terms, body) => {
    expect(orderBody({ ...ORDER, ...terms, payload: '{"a":1}' }, 'k"y')).toBe(body);
  });
});

describe('an accepted order', () => {
  it('is placed with the facts of the answer', () => {
    // Ids that are no texts are left out.
    const ids = { transactionsHashes: '0xaa', tradeIDs: [17, 't1', { id: 't2' }] };
    const amounts = { makingAmount: '1.05', takingAmount: 2.5, ...ids };
    expect(read({ ...ACCEPTED, status: 'matched', ...amounts })).toStrictEqual({
      kind: 'placed',
      placement: {
        orderId: ID,
        status: 'matched',
        filledSize: '2.5',
        remainingSize: '7.5',
        filledValue: '1.05',
        transactionHashes: ['0xaa'],
        tradeIds: ['t1'],
      },
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
    ['delayed', {}, null],
  ])('that is %s %j has filled %j', (status, changes, filledSize) => {
    expect(read({ ...ACCEPTED, status, ...changes })).toMatchObject({ kind: 'placed', placement: { filledSize } });
  });

  it.each([
    ['an object', { makingAmount: { toString: 1, valueOf: 1 }, takingAmount: { toString: 1 } }],
    ['a list', { makingAmount: ['4.2'], takingAmount: ['10'] }],
    ['a truth value', { makingAmount: false, takingAmount: false }],
  ])('is placed with nothing known of what was executed where an amount is %s', (_what, amounts) => {
    const placement = { filledSize: null, remainingSize: null, filledValue: null };
    expect(read({ ...ACCEPTED, ...amounts })).toMatchObject({ kind: 'placed', placement });
  });

  it.each([
    ['in capitals', 200, { status: 'LIVE', orderID: ID.toUpperCase() }],
    ['by a 201', 201, {}],
    ['without empty members', 200, { errorMsg: undefined, transactionsHashes: null, tradeIDs: null }],
  ])('is placed %s', (_how, status, changes) => {
    expect(proved({ ...ACCEPTED, ...changes }, { status })).toBe('placed');
  });

  it.each([
    ['another id', { orderID: `0x${'cd'.repeat(32)}` }],
    ['no success', { success: false }],
    ['no word of success', { success: undefined }],
    ['success in quotes', { success: 'true' }],
    ['a message', { errorMsg: NOBODY_KNOWS }],
    ['a message elsewhere', { error: NOBODY_KNOWS }],
    ['a refusal', { errorMsg: CROSSES }],
    ['a message that is no text', { errorMsg: { code: 7 } }],
    ['a message elsewhere that is no text', { error: 400 }],
  ])('is not proved by an answer with %s', (_what, changes) => {
    expect(proved({ ...ACCEPTED, ...changes })).toBe('unconfirmed (an answer with members of an accepted order)');
  });

  it.each([202, 400, 429, 500])('is not proved under a %i', (status) => {
    expect(proved(ACCEPTED, { status })).toBe('unconfirmed (an answer with members of an accepted order)');
  });

  it.each([
    ['a status that is new', { status: 'parked' }, ''],
    ['a status alone', { status: 'parked', orderID: '' }, ''],
    ['its id alone', { status: '' }, ''],
    ['a status and a message', { status: 'parked', success: false, errorMsg: NOBODY_KNOWS }, ' in unknown words'],
    ['a status and a refusal', { status: 'parked', errorMsg: CROSSES }, ' refused post_only_would_cross'],
  ])('is perhaps named by %s', (_what, changes, claim) => {
    expect(proved({ ...ACCEPTED, ...changes })).toBe(
      `unconfirmed (an answer with members of an accepted order)${claim}`,
    );
  });

  it.each([{ tradeIDs: ['t1'] }, { transactionsHashes: ['0xaa'] }, { tradeIDs: [17] }, { transactionsHashes: '0xaa' }])(
    'is perhaps there where only %j is named',
    (named) => {
      const body = { ...ACCEPTED, success: false, status: '', orderID: '', errorMsg: CROSSES, ...named };
      expect(proved(body)).toBe('unconfirmed (an answer with members of an accepted order)');
      expect(proved({ error: 'Too Many Requests', ...named }, { status: 429 })).toContain(
        'members of an accepted order',
      );
    },
  );
});

describe('a sentence of the venue', () => {
  it.each([
    [200, CROSSES, 'refused post_only_would_cross'],
    [400, CROSSES, 'refused post_only_would_cross'],
    [499, CROSSES, 'refused post_only_would_cross'],
    [500, CROSSES, `unconfirmed (status 500: ${CROSSES})`],
    [302, CROSSES, `unconfirmed (status 302: ${CROSSES})`],
    [400, 'invalid signature', 'not_taken venue_refused_service and frees the key'],
    [401, 'address banned', 'not_taken venue_refused_service and frees the key'],
    [503, 'Trading is currently cancel-only.', 'not_taken venue_unavailable'],
    [500, 'Trading is currently cancel-only.', 'unconfirmed (status 500: Trading is currently cancel-only.)'],
    [503, CROSSES, `unconfirmed (status 503: ${CROSSES})`],
    [404, 'market not found', 'not_taken unknown_token and frees the key'],
    [400, NOBODY_KNOWS, `unconfirmed (${NOBODY_KNOWS}) in unknown words`],
    [499, NOBODY_KNOWS, `unconfirmed (${NOBODY_KNOWS}) in unknown words`],
    [500, NOBODY_KNOWS, `unconfirmed (status 500: ${NOBODY_KNOWS})`],
    [200, NOBODY_KNOWS, `unconfirmed (${NOBODY_KNOWS})`],
    [201, NOBODY_KNOWS, `unconfirmed (${NOBODY_KNOWS})`],
    [400, 'Duplicated', 'unconfirmed (Duplicated)'],
    [425, 'Duplicated', 'unconfirmed (Duplicated)'],
    [400, 'a secret', 'unconfirmed (a [removed]) in unknown words'],
    [400, 'Duplicated secret', 'unconfirmed (Duplicated [removed])'],
  ])('%i %j proves: %s', (status, sentence, end) => {
    expect(proven(status, sentence)).toBe(end);
  });

  it('is claimed in a 200 that denies success', () => {
    const denied = { success: false, errorMsg: NOBODY_KNOWS };
    expect(proved(denied)).toBe(`unconfirmed (${NOBODY_KNOWS}) in unknown words`);
    expect(proved({ ...denied, success: true })).toBe(`unconfirmed (${NOBODY_KNOWS})`);
    expect(proved({ success: false, errorMsg: CROSSES, error: NOBODY_KNOWS })).toBe('refused post_only_would_cross');
    expect(proved({ success: false, errorMsg: 'Duplicated', error: CROSSES })).toBe('unconfirmed (Duplicated)');
    expect(proved({ success: false, errorMsg: CROSSES, error: 'Duplicated' })).toBe(`unconfirmed (${CROSSES})`);
    expect(proved({ errorMsg: 'x', error: 'Duplicated' }, { status: 429 })).toBe('unconfirmed (x)');
  });

  it('is none where the answer is not JSON, or not in its shape', () => {
    expect(proven(400, CROSSES, { isJson: false })).toBe('unconfirmed (status 400 without a word of the venue)');
    for (const body of ['', '[]', 'null', '{"error":1}', `{"error":"${CROSSES}"`]) {
      expect(proved(body, { status: 400 })).toBe('unconfirmed (status 400 without a word of the venue)');
    }
  });
});

describe('an answer without a sentence', () => {
  it.each([
    [425, false, 'not_taken venue_unavailable'],
    [429, false, 'not_taken rate_limited'],
    [401, true, 'not_taken venue_refused_service'],
    [401, false, 'unconfirmed (status 401 without a word of the venue)'],
    [403, false, 'unconfirmed (status 403 without a word of the venue) by a firewall'],
    [403, true, 'unconfirmed (status 403 without a word of the venue)'],
    [400, true, 'unconfirmed (status 400 without a word of the venue)'],
    [404, false, 'unconfirmed (status 404 without a word of the venue)'],
    [408, false, 'unconfirmed (status 408 without a word of the venue)'],
    [409, true, 'unconfirmed (status 409 without a word of the venue)'],
    [499, true, 'unconfirmed (status 499 without a word of the venue)'],
    [200, true, 'unconfirmed (status 200 without a word of the venue)'],
    [201, false, 'unconfirmed (status 201 without a word of the venue)'],
    [202, true, 'unconfirmed (status 202: no sentence)'],
    [399, false, 'unconfirmed (status 399: no sentence)'],
    [500, false, 'unconfirmed (status 500: no sentence)'],
    [503, true, 'unconfirmed (status 503: no sentence)'],
  ])('%i, of JSON: %j, proves: %s', (status, isJson, end) => {
    expect(proved('{}', { status, isJson })).toBe(end);
  });

  it.each([
    [403, { cloudflare_error: true }, ' by a firewall'],
    [403, { cloudflare_error: false }, ''],
    [403, { cloudflare_error: 1 }, ''],
    [400, { cloudflare_error: true }, ''],
  ])('%i that is %j is of the firewall: %j', (status, body, end) => {
    expect(proved(body, { status })).toBe(`unconfirmed (status ${status} without a word of the venue)${end}`);
  });

  it.each([
    [425, "The venue's matching engine is restarting. The order was not placed. Try again later."],
    [429, 'The venue limits the rate of orders. The order was not placed. Try again later.'],
  ])('says with its wait what a %i means', (status, sentence) => {
    const posted = read('', { status, retryAfter: 7 });
    if (posted.kind !== 'not_taken') throw new Error(`not expected: ${posted.kind}`);
    expect([posted.error.message, posted.error.retryAfter]).toStrictEqual([sentence, 7]);
  });
});

it.each([
  ['{}', 'no sentence'],
  ['{"error":"who?"}', 'who?'],
])('a 401 %s is about the credentials, and the log has %j', (body, logged) => {
  const posted = read(body, { status: 401 });
  if (posted.kind !== 'not_taken') throw new Error(`not expected: ${posted.kind}`);
  expect([posted.error.facts, posted.error.cause]).toStrictEqual([{ reason: 'credentials' }, new Error(logged)]);
});

describe('the wait that an answer asks for', () => {
  const waitOf = (body: object, changes: Changes = {}) => {
    const posted = read(body, { status: 429, ...changes });
    return posted.kind === 'not_taken' ? posted.error.retryAfter : posted.kind;
  };

  it('is that of its header, else that of its body, from zero on', () => {
    expect(waitOf({ retry_after_seconds: 9 }, { retryAfter: 7 })).toBe(7);
    expect(waitOf({ retry_after_seconds: 9 })).toBe(9);
    expect(waitOf({ retry_after_seconds: 8.2 })).toBe(9);
    expect(waitOf({ retry_after_seconds: 0 })).toBe(1);
    const usual = waitOf({});
    for (const senseless of [-1, '9', null]) expect(waitOf({ retry_after_seconds: senseless })).toBe(usual);
  });
});
