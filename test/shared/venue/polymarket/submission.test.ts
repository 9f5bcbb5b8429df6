import { describe, expect, it } from '@jest/globals';
import type { Fate, SignedOrder } from '../../../../shared/venue/port.ts';
import {
  type Answers,
  API_KEY,
  API_SECRET,
  accepted,
  lookedUp,
  NO_TRADES,
  NOT_FOUND,
  openWorld,
  PASSPHRASE,
} from '../../../support/orders/trading-world.ts';
import { callWithin, type Reply } from '../../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../../support/venue/venue-answers.ts';

const HOUR_MS = 3_600_000;
const BUDGET_MS = 24_000;
const BALANCE = 'not enough balance / allowance';

const refuses = (error: string) => (): Reply => ({ status: 400, body: { error } });
const found: Answers['order'] = (id) => lookedUp(id, 'LIVE');
const broken = (): Reply => ({ status: 500, body: { error: 'x' } });

interface Given {
  readonly act?: 'submit' | 'settle' | 'lookUp';
  /** From now, by our clock. */
  readonly endsInMs?: number;
  readonly budgetMs?: number;
  readonly leaseUntil?: number;
  /** Of an earlier sending. */
  readonly venueReason?: string;
}

/** Hands a signed order to a venue that answers so, and gives its fate, and what the venue was asked. */
async function handed(
  answers: Answers,
  { act = 'submit', endsInMs, budgetMs = BUDGET_MS, leaseUntil, venueReason }: Given = {},
) {
  const world = await openWorld(answers);
  const signed = await world.sign();
  const expiresAt = endsInMs === undefined ? null : Date.now() + endsInMs;
  const order: SignedOrder = { ...signed, expiresAt };
  const call = { ...callWithin(budgetMs), ...(leaseUntil !== undefined && { leaseUntil }) };
  const { entry } = world;
  const fate: Fate = await (act === 'lookUp' ? entry.lookUp(order, call, venueReason) : entry[act](order, call));
  const calls = world.venue.calls().slice(1);
  return { fate, sent: calls.filter((name) => name === 'POST /order').length, calls, lines: world.lines };
}

/** Hands over an order; `isLate`: its fate came more than two seconds after the first look-up of it. */
async function timed({ order, ...others }: Pick<Answers, 'post'> & Required<Pick<Answers, 'order'>>, given?: Given) {
  let isLate = false;
  const timing: Answers['order'] = (...asked) => {
    setTimeout(() => {
      isLate = true;
    }, 2_000).unref();
    return order(...asked);
  };
  const end = await handed({ ...others, order: timing }, given);
  return { ...end, isLate };
}

describe('an expired order', () => {
  it.each(['submit', 'settle', 'lookUp'] as const)('is never sent by %s, and is found at the venue', async (act) => {
    const { fate, sent } = await handed({ order: found }, { act, endsInMs: -5_000 });
    expect([fate.kind, sent]).toStrictEqual(['placed', 0]);
  });

  it('is found by all of them although the venue cannot be asked at first', async () => {
    const order: Answers['order'] = (id, index) => (index < 2 ? broken() : lookedUp(id, 'LIVE'));
    const acts = ['submit', 'settle', 'lookUp'] as const;
    const ends = await Promise.all(acts.map((act) => handed({ order }, { act, endsInMs: -5_000 })));
    for (const { fate, sent } of ends) expect([fate.kind, sent]).toStrictEqual(['placed', 0]);
  });

  it.each([
    ['before it', 2 * HOUR_MS, 1],
    ['past it', HOUR_MS / 2, 0],
  ])('is told by the clock of the venue, which is an hour ahead: %s', async (_when, endsInMs, sent) => {
    const date = new Date(Date.now() + HOUR_MS).toUTCString();
    const book: Answers['book'] = (_id, _index, { query }) => ({
      headers: { date },
      body: bookAnswer(query.get('token_id') ?? ''),
    });
    const order: Answers['order'] = (id) => ({ ...lookedUp(id, 'LIVE'), headers: { date } });
    expect(await handed({ book, order }, { endsInMs })).toMatchObject({ fate: { kind: 'placed' }, sent });
  });

  it.each([
    ['over by the venue, and not by ours', HOUR_MS, HOUR_MS / 2, 'refused', 0],
    ['over by ours, and not by the venue', -HOUR_MS, -5_000, 'placed', 1],
  ])(
    "goes by the venue's clock: %s",
    async (_which, ahead, endsInMs, kind, sendings) => {
      const headers = { date: new Date(Date.now() + ahead).toUTCString() };
      const answers: Answers = {
        book: (_id, _index, { query }) => ({ headers, body: bookAnswer(query.get('token_id') ?? '') }),
        order: () => ({ status: 404, headers, body: { error: 'order not found' } }),
        trades: () => ({ headers, body: { data: [], next_cursor: 'LTE=' } }),
      };
      const { fate, sent } = await handed(answers, { endsInMs });
      expect([fate.kind, sent]).toStrictEqual([kind, sendings]);
    },
    20_000,
  );

  it('is sent with its type, and one without an end with its own', async () => {
    for (const [endsInMs, type] of [
      [HOUR_MS, 'GTD'],
      [undefined, 'GTC'],
    ] as const) {
      let body = '';
      const post: Answers['post'] = (id, _index, request) => {
        body = request.body;
        return accepted(id);
      };
      await handed({ post }, { ...(endsInMs !== undefined && { endsInMs }) });
      expect(JSON.parse(body)).toMatchObject({ orderType: type });
    }
  });
});

