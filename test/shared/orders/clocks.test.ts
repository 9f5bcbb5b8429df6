import { describe, expect, it } from '@jest/globals';
import { KEEP_MS, LATE_ARRIVAL_MS, LEASE_MS } from '../../../shared/limits.ts';
import { beginSlowly, DAY, endOf, openWorld, refused, START, unknown } from '../../support/orders/processes.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEXT_DAY = '2026-09-22';
/** The end of `DAY`. */
const MIDNIGHT = Date.parse(`${NEXT_DAY}T00:00:00Z`);

describe('the time for which an earlier sending may still arrive', () => {
  it.each([
    ["the venue's clock jumps ahead", LATE_ARRIVAL_MS + 60_000, -60_000 - LATE_ARRIVAL_MS],
    ['our clock is set ahead', 0, LATE_ARRIVAL_MS + 60_000],
    ["the venue's clock is set back", -HOUR_MS, HOUR_MS],
    ['our clock is set back', LATE_ARRIVAL_MS + 60_000, -HOUR_MS],
  ])('is not over where %s', async (_what, venueJump, ownAhead) => {
    const world = openWorld();
    await world.leaveOpen();
    world.venue.settle = refused;
    world.clock.now += venueJump;
    world.clock.ownAhead = ownAhead;
    const { fate } = await world.place();
    expect(fate).toMatchObject({ kind: 'unknown', why: 'earlier_sending', retryAfter: LATE_ARRIVAL_MS / 1_000 });
  });

  it('is over once it is by both clocks, whatever they differ by', async () => {
    const world = openWorld();
    world.clock.ownAhead = -DAY_MS;
    await world.leaveOpen();
    world.venue.settle = refused;
    world.clock.now += LATE_ARRIVAL_MS;
    world.clock.ownAhead += 2 * DAY_MS;
    expect(await endOf(world.place())).toBe('refused 0x1');
  });

  it('lasts for as long as the slower one says', async () => {
    const world = openWorld();
    await world.leaveOpen();
    world.venue.settle = refused;
    world.clock.now += LATE_ARRIVAL_MS;
    world.clock.ownAhead = -30_000;
    expect((await world.place()).fate).toMatchObject({ retryAfter: 30 });
  });

  it('is over before a sending whose refusal counts: the process may stand still before it reads it', async () => {
    const world = openWorld();
    await world.leaveOpen();
    world.clock.now = START + LATE_ARRIVAL_MS - 1_000;
    world.venue.settle = async (...sent) => {
      const fate = await refused(...sent);
      world.clock.now += 1_000;
      return fate;
    };
    expect(await world.place()).toMatchObject({ fate: { kind: 'unknown', why: 'earlier_sending', retryAfter: 1 } });
    expect(await endOf(world.place())).toBe('refused 0x1');
  });
});

describe('the day of a cap', () => {
  const sums = ({ store }: ReturnType<typeof openWorld>) =>
    Promise.all([DAY, NEXT_DAY].map(async (day) => Number(await store.countedOn(day)) / 1e6));

  it("is the venue's and ours: an order must fit in both, and the later one of two full ones is told", async () => {
    const world = openWorld();
    const orders = world.open({ dailyCap: '7' });
    world.clock.now = MIDNIGHT - 1_000;
    world.clock.ownAhead = 2_000;
    expect(await endOf(world.place(orders, null))).toBe('placed live 0x1');
    expect(await sums(world)).toStrictEqual([5, 5]);
    const error = await world.place(orders, null).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'daily_cap_reached', facts: { resetsAt: '2026-09-23T00:00:00Z' } });
    world.clock.ownAhead = 0;
    const before = await world.place(orders, null).catch((thrown: unknown) => thrown);
    expect(before).toMatchObject({ code: 'daily_cap_reached', facts: { resetsAt: '2026-09-22T00:00:00Z' } });
  });

  it('is no new one where the clock of the venue alone says so', async () => {
    const world = openWorld();
    const orders = world.open({ dailyCap: '7' });
    expect(await endOf(world.place(orders, null))).toBe('placed live 0x1');
    for (const days of [1, 2, 3]) {
      world.clock.now = START + days * DAY_MS;
      world.clock.ownAhead = -days * DAY_MS;
      expect(await endOf(world.place(orders, null))).toBe('daily_cap_reached');
    }
  });

  it('is that of the last sending: an order of yesterday counts today, and no more yesterday', async () => {
    const world = openWorld();
    const orders = () => world.open({ dailyCap: '7' });
    await world.leaveOpen(undefined, orders());
    expect(await sums(world)).toStrictEqual([5, 0]);
    world.clock.now = world.clock.wall = MIDNIGHT;
    expect(await endOf(world.place(orders(), 'key'))).toBe('placed live 0x1');
    expect(await sums(world)).toStrictEqual([0, 5]);
  });

  it('is that of the last sending where an earlier one is answered later, too', async () => {
    const world = openWorld();
    const orders = () => world.open({ dailyCap: '7' });
    world.clock.now = world.clock.wall = MIDNIGHT - LEASE_MS;
    const slow = await beginSlowly(world, orders());
    world.clock.now = world.clock.wall = MIDNIGHT;
    const repeated = Promise.withResolvers<void>();
    world.venue.settle = async (...sent) => {
      await repeated.promise;
      return unknown(...sent);
    };
    const repeat = endOf(world.place(orders()));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await endOf(slow.answer())).toBe('placed live 0x1');
    repeated.resolve();
    expect(await repeat).toBe('unknown 0x1');
    expect(await sums(world)).toStrictEqual([0, 5]);
    expect(world.store.records.get('key')).toMatchObject({ state: 'finished', countedOn: [NEXT_DAY] });
  });

  it('keeps an order of yesterday from being sent where today is full', async () => {
    const world = openWorld();
    const orders = () => world.open({ dailyCap: '7' });
    await world.leaveOpen(undefined, orders());
    world.clock.now = world.clock.wall = MIDNIGHT;
    expect(await endOf(world.place(orders(), null))).toBe('placed live 0x2');
    world.asked.length = 0;
    expect(await endOf(world.place(orders(), 'key'))).toBe('unknown 0x1');
    expect(world.asked).toStrictEqual(['lookUp 0x1']);
    expect(await sums(world)).toStrictEqual([5, 5]);
  });
});

it('keeps a record for 400 days by the later clock', async () => {
  const world = openWorld();
  world.clock.now = START + DAY_MS;
  await world.place();
  expect(world.store.records.get('key')).toMatchObject({ keepUntil: START + DAY_MS + KEEP_MS });
});
