import { isReplaceable, type OrderStore, type Over, type Written } from '../../../shared/orders/order-store.ts';
import type { OrderRecord } from '../../../shared/orders/record.ts';
import type { Steps, Way, WorldState } from './order-world-steps.ts';

/** One part of the protocol, or of what it builds on, taken out. */
export type Flaw =
  | 'nothing is stored before sending'
  | 'a first record overwrites another'
  | 'a refusal is stored without the lease'
  | 'a refusal is given though it is not stored'
  | 'nobody looks whether an order was taken over'
  | 'the right to send is not asked for'
  | 'a repeat signs anew'
  | 'a refusal of a second sending is believed at once'
  | 'the record forgets that bytes have left'
  | 'nothing is looked up after a refusal'
  | 'a key is freed by a refusal of its last sending alone';

/** What the models of store and venue need of the process that calls them. */
export interface ModelDeps {
  readonly world: WorldState;
  readonly steps: Steps;
  /** Name of the process, new for each request. */
  readonly process: string;
  readonly flaw: Flaw | undefined;
}

/** Both ways in which a write fails are there: before it has happened, and after. */
function write(
  name: string,
  {
    condition,
    effect,
    standing,
  }: Record<'effect', () => void> & {
    readonly condition: () => boolean;
    readonly standing: () => OrderRecord | undefined;
  },
  flaw: Flaw | undefined,
): readonly Way<Written>[] {
  const lost = (): Written => {
    if (flaw === 'a refusal is given though it is not stored') return 'written';
    throw new Error('the store does not answer');
  };
  return condition()
    ? [
        { name, effect, result: () => 'written' },
        { name: `${name}, lost on the way`, fault: true, result: lost },
        { name: `${name}, its answer lost`, fault: true, effect, result: lost },
      ]
    : [
        { name: `${name}, too late`, result: () => ({ standing: standing() }) },
        { name: `${name}, too late, and the answer lost`, fault: true, result: lost },
      ];
}

/** One record, and every failure of a real store. */
export function createStoreModel({ world, steps, process, flaw }: ModelDeps): OrderStore {
  const set = (record: OrderRecord | undefined) => {
    world.record = record;
    if (record?.state !== 'unfinished') return;
    if (flaw === 'the record forgets that bytes have left') world.record = { ...record, unprovenAt: null };
    const isOver = record.lease.until === 0 && world.lastRefusedOperator;
    if (flaw === 'a key is freed by a refusal of its last sending alone' && isOver) world.record = undefined;
  };
  const mayWrite = (record: OrderRecord | undefined, over: Over): boolean => {
    if (flaw === 'a first record overwrites another' && over === 'nothing') return true;
    const isBlind = flaw === 'a refusal is stored without the lease' && record?.state === 'finished';
    return isBlind ? world.record?.state === 'unfinished' : isReplaceable(world.record, over);
  };
  const nameOf = (record: OrderRecord | undefined, over: Over): string => {
    if (!record) return 'frees the key';
    if (over === 'nothing') return 'creates';
    return record.state === 'finished' ? `stores ${record.answer.result}` : `sets the lease to ${record.lease.until}`;
  };
  return {
    read: () =>
      steps.take('store', () => [
        { name: 'reads', result: () => world.record },
        {
          name: 'cannot read',
          fault: true,
          result: () => {
            throw new Error('the store does not answer');
          },
        },
      ]),
    write: async (_key, record, over) => {
      const owner = record?.state === 'unfinished' ? record.lease.owner : undefined;
      if (owner !== undefined && !world.owners.has(owner)) world.owners.set(owner, process);
      const isUnstored = flaw === 'nothing is stored before sending' && over === 'nothing';
      const written = await steps.take('store', () =>
        write(
          nameOf(record, over),
          {
            condition: () => mayWrite(record, over),
            effect: () => {
              if (!isUnstored) set(record);
            },
            standing: () => world.record,
          },
          record?.state === 'finished' ? flaw : undefined,
        ),
      );
      const isBlind = flaw === 'nobody looks whether an order was taken over' && record?.state === 'unfinished';
      return isBlind && record.lease.until === 0 ? 'written' : written;
    },
  };
}
