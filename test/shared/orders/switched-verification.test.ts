import { describe, expect, it } from '@jest/globals';
import { LEASE_MS } from '../../../shared/limits.ts';
import type { OrderClient } from '../../../shared/orders/record.ts';
import {
  endOf,
  notTaken,
  openWorld,
  placed,
  refused,
  unknown,
  type World,
  whenCalled,
} from '../../support/orders/processes.ts';

const EVM = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const SOLANA = '7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs';
const verified = (address: string): OrderClient => ({ address, isVerified: true });
const claimed = (address: string): OrderClient => ({ address, isVerified: false });

/** A point that is reached, and left when it is told to. */
function openGate() {
  const [reached, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pass = () => {
    reached.resolve();
    return left.promise;
  };
  return { pass, reached: reached.promise, goOn: left.resolve };
}

/** A service that stops before it creates its record, and before it looks for the other's, which is its third read. */
function stopOnTheWay(world: World) {
  const [atCreate, atLook] = [openGate(), openGate()];
  const own = whenCalled(world.store, (name, count) => {
    if (name === 'create') return atCreate.pass();
    return name === 'read' && count === 3 ? atLook.pass() : undefined;
  });
  return { orders: world.open({ own }), atCreate, atLook };
}

describe('a repeat to a service that verifies clients where it did not, or no longer does', () => {
  it.each<[string, OrderClient | null, OrderClient]>([
    ['nobody, then a verified client', null, verified(EVM)],
    ['a claimed client, then the same one verified', claimed(EVM), verified(EVM)],
    ['a claimed client, then another one verified', claimed(SOLANA), verified(EVM)],
    ['a verified client, then the same one claimed', verified(EVM), claimed(EVM)],
    ['a verified client, then the same one claimed in small letters', verified(EVM), claimed(EVM.toLowerCase())],
    ['a verified client of another chain, then the same one claimed', verified(SOLANA), claimed(SOLANA)],
  ])('is refused, and sends and replays nothing: %s', async (_who, first, second) => {
    for (const send of [undefined, refused, notTaken()]) {
      const world = openWorld();
      if (send) world.venue.submit = send;
      await world.place(world.open(), 'key', first);
      world.asked.length = 0;
      world.store.calls.length = 0;
      const error = await world.place(world.open(), 'key', second).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'idempotency_key_reused',
        message: expect.stringContaining('verified clients'),
      });
      expect([world.asked, world.store.calls]).toStrictEqual([[], ['read', 'read']]);
    }
  });

  it.each<[string, OrderClient, OrderClient | null]>([
    ['a verified client, then nobody', verified(EVM), null],
    ['a verified client, then another one claimed', verified(EVM), claimed(SOLANA)],
  ])('is a new order for %s', async (_who, first, second) => {
    const world = openWorld();
    await world.place(world.open(), 'key', first);
    expect(await endOf(world.place(world.open(), 'key', second))).toBe('placed live 0x2');
  });

  it('is a new order where the key was freed', async () => {
    const world = openWorld();
    world.venue.submit = notTaken(true);
    await world.place(world.open(), 'key', claimed(EVM));
    world.venue.submit = unknown;
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('unknown 0x2');
  });
});

