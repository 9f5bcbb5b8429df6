import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { versionOf } from '../../../shared/orders/record.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from './order-records.ts';

/**
 * Number of writes at the same time: enough for a winner and losers through both handles, and few enough that a busy
 * machine answers each within the store's time limit.
 */
const CONTENDERS = 8;

/** Holds that so much is counted for a day, by a write that would make the sum too large and one that would not. */
export async function expectCounted(store: OrderStore, day: string, units: bigint): Promise<void> {
  const probe = (atMost: bigint) =>
    store.write(`probe ${randomUUID()}`, unfinishedOrder('probe'), 'nothing', [{ day, units: 0n, atMost }]);
  expect(await probe(units - 1n)).toStrictEqual({ fullDay: day, scope: 'service' });
  expect(await probe(units)).toBe('written');
}

/** Tests the promises of every order store. `stores` gives two handles on the same, empty records. */
export function orderStoreContract(stores: () => readonly [OrderStore, OrderStore]): void {
  const DAY = '2026-11-21';
  const count = (units: bigint, atMost?: bigint, day = DAY) => [
    { day, units, ...(atMost !== undefined && { atMost }) },
  ];

  it('knows nothing of a key that was never used', async () => {
    const [store] = stores();
    expect(await store.read('new')).toBeUndefined();
  });

  it('gives back what was created, through another handle too', async () => {
    const [store, other] = stores();
    expect(await store.write('key', unfinishedOrder('a'), 'nothing')).toBe('written');
    expect(await store.read('key')).toStrictEqual(unfinishedOrder('a'));
    expect(await other.read('key')).toStrictEqual(unfinishedOrder('a'));
  });

  it.each([PLACED, REFUSED])('gives back a final answer: $result', async (answer) => {
    const [store, other] = stores();
    await store.write('key', unfinishedOrder('a'), 'nothing');
    expect(await store.write('key', finishedOrder(answer), { version: 'a' })).toBe('written');
    expect(await other.read('key')).toStrictEqual(finishedOrder(answer));
  });

  it('creates a key once for concurrent requests', async () => {
    const [store, other] = stores();
    const owners = Array.from({ length: CONTENDERS }, (_, index) => `owner-${index}`);
    const created = await Promise.all(
      owners.map((owner, index) => (index % 2 ? store : other).write('key', unfinishedOrder(owner), 'nothing')),
    );
    expect(created.filter((written) => written === 'written')).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(owners[created.indexOf('written')] ?? ''));
  });

  it('lets one of many take an order over', async () => {
    const [store, other] = stores();
    await store.write('key', unfinishedOrder('old'), 'nothing');
    const owners = Array.from({ length: CONTENDERS }, (_, index) => `owner-${index}`);
    const taken = await Promise.all(
      owners.map((owner, index) =>
        (index % 2 ? store : other).write('key', unfinishedOrder(owner), { version: 'old' }),
      ),
    );
    expect(taken.filter((written) => written === 'written')).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(owners[taken.indexOf('written')] ?? ''));
  });

  it('replaces nothing but the version that was read, and answers a write with the record that stands', async () => {
    const [store, other] = stores();
    expect(await store.write('key', unfinishedOrder('b'), { version: 'a' })).toStrictEqual({ standing: undefined });
    await store.write('key', unfinishedOrder('a'), 'nothing');
    const standing = unfinishedOrder('a');
    expect(await other.write('key', unfinishedOrder('b'), 'nothing')).toStrictEqual({ standing });
    expect(await other.write('key', finishedOrder(REFUSED), { version: 'b' })).toStrictEqual({ standing });
    expect(await store.read('key')).toStrictEqual(standing);
  });

  it('replaces a final answer only as it was read', async () => {
    const [store] = stores();
    const [kept, longer] = [finishedOrder(REFUSED), finishedOrder(REFUSED, 1_790_180_000_000)];
    await store.write('key', unfinishedOrder('a'), 'nothing');
    await store.write('key', kept, { version: 'a' });
    expect(await store.write('key', unfinishedOrder('b'), 'nothing')).toStrictEqual({ standing: kept });
    expect(await store.write('key', finishedOrder(PLACED), { version: 'a' })).toStrictEqual({ standing: kept });
    expect(await store.write('key', longer, { version: versionOf(kept) })).toBe('written');
    expect(await store.write('key', finishedOrder(PLACED), { version: versionOf(kept) })).toStrictEqual({
      standing: longer,
    });
    expect(await store.write('key', finishedOrder(PLACED), { version: versionOf(longer) })).toBe('written');
    expect(await store.read('key')).toStrictEqual(finishedOrder(PLACED));
  });

  it('replaces an unfinished order by its id under any lease', async () => {
    const [store, other] = stores();
    const over = { unfinished: '0xa1' };
    expect(await store.write('key', finishedOrder(PLACED), over)).toStrictEqual({ standing: undefined });
    await store.write('key', unfinishedOrder('a', '0xb2'), 'nothing');
    expect(await store.write('key', finishedOrder(PLACED), over)).toMatchObject({ standing: { orderId: '0xb2' } });
    await store.write('other', unfinishedOrder('a'), 'nothing');
    await other.write('other', unfinishedOrder('b'), { version: 'a' });
    expect(await store.write('other', finishedOrder(PLACED), over)).toBe('written');
    expect(await store.write('other', finishedOrder(REFUSED), over)).toStrictEqual({
      standing: finishedOrder(PLACED),
    });
  });

  it('deletes a record as it was read, with its count', async () => {
    const [store, other] = stores();
    await store.write('key', unfinishedOrder('a'), 'nothing', count(60n));
    await store.write('other', unfinishedOrder('a'), 'nothing');
    expect(await store.write('key', undefined, { version: 'b' }, count(-60n))).toStrictEqual({
      standing: unfinishedOrder('a'),
    });
    expect(await other.write('key', undefined, { version: 'a' }, count(-60n))).toBe('written');
    expect(await other.write('other', undefined, { version: 'a' })).toBe('written');
    expect([await store.read('key'), await store.read('other')]).toStrictEqual([undefined, undefined]);
    await expectCounted(store, DAY, 0n);
    expect(await store.write('key', unfinishedOrder('c'), 'nothing')).toBe('written');
  });

  it('distinguishes keys by every character', async () => {
    const [store] = stores();
    const keys = ['k', 'K', ' k', 'k ', "k'--", `k"`, '\\k', '0', '00', '~'.repeat(255), '~'.repeat(254)];
    for (const key of keys) expect(await store.write(key, unfinishedOrder(key), 'nothing')).toBe('written');
    for (const key of keys) expect(await store.read(key)).toStrictEqual(unfinishedOrder(key));
  });

  it('counts a day in the same write as the record, up to a limit', async () => {
    const [store, other] = stores();
    await expectCounted(store, DAY, 0n);
    expect(await store.write('a', unfinishedOrder('a'), 'nothing', count(60n, 100n))).toBe('written');
    expect(await store.write('b', unfinishedOrder('b'), 'nothing', count(41n, 100n))).toStrictEqual({
      fullDay: DAY,
      scope: 'service',
    });
    expect(await other.read('b')).toBeUndefined();
    expect(await other.write('b', unfinishedOrder('b'), 'nothing', count(40n, 100n))).toBe('written');
    await expectCounted(other, DAY, 100n);
    await expectCounted(other, '2026-11-22', 0n);
    expect(await store.write('c', unfinishedOrder('c'), 'nothing', count(101n, 100n))).toStrictEqual({
      fullDay: DAY,
      scope: 'service',
    });
  });

  it('takes no order that is above the limit by itself, on a day that has none yet', async () => {
    const [store] = stores();
    expect(await store.write('a', unfinishedOrder('a'), 'nothing', count(101n, 100n))).toStrictEqual({
      fullDay: DAY,
      scope: 'service',
    });
    expect(await store.read('a')).toBeUndefined();
    await expectCounted(store, DAY, 0n);
  });

  it("counts each client's orders of a day by themselves, in the write that counts them for all", async () => {
    const [store, other] = stores();
    const of = (client: string, units: bigint, atMost: bigint, all = 1_000n) => [
      { day: DAY, client, units, atMost },
      { day: DAY, units, atMost: all },
    ];
    expect(await store.write('a', unfinishedOrder('a'), 'nothing', of('0xa', 60n, 100n))).toBe('written');
    expect(await other.write('b', unfinishedOrder('b'), 'nothing', of('0xa', 41n, 100n))).toStrictEqual({
      fullDay: DAY,
      scope: 'client',
    });
    expect(await other.write('b', unfinishedOrder('b'), 'nothing', of('0xb', 41n, 100n))).toBe('written');
    // The client's own sum is looked at first.
    expect(await store.write('c', unfinishedOrder('c'), 'nothing', of('0xb', 60n, 100n, 101n))).toMatchObject({
      scope: 'client',
    });
    expect(await store.write('c', unfinishedOrder('c'), 'nothing', of('0xc', 1n, 100n, 101n))).toMatchObject({
      scope: 'service',
    });
    await expectCounted(store, DAY, 101n);
  });

  it('counts nothing for a write that is not made', async () => {
    const [store] = stores();
    await store.write('a', unfinishedOrder('a'), 'nothing', count(60n, 100n));
    const standing = unfinishedOrder('a');
    expect(await store.write('a', unfinishedOrder('b'), 'nothing', count(1n, 100n))).toStrictEqual({ standing });
    expect(await store.write('a', finishedOrder(REFUSED), { version: 'b' }, count(-60n))).toStrictEqual({ standing });
    await expectCounted(store, DAY, 60n);
  });

  it('counts on several days in one write, or on none', async () => {
    const [store, other] = stores();
    const both = (units: bigint, atMost: bigint) => [...count(units, atMost), ...count(units, atMost, '2026-11-22')];
    expect(await store.write('a', unfinishedOrder('a'), 'nothing', both(60n, 100n))).toBe('written');
    expect(await store.write('b', unfinishedOrder('b'), 'nothing', both(41n, 100n))).toStrictEqual({
      fullDay: DAY,
      scope: 'service',
    });
    expect(await other.write('c', unfinishedOrder('c'), 'nothing', count(40n, 100n, '2026-11-22'))).toBe('written');
    expect(await store.write('d', unfinishedOrder('d'), 'nothing', both(40n, 100n))).toStrictEqual({
      fullDay: '2026-11-22',
      scope: 'service',
    });
    expect(await other.read('d')).toBeUndefined();
    await expectCounted(store, DAY, 60n);
    await expectCounted(store, '2026-11-22', 100n);
  });

  it('gives back, once', async () => {
    const [store, other] = stores();
    await store.write('a', unfinishedOrder('a'), 'nothing', count(60n, 100n));
    expect(await other.write('a', finishedOrder(REFUSED), { version: 'a' }, count(-60n))).toBe('written');
    expect(await store.write('a', finishedOrder(PLACED), { version: 'a' }, count(-60n))).toStrictEqual({
      standing: finishedOrder(REFUSED),
    });
    await expectCounted(store, DAY, 0n);
  });

  it('counts exactly, beyond what a number holds', async () => {
    const [store] = stores();
    const large = 2n ** 53n + 1n;
    await store.write('a', unfinishedOrder('a'), 'nothing', count(large));
    await store.write('b', unfinishedOrder('b'), 'nothing', count(2n, large + 2n));
    await expectCounted(store, DAY, large + 2n);
  });

  it('lets as many of many through at once as fit', async () => {
    const [store, other] = stores();
    const written = await Promise.all(
      Array.from({ length: CONTENDERS }, (_, index) =>
        (index % 2 ? store : other).write(`key-${index}`, unfinishedOrder('a'), 'nothing', count(30n, 100n)),
      ),
    );
    expect(written.filter((end) => end === 'written')).toHaveLength(3);
    await expectCounted(store, DAY, 90n);
  });
}
