import { describe, expect, it } from '@jest/globals';
import { refuse } from '../../../shared/errors.ts';
import { LATE_ARRIVAL_MS } from '../../../shared/limits.ts';
import { endOf, openWorld, placed, type Send, START } from '../../support/orders/processes.ts';

const WORDS = 'order accepted for asynchronous processing';
/** The venue's answer in words that nobody knows. */
const said: Send = async () => ({
  kind: 'unknown',
  why: 'unknown_words',
  sentAt: START,
  venueReason: WORDS,
  retryAfter: 10,
  cause: new Error(WORDS),
});
/** A look-up that finds nothing, and believes the words that it is given. */
const notFound: Send = async (_order, _call, venueReason) =>
  venueReason
    ? { kind: 'refused', error: refuse('order_rejected', { venueReason }) }
    : { kind: 'unknown', why: 'sent', sentAt: null, cause: undefined };

async function answeredSo() {
  const world = openWorld();
  await world.leaveOpen(said);
  world.venue.lookUp = notFound;
  return world;
}

describe('an order that was answered in words that are not known', () => {
  it('is only looked up for 120 s, and its repeats have the words', async () => {
    const world = await answeredSo();
    for (const seconds of [1, 50, 60]) {
      world.clock.now += seconds * 1_000;
      const { fate } = await world.place();
      expect(fate).toMatchObject({ kind: 'unknown', why: 'unknown_words', venueReason: WORDS });
    }
    expect((await world.place()).fate).toMatchObject({ retryAfter: 9 });
    expect(new Set(world.asked)).toStrictEqual(new Set(['lookUp 0x1']));
  });

  it('is placed where a look-up finds it', async () => {
    const world = await answeredSo();
    world.clock.now += 8_000;
    world.venue.lookUp = placed;
    expect(await endOf(world.place())).toBe('placed live 0x1');
    expect(await endOf(world.place())).toBe('placed live 0x1 replayed');
  });

  it('is refused for good once the time is over and no look-up finds it', async () => {
    const world = await answeredSo();
    world.clock.now += LATE_ARRIVAL_MS - 1;
    expect(await endOf(world.place())).toBe('unknown 0x1');
    world.clock.now += 1;
    const { fate } = await world.place();
    expect(fate).toMatchObject({ kind: 'refused', error: { code: 'order_rejected', facts: { venueReason: WORDS } } });
    expect(await endOf(world.place())).toBe('refused 0x1 replayed');
    expect(new Set(world.asked)).toStrictEqual(new Set(['lookUp 0x1']));
  });

  it('stays unknown where the look-ups are of no use', async () => {
    const world = await answeredSo();
    world.clock.now += 2 * LATE_ARRIVAL_MS;
    world.venue.lookUp = async () => ({ kind: 'unknown', why: 'sent', sentAt: null, cause: undefined });
    expect((await world.place()).fate).toMatchObject({ venueReason: WORDS, retryAfter: 10 });
  });

  it('keeps the words where they came at a second sending', async () => {
    const world = openWorld();
    await world.leaveOpen();
    world.venue.settle = said;
    expect(await endOf(world.place())).toBe('unknown 0x1');
    world.asked.length = 0;
    expect((await world.place()).fate).toMatchObject({ venueReason: WORDS });
    expect(world.asked).toStrictEqual(['lookUp 0x1']);
  });
});
