import { describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '../../../shared/errors.ts';
import { LATE_ARRIVAL_MS, LEASE_MS } from '../../../shared/limits.ts';
import { encodeRecord } from '../../../shared/orders/record.ts';
import type { LimitOrder } from '../../../shared/venue/port.ts';
import { ORDER, requestOf } from '../../support/orders/order-world.ts';
import {
  beginSlowly,
  DAY,
  endOf,
  errorOf,
  openWorld,
  placed,
  refused,
  type Send,
  START,
  TRACE,
  unknown,
} from '../../support/orders/processes.ts';
import { fateOfError } from '../../support/venue/fake-venue.ts';

// The fates of an order are in test/contract/fates.ts; races of two processes are in races.test.ts.

const fail =
  (code: ErrorCode): Send =>
  async () =>
    fateOfError(errorOf(code));

describe('an order', () => {
  it.each([
    ['key', ['read', 'create', 'replace', 'read']],
    [null, ['create', 'replace']],
  ])('under key %s costs these calls of the store: %j', async (key, calls) => {
    const { store, place } = openWorld();
    await place(undefined, key);
    if (key !== null) await place();
    expect(store.calls).toStrictEqual(calls);
  });

  it.each(['key', undefined])('leaves who asked for it before its bytes leave, with key %s', async (key) => {
    const { store, venue, log, open } = openWorld();
    const [client, caller] = [{ address: '0xme', isVerified: false }, 'arn:aws:iam::1:user/a'];
    const before: unknown[] = [];
    venue.submit = async (...sent) => {
      before.push(...store.records.values(), ...log.lines);
      return placed(...sent);
    };
    const request = { ...requestOf(ORDER, key), client, requestId: 'r-1', caller };
    await open().place(request, { deadline: 24_000, venueRequests: [], trace: TRACE });
    const kept = { orderId: '0x1', terms: ORDER, client, requestId: 'r-1', caller, signedAt: START };
    const line = { message: 'order signed', order_id: '0x1', ...TRACE };
    expect(before).toMatchObject([{ ...kept, state: 'unfinished', payload: expect.stringContaining('0x1b') }, line]);
    expect(log.lines.some((logged) => 'idempotency_key_sha256' in logged)).toBe(key !== undefined);
    const [record] = store.records.values();
    expect(record).toMatchObject({ ...kept, state: 'finished' });
    expect(record && encodeRecord(record)).not.toMatch(/payload|0x1b/);
  });

  it('leaves the venue its time but for two seconds, in which the answer is stored', async () => {
    const { venue, place } = openWorld();
    let deadline = 0;
    venue.submit = async (order, call) => {
      ({ deadline } = call);
      return placed(order, call);
    };
    await place();
    expect(deadline).toBe(22_000);
  });
});

describe('an order under a daily cap', () => {
  /** A service that takes purchases of 12, before an order of 5. */
  function capped() {
    const world = openWorld();
    const orders = world.open({ dailyCap: '12' });
    const place = (key: string | null, change: Partial<LimitOrder> = {}) =>
      endOf(world.place(orders, key, null, { ...ORDER, ...change }));
    return { ...world, orders, place5: place, counted: (day = DAY) => Number(world.store.countedOn(day)) / 1e6 };
  }

  it('is refused above it, and the rest of the day is for a smaller one; a sale neither counts nor is refused', async () => {
    const { place5, counted, asked, store, venue } = capped();
    for (const key of ['a', 'b']) await place5(key);
    expect(await place5('c')).toBe('daily_cap_reached');
    expect([counted(), asked, store.records.has('c')]).toStrictEqual([10, ['submit 0x1', 'submit 0x2'], false]);
    expect(await place5('d', { side: 'sell' })).toBe('placed live 0x4');
    venue.submit = refused;
    expect(await place5('e', { side: 'sell' })).toBe('refused 0x5');
    venue.submit = placed;
    expect([await place5('c', { size: '4' }), counted()]).toStrictEqual(['placed live 0x6', 12]);
  });

  it('is counted once, on the day of its signature, however often it is sent', async () => {
    const { place5, counted, venue, clock } = capped();
    venue.submit = fail('venue_unavailable');
    await place5('a');
    venue.settle = fail('rate_limited');
    clock.now += 86_400_000 / 2;
    await place5('a');
    venue.settle = placed;
    for (const _ of [1, 2]) await place5('a');
    expect([counted(), counted('2026-09-22')]).toStrictEqual([5, 0]);
  });

  it.each<[ErrorCode, string | null, number]>([
    ['order_rejected', 'a', 0],
    ['insufficient_balance', 'a', 0],
    ['venue_refused_service', 'a', 0],
    ['rate_limited', 'a', 5],
    ['outcome_unknown', 'a', 5],
    ['order_rejected', null, 0],
    ['rate_limited', null, 0],
    ['venue_refused_service', null, 0],
    ['outcome_unknown', null, 5],
  ])('is given back once where it was provably not taken: %s, key %s', async (code, key, left) => {
    const { place5, counted, venue } = capped();
    venue.submit = fail(code);
    await place5(key);
    expect(counted()).toBe(left);
    venue.settle = fail(code);
    if (key !== null) await place5(key);
    expect(counted()).toBe(left);
  });

  it('is counted anew when it is signed anew, and again where it was given back and is there all the same', async () => {
    const world = capped();
    const { place5, counted, venue, clock, orders } = world;
    venue.submit = fail('venue_refused_service');
    await place5('key');
    clock.now += 86_400_000;
    const slow = await beginSlowly(world, orders);
    expect([counted(), counted('2026-09-22')]).toStrictEqual([0, 5]);
    clock.now += LEASE_MS + LATE_ARRIVAL_MS;
    venue.settle = refused;
    await place5('key');
    expect(counted('2026-09-22')).toBe(0);
    await slow.answer();
    expect(counted('2026-09-22')).toBe(5);
  });

  it('is given back on the day of its signature, though it is settled on the next', async () => {
    const { place5, counted, venue, clock } = capped();
    venue.submit = unknown;
    await place5('a');
    clock.now += 86_400_000 / 2;
    venue.settle = refused;
    expect([await place5('a'), counted(), counted('2026-09-22')]).toStrictEqual(['refused 0x1', 0, 0]);
  });
});
