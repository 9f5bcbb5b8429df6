import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LATE_ARRIVAL_MS, LEASE_MS } from '../../../shared/limits.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import type { OrderClient, OrderRecord } from '../../../shared/orders/record.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { explore } from '../../support/orders/interleavings.ts';
import { unfinishedOrder } from '../../support/orders/order-records.ts';
import { createWorld, ORDER } from '../../support/orders/order-world.ts';
import {
  beginSlowly,
  DAY,
  endOf,
  matched,
  notTaken,
  openWorld,
  placed,
  refused,
  type Send,
  START,
  TRACE,
  unknown,
  type World,
  whenCalled,
} from '../../support/orders/processes.ts';

const IN_PROGRESS = `order_in_progress ${LEASE_MS / 1_000}`;

/** Acts of another process with the same key in the middle of a request. */
const MEANWHILE: readonly (readonly [string, (world: World) => Promise<unknown>, string])[] = [
  ['has placed the order', ({ place }) => place(), 'placed live 0x1 replayed'],
  [
    'has been refused',
    ({ venue, place }) => {
      [venue.submit, venue.settle] = [refused, refused];
      return place();
    },
    'refused 0x1 replayed',
  ],
  ['is sending the order', (world) => holdOpen(world), IN_PROGRESS],
  ['has freed the key', async ({ store }) => store.records.delete('key'), 'order_in_progress 1'],
];

/** Lets a process take the key and never hear of its order again. */
async function holdOpen({ venue, place }: World) {
  [venue.submit, venue.settle] = [() => new Promise(() => undefined), () => new Promise(() => undefined)];
  void place();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a request with a new key', () => {
  it.each(MEANWHILE.slice(0, 3))('sends nothing where another process %s', async (_what, meanwhile, end) => {
    const world = openWorld();
    const own = whenCalled(world.store, (name) => (name === 'create' ? meanwhile(world) : undefined));
    // It has signed before the other has.
    expect((await endOf(world.place(world.open({ own })))).replace('0x2', '0x1')).toBe(end);
    expect(world.asked).toHaveLength(1);
  });

  it('settles the order of another process that has given its lease back', async () => {
    const world = openWorld();
    const own = whenCalled(world.store, (name) => (name === 'create' ? world.leaveOpen() : undefined));
    expect(await endOf(world.place(world.open({ own })))).toBe('placed live 0x2');
    expect(world.asked).toStrictEqual(['settle 0x2']);
  });

  it('reports a failing store and the id of the order that was not sent', async () => {
    const cause = new Error('down');
    for (const [failing, facts] of [
      ['read', {}],
      ['create', { orderId: '0x1' }],
    ] as const) {
      const world = openWorld();
      const own = whenCalled(world.store, (name) => (name === failing ? Promise.reject(cause) : undefined));
      const placing = world.place(world.open({ own }));
      const told = { code: 'store_unavailable', message: expect.stringContaining('so nothing was sent') };
      await expect(placing).rejects.toMatchObject({ ...told, cause });
      await expect(placing).rejects.toHaveProperty('facts', facts);
    }
  });

  it('may send for the time of its lease, and leaves a trace that does not give the key away', async () => {
    const { venue, log, place } = openWorld();
    let leaseUntil: number | undefined;
    venue.submit = async (order, call) => {
      leaseUntil = call.leaseUntil;
      return placed(order, call);
    };
    await place();
    expect(leaseUntil).toBe(START + LEASE_MS);
    const idempotency_key_sha256 = createHash('sha256').update('key').digest('hex');
    expect(log.lines).toMatchObject([{ message: 'order signed', order_id: '0x1', ...TRACE, idempotency_key_sha256 }]);
  });
});