describe('services that verify clients and that do not, side by side', () => {
  it('send one order at most for a key that both have at the same time', async () => {
    const world = openWorld();
    let others = 0;
    const own = whenCalled(world.store, async (name) => {
      if (name !== 'create' || others > 0) return;
      others += 1;
      await endOf(world.place(world.open({ dailyCap: '100' }), 'key', claimed(EVM)));
    });
    await expect(world.place(world.open({ own, dailyCap: '100' }), 'key', verified(EVM))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      message: expect.stringContaining('verified clients'),
    });
    expect(world.asked).toHaveLength(1);
    expect(await world.store.countedOn('2026-09-21')).toBe(5_000_000n);
  });

  it('send nothing where both have written before either looks for the other, and one of them the next time', async () => {
    const world = openWorld();
    const bothWritten = Promise.withResolvers<void>();
    let written = 0;
    const open = () => {
      let reads = 0;
      const own = whenCalled(world.store, async (name) => {
        if (name !== 'read') return;
        reads += 1;
        // The third read is the look for the other's record.
        if (reads !== 3) return;
        written += 1;
        if (written === 2) bothWritten.resolve();
        await bothWritten.promise;
      });
      return world.open({ own, dailyCap: '100' });
    };
    const ends = [verified(EVM), claimed(EVM)].map((client) => endOf(world.place(open(), 'key', client)));
    expect(await Promise.all(ends)).toStrictEqual(['idempotency_key_reused', 'idempotency_key_reused']);
    expect(world.asked).toStrictEqual([]);
    expect(await world.store.countedOn('2026-09-21')).toBe(0n);
    expect(await endOf(world.place(world.open(), 'key', claimed(EVM)))).toBe('placed live 0x3');
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('idempotency_key_reused');
  });

  it('send one order at most where one has stood still beyond its lease, and a repeat of its request takes over', async () => {
    const world = openWorld();
    const [first, second] = [stopOnTheWay(world), stopOnTheWay(world)];
    const claims = endOf(world.place(second.orders, 'key', claimed(EVM)));
    await second.atCreate.reached;
    const verifies = endOf(world.place(first.orders, 'key', verified(EVM)));
    await first.atCreate.reached;
    first.atCreate.goOn();
    await first.atLook.reached;
    world.clock.now += LEASE_MS;
    const own = whenCalled(world.store, async (name, count) => {
      if (name !== 'replace' || count !== 1) return;
      second.atCreate.goOn();
      await second.atLook.reached;
      first.atLook.goOn();
      expect(await verifies).toBe('idempotency_key_reused');
      second.atLook.goOn();
      expect(await claims).toBe('placed live 0x1');
    });
    expect(await endOf(world.place(world.open({ own }), 'key', verified(EVM)))).toBe('order_in_progress 1');
    expect(world.asked).toStrictEqual(['submit 0x1']);
  });

  it('send one order at most where one was stopped before its look, and a repeat that stood still takes over', async () => {
    const world = openWorld();
    const [first, second] = [stopOnTheWay(world), stopOnTheWay(world)];
    const claims = endOf(world.place(first.orders, 'key', claimed(EVM)));
    const repeats = endOf(world.place(second.orders, 'key', claimed(EVM)));
    await Promise.all([first.atCreate.reached, second.atCreate.reached]);
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('placed live 0x3');
    first.atCreate.goOn();
    await first.atLook.reached;
    world.clock.now += LEASE_MS;
    second.atCreate.goOn();
    await second.atLook.reached;
    second.atLook.goOn();
    expect(await repeats).toBe('idempotency_key_reused');
    first.atLook.goOn();
    expect(await claims).toBe('idempotency_key_reused');
    expect(world.asked).toStrictEqual(['submit 0x3']);
  });

  it('replay a final answer where the other was stopped before its look', async () => {
    const world = openWorld();
    const stopped = stopOnTheWay(world);
    const claims = endOf(world.place(stopped.orders, 'key', claimed(EVM)));
    await stopped.atCreate.reached;
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('placed live 0x2');
    stopped.atCreate.goOn();
    await stopped.atLook.reached;
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('placed live 0x2 replayed');
    stopped.atLook.goOn();
    expect(await claims).toBe('idempotency_key_reused');
  });

  it('look up, and never send again, an order whose outcome is unknown where the other was stopped before its look', async () => {
    const world = openWorld();
    const stopped = stopOnTheWay(world);
    const verifies = endOf(world.place(stopped.orders, 'key', verified(EVM)));
    await stopped.atCreate.reached;
    await world.leaveOpen(unknown, undefined, claimed(EVM));
    stopped.atCreate.goOn();
    await stopped.atLook.reached;
    world.clock.now += LEASE_MS;
    world.clock.wall += LEASE_MS;
    expect(await endOf(world.place(world.open(), 'key', claimed(EVM)))).toBe('unknown 0x2');
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('unknown 0x1');
    world.venue.lookUp = placed;
    expect(await endOf(world.place(world.open(), 'key', claimed(EVM)))).toBe('placed live 0x2');
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('idempotency_key_reused');
    expect(world.asked).toStrictEqual(['lookUp 0x2', 'lookUp 0x1', 'lookUp 0x2']);
    stopped.atLook.goOn();
    expect(await verifies).toBe('idempotency_key_reused');
  });

  it('tell a verified client of its order though that of another client has ended under the bare key since', async () => {
    const world = openWorld();
    const own = whenCalled(world.store, (name) => {
      if (name === 'replace') throw new Error('the store does not answer');
    });
    expect(await endOf(world.place(world.open({ own }), 'key', verified(EVM)))).toBe('placed live 0x1');
    expect(await endOf(world.place(world.open(), 'key', claimed(SOLANA)))).toBe('placed live 0x2');
    world.clock.now += LEASE_MS;
    world.clock.wall += LEASE_MS;
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('unknown 0x1');
    world.venue.lookUp = placed;
    expect(await endOf(world.place(world.open(), 'key', verified(EVM)))).toBe('placed live 0x1');
    expect(world.asked).toStrictEqual(['submit 0x1', 'submit 0x2', 'lookUp 0x1', 'lookUp 0x1']);
  });
});
