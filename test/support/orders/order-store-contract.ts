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
  const FULL = { fullDay: DAY, scope: 'service' };
  const count = (units: bigint, atMost?: bigint) => [{ day: DAY, units, ...(atMost !== undefined && { atMost }) }];
  const OWNERS = Array.from({ length: CONTENDERS }, (_, index) => `owner-${index}`);
  const [a, b] = [unfinishedOrder('a'), unfinishedOrder('b')];
  const [refused, placed] = [finishedOrder(REFUSED), finishedOrder(PLACED)];

  it('returns what was written, also through another handle', async () => {
    const [store, other] = stores();
    expect(await store.read('key')).toBeUndefined();
    expect(await store.write('key', a, 'nothing')).toBe('written');
    for (const handle of [store, other]) expect(await handle.read('key')).toStrictEqual(a);
    expect(await store.write('key', refused, { version: 'a' })).toBe('written');
    for (const handle of [store, other]) expect(await handle.read('key')).toStrictEqual(refused);
  });

  it.each([
    ['creates a key only once from', 'nothing'],
    ['lets only one request take over an order, from', { version: 'old' }],
  ] as const)('%s concurrent requests', async (_what, over) => {
    const [store, other] = stores();
    if (over !== 'nothing') await store.write('key', unfinishedOrder('old'), 'nothing');
    const all = await Promise.all(
      OWNERS.map((owner, index) => (index % 2 ? store : other).write('key', unfinishedOrder(owner), over)),
    );
    expect(all.filter((written) => written === 'written')).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(OWNERS[all.indexOf('written')] ?? ''));
  });

  it('replaces only the version that was read, and answers any other write with the stored record', async () => {
    const [store, other] = stores();
    expect(await store.write('key', b, { version: 'a' })).toStrictEqual({ standing: undefined });
    await store.write('key', a, 'nothing');
    expect(await other.write('key', b, 'nothing')).toStrictEqual({ standing: a });
    expect(await other.write('key', refused, { version: 'b' })).toStrictEqual({ standing: a });
    expect(await store.read('key')).toStrictEqual(a);
  });

  it('replaces a final answer only if it is unchanged since it was read', async () => {
    const [store] = stores();
    const longer = finishedOrder(REFUSED, 1_790_180_000_000);
    await store.write('key', a, 'nothing');
    await store.write('key', refused, { version: 'a' });
    expect(await store.write('key', b, 'nothing')).toStrictEqual({ standing: refused });
    expect(await store.write('key', placed, { version: 'a' })).toStrictEqual({ standing: refused });
    expect(await store.write('key', longer, { version: versionOf(refused) })).toBe('written');
    expect(await store.write('key', placed, { version: versionOf(refused) })).toStrictEqual({ standing: longer });
    expect(await store.write('key', placed, { version: versionOf(longer) })).toBe('written');
    expect(await store.read('key')).toStrictEqual(placed);
  });

  it('replaces an unfinished order by its id under any lease', async () => {
    const [store, other] = stores();
    const over = { unfinished: '0xa1' };
    expect(await store.write('key', placed, over)).toStrictEqual({ standing: undefined });
    await store.write('key', unfinishedOrder('a', '0xb2'), 'nothing');
    expect(await store.write('key', placed, over)).toMatchObject({ standing: { orderId: '0xb2' } });
    await store.write('other', a, 'nothing');
    await other.write('other', b, { version: 'a' });
    expect(await store.write('other', placed, over)).toBe('written');
    expect(await store.write('other', refused, over)).toStrictEqual({ standing: placed });
  });

  it('deletes a record only if it is unchanged, and its count with it', async () => {
    const [store, other] = stores();
    await store.write('key', a, 'nothing', count(60n));
    await store.write('other', a, 'nothing');
    expect(await store.write('key', undefined, { version: 'b' }, count(-60n))).toStrictEqual({ standing: a });
    expect(await other.write('key', undefined, { version: 'a' }, count(-60n))).toBe('written');
    expect(await other.write('other', undefined, { version: 'a' })).toBe('written');
    expect([await store.read('key'), await store.read('other')]).toStrictEqual([undefined, undefined]);
    await expectCounted(store, DAY, 0n);
    expect(await store.write('key', b, 'nothing')).toBe('written');
  });

  it('distinguishes keys by every character', async () => {
    const [store] = stores();
    const keys = ['k', 'K', ' k', 'k ', "k'--", `k"`, '\\k', '0', '00', '~'.repeat(255), '~'.repeat(254)];
    for (const key of keys) expect(await store.write(key, unfinishedOrder(key), 'nothing')).toBe('written');
    for (const key of keys) expect(await store.read(key)).toStrictEqual(unfinishedOrder(key));
  });

  it('counts a day exactly, in the write of the record, up to a limit; a write that fails counts nothing', async () => {
    const [store, other] = stores();
    const large = 2n ** 53n + 1n;
    expect(await store.write('a', a, 'nothing', count(large + 1n, large))).toStrictEqual(FULL);
    await expectCounted(store, DAY, 0n);
    expect(await store.write('a', a, 'nothing', count(large - 1n, large))).toBe('written');
    expect(await store.write('b', b, 'nothing', count(2n, large))).toStrictEqual(FULL);
    expect(await other.read('b')).toBeUndefined();
    expect(await store.write('a', b, 'nothing', count(1n, large))).toStrictEqual({ standing: a });
    expect(await other.write('b', b, 'nothing', count(1n, large))).toBe('written');
    await expectCounted(other, DAY, large);
    await expectCounted(other, '2026-11-22', 0n);
    expect(await other.write('b', refused, { version: 'a' }, count(-1n))).toStrictEqual({ standing: b });
    expect(await other.write('b', refused, { version: 'b' }, count(-1n))).toBe('written');
    expect(await store.write('b', placed, { version: 'b' }, count(-1n))).toStrictEqual({ standing: refused });
    await expectCounted(store, DAY, large - 1n);
  });

  it("counts each client's orders of a day by themselves, in the write that counts them for all", async () => {
    const [store, other] = stores();
    const of = (client: string, units: bigint, atMost: bigint, all = 1_000n) => [
      { day: DAY, client, units, atMost },
      { day: DAY, units, atMost: all },
    ];
    expect(await store.write('a', a, 'nothing', of('0xa', 60n, 100n))).toBe('written');
    expect(await other.write('b', b, 'nothing', of('0xa', 41n, 100n))).toStrictEqual({ ...FULL, scope: 'client' });
    expect(await other.write('b', b, 'nothing', of('0xb', 41n, 100n))).toBe('written');
    // The client's own sum is looked at first, and is not changed where that of all is full.
    expect(await store.write('c', a, 'nothing', of('0xb', 60n, 100n, 101n))).toMatchObject({ scope: 'client' });
    expect(await store.write('c', a, 'nothing', of('0xc', 1n, 100n, 101n))).toMatchObject({ scope: 'service' });
    expect(await store.write('c', a, 'nothing', of('0xc', 100n, 100n))).toBe('written');
    await expectCounted(store, DAY, 201n);
  });

  it('admits exactly as many simultaneous orders as fit under the limit', async () => {
    const [store, other] = stores();
    const written = await Promise.all(
      OWNERS.map((key, index) => (index % 2 ? store : other).write(key, a, 'nothing', count(30n, 100n))),
    );
    expect(written.filter((end) => end === 'written')).toHaveLength(3);
    await expectCounted(store, DAY, 90n);
  });
}
