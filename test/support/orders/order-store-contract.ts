import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { OrderStore } from '../../../shared/orders/record.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from './order-records.ts';

/**
 * Number of writes at the same time: enough for a winner and losers through both handles, and few enough that a busy
 * machine answers each within the store's time limit.
 */
const CONTENDERS = 8;

/** Holds that so much is counted for a day, by a write that would make the sum too large and one that would not. */
export async function expectCounted(store: OrderStore, day: string, units: bigint): Promise<void> {
  const probe = (atMost: bigint) =>
    store.create(`probe ${randomUUID()}`, unfinishedOrder('probe'), [{ day, units: 0n, atMost }]);
  expect(await probe(units - 1n)).toStrictEqual({ fullDay: day });
  expect(await probe(units)).toBe('written');
}

/** Tests the promises of every order store. `stores` gives two handles on the same, empty records. */
export function orderStoreContract(stores: () => readonly [OrderStore, OrderStore]): void {
  it('knows nothing of a key that was never used', async () => {
    const [store] = stores();
    expect(await store.read('new')).toBeUndefined();
  });

  it('gives back what was created, through another handle too', async () => {
    const [store, other] = stores();
    expect(await store.create('key', unfinishedOrder('a'))).toBe('written');
    expect(await store.read('key')).toStrictEqual(unfinishedOrder('a'));
    expect(await other.read('key')).toStrictEqual(unfinishedOrder('a'));
  });

  it.each([PLACED, REFUSED])('gives back a final answer: $result', async (answer) => {
    const [store, other] = stores();
    await store.create('key', unfinishedOrder('a'));
    expect(await store.replace('key', finishedOrder(answer), { heldBy: 'a' })).toBe('written');
    expect(await other.read('key')).toStrictEqual(finishedOrder(answer));
  });

  it('creates a key once, whoever asks at the same time', async () => {
    const [store, other] = stores();
    const owners = Array.from({ length: CONTENDERS }, (_, index) => `owner-${index}`);
    const created = await Promise.all(
      owners.map((owner, index) => (index % 2 ? store : other).create('key', unfinishedOrder(owner))),
    );
    expect(created.filter((written) => written === 'written')).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(owners[created.indexOf('written')] ?? ''));
  });

  it('lets one of many take an order over', async () => {
    const [store, other] = stores();
    await store.create('key', unfinishedOrder('old'));
    const owners = Array.from({ length: CONTENDERS }, (_, index) => `owner-${index}`);
    const taken = await Promise.all(
      owners.map((owner, index) =>
        (index % 2 ? store : other).replace('key', unfinishedOrder(owner), { heldBy: 'old' }),
      ),
    );
    expect(taken.filter((written) => written === 'written')).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(owners[taken.indexOf('written')] ?? ''));
  });

  it('replaces nothing that is not as expected', async () => {
    const [store] = stores();
    for (const expected of [{ heldBy: 'a' }, { keptUntil: 0 }]) {
      expect(await store.replace('key', unfinishedOrder('b'), expected)).toBe('conflict');
    }
    expect(await store.read('key')).toBeUndefined();
    await store.create('key', unfinishedOrder('a'));
    expect(await store.replace('key', finishedOrder(REFUSED), { heldBy: 'b' })).toBe('conflict');
    expect(await store.replace('key', finishedOrder(REFUSED), { keptUntil: 0 })).toBe('conflict');
    expect(await store.read('key')).toStrictEqual(unfinishedOrder('a'));
  });

  it('never replaces a final answer but by itself, kept for longer', async () => {
    const [store] = stores();
    await store.create('key', unfinishedOrder('a'));
    await store.replace('key', finishedOrder(PLACED), { heldBy: 'a' });
    expect(await store.create('key', unfinishedOrder('b'))).toBe('conflict');
    expect(await store.replace('key', finishedOrder(REFUSED), { heldBy: 'a' })).toBe('conflict');
    const longer = finishedOrder(PLACED, 1_790_180_000_000);
    const { keepUntil } = finishedOrder(PLACED);
    expect(await store.replace('key', longer, { keptUntil: keepUntil - 60_000 })).toBe('conflict');
    expect(await store.replace('key', longer, { keptUntil: keepUntil })).toBe('written');
    expect(await store.replace('key', longer, { keptUntil: keepUntil })).toBe('conflict');
    expect(await store.read('key')).toStrictEqual(longer);
  });

  it('tells keys apart by every character', async () => {
    const [store] = stores();
    const keys = ['k', 'K', ' k', 'k ', "k'--", `k"`, '\\k', '0', '00', '~'.repeat(255), '~'.repeat(254)];
    for (const key of keys) expect(await store.create(key, unfinishedOrder(key))).toBe('written');
    for (const key of keys) expect(await store.read(key)).toStrictEqual(unfinishedOrder(key));
  });

  const DAY = '2026-11-21';
  const count = (units: bigint, atMost?: bigint, day = DAY) => [
    { day, units, ...(atMost !== undefined && { atMost }) },
  ];

  it('counts a day in the same write as the record, up to a limit', async () => {
    const [store, other] = stores();
    await expectCounted(store, DAY, 0n);
    expect(await store.create('a', unfinishedOrder('a'), count(60n, 100n))).toBe('written');
    expect(await store.create('b', unfinishedOrder('b'), count(41n, 100n))).toStrictEqual({ fullDay: DAY });
    expect(await other.read('b')).toBeUndefined();
    expect(await other.create('b', unfinishedOrder('b'), count(40n, 100n))).toBe('written');
    await expectCounted(other, DAY, 100n);
    await expectCounted(other, '2026-11-22', 0n);
    expect(await store.create('c', unfinishedOrder('c'), count(101n, 100n))).toStrictEqual({ fullDay: DAY });
  });

  it('takes no order that is above the limit by itself, on a day that has none yet', async () => {
    const [store] = stores();
    expect(await store.create('a', unfinishedOrder('a'), count(101n, 100n))).toStrictEqual({ fullDay: DAY });
    expect(await store.read('a')).toBeUndefined();
    await expectCounted(store, DAY, 0n);
  });

  it('counts nothing for a write that is not made', async () => {
    const [store] = stores();
    await store.create('a', unfinishedOrder('a'), count(60n, 100n));
    expect(await store.create('a', unfinishedOrder('b'), count(1n, 100n))).toBe('conflict');
    expect(await store.replace('a', finishedOrder(REFUSED), { heldBy: 'b' }, count(-60n))).toBe('conflict');
    await expectCounted(store, DAY, 60n);
  });

  it('counts on several days in one write, or on none', async () => {
    const [store, other] = stores();
    const both = (units: bigint, atMost: bigint) => [...count(units, atMost), ...count(units, atMost, '2026-11-22')];
    expect(await store.create('a', unfinishedOrder('a'), both(60n, 100n))).toBe('written');
    expect(await store.create('b', unfinishedOrder('b'), both(41n, 100n))).toStrictEqual({ fullDay: '2026-11-22' });
    expect(await other.create('c', unfinishedOrder('c'), count(40n, 100n))).toBe('written');
    expect(await store.create('d', unfinishedOrder('d'), both(40n, 100n))).toStrictEqual({ fullDay: DAY });
    expect(await other.read('d')).toBeUndefined();
    await expectCounted(store, DAY, 100n);
    await expectCounted(store, '2026-11-22', 60n);
    const moved = [...count(-60n), ...count(30n, 100n, '2026-11-23')];
    expect(await store.replace('a', unfinishedOrder('a'), { heldBy: 'a' }, moved)).toBe('written');
    await expectCounted(other, DAY, 40n);
    await expectCounted(other, '2026-11-23', 30n);
  });

  it('gives back, once', async () => {
    const [store, other] = stores();
    await store.create('a', unfinishedOrder('a'), count(60n, 100n));
    expect(await other.replace('a', finishedOrder(REFUSED), { heldBy: 'a' }, count(-60n))).toBe('written');
    expect(await store.replace('a', finishedOrder(REFUSED), { heldBy: 'a' }, count(-60n))).toBe('conflict');
    await expectCounted(store, DAY, 0n);
  });

  it('counts exactly, beyond what a number holds', async () => {
    const [store] = stores();
    const large = 2n ** 53n + 1n;
    await store.create('a', unfinishedOrder('a'), count(large));
    await store.create('b', unfinishedOrder('b'), count(2n, large + 2n));
    await expectCounted(store, DAY, large + 2n);
  });

  it('lets as many of many through at once as fit', async () => {
    const [store, other] = stores();
    const written = await Promise.all(
      Array.from({ length: CONTENDERS }, (_, index) =>
        (index % 2 ? store : other).create(`key-${index}`, unfinishedOrder('a'), count(30n, 100n)),
      ),
    );
    expect(written.filter((end) => end === 'written')).toHaveLength(3);
    await expectCounted(store, DAY, 90n);
  });
}