describe('a lease', () => {
  it('that has ended makes the fate unknown before bytes leave', async () => {
    const { fate, sent } = await handed({}, { leaseUntil: 0 });
    expect(fate).toStrictEqual({ kind: 'unknown', why: 'lease_ended', sentAt: null, cause: undefined });
    expect(sent).toBe(0);
    expect((await handed({}, { leaseUntil: Number.MAX_VALUE })).fate.kind).toBe('placed');
  });
});

describe('an order that was not taken', () => {
  it('is not_taken when the venue is unreachable', async () => {
    const [signing, gone] = [await openWorld(), await openWorld()];
    const signed = await signing.sign();
    await gone.venue.close();
    const fate = await gone.entry.submit(signed, callWithin(BUDGET_MS));
    if (fate.kind !== 'not_taken') throw new Error(`not expected: ${fate.kind}`);
    expect([fate.freesKey, fate.error.code, fate.error.message]).toStrictEqual([
      false,
      'venue_unavailable',
      'The venue cannot be reached. The order was not placed. Try again later.',
    ]);
    expect(fate.error.cause).toMatchObject({ name: 'TransportError', sent: false });
  });

  it('is not_taken, and the key is kept, when credentials cannot be derived', async () => {
    const world = await openWorld();
    const signed = await world.sign();
    const refusing = await openWorld({ auth: () => ({ status: 503 }) }, { credentials: undefined });
    const fate = await refusing.entry.submit(signed, callWithin(BUDGET_MS));
    expect(fate).toMatchObject({ kind: 'not_taken', freesKey: false });
    expect(refusing.venue.calls()).not.toContain('POST /order');
  });

  it('is not sent without the time to look it up', async () => {
    const { fate, sent } = await handed({}, { budgetMs: 5_900 });
    expect(fate).toMatchObject({ kind: 'not_taken', freesKey: false, error: { code: 'venue_timeout' } });
    expect([fate.kind === 'not_taken' && fate.error.message, sent]).toStrictEqual([
      expect.stringContaining('no order was sent'),
      0,
    ]);
  });

  it('is looked up no further where the venue has said so', async () => {
    const { calls } = await handed({ post: refuses('invalid signature') });
    expect(calls).toStrictEqual(['POST /order']);
  });
});