describe('a request that takes an order over', () => {
  it.each(MEANWHILE)('sends nothing where another process %s', async (_what, meanwhile, end) => {
    const world = openWorld();
    await world.leaveOpen(notTaken());
    let others = 0;
    const own = whenCalled(world.store, async (name, count) => {
      if (name !== 'replace' || count > 1) return;
      await meanwhile(world);
      others = world.asked.length;
    });
    expect(await endOf(world.place(world.open({ own })))).toBe(end);
    expect(world.asked).toHaveLength(others);
  });

  it.each(MEANWHILE.slice(0, 3))('signs nothing anew where another process %s', async (_what, meanwhile, end) => {
    const world = openWorld();
    await world.leaveOpen(notTaken(true));
    const own = whenCalled(world.store, (name, count) =>
      name === 'create' && count === 1 ? meanwhile(world) : undefined,
    );
    expect((await endOf(world.place(world.open({ own })))).replace('0x3', '0x1')).toBe(end);
    expect(world.asked).toStrictEqual(['submit 0x3']);
  });

  it('leaves it to the next one where its holder has stood still, and frees the key meanwhile', async () => {
    const world = openWorld();
    const dailyCap = '100';
    const slow = await beginSlowly(world, world.open({ dailyCap }), notTaken(true));
    world.clock.now += LEASE_MS;
    const own = whenCalled(world.store, (name) => (name === 'replace' ? slow.answer() : undefined));
    expect(await endOf(world.place(world.open({ own, dailyCap })))).toBe('order_in_progress 1');
    expect(world.asked).toStrictEqual(['submit 0x1']);
    expect(world.store.records.has('key')).toBe(false);
    expect(world.store.countedOn(DAY)).toBe(0n);
  });

  it('does not even look the order up where the store fails', async () => {
    const world = openWorld();
    await world.leaveOpen();
    const own = whenCalled(world.store, (name, count) =>
      name === 'replace' && count === 1 ? Promise.reject(new Error('down')) : undefined,
    );
    expect(await endOf(world.place(world.open({ own })))).toBe('store_unavailable 5');
    expect(world.asked).toStrictEqual([]);
  });

  it.each([
    [-LEASE_MS - 1_000, START],
    [1_000, START + LEASE_MS + 1_000],
  ])('keeps the latest time at which bytes may have left: %d ms later', async (later, unconfirmedAt) => {
    const { store, clock, venue, log, place, leaveOpen } = openWorld();
    await leaveOpen();
    clock.now += later;
    let stored: OrderRecord | undefined;
    venue.settle = async (order, call) => {
      stored = store.records.get('key');
      return placed(order, call);
    };
    await place();
    expect(stored).toMatchObject({ unconfirmedAt, countedOn: null });
    const line = { message: 'unfinished order taken over', order_id: '0x1', ...TRACE };
    expect(log.lines).toContainEqual(expect.objectContaining(line));
  });
});

describe('an order above the daily cap', () => {
  it('is logged for the operator', async () => {
    const { log, open, place } = openWorld();
    expect(await endOf(place(open({ dailyCap: '4.99' })))).toBe('daily_cap_reached');
    expect(log.lines).toMatchObject([
      {
        message: 'daily cap reached',
        order_id: '0x1',
        ...TRACE,
        metric: 'daily_cap_warnings',
      },
    ]);
  });
});

