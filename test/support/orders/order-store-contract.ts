import { expect, it } from '@jest/globals';
import type { OrderStore } from '../../../shared/orders/record.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from './order-records.ts';

/** What every order store promises. `stores` gives two handles on the same, empty records. */
export function orderStoreContract(stores: () => readonly [OrderStore, OrderStore]): void {
  it('knows nothing of a key that was never used', async () => {
    const [store] = stores();
    expect(await store.read('new')).toBeUndefined();
  });

  it('gives back what was created, through another handle too', async () => {
    const [store, other] = stores();
    expect(await store.create('key', unfinishedOrder('a'))).toBe(true);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder('a'));
    expect(await other.read('key')).toStrictEqual(unfinishedOrder('a'));
  });

  it.each([PLACED, REFUSED])('gives back a final answer: $result', async (answer) => {
    const [store, other] = stores();
    await store.create('key', unfinishedOrder('a'));
    expect(await store.replace('key', finishedOrder(answer), 'unfinished')).toBe(true);
    expect(await other.read('key')).toStrictEqual(finishedOrder(answer));
  });

  it('creates a key once, whoever asks at the same time', async () => {
    const [store, other] = stores();
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    const created = await Promise.all(
      owners.map((owner, index) => (index % 2 ? store : other).create('key', unfinishedOrder(owner))),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(owners[created.indexOf(true)] ?? ''));
  });

  it('lets one of many take an order over', async () => {
    const [store, other] = stores();
    await store.create('key', unfinishedOrder('old'));
    const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
    const taken = await Promise.all(
      owners.map((owner, index) =>
        (index % 2 ? store : other).replace('key', unfinishedOrder(owner), { heldBy: 'old' }),
      ),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder(owners[taken.indexOf(true)] ?? ''));
  });

  it('replaces nothing that is not as expected', async () => {
    const [store] = stores();
    for (const expected of ['finished', 'unfinished', { heldBy: 'a' }] as const) {
      expect(await store.replace('key', unfinishedOrder('b'), expected)).toBe(false);
    }
    expect(await store.read('key')).toBeUndefined();
    await store.create('key', unfinishedOrder('a'));
    expect(await store.replace('key', finishedOrder(REFUSED), { heldBy: 'b' })).toBe(false);
    expect(await store.replace('key', finishedOrder(REFUSED), 'finished')).toBe(false);
    expect(await store.read('key')).toStrictEqual(unfinishedOrder('a'));
  });

  it('never replaces a final answer but by itself, kept for longer', async () => {
    const [store] = stores();
    await store.create('key', unfinishedOrder('a'));
    await store.replace('key', finishedOrder(PLACED), { heldBy: 'a' });
    expect(await store.create('key', unfinishedOrder('b'))).toBe(false);
    expect(await store.replace('key', finishedOrder(REFUSED), 'unfinished')).toBe(false);
    expect(await store.replace('key', finishedOrder(REFUSED), { heldBy: 'a' })).toBe(false);
    const longer = finishedOrder(PLACED, 1_790_180_000_000);
    expect(await store.replace('key', longer, 'finished')).toBe(true);
    expect(await store.read('key')).toStrictEqual(longer);
  });

  it('tells keys apart by every character', async () => {
    const [store] = stores();
    const keys = ['k', 'K', ' k', 'k ', "k'--", `k"`, '\\k', '0', '00', '~'.repeat(255), '~'.repeat(254)];
    for (const key of keys) expect(await store.create(key, unfinishedOrder(key))).toBe(true);
    for (const key of keys) expect(await store.read(key)).toStrictEqual(unfinishedOrder(key));
  });
}