describe('an answer that proves an end', () => {
  it('is that of an order of before too, and nothing is asked after a placement', async () => {
    const { fate, calls } = await handed({}, { act: 'settle' });
    expect(fate.kind).toBe('placed');
    expect(calls.map((call) => call.split(' ')[0])).toStrictEqual(['GET', 'POST']);
  });

  it.each([
    ['that the order is known', 'Duplicated', 1],
    ['nothing but that', 'Unauthorized/Invalid api key', 2],
  ])('is awaited from renewed credentials where a 401 says %s', async (_what, error, sent) => {
    const post: Answers['post'] = (id, index) => (index === 0 ? { status: 401, body: { error } } : accepted(id));
    // Credentials that were derived are derived again.
    const world = await openWorld({ post, order: found }, { credentials: undefined });
    const { kind } = await world.entry.submit(await world.sign(), callWithin(BUDGET_MS));
    expect([kind, world.venue.calls().filter((call) => call === 'POST /order').length]).toStrictEqual(['placed', sent]);
  });

  it.each([
    ['a sentence', { error: 'Unauthorized/Invalid api key' }, true],
    ['a sentence about the account', { error: 'address banned' }, true],
    ['no sentence', { message: 'no' }, false],
  ])('is that of the operator after a 401 with %s, where no other credentials can be had', async (_how, body, is) => {
    const { fate } = await handed({ post: () => ({ status: 401, body }) });
    const error = { code: 'venue_refused_service' };
    expect(fate).toMatchObject({ kind: 'not_taken', error, freesKey: is });
  });

  it('quotes the venue without the credentials', async () => {
    const { fate } = await handed({ post: refuses(`order crosses book ${API_KEY} ${API_SECRET} ${PASSPHRASE}`) });
    if (fate.kind !== 'refused') throw new Error(`not expected: ${fate.kind}`);
    expect(fate.error.facts['venueReason']).toBe('order crosses book [removed] [removed] [removed]');
  });
});

describe('an answer that proves nothing', () => {
  it('is of unknown fate by words that are not known: a repeat waits 10 s, and the log asks for a row', async () => {
    const [said, silent] = await Promise.all([
      handed({ post: refuses('nobody knows') }),
      handed({ post: () => ({ status: 502, body: '<html>' }) }),
    ]);
    expect(said.fate).toMatchObject({ why: 'unknown_words', venueReason: 'nobody knows', retryAfter: 10 });
    expect(said.lines).toContainEqual({
      ...{ level: 'error', order_id: expect.any(String), venue_reason: 'nobody knows', time: expect.any(String) },
      message: expect.stringContaining('add a row'),
    });
    expect(silent.fate).toMatchObject({ kind: 'unknown', why: 'sent' });
    expect(silent.fate).not.toHaveProperty('venueReason');
    expect(silent.lines.filter(({ level }) => level === 'error')).toStrictEqual([]);
  });

  const LOOK_UP = 'GET /data/order/';
  const TRADES = 'GET /data/trades';
  const counted = ({ calls }: { readonly calls: readonly string[] }) =>
    [LOOK_UP, TRADES].map((path) => calls.filter((call) => call.startsWith(path)).length);
  const fill: Answers['trades'] = (taker_order_id) => ({
    body: { data: [{ id: 't1', taker_order_id }], next_cursor: 'LTE=' },
  });

  it.each<[string, Answers, string, readonly number[]]>([
    ['the first look-up finds the order', { order: found }, 'live', [1, 0]],
    ['the second one does', { order: (id, index) => (index === 1 ? lookedUp(id, 'LIVE') : NOT_FOUND) }, 'live', [2, 0]],
    [
      'the first one is of no use',
      { order: (id, index) => (index === 1 ? lookedUp(id, 'LIVE') : broken()) },
      'live',
      [2, 0],
    ],
    ['its trades do, which are asked for with the second look-up', { trades: fill }, 'matched', [2, 1]],
  ])('is settled as soon as %s', async (_what, answers, status, asked) => {
    const end = await handed({ post: () => 'reset', ...answers });
    expect(end.fate).toMatchObject({ kind: 'placed', placement: { status } });
    expect([end.sent, counted(end)]).toStrictEqual([1, asked]);
  });

  it('is believed only as far as all look-ups have found nothing', async () => {
    const once =
      (reply: () => Reply, at: number): NonNullable<Answers['order']> =>
      (_id, index) =>
        index === at ? reply() : NOT_FOUND;
    const [believed, ...others] = await Promise.all([
      handed({}, { act: 'lookUp', venueReason: 'words' }),
      handed({ order: once(broken, 0) }, { act: 'lookUp', venueReason: 'words' }),
      handed({ order: once(broken, 3) }, { act: 'lookUp', venueReason: 'words' }),
      handed({ trades: (_id, index) => (index === 0 ? broken() : NO_TRADES) }, { act: 'lookUp', venueReason: 'words' }),
      handed({ post: () => 'reset' }),
    ]);
    const facts = { venueReason: 'words' };
    expect(believed.fate).toMatchObject({ kind: 'refused', error: { code: 'order_rejected', facts } });
    for (const { fate } of others) expect(fate).toMatchObject({ kind: 'unknown', why: 'sent' });
    for (const end of [believed, ...others]) expect(counted(end)[0]).toBe(5);
  });

  it('is looked up no more once the time is over', async () => {
    const end = await handed({ post: () => 'hang', order: broken }, { budgetMs: 6_100 });
    expect(end.fate).toMatchObject({ kind: 'unknown', cause: new Error('timeout') });
    expect(counted(end)[0]).toBeLessThan(5);
  });

  it('is not waited for where the order is placed, as long as one that may be live', async () => {
    const matched: Answers['post'] = (id) => accepted(id, { status: 'matched' });
    const [placing, looking] = await Promise.all([
      timed({ post: matched, order: () => 'hang' }),
      timed({ order: () => 'hang' }, { act: 'lookUp' }),
    ]);
    expect([placing.isLate, looking.isLate]).toStrictEqual([false, true]);
    expect(placing.fate).toMatchObject({ kind: 'placed', placement: { status: 'matched', filledSize: null } });
  });
});

