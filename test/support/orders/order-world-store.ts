import {
  type Expected,
  holderOf,
  type OrderRecord,
  type OrderStore,
  type Written,
} from '../../../shared/orders/record.ts';
import { isAsExpected } from './memory-order-store.ts';
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
  condition: () => boolean,
  effect: () => void,
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
        { name: `${name}, too late`, result: () => 'conflict' },
        { name: `${name}, too late, and the answer lost`, fault: true, result: lost },
      ];
}

/** One record, and every failure of a real store. */
export function createStoreModel({ world, steps, process, flaw }: ModelDeps): OrderStore {
  const nameOwner = (record: OrderRecord) => {
    const owner = holderOf(record);
    if (owner !== undefined && !world.owners.has(owner)) world.owners.set(owner, process);
  };
  const set = (record: OrderRecord) => () => {
    world.record = record;
    if (record.state !== 'unfinished') return;
    if (flaw === 'the record forgets that bytes have left') world.record = { ...record, unprovenAt: null };
    const isOver = record.lease.until === 0 && world.lastRefusedOperator;
    if (flaw === 'a key is freed by a refusal of its last sending alone' && isOver) {
      world.record = { ...record, isFreed: true };
    }
  };
  const mayReplace = (record: OrderRecord, expected: Expected): boolean =>
    flaw === 'a refusal is stored without the lease' && record.state === 'finished'
      ? world.record?.state === 'unfinished'
      : isAsExpected(world.record, expected);
  return {
    outlivesAnswers: false,
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
    create: (_key, record) => {
      nameOwner(record);
      const free = () => !world.record || flaw === 'a first record overwrites another';
      const effect = flaw === 'nothing is stored before sending' ? () => {} : set(record);
      return steps.take('store', () => write('creates', free, effect, undefined));
    },
    replace: (_key, record, expected) => {
      nameOwner(record);
      const condition = () => mayReplace(record, expected);
      const what =
        record.state === 'finished' ? `stores ${record.answer.result}` : `sets the lease to ${record.lease.until}`;
      const written = steps.take('store', () =>
        write(what, condition, set(record), record.state === 'finished' ? flaw : undefined),
      );
      const isBlind = flaw === 'nobody looks whether an order was taken over' && record.state === 'unfinished';
      return isBlind && record.lease.until === 0 ? written.then(() => 'written') : written;
    },
  };
}
