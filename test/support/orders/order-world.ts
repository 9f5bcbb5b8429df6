import type { Happening, System } from './interleavings.ts';
import { createClient, isFinal, ORDER } from './order-client.ts';
import { unfinishedOrder } from './order-records.ts';
import type { WorldState } from './order-world-steps.ts';
import type { Flaw } from './order-world-store.ts';
import { arrivals, LATE_TICKS } from './order-world-venue.ts';

/** What may go wrong in a world, and what was there before. */
export interface WorldOptions {
  /** Failures of store, venue and process on one path. */
  readonly faults: number;
  /** The ticks that pass while the two clients are served; a lease lasts one. */
  readonly ticks: number;
  /** The order that an earlier process left behind under the key when it was killed; none for `unused`. */
  readonly key:
    | 'unused'
    | 'of an unsent order'
    | 'of a live order'
    | 'of a filled order'
    | 'of an order that is held up';
  readonly flaw?: Flaw;
}

/** An order whose process was killed long ago, before or after the venue took it. */
function abandon(world: WorldState, key: Exclude<WorldOptions['key'], 'unused'>): void {
  const lease = { owner: 'old', until: 0 };
  const record = { ...unfinishedOrder('old', 'old'), terms: ORDER, client: null };
  world.record = { ...record, lease, signedAt: 0, unprovenAt: 0 };
  world.owners.set('old', 'old');
  if (key === 'of an order that is held up') world.heldUp.set('old', 0);
  else if (key !== 'of an unsent order') {
    world.taken.set('old', { state: key === 'of a live order' ? 'live' : 'filled', at: -1 });
  }
}

/** Holds what the clients were told against what the venue did; `last` is the answer to the last repeat. */
function breachOf(world: WorldState, answers: readonly string[], last: string | undefined): string | undefined {
  if (world.taken.size > 1) return 'two orders are at the venue';
  const final = new Set(answers.filter(isFinal));
  if (final.size > 1) return `final answers differ: ${[...final].join(', ')}`;
  if (final.has('refused') && world.taken.size > 0) return 'refused, it was said, and the venue has the order';
  if (world.untrue !== undefined) return `${world.untrue}, it was said, and the venue had the order`;
  const untrue = [...final].find((answer) => answer !== 'refused' && !world.taken.has(answer.slice('placed '.length)));
  if (untrue !== undefined) return `${untrue}, it was said, and the venue never took it`;
  return last === undefined || isFinal(last) ? undefined : `the last answer is ${last}`;
}

/** The record with names for the random owners of leases, so that equal states are equal texts. */
function describeRecord({ record, owners }: WorldState): unknown {
  if (record?.state !== 'unfinished') return record;
  return { ...record, lease: { ...record.lease, owner: owners.get(record.lease.owner) } };
}

/**
 * Two clients with one key, each request served by the real protocol in a process of its own, and after them a last
 * repeat without faults, which must learn the truth. Every step of the store and the venue is a happening.
 */
export function createWorld({ faults, ticks, key, flaw }: WorldOptions): System {
  const world: WorldState = {
    clock: 0,
    faults,
    record: undefined,
    owners: new Map(),
    taken: new Map(),
    heldUp: new Map(),
    lastRefusedOperator: false,
    untrue: undefined,
  };
  const [a, b] = [createClient('A', world, flaw), createClient('B', world, flaw)];
  const last = createClient('last', world, flaw);
  if (key !== 'unused') abandon(world, key);
  const closing: Happening = {
    name: 'after every lease, a last repeat without faults',
    run: () => {
      [world.clock, world.faults] = [ticks + 1 + LATE_TICKS, 0];
      last.ask();
    },
  };
  const leaseEnds: Happening = {
    name: 'the lease ends',
    run: () => {
      world.clock += 1;
    },
  };
  const happenings = () => {
    // The clients are alike: the first to do anything is called A.
    const untouched = a.answers.length === 0 && a.steps.trace().length === 0;
    const steps = [...a.steps.happenings(), ...(untouched ? [] : b.steps.happenings())];
    // A call of the venue is over before the lease is: its time budget is shorter.
    const timePasses = world.clock < ticks && !untouched && !a.steps.atVenue() && !b.steps.atVenue();
    return [...steps, ...arrivals(world), ...(timePasses ? [leaseEnds] : [])];
  };
  a.ask();
  b.ask();
  return {
    happenings: () => {
      if (a.busy() || b.busy()) return happenings();
      return last.busy() ? last.steps.happenings() : last.answers.length === 0 ? [closing, ...arrivals(world)] : [];
    },
    state: () => {
      const clients = [a, b, last].map(({ answers, busy, steps }) => [answers, busy(), steps.trace()]);
      return JSON.stringify([
        world.clock,
        world.faults,
        [...world.taken],
        [...world.heldUp],
        world.lastRefusedOperator,
        world.untrue,
        describeRecord(world),
        clients,
      ]);
    },
    breach: () =>
      breachOf(
        world,
        [a, b, last].flatMap(({ answers }) => answers),
        last.answers[0],
      ),
  };
}
