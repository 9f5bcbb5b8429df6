import { describe, expect, it } from '@jest/globals';
import type { OrderClient } from '../../../shared/orders/record.ts';
import { DAY, endOf, notTaken, openWorld, placed, refused, whenCalled } from '../../support/orders/processes.ts';

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
      expect([world.asked, world.store.calls]).toStrictEqual([[], ['read']]);
    }
  });

  it.each<[string, OrderClient | null, OrderClient | null]>([
    ['a verified address, in whatever case', verified(EVM), verified(EVM.toUpperCase().replace('0X', '0x'))],
    ['claims, which are labels', claimed(EVM), claimed(SOLANA)],
    ['no claim, then one', null, claimed(EVM)],
  ])('is the same for %s', async (_who, first, second) => {
    const world = openWorld();
    await world.place(world.open(), 'key', first);
    expect(await endOf(world.place(world.open(), 'key', second))).toBe('placed live 0x1 replayed');
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

  it('that two clients sign anew at once replays nothing to the other', async () => {
    const world = openWorld();
    world.venue.submit = notTaken(true);
    await world.place(world.open(), 'key', verified(EVM));
    world.venue.submit = placed;
    const own = whenCalled(world.store, async (name, count) => {
      if (name === 'create' && count === 1) await world.place(world.open(), 'key', verified(EVM));
    });
    expect(await endOf(world.place(world.open({ own }), 'key', verified(SOLANA)))).toBe('idempotency_key_reused');
  });
});
