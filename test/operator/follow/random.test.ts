import { describe, expect, it } from '@jest/globals';
import type { OrderEvent } from '../../../operator/follow/event.ts';
import { createLooks, type Looked, type Sources } from '../../../operator/follow/read.ts';
import { decodeState, encodeState, newState } from '../../../operator/follow/state.ts';
import { formatUnits, fromUnits, toDecimal } from '../../../shared/decimal.ts';
import type { Trade } from '../../../shared/venue/polymarket/operator-venue.ts';
import { createRandom } from '../../../tools/support/random.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { entry, FOLLOWER, fill, idOf, order, record, taken, timeOf } from '../../support/operator/looks.ts';

// Orders at a venue whose trades show late, change and fail, with reads that fail and a follower that is killed.

const [SEEDS, ORDERS] = FULL_EXTENT ? [50, 60] : [5, 30];
const STATUS = {
  filled: 'matched',
  cancelled: 'canceled',
  expired: 'canceled',
  ended: 'canceled_market_resolved',
  rests: '',
};
const STATES = ['matched_not_broadcasted', 'matched', 'mined', 'retrying'];

interface WorldOrder {
  readonly name: string;
  readonly units: bigint;
  readonly at: number;
  readonly expiresAt: number | null;
  readonly end: keyof typeof STATUS;
  matched: bigint;
  endedAt?: number;
}

interface WorldTrade {
  readonly id: string;
  readonly at: number;
  readonly shownAt: number;
  readonly isTaken: boolean;
  readonly parts: readonly (readonly [WorldOrder, bigint])[];
  readonly end: 'confirmed' | 'failed';
  readonly settledAt: number;
}

function createWorld(seed: number) {
  const random = createRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const orders: WorldOrder[] = [];
  const trades: WorldTrade[] = [];
  let [now, isCalm] = [0, false];

  function place(): void {
    const end = random.pick(['filled', 'filled', 'cancelled', 'expired', 'ended', 'rests'] as const);
    const expiresAt = end === 'expired' ? now + between(60, 200) : null;
    const name = `A${orders.length}`;
    orders.push({ name, units: BigInt(between(5_000_000, 90_000_000)), at: now, expiresAt, end, matched: 0n });
  }

  function trade(): void {
    const open = orders.filter((one) => one.endedAt === undefined && one.end !== 'rests' && one.matched < one.units);
    if (open.length === 0) return;
    const parts = [...new Set(Array.from({ length: between(1, 3) }, () => random.pick(open)))].map((one) => {
      const left = one.units - one.matched;
      const size = random() < 0.5 ? left : BigInt(between(1, Number(left)));
      return [one, one.end === 'filled' ? size : size / 2n + 1n] as const;
    });
    for (const [one, size] of parts) one.matched += size;
    const [shownAt, settledAt] = [now + between(0, 10), now + between(1, 90)];
    const isTaken = parts.length === 1 && random() < 0.3;
    const end = random() < 0.1 ? 'failed' : 'confirmed';
    trades.push({ id: `t${trades.length}`, at: now, shownAt, isTaken, parts, end, settledAt });
  }

  function isDue({ end, matched, units, expiresAt, at }: WorldOrder): boolean {
    if (end === 'filled') return matched === units;
    if (expiresAt !== null) return now >= expiresAt;
    return end !== 'rests' && now - at > 30 && random() < 0.2;
  }

  function rowOf({ id, at, isTaken, parts, end, settledAt }: WorldTrade): Trade {
    const isSettled = now >= settledAt && (isCalm || random() > 0.1);
    const status = isSettled ? end : random.pick(STATES);
    const [[first, units] = [undefined, 0n]] = parts;
    const more = { status, changedAt: isSettled ? timeOf(settledAt) : 0, size: fromUnits(units, 6) };
    if (!isTaken)
      return fill(id, at, '', 0, {
        ...more,
        makers: parts.map(([{ name }, size]) => entry(name, 0, { size: fromUnits(size, 6) })),
      });
    const others = [entry('another', 0, { owner: 'another', size: fromUnits(units, 6) })];
    return taken(id, at, first?.name ?? '', 0, { ...more, makers: others });
  }

  /** A row of an order; what the venue has matched shows before its trades. */
  function shownOf({ name, units, matched, at, end, endedAt }: WorldOrder) {
    const sizes = { size: fromUnits(units, 6), filledSize: fromUnits(matched, 6) };
    return order(name, 0, { ...sizes, createdAt: timeOf(at), status: endedAt === undefined ? 'live' : STATUS[end] });
  }

  /** Fails at times. */
  async function read<T>(what: () => T): Promise<T> {
    if (!isCalm && random() < 0.02) throw new RangeError('busy');
    return what();
  }

  const recordsOf = (isAsked: (order: WorldOrder) => boolean) =>
    read(() => {
      const recorded = orders.filter(isAsked);
      const cellsOf = ({ at, units, expiresAt }: WorldOrder) =>
        [at, { size: formatUnits(units, 6), expiresAt: expiresAt && timeOf(expiresAt) }] as const;
      return new Map(
        recorded
          .flatMap((one) => Object.entries(record(one.name, ...cellsOf(one))))
          .map(([name, one]) => [idOf(name), one]),
      );
    });

  const sources: Sources = {
    restingOrders: () => read(() => orders.filter(({ endedAt }) => endedAt === undefined).map(shownOf)),
    trades: ({ since = 0 }) =>
      read(() => {
        const shown = trades.filter(({ shownAt, at }) => shownAt <= now && timeOf(at) >= since - 1_000);
        return { trades: shown.toSorted((a, b) => a.at - b.at).map(rowOf), unreadable: [] };
      }),
    recentRecords: (since) => recordsOf(({ at }) => timeOf(at) >= since),
    records: (ids) => recordsOf(({ name }) => ids.includes(idOf(name))),
    markets: (ids) => read(() => new Map(ids.map((id) => [id, { question: 'Will it rain?', isResolved: false }]))),
    fees: () => read(() => null),
    order: (id) =>
      read(() => {
        const one = orders.find(({ name }) => idOf(name) === id);
        return one ? shownOf(one) : null;
      }),
  };

  return {
    orders,
    trades,
    sources,
    random,
    now: () => timeOf(now),
    calm: () => {
      isCalm = true;
    },
    /** Lets five seconds pass. Returns false once nothing happens any more. */
    step(): boolean {
      now += 5;
      if (orders.length < ORDERS) place();
      trade();
      for (const one of orders) if (one.endedAt === undefined && isDue(one)) one.endedAt = now;
      return orders.length < ORDERS || orders.some(({ end, endedAt }) => end !== 'rests' && endedAt === undefined);
    },
  };
}

