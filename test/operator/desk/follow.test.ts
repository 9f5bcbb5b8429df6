import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { openAccess } from '../../../operator/desk/access.ts';
import { follow } from '../../../operator/desk/follow-run.ts';
import { openVenue } from '../../../operator/desk/venue.ts';
import { formatUnits, toDecimal } from '../../../shared/decimal.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { createRandom } from '../../../tools/support/random.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { deskRows } from '../../support/operator/desk.ts';
import { finishedOrder, PLACED, WALLET } from '../../support/orders/order-records.ts';
import { type Reply, type SeenRequest, startVenue } from '../../support/venue/scripted-venue.ts';

/** Orders of 20 clients at a venue with a clock of its own, followed by a process that is killed again and again. */
const SEED = Number(process.env['FOLLOW_SEED'] ?? '1');
const [ORDERS, KILLS] = FULL_EXTENT ? [200, 8] : [50, 3];
const START = 1_795_000_000_000;
const STEP_MS = 5_000;
const PER_STEP = FULL_EXTENT ? 20 : 5;
const PAGE = FULL_EXTENT ? 100 : 20;
const KEY = '00000000-0000-4000-8000-000000000001';
const TOKEN = '7'.repeat(77);
const MARKET = `0x${'c0'.repeat(32)}`;
const ENDED = {
  filled: 'ORDER_STATUS_MATCHED',
  cancelled: 'CANCELED',
  expired: 'CANCELED',
  ended: 'CANCELED_MARKET_RESOLVED',
  rests: 'LIVE',
};
const STATES = ['MATCHED_NOT_BROADCASTED', 'TRADE_STATUS_MATCHED', 'MINED', 'RETRYING'];

interface VenueOrder {
  readonly id: string;
  readonly client: string;
  readonly size: bigint;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly end: 'filled' | 'cancelled' | 'expired' | 'ended' | 'rests';
  matched: bigint;
  endedAt?: number;
}

interface VenueTrade {
  readonly id: string;
  readonly at: number;
  readonly shownAt: number;
  readonly taker: VenueOrder | undefined;
  readonly makers: readonly (readonly [VenueOrder, bigint])[];
  readonly end: 'CONFIRMED' | 'FAILED';
  readonly settledAt: number;
}

function formatMillionths(units: bigint): string {
  return formatUnits(units, 6);
}

function idOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** A venue whose trades show late, whose pages shift, and whose states go back at times. */
function createWorld(store: OrderStore) {
  const random = createRandom(SEED);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const orders: VenueOrder[] = [];
  const trades: VenueTrade[] = [];
  let [now, isCalm] = [START, false];

  async function place(): Promise<void> {
    const number = orders.length;
    const end = random.pick(['filled', 'filled', 'cancelled', 'expired', 'ended', 'rests'] as const);
    const units = BigInt(between(5_000_000, 90_000_000));
    const expiresAt = end === 'expired' ? Math.floor(now / 1_000 + between(60, 200)) * 1_000 : null;
    const [id, address] = [idOf(number + 1), `client-${number % 20}`];
    orders.push({ id, client: address, size: units, createdAt: now, expiresAt, end, matched: 0n });
    const size = formatMillionths(units);
    const terms = { tokenId: TOKEN, side: 'buy', price: '0.5', size, postOnly: false, expiresAt } as const;
    const record = { ...finishedOrder(PLACED, Date.now() + 9e9), orderId: id, terms, signedAt: now };
    await store.write(id, { ...record, client: { address, isVerified: number % 2 === 0 } }, 'nothing');
  }

  function fill(): void {
    const isOpen = ({ endedAt, end, matched, size }: VenueOrder) =>
      endedAt === undefined && end !== 'rests' && matched < size;
    const open = orders.filter(isOpen);
    if (open.length === 0) return;
    const makers = new Set(Array.from({ length: between(1, 3) }, () => random.pick(open)));
    const parts = [...makers]
      .map((order) => {
        const left = order.size - order.matched;
        const size = order.end === 'filled' && random() < 0.5 ? left : BigInt(between(1, Number(left)));
        return [order, order.end === 'filled' ? size : size / 2n] as const;
      })
      .filter(([, size]) => size > 0n);
    if (parts.length === 0) return;
    for (const [order, size] of parts) order.matched += size;
    trades.push({
      id: `t-${trades.length}`,
      at: Math.floor(now / 1_000) * 1_000,
      shownAt: now + between(0, 10_000),
      taker: parts.length === 1 && random() < 0.3 ? parts[0]?.[0] : undefined,
      makers: parts,
      end: random() < 0.1 ? 'FAILED' : 'CONFIRMED',
      settledAt: now + between(1_000, 90_000),
    });
  }

  function isDue({ end, matched, size, expiresAt, createdAt }: VenueOrder): boolean {
    if (end === 'filled') return matched === size;
    if (expiresAt !== null) return now >= expiresAt;
    return end !== 'rests' && now - createdAt > 30_000 && random() < 0.2;
  }

  function endOrders(): void {
    for (const order of orders) if (order.endedAt === undefined && isDue(order)) order.endedAt = now;
  }

  function rowOf({ id, at, taker, makers, end, settledAt }: VenueTrade) {
    const isSettled = now >= settledAt && (isCalm || random() > 0.1);
    const ours = { owner: KEY, maker_address: WALLET, outcome: 'Yes', price: '0.5', asset_id: TOKEN };
    const others = { ...ours, owner: 'another', maker_address: `0x${'99'.repeat(20)}` };
    const partOf = ([order, size]: readonly [VenueOrder, bigint]) => {
      const matched_amount = formatMillionths(size);
      if (taker) return { ...others, order_id: idOf(888_888), matched_amount, price: '0.45' };
      return { ...ours, order_id: order.id, matched_amount, side: 'BUY' };
    };
    return {
      id,
      taker_order_id: taker?.id ?? idOf(999_999),
      market: MARKET,
      side: taker ? 'BUY' : 'SELL',
      size: formatMillionths(makers.reduce((sum, [, size]) => sum + size, 0n)),
      status: isSettled ? end : random.pick(STATES),
      match_time: String(at / 1_000),
      last_update: String(Math.floor(Math.max(at, isSettled ? settledAt : 0) / 1_000)),
      transaction_hash: '',
      ...(taker ? ours : others),
      trader_side: taker ? 'TAKER' : 'MAKER',
      maker_orders: makers.map(partOf),
    };
  }

  /** What a look-up shows: the fills come after the end. */
  function shownOf(order: VenueOrder) {
    const told = trades.filter(({ shownAt }) => shownAt <= now).flatMap(({ makers }) => makers);
    const matched = told.filter(([maker]) => maker === order).reduce((sum, [, size]) => sum + size, 0n);
    return {
      id: order.id,
      status: order.endedAt === undefined ? 'LIVE' : ENDED[order.end],
      market: MARKET,
      asset_id: TOKEN,
      side: 'BUY',
      price: '0.5',
      original_size: formatMillionths(order.size),
      size_matched: formatMillionths(matched),
      outcome: 'Yes',
      created_at: Math.floor(order.createdAt / 1_000),
    };
  }

  function answer({ path, query }: SeenRequest): Reply {
    if (path.startsWith('/clob-markets/'))
      return { body: { t: [{ t: TOKEN, o: 'Yes' }], mts: 0.01, tbf: 0, fd: { r: 0.04, e: 1, to: true } } };
    if (path.startsWith('/markets')) return { body: { markets: [] } };
    if (!isCalm && random() < 0.02) return { status: 503, body: { error: 'busy' } };
    if (path.startsWith('/data/order/')) {
      const order = orders.find(({ id }) => path.endsWith(id));
      return { body: order ? shownOf(order) : 'null' };
    }
    const after = Number(query.get('after') ?? '0') * 1_000;
    const shown = () => trades.filter(({ shownAt, at }) => shownAt <= now && at > after).toReversed();
    const resting = () => orders.filter(({ endedAt }) => endedAt === undefined);
    const rows = path === '/data/orders' ? resting().map(shownOf) : shown().map(rowOf);
    const from = Number(Buffer.from(query.get('next_cursor') ?? '', 'base64').toString());
    // A row that comes meanwhile shifts the pages.
    if (path === '/data/trades' && from > 0 && random() < 0.3) now += 1_000;
    const data = rows.slice(from, from + PAGE);
    const next_cursor = from + PAGE >= rows.length ? 'LTE=' : Buffer.from(String(from + PAGE)).toString('base64');
    return { body: { data, next_cursor } };
  }

  return {
    orders,
    trades,
    answer,
    now: () => now,
    /** From now on every state is the last one. */
    calm: () => {
      isCalm = true;
    },
    /** Lets the time of one look pass. */
    async step(): Promise<void> {
      now += STEP_MS;
      for (let count = 0; count < PER_STEP && orders.length < ORDERS; count += 1) await place();
      if (orders.length < ORDERS || random() < 0.9) for (let count = 0; count < PER_STEP; count += 1) fill();
      endOrders();
    },
    isDone: () => orders.length === ORDERS && orders.every((order) => order.end === 'rests' || order.endedAt),
  };
}

interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, string | null>>;
}

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follow-test-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe(`${ORDERS} orders of 20 clients, told with ${KILLS} kills (seed ${SEED})`, () => {
  it('are told each fact at least once, under one id, in order, and to the millionth', async () => {
    const path = join(folder, 'orders.db');
    const store = openOrderStore(path);
    const world = createWorld(store);
    const { url } = await startVenue(world.answer);
    const env: Environment = {
      SERVICE_CLOB_URL: url,
      SERVICE_GAMMA_URL: url,
      SERVICE_STORE: path,
      SERVICE_WALLET_ADDRESS: WALLET,
      SERVICE_CLOB_API_KEY: KEY,
      SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXNlY3JldA==',
      SERVICE_CLOB_API_PASSPHRASE: 'a-passphrase',
    };
    const access = await openAccess({ settings: '/dev/null' }, env);
    const venue = await openVenue(access);
    const told: Told[] = [];
    const random = createRandom(SEED + 1);
    let [quiet, lives, looks] = [0, 0, 0];
    for (let isOver = false; !isOver; lives += 1) {
      const stop = new AbortController();
      const lifetime = lives < KILLS ? 1 + Math.floor(random() * (ORDERS / KILLS)) : Number.POSITIVE_INFINITY;
      let written = 0;
      const deliver = async (line: string) => {
        // The process is killed while it tells, so that it has not kept what it told.
        if (written >= lifetime) throw new RangeError('killed');
        written += 1;
        told.push(JSON.parse(line));
      };
      const out = () => undefined;
      const now = () => {
        looks += 1;
        return world.now();
      };
      const terminal = { args: [], out, err: out, deliver, stop: stop.signal };
      const options = { begun: START, since: undefined, pauseMs: 1, url: undefined, now };
      let ended: string | undefined;
      const running = follow({ access, venue, terminal, format: 'json' }, options, env)
        .then(() => 'stopped', String)
        .then((how) => {
          ended = how;
          return how;
        });
      while (ended === undefined && !isOver) {
        const before = looks;
        await world.step();
        while (ended === undefined && looks === before) await new Promise((next) => setTimeout(next, 1));
        quiet = world.isDone() ? quiet + 1 : 0;
        // Every trade is settled by then, and the last looks are without faults.
        if (quiet === 24) world.calm();
        isOver = quiet > 52;
      }
      stop.abort();
      expect(['stopped', 'RangeError: killed']).toContain(await running);
    }
    await store.close();
    expect(lives).toBeGreaterThan(KILLS / 2);

    const firsts = new Map<string, Told>();
    for (const event of told) {
      const before = firsts.get(event.id);
      const factOf = ({ type, data }: Told) => [type, data['order_id'], data['trade_id']];
      if (before) expect(factOf(event)).toStrictEqual(factOf(before));
      else firsts.set(event.id, event);
    }
    const facts = [...firsts.values()];
    const of = (type: string) => facts.filter((event) => event.type === type);
    const keysOf = (type: string) =>
      of(type)
        .map(({ data }) => `${data['trade_id']} ${data['order_id']}`)
        .toSorted();
    const parts = world.trades.flatMap(({ id, end, makers }) =>
      makers.map(([order]) => ({ key: `${id} ${order.id}`, end })),
    );
    const keysOfTrades = (...ends: readonly string[]) =>
      parts.flatMap(({ key, end }) => (ends.includes(end) ? key : [])).toSorted();
    expect(keysOf('order.filled')).toStrictEqual(keysOfTrades('CONFIRMED', 'FAILED'));
    expect(keysOf('order.settled')).toStrictEqual(keysOfTrades('CONFIRMED'));
    expect(keysOf('order.settlement_failed')).toStrictEqual(keysOfTrades('FAILED'));
    expect(of('order.unreadable')).toStrictEqual([]);

    const exact = (text: unknown) => {
      const { coefficient, scale } = toDecimal(String(text));
      return coefficient * 10n ** BigInt(18 - scale);
    };
    const exactly = ({ data }: Told, name: string) => exact(data[name]);
    for (const order of world.orders) {
      const own = facts.filter(({ data }) => data['order_id'] === order.id);
      const sum = (type: string) =>
        own.filter((event) => event.type === type).reduce((all, event) => all + exactly(event, 'size'), 0n);
      const matched = order.matched * 10n ** 12n;
      expect(sum('order.filled')).toBe(matched);
      const closed = own.filter(({ type }) => type === 'order.closed').map(({ data }) => data['reason']);
      const reason = order.matched === order.size ? 'filled' : order.end;
      expect([order.id, ...closed]).toStrictEqual(order.end === 'rests' ? [order.id] : [order.id, reason]);
      const lastFill = own.findLastIndex(({ type }) => type === 'order.filled');
      const close = own.findIndex(({ type }) => type === 'order.closed');
      if (close >= 0) expect(close).toBeGreaterThan(lastFill);
      // A state that went back after a kill is told again: the last telling counts, not the last new fact.
      const last = told.findLast(({ data }) => data['order_id'] === order.id);
      if (last) expect(exactly(last, 'filled_size')).toBe(matched - sum('order.settlement_failed'));
      for (const { data } of own) expect(data['client_address']).toBe(order.client);
    }

    const { rows } = await deskRows(['fills', '--by-client'], env);
    const total = (client: unknown, name: string) =>
      facts.reduce((all, event) => {
        if (event.data['client_address'] !== client) return all;
        if (event.type === 'order.filled') return all + exactly(event, name);
        return event.type === 'order.settlement_failed' ? all - exactly(event, name) : all;
      }, 0n);
    const traded = world.trades.flatMap(({ end, makers }) =>
      end === 'FAILED' ? [] : makers.map(([order]) => order.client),
    );
    const named = rows.map(({ client_address: client }) => client);
    expect(named.toSorted()).toStrictEqual([...new Set(traded)].toSorted());
    for (const { client_address: client, shares, value, fees } of rows) {
      expect([shares, value, fees].map(exact)).toStrictEqual(
        ['size', 'value', 'fee'].map((name) => total(client, name)),
      );
    }
  }, 1_200_000);
});