describe('an answer that comes after another process has settled the order', () => {
  /** Lets another process take over an order whose answer is late, and returns its result. */
  async function overtaken(own: (world: World) => OrderStore = ({ store }) => store, send: Send = placed) {
    const world = openWorld();
    const slow = await beginSlowly(world, world.open({ own: own(world) }), send);
    world.clock.now += LEASE_MS + LATE_ARRIVAL_MS;
    return { world, slow };
  }

  it('is that of the other one where both say placed', async () => {
    const { world, slow } = await overtaken();
    world.venue.settle = matched;
    await world.place();
    expect(await endOf(slow.answer())).toBe('placed matched 0x1 replayed');
    expect(world.log.lines.filter(({ level }) => level === 'error')).toStrictEqual([]);
  });

  it('is stored where it says placed and the other one does not know', async () => {
    const { world, slow } = await overtaken();
    world.venue.settle = unknown;
    await world.place();
    expect(await endOf(slow.answer())).toBe('placed live 0x1');
    expect(await endOf(world.place())).toBe('placed live 0x1 replayed');
  });

  it('is that of the other one where this one is refused', async () => {
    const { world, slow } = await overtaken(undefined, refused);
    await world.place();
    expect(await endOf(slow.answer())).toBe('placed live 0x1 replayed');
  });

  it('is no refusal while the other one may still place the order', async () => {
    const { world, slow } = await overtaken(undefined, refused);
    world.venue.settle = () => new Promise(() => undefined);
    void world.place();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await endOf(slow.answer())).toBe(IN_PROGRESS);
  });

  it('is that of the other one where the venue did not take this one', async () => {
    const { world, slow } = await overtaken(undefined, notTaken());
    await world.place();
    expect(await endOf(slow.answer())).toBe('placed live 0x1 replayed');
  });

  it('does not say that nothing was taken while the other one may still place the order', async () => {
    const { world, slow } = await overtaken(undefined, notTaken(true));
    await holdOpen(world);
    expect(await endOf(slow.answer())).toBe(IN_PROGRESS);
    expect(world.store.records.get('key')).toMatchObject({ state: 'unfinished' });
  });

  it('does not say that nothing was taken where the store fails and its lease is over', async () => {
    const { world, slow } = await overtaken(
      ({ store }) => whenCalled(store, (name) => (name === 'replace' ? Promise.reject(new Error('down')) : undefined)),
      notTaken(),
    );
    await world.place();
    expect(await endOf(slow.answer())).toBe('order_in_progress 1');
    expect(world.log.lines.at(-1)).toMatchObject({ level: 'error', message: 'lease not released' });
  });

  it.each([
    ['refused', refused],
    ['not taken', notTaken()],
  ])('is told to come back at once where it is %s, and the other one has given its lease back', async (_what, send) => {
    const { world, slow } = await overtaken(undefined, send);
    world.venue.settle = unknown;
    await world.place();
    expect(await endOf(slow.answer())).toBe('order_in_progress 1');
  });

  it('replaces a refusal, and counts nothing without a cap', async () => {
    const { world, slow } = await overtaken();
    world.venue.settle = refused;
    await world.place();
    expect(await endOf(slow.answer())).toBe('placed live 0x1');
    expect(world.store.records.get('key')).toMatchObject({ answer: { result: 'placed' } });
    expect(world.store.countedOn(DAY)).toBe(0n);
    const contradiction = {
      level: 'error',
      message: 'placed order contradicts its record',
      order_id: '0x1',
      ...TRACE,
      metric: 'contradicted_records',
    };
    expect(world.log.lines.at(-1)).toMatchObject({ ...contradiction, record: { code: 'order_rejected' } });
  });

  const NOT_STORED = { message: 'final answer not stored', metric: 'lease_faults' };
  const other = { message: expect.stringContaining('placed order superseded'), record: { order_id: '0xa1' } };
  it.each<[string, OrderRecord | undefined, object]>([
    ['its key is free', undefined, NOT_STORED],
    ['its key has another order', unfinishedOrder('other'), { ...other, metric: 'contradicted_records' }],
  ])('is told where it says placed and %s, and is an alarm', async (_what, record, line) => {
    const { world, slow } = await overtaken();
    if (record) world.store.records.set('key', record);
    else world.store.records.delete('key');
    expect(await endOf(slow.answer())).toBe('placed live 0x1');
    expect(world.store.records.get('key')).toStrictEqual(record);
    expect(world.log.lines.at(-1)).toMatchObject({ level: 'error', order_id: '0x1', ...TRACE, ...line });
  });

  it('is told where the refusal that it replaces changes meanwhile, and is an alarm', async () => {
    const own = ({ store }: World) =>
      whenCalled(store, (name, count) => {
        const [key, standing] = [...store.records][0] ?? [];
        if (name !== 'replace' || count !== 2 || !key || standing?.state !== 'finished') return;
        store.records.set(key, { ...standing, keepUntil: 1 });
      });
    const { world, slow } = await overtaken(own);
    world.venue.settle = refused;
    await world.place();
    expect(await endOf(slow.answer())).toBe('placed live 0x1');
    expect(world.log.lines.at(-1)).toMatchObject({ level: 'error', ...NOT_STORED });
  });
});

describe('the record of an order', () => {
  it('keeps its lease where that has ended: the record is that of another then', async () => {
    const { store, log, place, venue } = openWorld();
    venue.submit = async () => ({ kind: 'unknown', why: 'lease_ended', sentAt: null, cause: undefined });
    expect(await endOf(place())).toBe('unknown 0x1');
    expect(store.records.get('key')).toMatchObject({ lease: { until: START + LEASE_MS } });
    const line = { level: 'error', message: 'lease ended', order_id: '0x1', ...TRACE, metric: 'lease_faults' };
    expect(log.lines.slice(1)).toMatchObject([line]);
  });

  it.each([
    ['lease not released', 'unknown 0x1', unknown],
    ['lease not released', 'not_taken 0x1', notTaken()],
    ['final answer not stored', 'placed live 0x1', placed],
    ['final answer not stored', 'unknown 0x1', refused],
  ])('that cannot be written is an alarm, %s, and the end is %s', async (message, end, send) => {
    const { store, log, venue, place } = openWorld();
    venue.submit = send;
    store.failing.add('replace');
    expect(await endOf(place())).toBe(end);
    const error = { message: 'the store does not work' };
    expect(log.lines.slice(1)).toMatchObject([
      { level: 'error', message, order_id: '0x1', ...TRACE, error, metric: 'lease_faults' },
    ]);
  });

  it.each([
    ['unknown 0x1', 'key', unknown, ''],
    ['not_taken 0x1', 'key', notTaken(), ''],
    ['not_taken 0x1', null, notTaken(), '100'],
    ['not_taken 0x1', null, notTaken(), ''],
  ])('is written before its end is told, %s under key %s: a function stands still afterwards', async (...given) => {
    const [end, key, send, dailyCap] = given;
    const { store, venue, open, place } = openWorld();
    venue.submit = send;
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const own = whenCalled(store, (name) => {
      if (name !== 'replace') return undefined;
      begun.resolve();
      return over.promise;
    });
    const told: string[] = [];
    const telling = endOf(place(open({ own, dailyCap }), key)).then((text) => told.push(text));
    await begun.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toStrictEqual([]);
    over.resolve();
    await telling;
    expect(told).toStrictEqual([end]);
  });

  it('says in its problem why its outcome is unknown', async () => {
    const { store, venue, place, clock } = openWorld();
    venue.submit = async () => {
      throw new TypeError('a fault of ours');
    };
    expect((await place()).fate).toMatchObject({ why: 'sent', sentAt: START });
    venue.settle = refused;
    clock.now += 1_000;
    expect((await place()).fate).toMatchObject({ why: 'earlier_sending', retryAfter: 119 });
    store.failing.add('replace');
    venue.submit = refused;
    expect((await place(undefined, 'other')).fate).toMatchObject({ why: 'refusal_not_stored', sentAt: null });
  });

  it('of an order without a key says that it was given up, and counts no more', async () => {
    const { store, venue, open, place } = openWorld();
    venue.submit = notTaken();
    expect(await endOf(place(open({ dailyCap: '12' }), null))).toBe('not_taken 0x1');
    expect([...store.records.values()]).toMatchObject([
      { state: 'finished', answer: { result: 'not_taken' }, countedOn: null },
    ]);
  });
});