describe('the log of an unknown order', () => {
  const causeOf = ({ fate }: { readonly fate: Fate }) => (fate.kind === 'unknown' ? fate.cause : fate);

  it('has the cause and the time of the sending', async () => {
    const [begun, ends] = [
      Date.now(),
      await Promise.all([
        handed({ post: () => 'reset', order: broken }, { budgetMs: 6_100 }),
        handed({ post: () => 'reset', order: (_id, index) => (index === 0 ? NOT_FOUND : broken()) }, { act: 'settle' }),
        handed({ order: broken }, { act: 'settle' }),
        handed({}, { act: 'settle', budgetMs: 5_900 }),
        handed({ post: refuses(BALANCE), trades: broken }, { act: 'settle' }),
        handed({}, { act: 'lookUp' }),
        handed({ order: broken }, { act: 'lookUp' }),
      ]),
    ];
    expect(ends.map(causeOf)).toMatchObject([
      new Error('reset'),
      new Error('reset'),
      new Error('the venue cannot be asked'),
      new Error('no time left to send the order again'),
      { code: 'insufficient_balance' },
      new Error('a look-up ended with not_found'),
      new Error('a look-up ended with unusable'),
    ]);
    const [submitted, settled, ...others] = ends.map(({ fate }) => (fate.kind === 'unknown' ? fate.sentAt : undefined));
    for (const time of [submitted, settled]) {
      expect(time).toBeGreaterThanOrEqual(begun - 2_000);
      expect(time).toBeLessThanOrEqual(Date.now());
      expect(Number.isInteger(time)).toBe(true);
    }
    expect(others).toStrictEqual([null, null, null, null, null]);
  });
});

describe('an expired order that no look-up finds', () => {
  it('is not called expired where its book named no market: trades under the other token cannot be asked for', async () => {
    const book: Answers['book'] = (_id, _index, { query }) => ({
      body: bookAnswer(query.get('token_id') ?? '', { market: undefined }),
    });
    const { fate, calls } = await handed({ book }, { act: 'lookUp', endsInMs: -5_000 });
    expect(fate).toMatchObject({ kind: 'unknown', sentAt: null });
    expect(calls.filter((name) => name === 'GET /data/trades')).toHaveLength(4);
  });

  it('is refused as expired once 5 s of look-ups have found nothing', async () => {
    const ends = await Promise.all(
      (['submit', 'settle', 'lookUp'] as const).map((act) => handed({}, { act, endsInMs: -5_000 })),
    );
    for (const { fate, sent } of ends) {
      expect(fate).toMatchObject({ kind: 'refused', error: { code: 'order_rejected' } });
      expect(fate.kind === 'refused' && fate.error.message).toContain('expired');
      expect(sent).toBe(0);
    }
  });
});
