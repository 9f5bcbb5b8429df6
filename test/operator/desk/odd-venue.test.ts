import dns from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { createLog } from '../../../shared/log.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { desk, deskRows } from '../../support/operator/desk.ts';
import { finishedOrder, PLACED, WALLET } from '../../support/orders/order-records.ts';
import { type Reply, type SeenRequest, startVenue } from '../../support/venue/scripted-venue.ts';

const KEY = '00000000-0000-4000-8000-000000000001';
const [YES, NO] = ['7'.repeat(77), '8'.repeat(77)];
const MARKET = `0x${'c0'.repeat(32)}`;
const [STRANGER, FUNDER] = [`0x${'99'.repeat(20)}`, `0x${'AA'.repeat(20)}`];
const CLIENT = 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew';

/** The subject of a token is as its issuer made it. */
const EVIL_SUBJECT = `\u001b[2J\u202e${'s'.repeat(600)}`;

function idOf(name: string): string {
  return `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
}

let folder: string;
let store: string;

/** A store with the records of three orders, one of them without a client. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'odd-venue-'));
  store = join(folder, 'orders.db');
  const orders = openOrderStore({ path: store, log: createLog({ level: 'error', write: () => undefined }) });
  for (const [name, address] of [
    ['ours', CLIENT],
    ['second', 'bob'],
    ['nobody', null],
  ] as const) {
    const record = { ...finishedOrder(PLACED, Date.now() + 9e9), orderId: idOf(name) };
    await orders.write(
      name,
      {
        ...record,
        client: address === null ? null : { address, isVerified: name === 'ours' },
        caller: name === 'second' ? EVIL_SUBJECT : null,
      },
      'nothing',
    );
  }
  await orders.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function settings(url: string): Environment {
  return {
    SERVICE_CLOB_URL: url,
    SERVICE_GAMMA_URL: url,
    SERVICE_STORE: store,
    SERVICE_WALLET_ADDRESS: WALLET,
    SERVICE_CLOB_API_KEY: KEY,
    SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXNlY3JldA==',
    SERVICE_CLOB_API_PASSPHRASE: 'a-passphrase',
  };
}

const SECRETS = ['c2VjcmV0LXNlY3JldA==', 'a-passphrase'];

function maker(name: string, matched_amount: string, price: string, more: object = {}) {
  const stranger = { owner: 'another', maker_address: STRANGER, fee_rate_bps: '0', outcome: 'Yes' };
  return { order_id: idOf(name), matched_amount, price, asset_id: YES, ...stranger, ...more };
}

function tradeOf(id: string, more: object = {}) {
  return {
    id,
    taker_order_id: idOf('stranger'),
    market: MARKET,
    asset_id: YES,
    side: 'SELL',
    size: '30',
    fee_rate_bps: '0',
    price: '0.40',
    status: 'CONFIRMED',
    match_time: '1795000000',
    last_update: '1795000001',
    outcome: 'Yes',
    bucket_index: 0,
    owner: 'another',
    maker_address: STRANGER,
    transaction_hash: `0x${'7a'.repeat(32)}`,
    trader_side: 'MAKER',
    maker_orders: [maker('x', '10', '0.45'), maker('ours', '12.5', '0.44'), maker('y', '7.5', '0.43')],
    ...more,
  };
}

/** A venue with these pages of trades; the fees are 4 %, for takers only. */
function venueOf(pages: readonly (readonly unknown[])[], fd: object | null = { r: 0.04, e: 1, to: true }) {
  return startVenue(({ path, query }): Reply => {
    if (path.startsWith('/clob-markets/')) return { body: { t: [{ t: YES, o: 'Yes' }], mts: 0.01, tbf: 1_000, fd } };
    const cursor = Number(Buffer.from(query.get('next_cursor') ?? '', 'base64').toString());
    const last = cursor >= pages.length - 1;
    const next_cursor = last ? 'LTE=' : Buffer.from(String(cursor + 1)).toString('base64');
    return { body: { limit: 100, count: pages[cursor]?.length ?? 0, data: pages[cursor] ?? [], next_cursor } };
  });
}

async function fillsOf(pages: readonly (readonly unknown[])[], args: readonly string[] = [], fd?: object | null) {
  const { url } = await venueOf(pages, fd);
  return deskRows(['fills', ...args], settings(url), { secrets: SECRETS });
}

describe('our part of an odd trade', () => {
  it('is the entry of our order among many makers', async () => {
    const { code, rows } = await fillsOf([[tradeOf('t-1')]]);
    expect([code, rows]).toMatchObject([
      0,
      [
        {
          order_id: idOf('ours'),
          client_address: CLIENT,
          client_address_verified: true,
          side: 'buy',
          price: '0.44',
          size: '12.5',
          value: '5.5',
          fee: '0',
        },
      ],
    ]);
  });

  it('has the outcome of our order if the taker trades the other one', async () => {
    const entry = maker('ours', '30', '0.6', { asset_id: NO, outcome: 'No' });
    const { rows } = await fillsOf([[tradeOf('t-1', { maker_orders: [entry] })]]);
    expect(rows).toMatchObject([{ outcome: 'No', side: 'sell', price: '0.6', size: '30', value: '18' }]);
    const told = await fillsOf([[tradeOf('t-1', { maker_orders: [{ ...entry, side: 'BUY' }] })]]);
    expect(told.rows).toMatchObject([{ side: 'buy' }]);
  });

  it('is one fill for each of our orders, on both sides of a trade', async () => {
    const both = tradeOf('t-1', {
      taker_order_id: idOf('second'),
      trader_side: 'TAKER',
      size: '22.5',
      maker_orders: [maker('x', '10', '0.45'), maker('ours', '12.5', '0.44')],
    });
    const { rows } = await fillsOf([[both]]);
    expect(rows).toMatchObject([
      // 10 × 0.45 + 12.5 × 0.44, and not 22.5 at the limit of 0.4; the fees are rounded down each
      {
        order_id: idOf('second'),
        client_address: 'bob',
        side: 'sell',
        size: '22.5',
        price: null,
        value: '10',
        fee: '0.2222',
      },
      { order_id: idOf('ours'), side: 'buy', size: '12.5', price: '0.44', value: '5.5', fee: '0' },
    ]);
  });

  it('has, as a taker, the complement of the price of a maker on the other outcome', async () => {
    const other = maker('x', '30', '0.55', { asset_id: NO });
    const { rows } = await fillsOf([[tradeOf('t-1', { taker_order_id: idOf('ours'), maker_orders: [other] })]]);
    expect(rows).toMatchObject([{ price: '0.45', size: '30', value: '13.5' }]);
  });

  it('has, as a taker, the price of a trade without makers', async () => {
    const { rows } = await fillsOf([[tradeOf('t-1', { taker_order_id: idOf('ours'), maker_orders: [] })]]);
    expect(rows).toMatchObject([{ price: '0.4', size: '30', value: '12' }]);
  });

  it('is recognised by our API key and by our accounts if the order has no record', async () => {
    const byKey = tradeOf('t-1', { maker_orders: [maker('x', '10', '0.45', { owner: KEY })] });
    const byAccount = tradeOf('t-2', {
      maker_orders: [maker('y', '10', '0.45', { maker_address: FUNDER.toLowerCase() })],
    });
    const { url } = await venueOf([[byKey, byAccount]]);
    const { code, rows } = await deskRows(['fills'], { ...settings(url), SERVICE_FUNDER_ADDRESS: FUNDER });
    expect([code, rows.map(({ order_id, recorded }) => [order_id, recorded])]).toStrictEqual([
      0,
      [
        [idOf('y'), false],
        [idOf('x'), false],
      ],
    ]);
  });

  it('is not guessed: a trade without an order of ours is named, and the exit code is 1', async () => {
    const { code, rows, err } = await fillsOf([[tradeOf('t-1', { maker_orders: [maker('x', '10', '0.45')] })]]);
    expect([code, rows]).toStrictEqual([1, []]);
    expect(err).toBe('1 trade without a recognisable order of this account: t-1.\n');
  });

  it('counts once, in its latest state, if the trade is listed again', async () => {
    const earlier = tradeOf('t-1', {
      status: 'TRADE_STATUS_MATCHED',
      last_update: '1795000000',
      transaction_hash: null,
    });
    const twice = await fillsOf([[tradeOf('t-1'), earlier], [tradeOf('t-1')], [earlier]]);
    expect(twice.rows).toMatchObject([{ status: 'confirmed', transaction_hash: `0x${'7a'.repeat(32)}` }]);
    const failed = await fillsOf(
      [[tradeOf('t-1')], [tradeOf('t-1', { status: 'FAILED', last_update: '1795000002' })]],
      ['--by-client'],
    );
    expect(failed.rows).toStrictEqual([]);
  });

  it.each(['MATCHED_NOT_BROADCASTED', 'TRADE_STATUS_MATCHED_NOT_BROADCASTED', 'MINED', 'RETRYING'])(
    'counts before the trade is settled: %s',
    async (status) => {
      const { code, rows } = await fillsOf([[tradeOf('t-1', { status })]], ['--by-client']);
      expect([code, rows]).toMatchObject([0, [{ client_address: CLIENT, fills: 1, shares: '12.5' }]]);
    },
  );

  it('is named and in no sum if the state of the trade is unknown', async () => {
    const pages = [[tradeOf('t-1', { status: 'UNHEARD_OF' }), tradeOf('t-2')]];
    const { code, rows, err } = await fillsOf(pages, ['--by-client']);
    expect([code, rows]).toMatchObject([1, [{ client_address: CLIENT, fills: 1, shares: '12.5' }]]);
    expect(err).toBe('1 fill of trades in an unknown state, in no sum: t-1 (unheard_of).\n');
    expect((await fillsOf(pages)).rows).toMatchObject([
      { status: 'confirmed' },
      { trade_id: 't-1', status: 'unheard_of' },
    ]);
  });

  it('has times in seconds or in milliseconds', async () => {
    const pages = [[tradeOf('t-1', { match_time: '1795000000123', last_update: 1_795_000_001_000 })]];
    expect((await fillsOf(pages)).rows).toMatchObject([{ time: '2026-11-18T11:06:40Z', size: '12.5' }]);
    const order = { ...GOOD, created_at: 1_795_000_000_123 };
    const { url } = await startVenue(() => ({ body: { data: [order], next_cursor: 'LTE=' } }));
    const { code, rows } = await deskRows(['open'], settings(url));
    expect([code, rows]).toMatchObject([0, [{ since: '2026-11-18T11:06:40Z', status: 'live' }]]);
  });

  it('has the fee of the venue, else the computed one, else null', async () => {
    const own = { taker_order_id: idOf('ours'), maker_orders: [maker('x', '30', '0.45')] };
    expect((await fillsOf([[tradeOf('t-1', { ...own, fee: '0.123456' })]])).rows).toMatchObject([
      { fee: '0.123456', fee_source: 'venue' },
    ]);
    expect((await fillsOf([[tradeOf('t-1', own)]])).rows).toMatchObject([{ fee: '0.297', fee_source: 'computed' }]);
    const unknown = await fillsOf([[tradeOf('t-1', own)]], [], null);
    expect(unknown.rows).toMatchObject([{ fee: null, fee_source: null }]);
    expect(unknown.err).toBe('The fee of 1 fill is not known, and in no sum.\n');
    // Unreadable fee details are not free.
    for (const fd of [{ r: 0.04, e: 1.5, to: true }, { r: 0.04, e: 1 }, 'soon']) {
      const { url } = await startVenue(({ path }): Reply => {
        const data = [tradeOf('t-1', own)];
        if (!path.startsWith('/clob-markets/')) return { body: { limit: 100, count: 1, data, next_cursor: 'LTE=' } };
        return { body: { t: [{ t: YES, o: 'Yes' }], mts: 0.01, tbf: 0, fd } };
      });
      const { rows } = await deskRows(['fills'], settings(url));
      expect(rows).toMatchObject([{ fee: null, fee_source: null }]);
    }
    const makersPay = await fillsOf([[tradeOf('t-1')]], [], { r: 0.04, e: 2, to: false });
    // 12.5 × 0.04 × (0.44 × 0.56) ^ 2 = 0.03035…
    expect(makersPay.rows).toMatchObject([{ fee: '0.03035' }]);
  });

  it('has null for a fee that cannot be read, and the exit code is 1', async () => {
    const own = { taker_order_id: idOf('ours'), maker_orders: [maker('x', '30', '0.45')] };
    const other = `0x${'c1'.repeat(32)}`;
    const { url } = await startVenue(({ path }): Reply => {
      if (path === `/clob-markets/${other}`) return { status: 429, body: { error: 'Too Many Requests' } };
      if (path.startsWith('/clob-markets/'))
        return { body: { t: [{ t: YES, o: 'Yes' }], mts: 0.01, tbf: 0, fd: null } };
      const data = [tradeOf('t-1', { ...own, market: other }), tradeOf('t-2', own)];
      return { body: path.startsWith('/data/order/') ? null : { limit: 100, count: 2, data, next_cursor: 'LTE=' } };
    });
    const why = 'The fees of a market: the venue limits the rate of requests. Try again in a minute.\n';
    const known = { trade_id: 't-2', fee: '0', fee_source: 'computed' };
    const unknown = { trade_id: 't-1', value: '13.5', fee: null, fee_source: null };
    const fills = await deskRows(['fills'], settings(url));
    expect([fills.code, fills.rows]).toMatchObject([1, [known, unknown]]);
    expect(fills.err).toBe(`${why}The fee of 1 fill is not known, and in no sum.\n`);
    const shown = await deskRows(['show', idOf('ours')], settings(url));
    expect([shown.code, shown.err]).toStrictEqual([1, why]);
    expect(shown.rows).toMatchObject([
      { order_id: idOf('ours'), fills: expect.arrayContaining([expect.objectContaining(unknown)]) },
    ]);
  });

  it('has its client, also if the order was placed during the report', async () => {
    const late = tradeOf('t-1', { maker_orders: [maker('late', '30', '0.4')] });
    const { url } = await startVenue(async ({ path }): Promise<Reply> => {
      if (path.startsWith('/clob-markets/')) return { body: { t: [{ t: YES, o: 'Yes' }], mts: 0.01, tbf: 0 } };
      const orders = openOrderStore({ path: store, log: createLog({ level: 'error', write: () => undefined }) });
      const record = { ...finishedOrder(PLACED, Date.now() + 9e9), orderId: idOf('late') };
      await orders.write('late', { ...record, client: { address: 'carol', isVerified: false } }, 'nothing');
      await orders.close();
      return { body: { limit: 100, count: 1, data: [late], next_cursor: 'LTE=' } };
    });
    const { code, rows, err } = await deskRows(['fills', '--client', 'carol'], settings(url), { secrets: SECRETS });
    expect([code, err, rows]).toMatchObject([
      0,
      '',
      [{ order_id: idOf('late'), client_address: 'carol', recorded: true }],
    ]);
  });

  it('has the first 512 characters of its caller, without control characters', async () => {
    const data = [tradeOf('t-1', { maker_orders: [maker('second', '30', '0.4')] })];
    const { url } = await startVenue(({ path }): Reply => {
      if (path === '/data/trades') return { body: { data, next_cursor: 'LTE=' } };
      return { status: 404, body: { error: 'not found' } };
    });
    const caller = ` [2J ${'s'.repeat(507)}`;
    expect((await deskRows(['fills'], settings(url))).rows).toMatchObject([{ client_address: 'bob', caller }]);
    expect((await desk(['fills', '--format', 'csv'], settings(url))).out).toContain(`,bob,false,${caller},`);
    expect((await deskRows(['show', idOf('second')], settings(url))).rows).toMatchObject([{ caller }]);
  });

  it('is marked in positions where its market is resolved, with a line on what trades do not show', async () => {
    const { url } = await startVenue(({ path, query }): Reply => {
      if (path.startsWith('/clob-markets/')) return { status: 404, body: { error: 'not found' } };
      if (path === '/data/trades') return { body: { data: [tradeOf('t-1')], next_cursor: 'LTE=' } };
      const markets = query.get('closed') === 'true' ? [{ conditionId: MARKET, question: 'Over?' }] : [];
      return { body: { markets } };
    });
    const { rows, err } = await deskRows(['positions'], settings(url));
    expect(rows).toMatchObject([{ question: 'Over?', resolved: true, net: '12.5' }]);
    expect(err).toContain(
      'Not in this list: redeemed, merged, split or moved shares, and trades before the first listed one, of 2026-11-18T11:06:40Z.\n',
    );
    expect((await desk(['positions', '--help'], settings(url))).out).toContain('redeemed, merged, split or moved');
  });

  it('prints no control characters of the venue', async () => {
    const evil = 'Yes\u001b[2J\u202e\nfake';
    const { url } = await venueOf([
      [tradeOf('t-1', { maker_orders: [maker('ours', '30', '0.4', { outcome: evil })] })],
    ]);
    const { out } = await desk(['fills'], settings(url));
    expect(out).toMatch(/\n {2}outcome {5}Yes \[2J {2}fake\n/);
  });
});

const NONSENSE: readonly (readonly [string, Reply])[] = [
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Just a moment…</html>' }],
  ['an empty object', { body: {} }],
  ['null', { body: 'null' }],
  ['a list', { body: [] }],
  ['no list in a page', { body: { data: null, next_cursor: 'LTE=' } }],
  ['a page without a list', { body: { next_cursor: 'LTE=' } }],
  ['a page without an end', { body: { data: [] } }],
  ['a page that leads to itself', { body: { data: [], next_cursor: 'MA==' } }],
  ['half an answer', { body: '{"data":[' }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }],
  ['a limit', { status: 429, body: { error: 'Too Many Requests' } }],
  ['a restart', { status: 425 }],
  ['an error', { status: 500, body: { error: `quoting ${SECRETS.join(' ')}` } }],
  ['a refusal of the credentials', { status: 401, body: { error: SECRETS.join(' ') } }],
  ['a firewall', { status: 403, body: '<html></html>' }],
  ['a cut connection', 'reset'],
];

const GOOD = {
  id: idOf('ours'),
  status: 'LIVE',
  market: MARKET,
  asset_id: YES,
  side: 'BUY',
  price: '.4',
  original_size: '10',
  size_matched: '0',
  outcome: 'Yes',
  created_at: 1_795_000_000,
};

describe('an odd row among good ones', () => {
  const ODD = { ...GOOD, id: idOf('second'), created_at: '', outcome: '', size_matched: '' };

  it.each([
    ['with empty members', ODD, { order_id: idOf('second'), client_address: 'bob', price: '0.4', filled_size: null }],
    ['with an id only', { id: idOf('second') }, { order_id: idOf('second'), client_address: 'bob', price: null }],
    ['of another form', 7, { order_id: 'row 2, without id', client_address: null, recorded: false }],
  ])('is shown as unreadable by open, with all others: %s', async (_what, odd, cells) => {
    const { url } = await startVenue(() => ({ body: { data: [GOOD, odd], next_cursor: 'LTE=' } }));
    const { code, rows, err } = await deskRows(['open'], settings(url));
    expect([code, rows]).toMatchObject([
      1,
      [
        { order_id: idOf('ours'), client_address: CLIENT, price: '0.4', status: 'live' },
        { ...cells, status: 'unreadable' },
      ],
    ]);
    expect(err).toBe('2 orders on the book.\n1 order of the venue cannot be read as a whole (unreadable).\n');
  });

  it('is cancelled by its id, by its client, and with all', async () => {
    for (const args of [[idOf('second')], ['--client', 'bob'], ['--all']]) {
      let listed = [GOOD, ODD];
      const { url } = await startVenue(({ method, body, path }): Reply => {
        if (method !== 'DELETE') return { body: { data: listed, next_cursor: 'LTE=' } };
        const canceled: string[] = path === '/cancel-all' ? listed.map(({ id }) => id) : JSON.parse(body);
        listed = listed.filter(({ id }) => !canceled.includes(id));
        return { body: { canceled, not_canceled: {} } };
      });
      const { code, rows } = await deskRows(['cancel', ...args, '--yes'], settings(url));
      const odd = rows.find(({ order_id }) => order_id === idOf('second'));
      expect([code, odd]).toMatchObject([0, { status: 'unreadable', result: 'cancelled', rests: false }]);
      expect(listed).toHaveLength(args[0] === '--all' ? 0 : 1);
    }
  });

  it('is shown as unreadable by fills, and is in no sum', async () => {
    const odd = tradeOf('t-2', { maker_orders: [maker('ours', 'ten', '0.44')] });
    const { code, rows, err } = await fillsOf([[tradeOf('t-1'), odd, 'nonsense']]);
    expect([code, rows]).toMatchObject([
      1,
      [
        { trade_id: 't-1', size: '12.5', status: 'confirmed' },
        { trade_id: 't-2', size: null, status: 'unreadable' },
        { trade_id: 'without id', size: null, status: 'unreadable' },
      ],
    ]);
    expect(err).toBe('2 trades of the venue cannot be read, and in no sum: t-2, without id.\n');
    for (const args of [['--by-client'], ['--client', CLIENT]]) {
      const summed = await fillsOf([[tradeOf('t-1'), odd]], args);
      expect([summed.code, summed.rows.length, summed.err]).toMatchObject([1, 1, expect.stringMatching(/: t-2\.\n$/)]);
    }
  });

  it('is shown as unreadable by show', async () => {
    const { url } = await startVenue(({ path }) =>
      path.startsWith('/data/order/') ? { body: ODD } : { body: { data: [], next_cursor: 'LTE=' } },
    );
    const { code, rows } = await deskRows(['show', idOf('second')], settings(url));
    expect([code, rows]).toMatchObject([
      1,
      [{ client_address: 'bob', price: '0.5', filled_size: null, venue_status: 'unreadable' }],
    ]);
  });
});

describe('a venue that answers nonsense', () => {
  it.each(NONSENSE)('ends every command with a sentence and exit 1: %s', async (_what, reply) => {
    const { url } = await startVenue(
      ({ path }: SeenRequest): Reply => (path.startsWith('/data/order/') ? { body: 'null' } : reply),
    );
    for (const args of [
      ['open'],
      ['fills'],
      ['fills', '--by-client'],
      ['show', idOf('ours')],
      ['cancel', '--client', 'bob', '--yes'],
    ]) {
      const { code, out, err } = await desk(args, settings(url), { secrets: SECRETS });
      expect([args, code, out]).toStrictEqual([args, 1, '']);
      expect(err).toMatch(/^(?:The open orders|The trades): .+\.\n$/);
    }
  });

  it.each([
    [401, 'the venue refuses the API credentials, or the clock is wrong. Run npm run doctor.'],
    [403, 'the venue refuses this machine or this account. Run npm run doctor.'],
    [425, 'the venue is not available (425).'],
    [429, 'the venue limits the rate of requests. Try again in a minute.'],
    [503, 'the venue is not available (503).'],
  ])('is explained by the status of its answer: %d', async (status, why) => {
    const { url } = await startVenue(() => ({ status, body: { error: 'no' } }));
    expect(await desk(['open'], settings(url))).toStrictEqual({ code: 1, out: '', err: `The open orders: ${why}\n` });
  });

  it('is not believed if a page of its edge answers 404', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '\n<html>Not Found</html>' };
    const id = idOf('ours');
    const { url } = await startVenue(({ method, path }): Reply => {
      if (path.startsWith('/data/order/')) return { status: 404, ...page };
      const said = { canceled: [], not_canceled: { [id]: 'the order is delayed' } };
      return { body: method === 'DELETE' ? said : { data: [], next_cursor: 'LTE=' } };
    });
    const { code, out, err } = await desk(['cancel', id, '--yes', '--format', 'json'], settings(url));
    expect([code, JSON.parse(out)]).toMatchObject([1, [{ result: 'not_cancelled', rests: null }]]);
    expect(err).toContain(
      'Cannot tell which orders are still open. The order: the venue gave an answer that cannot be used.',
    );
  });

  it('may answer at most 16 MiB', async () => {
    const { url } = await startVenue(() => ({ body: `[${'0,'.repeat(9 * 1_048_576)}0]` }));
    const { err } = await desk(['open'], settings(url));
    expect(err).toBe('The open orders: the venue gave an answer that cannot be used.\n');
  });

  it('answers two lists at once', async () => {
    const { url } = await startVenue(() => ({ body: { data: [GOOD], next_cursor: 'LTE=' } }));
    const ends = await Promise.all([desk(['open'], settings(url)), desk(['open'], settings(url))]);
    expect(ends.map(({ code }) => code)).toStrictEqual([0, 0]);
  });

  it('is given 10 s for a call', async () => {
    const waits: number[] = [];
    const { timeout } = AbortSignal;
    const shortened = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      waits.push(ms);
      return timeout.call(AbortSignal, 100);
    });
    const { url } = await startVenue(() => 'hang');
    const [open, fills] = await Promise.all([desk(['open'], settings(url)), desk(['fills'], settings(url))]);
    expect(open).toStrictEqual({ code: 1, out: '', err: 'The open orders: the venue did not answer within 10 s.\n' });
    expect(fills.err).toBe('The trades: the venue did not answer within 10 s.\n');
    expect(waits).toStrictEqual([10_000, 10_000]);
    shortened.mockRestore();
  });

  it('gets no credentials by a redirect', async () => {
    const elsewhere = await startVenue(() => ({ body: { data: [], next_cursor: 'LTE=' } }));
    const { url } = await startVenue(({ path }) => ({ status: 302, headers: { location: elsewhere.url + path } }));
    expect((await desk(['open'], settings(url))).code).toBe(1);
    expect(elsewhere.seen).toStrictEqual([]);
  });

  it('may be unreachable', async () => {
    const { err } = await desk(['open'], settings('http://127.0.0.1:9'));
    expect(err).toBe('The open orders: the venue cannot be reached.\n');
  });

  it('may have a name without an address', async () => {
    const { lookup } = dns;
    const fail = (host: string, _options: unknown, done: (error: Error) => void) =>
      process.nextTick(done, Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), { code: 'EAI_AGAIN' }));
    Object.assign(dns, { lookup: fail });
    try {
      const { err } = await desk(['open'], settings('https://venue.invalid'));
      expect(err).toBe('The open orders: the venue cannot be reached.\n');
    } finally {
      Object.assign(dns, { lookup });
    }
  });

  it('may answer anything to a cancellation: the orders are looked up, and no secret is printed', async () => {
    const answers: unknown[] = [
      { canceled: 'all' },
      { canceled: [], not_canceled: { [idOf('ours')]: `no\u001b[2J ${SECRETS.join()}` } },
    ];
    const { url, seen } = await startVenue(
      ({ method }): Reply =>
        method === 'DELETE' ? { body: answers.shift() } : { body: { data: [GOOD], next_cursor: 'LTE=' } },
    );
    const cancel = () => deskRows(['cancel', '--token', YES, '--yes'], settings(url), { secrets: SECRETS });
    expect(await cancel()).toMatchObject({ code: 1, rows: [{ result: 'unknown', rests: true }] });
    expect(await cancel()).toMatchObject({
      code: 1,
      rows: [{ result: 'not_cancelled', reason: 'no [2J [secret],[secret]', rests: true }],
    });
    expect(seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toStrictEqual([
      '/orders',
      '/orders',
    ]);
  });

  it('may list a cancelled order for a moment', async () => {
    let stale: number | undefined;
    const { url } = await startVenue(({ method }): Reply => {
      if (method === 'DELETE') stale = 1;
      else if (stale !== undefined) stale -= 1;
      if (method === 'DELETE') return { body: { canceled: [GOOD.id], not_canceled: {} } };
      return { body: { data: stale === undefined || stale >= 0 ? [GOOD] : [], next_cursor: 'LTE=' } };
    });
    expect(await deskRows(['cancel', '--token', YES, '--yes'], settings(url))).toMatchObject({
      code: 0,
      rows: [{ order_id: GOOD.id, result: 'cancelled', rests: false }],
    });
  });

  it.each([
    ['and says so', (id: string) => ({ [id]: 'the order is delayed' }), 'not_cancelled', 'the order is delayed'],
    ['without a word about it', () => ({}), 'unknown', null],
    ['in a form of its own', (id: string) => ({ [id]: { code: 7 } }), 'unknown', null],
  ])('may hold an order back %s, which is on no list and still rests', async (...row) => {
    const [, not_canceled, result, reason] = row;
    const id = idOf('ours');
    const held = { ...GOOD, status: 'ORDER_STATUS_DELAYED' };
    const { url } = await startVenue(({ method, path }): Reply => {
      if (method === 'DELETE') return { body: { canceled: [], not_canceled: not_canceled(id) } };
      return { body: path.startsWith('/data/order/') ? held : { data: [], next_cursor: 'LTE=' } };
    });
    expect(await deskRows(['cancel', id, '--yes'], settings(url))).toMatchObject({
      code: 1,
      rows: [{ order_id: id, client_address: CLIENT, result, reason, rests: true }],
    });
  });

  it.each([
    ['ORDER_STATUS_QUEUED', true],
    ['ORDER_STATUS_CANCELED_MARKET_RESOLVED', false],
    ['INVALID', false],
    ['MATCHED', false],
  ])('may give any state to an order that it did not cancel: %s may rest: %s', async (status, rests) => {
    const id = idOf('ours');
    const order = { ...GOOD, status };
    const { url } = await startVenue(({ method, path }): Reply => {
      if (method === 'DELETE') return { body: { canceled: [], not_canceled: { [id]: 'no' } } };
      return { body: path.startsWith('/data/order/') ? order : { data: [], next_cursor: 'LTE=' } };
    });
    expect(await deskRows(['cancel', id, '--yes'], settings(url))).toMatchObject({
      code: rests ? 1 : 0,
      rows: [{ order_id: id, result: 'not_cancelled', reason: 'no', rests }],
    });
  });

  it('gets at most 1000 ids in a call', async () => {
    const orders = Array.from({ length: 2_001 }, (_, index) => ({ ...GOOD, id: idOf(String(index)) }));
    const cancelled = new Set<string>();
    const sizes: number[] = [];
    const { url } = await startVenue(({ method, body }): Reply => {
      if (method !== 'DELETE')
        return { body: { data: orders.filter(({ id }) => !cancelled.has(id)), next_cursor: 'LTE=' } };
      const canceled: string[] = JSON.parse(body);
      sizes.push(canceled.length);
      for (const id of canceled) cancelled.add(id);
      return { body: { canceled, not_canceled: {} } };
    });
    const { code, rows } = await deskRows(['cancel', '--token', YES, '--yes'], settings(url));
    expect([code, rows.length, sizes]).toStrictEqual([0, 2_001, [1_000, 1_000, 1]]);
  });
});