const KEY = 'of an order that is held up';

// Apart from `model.test.ts`, so that both run at the same time.
describe('an order that may still arrive, in every interleaving of two processes and a later repeat', () => {
  it('is placed once at most, and gets no untrue or changing final answer', async () => {
    const extent = FULL_EXTENT ? { faults: 1, ticks: 2 } : { faults: 0, ticks: 2 };
    const { broken, states, ends } = await explore(() => createWorld({ ...extent, key: KEY }));
    expect(broken).toBeUndefined();
    // A search that found nothing because it went nowhere would pass as well.
    expect(states).toBeGreaterThan(1_000);
    expect(ends).toBeGreaterThan(20);
  }, 300_000);

  it('breaks when a refusal of the last sending alone releases a key', async () => {
    const flaw = 'a key is freed by a refusal of its last sending alone';
    const { broken } = await explore(() => createWorld({ faults: 1, ticks: 2, key: KEY, flaw }));
    expect(broken?.breach).toBe('two orders are at the venue');
  }, 300_000);
});

const EVM = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const SOLANA = '7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs';
const verified = (address: string): OrderClient => ({ address, isVerified: true });
const claimed = (address: string): OrderClient => ({ address, isVerified: false });

describe('a key', () => {
  it.each<[string, OrderClient | null, OrderClient | null, sentence: string]>([
    [
      'a claimed client, then the same one verified',
      claimed(EVM),
      verified(EVM),
      'client verification of the service changed',
    ],
    ['no client, then a verified one', null, verified(EVM), 'client verification of the service changed'],
    [
      'a verified client, then the same one claimed',
      verified(EVM),
      claimed(EVM),
      'client verification of the service changed',
    ],
    ['a verified client, then no client', verified(EVM), null, 'client verification of the service changed'],
    ['two verified clients', verified(EVM), verified(SOLANA), 'an order of another client'],
    ['two addresses of Solana', verified(SOLANA), verified(SOLANA.toLowerCase()), 'an order of another client'],
  ])('names one order of one client; nothing is sent or replayed for another: %s', async (_who, first, second, why) => {
    for (const send of [placed, refused, notTaken()]) {
      const world = openWorld();
      world.venue.submit = send;
      await world.place(world.open(), 'key', first);
      world.asked.length = 0;
      world.store.calls.length = 0;
      await expect(world.place(world.open(), 'key', second)).rejects.toMatchObject({
        code: 'idempotency_key_reused',
        message: expect.stringContaining(why),
      });
      // Nor does the answer to another order tell which one the key names.
      await expect(world.place(world.open(), 'key', second, { ...ORDER, price: '0.6' })).rejects.toMatchObject({
        message: expect.stringContaining(why),
      });
      expect([world.asked, world.store.calls]).toStrictEqual([[], ['read', 'read']]);
    }
  });

  it('that the venue freed is free for every client', async () => {
    const world = openWorld();
    world.venue.submit = notTaken(true);
    await world.place(world.open(), 'key', claimed(EVM));
    world.venue.submit = placed;
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('placed live 0x2');
  });

  it('that two clients use at once is of the first to write, and its order the only one', async () => {
    const world = openWorld();
    const dailyCap = '100';
    const own = whenCalled(world.store, async (name) => {
      if (name === 'create') await world.place(world.open({ dailyCap }), 'key', claimed(EVM));
    });
    expect(await endOf(world.place(world.open({ own, dailyCap }), 'key', verified(EVM)))).toBe(
      'idempotency_key_reused',
    );
    expect(world.asked).toStrictEqual(['submit 0x2']);
    expect(world.store.countedOn(DAY)).toBe(5_000_000n);
  });
});
