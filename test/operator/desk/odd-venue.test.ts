import dns from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openOrderStore } from '../../../local/file-store/store.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { fakeOnly } from '../../support/jest.ts';
import { desk, deskRows } from '../../support/operator/desk.ts';
import { finishedOrder, PLACED, WALLET } from '../../support/orders/order-records.ts';
import { until } from '../../support/until.ts';
import { type Reply, type SeenRequest, startVenue } from '../../support/venue/scripted-venue.ts';

const KEY = '00000000-0000-4000-8000-000000000001';
const SECRETS = ['c2VjcmV0LXNlY3JldA==', 'a-passphrase'] as const;
const [YES, NO] = ['7'.repeat(77), '8'.repeat(77)] as const;
const [MARKET, OTHER_MARKET] = [`0x${'c0'.repeat(32)}`, `0x${'c1'.repeat(32)}`];
const [STRANGER, FUNDER] = [`0x${'99'.repeat(20)}`, `0x${'AA'.repeat(20)}`];
const [OURS, SECOND] = [idOf('ours'), idOf('second')] as const;

function idOf(name: string): string {
  return `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
}

let folder: string;
let store: string;

/** Records an order of a client in the store. */
async function record(name: string, address: string | null, caller: string | null = null): Promise<void> {
  const orders = openOrderStore(store);
  const client = address === null ? null : { address, isVerified: name === 'ours' };
  const order = { ...finishedOrder(PLACED, Date.now() + 9e9), orderId: idOf(name), client, caller };
  await orders.write(name, order, 'nothing');
  await orders.close();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'odd-venue-'));
  store = join(folder, 'orders.db');
  await record('ours', 'alice');
  // The subject of a token is as its issuer made it.
  await record('second', 'bob', `\u001b[2J\u202e${'s'.repeat(600)}`);
  await record('nobody', null);
  await record('claimed', 'alice');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function settings(url: string): Environment {
  return {
    SERVICE_CLOB_URL: url,
    SERVICE_GAMMA_URL: url,
    SERVICE_STORE: store,
    SERVICE_WALLET_ADDRESS: WALLET,
    SERVICE_FUNDER_ADDRESS: FUNDER,
    SERVICE_CLOB_API_KEY: KEY,
    SERVICE_CLOB_API_SECRET: SECRETS[0],
    SERVICE_CLOB_API_PASSPHRASE: SECRETS[1],
  };
}

function maker(name: string, matched_amount: string, price: string, more: object = {}) {
  const stranger = { owner: 'another', maker_address: STRANGER, fee_rate_bps: '0', outcome: 'Yes' };
  return { order_id: idOf(name), matched_amount, price, asset_id: YES, ...stranger, ...more };
}

/** A trade in which our order is one of three makers. */
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

const ORDER = {
  id: OURS,
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
/** An order with empty members. */
const ODD = { ...ORDER, id: SECOND, created_at: '', outcome: '', size_matched: '' };

interface Answers {
  readonly trades?: readonly (readonly unknown[])[];
  readonly open?: readonly unknown[];
  /** To a look-up of an order. */
  readonly order?: Reply;
  /** The fees of a market; 4 %, for takers only, unless they are stated. */
  readonly fees?: unknown;
  /** To a search of markets. */
  readonly catalogue?: Reply;
  readonly cancel?: (body: string) => unknown;
  readonly meanwhile?: () => Promise<void>;
}

/** A venue with these answers, on pages of the stated rows. */
function venueOf({
  trades = [[]],
  open = [],
  order,
  fees = { fd: { r: 0.04, e: 1, to: true } },
  catalogue,
  cancel,
  meanwhile,
}: Answers) {
  return startVenue(async ({ method, path, query, body }): Promise<Reply> => {
    if (path.startsWith('/data/')) await meanwhile?.();
    if (method === 'DELETE') return { body: cancel?.(path === '/cancel-all' ? '' : body) };
    if (path.startsWith('/data/order/')) return order ?? { body: 'null' };
    if (path === `/clob-markets/${OTHER_MARKET}`) return { status: 429, body: { error: 'Too Many Requests' } };
    if (path.startsWith('/clob-markets/'))
      return { body: { t: [{ t: YES, o: 'Yes' }], mts: 0.01, tbf: 1_000, ...Object(fees) } };
    if (path.startsWith('/markets')) {
      if (catalogue) return catalogue;
      const closed = query.get('closed') === 'true' ? [{ conditionId: MARKET, question: 'Over?' }] : [];
      return { body: { markets: closed } };
    }
    const pages = path === '/data/trades' ? trades : [open.slice(0, 500), open.slice(500, 1_000), open.slice(1_000)];
    const cursor = Number(Buffer.from(query.get('next_cursor') ?? '', 'base64').toString());
    const next_cursor = cursor >= pages.length - 1 ? 'LTE=' : Buffer.from(String(cursor + 1)).toString('base64');
    return { body: { limit: 100, count: pages[cursor]?.length ?? 0, data: pages[cursor] ?? [], next_cursor } };
  });
}

async function rowsOf(answers: Answers, args: readonly string[]) {
  const { url } = await venueOf(answers);
  return deskRows(args, settings(url), { secrets: SECRETS });
}

/** Writes the fills of a report, each with the client and the name of its order. */
function textOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const texts = rows.map((row) => {
    const name = Buffer.from(String(row['order_id']).slice(2), 'hex').toString().replaceAll('\0', '');
    const { client_address, side, outcome, size, price, value, fee, fee_source, trade_id, status } = row;
    const worth = `${size} @ ${price} = ${value}, fee ${fee} ${fee_source}`;
    return `${client_address}/${name} ${side} ${outcome} ${worth}, ${trade_id} ${status}`;
  });
  return texts.join('; ');
}

/** A trade in which our order is the taker of one maker. */
const TAKEN = { taker_order_id: OURS, maker_orders: [maker('x', '30', '0.45')] };
const ON_OTHER = maker('ours', '30', '0.6', { asset_id: NO, outcome: 'No' });
const OF_TWO = {
  ...{ taker_order_id: SECOND, trader_side: 'TAKER', size: '22.5' },
  maker_orders: [maker('x', '10', '0.45'), maker('ours', '12.5', '0.44')],
};
const BY_KEY = { maker_orders: [maker('x', '10', '0.45', { owner: KEY })] };
const BY_ACCOUNT = { maker_orders: [maker('y', '10', '0.45', { maker_address: FUNDER.toLowerCase() })] };
const MATCHED = { status: 'TRADE_STATUS_MATCHED', last_update: '1795000000' };
const FAILED = { status: 'FAILED', last_update: '1795000002' };
const MALFORMED = { maker_orders: [maker('ours', 'ten', '0.44')] };
const ENTRY = 'alice/ours buy Yes 12.5 @ 0.44 = 5.5';
const ONE = `${ENTRY}, fee 0 computed, t-1 confirmed`;
const UNREAD = 'null/ null null null @ null = null, fee null null';
const WHOLE = 'alice/ours sell Yes 30 @ 0.45 = 13.5, fee';
const ALL_UNKNOWN = `${WHOLE} null null, t-1 confirmed`;
const NO_FEE = 'The fee of 1 fill is unknown and not summed.\n';
const FEES_UNREAD = 'The fees of a market: the venue limits the rate of requests. Try again in a minute.\n';

/** The trades, the fills, and what is said of them; the exit code is 1 if something is said, but of an unknown fee. */
const AT_LIMIT = 'alice/ours sell Yes 30 @ null = 12';
const UNEVEN = '1 fill valued at the limit price: its makers do not add up: t-1.\n';

const FILLS: Readonly<
  Record<string, readonly [trades: readonly unknown[], fills: string, err?: string, fees?: unknown]>
> = {
  'of one maker among many': [[tradeOf('t-1')], ONE],
  // 5 × 0.44 + 7.5 × 0.46; the venue states the fee of each entry.
  'in two entries of one order, which are one fill': [
    [
      tradeOf('t-1', {
        maker_orders: [maker('ours', '5', '0.44', { fee: '0.01' }), maker('ours', '7.5', '0.46', { fee: '0.02' })],
      }),
    ],
    'alice/ours buy Yes 12.5 @ 0.452 = 5.65, fee 0.03 venue, t-1 confirmed',
  ],
  'in two entries, of which one has no fee': [
    [tradeOf('t-1', { maker_orders: [maker('ours', '5', '0.44', { fee: '0.01' }), maker('ours', '7.5', '0.44')] })],
    'alice/ours buy Yes 12.5 @ 0.44 = 5.5, fee 0 computed, t-1 confirmed',
  ],
  'on the other outcome than the taker': [
    [tradeOf('t-1', { maker_orders: [ON_OTHER] })],
    'alice/ours sell No 30 @ 0.6 = 18, fee 0 computed, t-1 confirmed',
  ],
  'against a taker that buys': [
    [tradeOf('t-1', { side: 'BUY' })],
    'alice/ours sell Yes 12.5 @ 0.44 = 5.5, fee 0 computed, t-1 confirmed',
  ],
  'as a taker by the word of the venue': [
    [tradeOf('t-1', { ...TAKEN, taker_order_id: idOf('own'), trader_side: 'TAKER' })],
    'null/own sell Yes 30 @ 0.45 = 13.5, fee 0.297 computed, t-1 confirmed',
  ],
  'on the side that the venue states': [
    [tradeOf('t-1', { maker_orders: [{ ...ON_OTHER, side: 'BUY' }] })],
    'alice/ours buy No 30 @ 0.6 = 18, fee 0 computed, t-1 confirmed',
  ],
  // 10 × 0.45 + 12.5 × 0.44, and not 22.5 at the limit of 0.4; the fees are rounded down each.
  'on both sides of a trade': [
    [tradeOf('t-1', OF_TWO)],
    `bob/second sell Yes 22.5 @ null = 10, fee 0.2222 computed, t-1 confirmed; ${ONE}`,
  ],
  'as a taker, at the complement of the price on the other outcome': [
    [tradeOf('t-1', { ...TAKEN, maker_orders: [maker('x', '30', '0.55', { asset_id: NO })] })],
    `${WHOLE} 0.297 computed, t-1 confirmed`,
  ],
  'as a taker without makers': [
    [tradeOf('t-1', { ...TAKEN, maker_orders: [] })],
    `${AT_LIMIT}, fee null null, t-1 confirmed`,
    UNEVEN + NO_FEE,
  ],
  'as a taker whose makers are a part of the trade': [
    [tradeOf('t-1', { ...TAKEN, maker_orders: [maker('x', '10', '0.45'), maker('y', '7.5', '0.43')] })],
    `${AT_LIMIT}, fee null null, t-1 confirmed`,
    UNEVEN + NO_FEE,
  ],
  'as a taker whose makers are more than the trade, with the fee of the venue': [
    [tradeOf('t-1', { ...TAKEN, fee: '0.1', maker_orders: [maker('x', '30', '0.45'), maker('y', '1', '0.43')] })],
    `${AT_LIMIT}, fee 0.1 venue, t-1 confirmed`,
    UNEVEN,
  ],
  'of orders without a record, by our API key and our account': [
    [tradeOf('t-1', BY_KEY), tradeOf('t-2', BY_ACCOUNT)],
    ['y', 'x']
      .map((name, index) => `null/${name} buy Yes 10 @ 0.45 = 4.5, fee 0 computed, t-${2 - index} confirmed`)
      .join('; '),
  ],
  'of others, which are not guessed': [
    [tradeOf('t-1', { maker_orders: [maker('x', '10', '0.45')] })],
    '',
    '1 trade without a known order of this account: t-1.\n',
  ],
  'listed again, in its latest state': [[tradeOf('t-1', MATCHED), tradeOf('t-1'), tradeOf('t-1', MATCHED)], ONE],
  'of a failed trade': [
    [tradeOf('t-1'), tradeOf('t-1', FAILED)],
    `${ENTRY}, fee null null, t-1 failed`,
    '1 fill not summed: the settlement failed.\n',
  ],
  'in an unknown state': [
    [tradeOf('t-1', { status: 'UNHEARD_OF' }), tradeOf('t-2')],
    `${ENTRY}, fee 0 computed, t-2 confirmed; ${ENTRY}, fee null null, t-1 unheard_of`,
    '1 fill not summed: a trade is in an unknown state: t-1 (unheard_of).\n',
  ],
  'of another form': [
    [tradeOf('t-1'), tradeOf('t-2', MALFORMED), 'nonsense'],
    `${ONE}; ${UNREAD}, t-2 unreadable; ${UNREAD}, without id unreadable`,
    '2 trades unreadable and not summed: t-2, without id.\n',
  ],
  'at a time in milliseconds': [[tradeOf('t-1', { match_time: '1795000000123', last_update: 1_795_000_001_000 })], ONE],
  'with the fee of the venue': [
    [tradeOf('t-1', { ...TAKEN, fee: '0.123456' })],
    `${WHOLE} 0.123456 venue, t-1 confirmed`,
  ],
  // 12.5 × 0.04 × (0.44 × 0.56) ^ 2 = 0.03035…
  'with the fee of a maker': [
    [tradeOf('t-1')],
    `${ENTRY}, fee 0.03035 computed, t-1 confirmed`,
    '',
    { fd: { r: 0.04, e: 2, to: false } },
  ],
  'in a market without fees': [[tradeOf('t-1', TAKEN)], `${WHOLE} 0 computed, t-1 confirmed`, '', { tbf: 0 }],
  'with a fee that is not stated': [[tradeOf('t-1', TAKEN)], ALL_UNKNOWN, NO_FEE, { fd: null }],
  // Unreadable fee details are not free.
  'with a broken exponent': [
    [tradeOf('t-1', TAKEN)],
    ALL_UNKNOWN,
    NO_FEE,
    { tbf: 0, fd: { r: 0.04, e: 1.5, to: true } },
  ],
  'with fees without a payer': [[tradeOf('t-1', TAKEN)], ALL_UNKNOWN, NO_FEE, { tbf: 0, fd: { r: 0.04, e: 1 } }],
  'with fees that are a text': [[tradeOf('t-1', TAKEN)], ALL_UNKNOWN, NO_FEE, { tbf: 0, fd: 'soon' }],
  'with fees that cannot be read': [
    [tradeOf('t-1', { ...TAKEN, market: OTHER_MARKET }), tradeOf('t-2', TAKEN)],
    `${WHOLE} 0.297 computed, t-2 confirmed; ${ALL_UNKNOWN}`,
    FEES_UNREAD + NO_FEE,
  ],
};

describe('our part of a trade', () => {
  it.each(Object.entries(FILLS))('is listed: %s', async (_what, [trades, fills, err = '', fees]) => {
    const end = await rowsOf({ trades: trades.map((trade) => [trade]), fees }, ['fills']);
    expect([textOf(end.rows), end.err]).toStrictEqual([fills, err]);
    expect(end.code).toBe(['', NO_FEE, '1 fill not summed: the settlement failed.\n'].includes(err) ? 0 : 1);
  });

  const UNSETTLED = ['MATCHED_NOT_BROADCASTED', 'TRADE_STATUS_MATCHED_NOT_BROADCASTED', 'MINED', 'RETRYING'];

  it.each<[args: string, states: readonly object[], sum: string, code: number, err: RegExp]>([
    ['fills --by-client', UNSETTLED.map((status) => ({ status })), 'alice 4 50', 0, /^$/],
    [
      'fills --by-client',
      [{}, { status: 'UNHEARD_OF' }],
      'alice 1 12.5',
      1,
      /not summed: a trade is in an unknown state: t-1 \(unheard_of\)/,
    ],
    // Anybody may claim an address.
    ['fills --by-client', [{}, { maker_orders: [maker('claimed', '10', '0.4')] }], 'alice 1 10,alice 1 12.5', 0, /^$/],
    ['fills --by-client', [FAILED], '', 0, /^1 fill not summed: the settlement failed\.\n$/],
    ['fills --by-client', [{}, MALFORMED], 'alice 1 12.5', 1, /^1 trade unreadable and not summed: t-1\.\n$/],
    [
      'fills --client alice',
      [{}, MALFORMED],
      'alice undefined undefined',
      1,
      /^1 trade unreadable and not summed: t-1\.\n$/,
    ],
  ])('is summed: %s of %j', async (args, states, sum, code, err) => {
    const trades = states.map((more, index) => tradeOf(`t-${index}`, more));
    const end = await rowsOf({ trades: [trades] }, args.split(' '));
    const sums = end.rows.map(({ client_address, fills, shares }) => `${client_address} ${fills} ${shares}`);
    expect([sums.join(), end.code]).toStrictEqual([sum, code]);
    expect(end.err).toMatch(err);
  });

  it('is shown with its order, also if its fee cannot be read', async () => {
    const trades = [[tradeOf('t-1', { ...TAKEN, market: OTHER_MARKET })]];
    const fills = [{ trade_id: 't-1', value: '13.5', fee: null, fee_source: null }];
    const end = await rowsOf({ trades }, ['show', OURS]);
    expect(end).toMatchObject({ code: 1, rows: [{ order_id: OURS, fills }], err: FEES_UNREAD });
  });

  it('is marked in show and positions if its makers do not add up', async () => {
    const trades = [[tradeOf('t-1', { ...TAKEN, maker_orders: [maker('x', '10', '0.45')] })], [tradeOf('t-2', TAKEN)]];
    const shown = await rowsOf({ trades }, ['show', OURS]);
    expect(shown).toMatchObject({
      code: 1,
      rows: [{ fills: [{ price: '0.45' }, { price: null, value: '12' }] }],
      err: UNEVEN,
    });
    const positions = await rowsOf({ trades }, ['positions']);
    expect(positions).toMatchObject({ code: 1, rows: [{ sold: '60', value: '25.5', fees: '0.297' }] });
    expect(positions.err).toContain(UNEVEN);
  });

  it('names its client even if the order was placed during the report', async () => {
    const trades = [[tradeOf('t-1', { maker_orders: [maker('late', '30', '0.4')] })]];
    const end = await rowsOf({ trades, meanwhile: () => record('late', 'carol') }, ['fills', '--client', 'carol']);
    expect(end).toMatchObject({ code: 0, rows: [{ client_address: 'carol', recorded: true }], err: '' });
  });

  it('shows at most 512 characters of its caller, without control characters', async () => {
    const order = maker('second', '30', '0.4', { outcome: 'Yes\u001b[2J\u202e\nfake' });
    const { url } = await venueOf({ trades: [[tradeOf('t-1', { maker_orders: [order] })]] });
    const caller = ` [2J ${'s'.repeat(507)}`;
    for (const command of [['fills'], ['show', SECOND]])
      expect((await deskRows(command, settings(url))).rows).toMatchObject([{ client_address: 'bob', caller }]);
    expect((await desk(['fills'], settings(url))).out).toMatch(/\n {2}outcome {5}Yes \[2J {2}fake\n/);
  });

  it('is marked in positions if its market is resolved, with a line on what trades do not show', async () => {
    const end = await rowsOf({ trades: [[tradeOf('t-1')]] }, ['positions']);
    expect(end.rows).toMatchObject([{ question: 'Over?', resolved: true, net: '12.5' }]);
    expect(end.err).toMatch(/^Not in this list: redeemed, merged, .* trades before .*, of 2026-11-18T11:06:40Z\.\n$/);
  });
});

const LISTED = '2 orders on the book.\n1 malformed open order, listed as unreadable.\n';
const LIVE = { order_id: OURS, client_address: 'alice', price: '0.4', status: 'live', since: '2026-11-18T11:06:40Z' };
const UNREADABLE = { order_id: SECOND, client_address: 'bob', status: 'unreadable' };

describe('an order of an odd form', () => {
  it.each<[what: string, odd: unknown, cells: object]>([
    ['whose members are empty', ODD, { ...UNREADABLE, price: '0.4', filled_size: null }],
    ['which has only an id', { id: SECOND }, { ...UNREADABLE, price: null }],
    ['which is a number', 7, { order_id: 'row 2, without id', client_address: null, recorded: false }],
  ])('is listed as unreadable: %s', async (_what, odd, cells) => {
    const open = [{ ...ORDER, created_at: 1_795_000_000_123 }, odd];
    const rows = [LIVE, { ...cells, status: 'unreadable' }];
    expect(await rowsOf({ open }, ['open'])).toMatchObject({ code: 1, rows, err: LISTED });
  });

  it('is listed with "recorded" null if a record cannot be read', async () => {
    const damaged = join(folder, 'damaged.db');
    using db = new DatabaseSync(store);
    db.exec(`VACUUM INTO '${damaged}'`);
    using copy = new DatabaseSync(damaged);
    copy.exec("INSERT INTO orders VALUES ('damaged', '{}', NULL)");
    const { url } = await venueOf({ open: [ORDER, { ...ORDER, id: idOf('x') }] });
    const end = await deskRows(['open'], { ...settings(url), SERVICE_STORE: damaged });
    expect(end).toMatchObject({ code: 1, rows: [{ recorded: true }, { client_address: null, recorded: null }] });
    expect(end.err).toContain('1 record skipped: damaged, or of another version of the service.\n');
  });

  it('is shown as unreadable by its id', async () => {
    const rows = [{ client_address: 'bob', price: '0.5', filled_size: null, venue_status: 'unreadable' }];
    expect(await rowsOf({ order: { body: ODD } }, ['show', SECOND])).toMatchObject({ code: 1, rows });
  });

  it.each([[[SECOND]], [['--client', 'bob']], [['--all']]])('is cancelled by %j', async (args) => {
    const open = [ORDER, ODD];
    const cancel = (body: string) => {
      const canceled: string[] = body === '' ? open.map(({ id }) => id) : JSON.parse(body);
      for (const id of canceled)
        open.splice(
          open.findIndex((order) => order.id === id),
          1,
        );
      return { canceled, not_canceled: {} };
    };
    const { code, rows } = await rowsOf({ open, cancel }, ['cancel', ...args, '--yes']);
    const odd = rows.find(({ order_id }) => order_id === SECOND);
    expect([code, odd]).toMatchObject([0, { status: 'unreadable', result: 'cancelled', rests: false }]);
    expect(open).toHaveLength(args[0] === '--all' ? 0 : 1);
  });
});

const UNUSABLE = 'the venue sent an unusable answer';
const A_PAGE = 'the venue answered with a web page instead of JSON';
const AWAY = 'the venue is unreachable or unavailable';
const PAGE = { headers: { 'content-type': 'text/html' }, body: '\n<html>Just a moment…</html>' };

const NONSENSE: readonly (readonly [what: string, Reply, why: string])[] = [
  ['HTML', PAGE, `${A_PAGE} (status 200)`],
  ['null', { body: 'null' }, UNUSABLE],
  ['no list in a page', { body: { data: null, next_cursor: 'LTE=' } }, UNUSABLE],
  ['a page without a list', { body: { next_cursor: 'LTE=' } }, UNUSABLE],
  ['a page without an end', { body: { data: [] } }, UNUSABLE],
  ['a page that leads to itself', { body: { data: [], next_cursor: 'MA==' } }, UNUSABLE],
  ['half an answer', { body: '{"data":[' }, UNUSABLE],
  ['more than 16 MiB', { body: `[${'0,'.repeat(9 * 1_048_576)}0]` }, UNUSABLE],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, UNUSABLE],
  ['a limit', { status: 429, body: { error: 'no' } }, 'the venue limits the rate of requests. Try again in a minute'],
  ['a restart', { status: 425 }, AWAY],
  [
    'a refusal in words',
    { status: 400, body: { error: `no ${SECRETS.join(' ')}` } },
    `${UNUSABLE} (status 400: no [removed]`,
  ],
  ['an error', { status: 500, body: { error: SECRETS.join(' ') } }, `${UNUSABLE} (status 500)`],
  [
    'a refusal of the credentials',
    { status: 401, body: { error: SECRETS.join(' ') } },
    'the venue refuses the API credentials, or the clock is wrong. Run npm run doctor',
  ],
  ['a firewall', { status: 403, ...PAGE }, 'the venue is behind a firewall that refuses this machine'],
  ['a cut connection', 'reset', 'the venue closed the connection before the end of its answer'],
];

it('trades are requested by account if the venue requires it', async () => {
  const { url, seen } = await startVenue(async ({ path, query }): Promise<Reply> => {
    if (path !== '/data/trades' || query.has('maker_address')) return { body: { data: [], next_cursor: 'LTE=' } };
    return { status: 400, body: { error: 'Invalid trade params payload' } };
  });
  expect((await desk(['fills'], settings(url), { secrets: SECRETS })).code).toBe(0);
  const asked = seen.filter(({ path }) => path === '/data/trades').map(({ query }) => query.get('maker_address'));
  expect(asked).toStrictEqual([null, FUNDER]);
});

describe('a venue that answers nonsense', () => {
  it.each(NONSENSE)('ends every command with a sentence and exit 1: %s', async (_what, reply, why) => {
    const { url } = await startVenue(
      ({ path }: SeenRequest): Reply => (path.startsWith('/data/order/') ? { body: 'null' } : reply),
    );
    for (const [list, ...args] of [
      ['The open orders', 'open'],
      ['The trades', 'fills'],
      ['The trades', 'show', OURS],
      ['The open orders', 'cancel', '--client', 'bob', '--yes'],
    ] as const) {
      const end = await desk(args, settings(url), { secrets: SECRETS });
      expect(end).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`${list}: ${why}`) });
      expect(end.err.match(/\n/g)).toHaveLength(1);
    }
  });

  it('is not trusted where a page of its edge answers 404', async () => {
    const cancel = () => ({ canceled: [], not_canceled: { [OURS]: 'the order is delayed' } });
    const end = await rowsOf({ order: { status: 404, ...PAGE }, cancel }, ['cancel', OURS, '--yes']);
    expect(end).toMatchObject({ code: 1, rows: [{ result: 'not_cancelled', rests: null }] });
    expect(end.err).toContain(`Which orders are still open is unknown. The order: ${A_PAGE}`);
  });

  it('has 10 s for each page, also with two calls at once', async () => {
    fakeOnly(['setTimeout', 'clearTimeout', 'performance']);
    const { url, seen } = await startVenue(() => 'hang');
    const ending = Promise.all([desk(['open'], settings(url)), desk(['fills'], settings(url))]);
    await until(() => seen.length === 2);
    await jest.advanceTimersByTimeAsync(9_999);
    const early = await Promise.race([ending, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
    await jest.advanceTimersByTimeAsync(1);
    const ends = await ending;
    jest.useRealTimers();
    expect(early).toBe('waits');
    const late = 'the venue did not answer in time. Check the network';
    expect(ends.map(({ code, err }) => [code, err.slice(0, err.indexOf(late))])).toStrictEqual([
      [1, 'The open orders: '],
      [1, 'The trades: '],
    ]);
  });

  it('gets no credentials through a redirect', async () => {
    const elsewhere = await startVenue(() => ({ body: { data: [], next_cursor: 'LTE=' } }));
    const { url } = await startVenue(({ path }) => ({ status: 302, headers: { location: elsewhere.url + path } }));
    expect((await desk(['open'], settings(url))).code).toBe(1);
    expect(elsewhere.seen).toStrictEqual([]);
  });

  it.each(['http://127.0.0.1:9', 'https://venue.invalid'])(
    'ends a command with a sentence if it is unreachable: %s',
    async (url) => {
      const { lookup } = dns;
      const fail = (host: string, _options: unknown, done: (error: Error) => void) =>
        process.nextTick(done, Object.assign(new Error(`getaddrinfo EAI_AGAIN ${host}`), { code: 'EAI_AGAIN' }));
      Object.assign(dns, { lookup: fail });
      const { err } = await desk(['open'], settings(url)).finally(() => Object.assign(dns, { lookup }));
      const why = url.startsWith('https')
        ? 'the name server of this network has no address for the venue (EAI_AGAIN)'
        : AWAY;
      expect(err).toContain(`The open orders: ${why}. `);
    },
  );
});

const DELAYED = 'ORDER_STATUS_DELAYED';
const REFUSED = { [OURS]: 'no' };

/** The state of the order in its look-up, the venue's word on it, and the result, the reason and whether it rests. */
it.each<[what: string, status: string, word: unknown, cells: string]>([
  [
    'that is listed',
    'listed',
    { [OURS]: `no\u001b[2J ${SECRETS.join()}` },
    'not_cancelled no [2J [removed],[removed] true',
  ],
  ['that is held back', DELAYED, REFUSED, 'not_cancelled no true'],
  ['which the answer does not mention', DELAYED, {}, 'unknown null true'],
  ['for which the answer has another form', DELAYED, { [OURS]: { code: 7 } }, 'unknown null true'],
  ['in an unknown state', 'ORDER_STATUS_QUEUED', REFUSED, 'not_cancelled no true'],
  ['that is unmatched, which proves nothing', 'UNMATCHED', REFUSED, 'not_cancelled no true'],
  ['whose market is resolved', 'ORDER_STATUS_CANCELED_MARKET_RESOLVED', REFUSED, 'not_cancelled no false'],
  ['that is invalid', 'INVALID', REFUSED, 'not_cancelled no false'],
  ['that is matched', 'MATCHED', REFUSED, 'not_cancelled no false'],
  ['that no look-up finds, which proves nothing', 'null', REFUSED, 'not_cancelled no null'],
])('reports whether an order that the venue did not cancel still rests: %s', async (_what, status, word, cells) => {
  const cancel = () => ({ canceled: [], not_canceled: word });
  const order = { body: status === 'null' ? 'null' : { ...ORDER, status } };
  const answers = { open: status === 'listed' ? [ORDER] : [], order, cancel };
  const { code, rows } = await rowsOf(answers, ['cancel', OURS, '--yes']);
  expect(rows.map(({ result, reason, rests }) => `${result} ${reason} ${rests}`)).toStrictEqual([cells]);
  expect([rows[0]?.['client_address'], code]).toStrictEqual(['alice', cells.endsWith('false') ? 0 : 1]);
});

describe('a cancellation', () => {
  it('without a terminal waits 3 s at most for the names of clients and markets, and leaves out those it lacks', async () => {
    const open = [ORDER];
    const asked = performance.now();
    let sent = Number.POSITIVE_INFINITY;
    const cancel = () => {
      sent = performance.now();
      open.length = 0;
      return { canceled: [OURS], not_canceled: {} };
    };
    const end = await rowsOf({ open, cancel, catalogue: 'hang' }, ['cancel', '--all', '--yes']);
    expect(end).toMatchObject({ code: 0, rows: [{ client_address: 'alice', question: null, rests: false }] });
    expect(sent - asked).toBeLessThan(9_000);
  });

  it('has an unknown result if the venue answers in another form', async () => {
    const end = await rowsOf({ open: [ORDER], cancel: () => ({ canceled: 'all' }) }, [
      'cancel',
      '--token',
      YES,
      '--yes',
    ]);
    expect(end).toMatchObject({ code: 1, rows: [{ result: 'unknown', rests: true }] });
  });

  it('is awaited while the order is still listed', async () => {
    const open = [ORDER];
    let looks = Number.NaN;
    const cancel = () => {
      looks = 0;
      return { canceled: [OURS], not_canceled: {} };
    };
    const meanwhile = async () => {
      looks += 1;
      if (looks > 1) open.length = 0;
    };
    expect(await rowsOf({ open, cancel, meanwhile }, ['cancel', '--token', YES, '--yes'])).toMatchObject({
      code: 0,
      rows: [{ order_id: OURS, result: 'cancelled', rests: false }],
    });
  });

  it('sends at most 1000 ids a call, and no id for which the venue would refuse the whole call', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => idOf(String(index)));
    const open = [...ids, 'malformed'].map((id) => ({ ...ORDER, id }));
    const sizes: number[] = [];
    const cancel = (body: string) => {
      const canceled: string[] = JSON.parse(body);
      sizes.push(canceled.length);
      open.splice(0, canceled.length);
      return { canceled, not_canceled: {} };
    };
    const { code, rows } = await rowsOf({ open, cancel }, ['cancel', '--token', YES, '--yes']);
    expect([code, rows.length, sizes]).toStrictEqual([1, 1_002, [1_000, 1]]);
  });
});