type World = ReturnType<typeof createWorld>;

/** Follows the world to its end. A killed follower begins with the state that it has saved, and reports some facts again. */
async function followWorld(world: World): Promise<readonly OrderEvent[]> {
  const reported: OrderEvent[] = [];
  let saved = encodeState(newState(timeOf(0)));
  let state = decodeState(saved);
  const look = createLooks(world.sources, FOLLOWER, () => undefined);
  for (let quiet = 0; quiet < 60; ) {
    quiet = world.step() ? 0 : quiet + 1;
    if (quiet === 24) world.calm();
    if (!state) throw new Error('a state cannot be read');
    const looked: Looked | undefined = await look(state, world.now()).catch((error) => {
      if (!(error instanceof RangeError)) throw error;
      return undefined;
    });
    reported.push(...(looked?.events ?? []));
    const isKilled = world.random() < 0.1;
    if (!isKilled) ({ state } = looked ?? { state });
    if (looked && !isKilled) saved = encodeState(looked.state);
    else state = decodeState(saved);
  }
  return reported;
}

function units(text: string | null | undefined): bigint {
  const { coefficient, scale } = toDecimal(text ?? '');
  return coefficient * 10n ** BigInt(6 - scale);
}

const keysOf = (events: readonly OrderEvent[], type: string) =>
  [
    ...new Set(events.filter((event) => event.type === type).map(({ data }) => `${data.trade_id} ${data.order_id}`)),
  ].toSorted();

describe(`${ORDERS} orders, followed with kills`, () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed + Number(process.env['FOLLOW_SEED'] ?? '1')))(
    'are reported each fact at least once under one id, with exact sums (seed %i)',
    async (seed) => {
      const world = createWorld(seed);
      const events = await followWorld(world);
      const parts = world.trades.flatMap(({ id, end, parts }) =>
        parts.map(([one]) => ({ key: `${id} ${idOf(one.name)}`, end })),
      );
      const keysOfTrades = (...ends: readonly string[]) =>
        parts.flatMap(({ key, end }) => (ends.includes(end) ? key : [])).toSorted();
      expect(keysOf(events, 'order.filled')).toStrictEqual(keysOfTrades('confirmed', 'failed'));
      expect(keysOf(events, 'order.settled')).toStrictEqual(keysOfTrades('confirmed'));
      expect(keysOf(events, 'order.settlement_failed')).toStrictEqual(keysOfTrades('failed'));
      expect(events.filter(({ type }) => type === 'order.unreadable')).toStrictEqual([]);
      const facts = new Set(events.map(({ type, data }) => `${type} ${data.trade_id} ${data.order_id}`));
      expect(new Set(events.map(({ id }) => id)).size).toBe(facts.size);
      for (const { name, matched, units: size, end } of world.orders) {
        const own = events.filter(({ data }) => data.order_id === idOf(name));
        const closed = new Set(own.flatMap((event) => (event.type === 'order.closed' ? event.data.reason : [])));
        expect([name, ...closed]).toStrictEqual(end === 'rests' ? [name] : [name, matched >= size ? 'filled' : end]);
        const newest = own.toSorted((a, b) => a.data.revision - b.data.revision).at(-1);
        const failed = world.trades.filter((one) => one.end === 'failed').flatMap((one) => one.parts);
        const lost = failed.reduce((sum, [one, part]) => (one.name === name ? sum + part : sum), 0n);
        if (newest) expect([name, units(newest.data.filled_size)]).toStrictEqual([name, matched - lost]);
        if (newest) expect(newest.data).toMatchObject({ client_address: `client of ${name}` });
      }
    },
  );
});
