import { placementOf } from '../../../functions/orders/endpoint.ts';
import { AppError } from '../../../shared/errors.ts';
import { createOrders, type Orders, type OrdersOptions } from '../../../shared/orders/orders.ts';
import type { OrderRequest } from '../../../shared/orders/turn.ts';
import type { LimitOrder } from '../../../shared/venue/port.ts';
import type { System } from './interleavings.ts';
import { unfinishedOrder, WALLET } from './order-records.ts';
import {
  arrivals,
  createEntryModel,
  createSteps,
  createStoreModel,
  LATE_TICKS,
  type WorldState,
} from './order-world-ends.ts';

/** Takes a part of the protocol, or of what it builds on, out. */
export type Flaw = (parts: OrdersOptions) => OrdersOptions;

/** What may go wrong in a world, and what was there before. */
export interface WorldOptions {
  /** Failures of store, venue and process on one path. */
  readonly faults: number;
  /** The ticks that pass while the two clients are served; a lease lasts one. */
  readonly ticks: number;
  /** The order that an earlier process left behind under the key when it was killed; none for `unused`. */
  readonly key: 'unused' | `of ${'an unsent order' | 'a live order' | 'a filled order' | 'an order that is held up'}`;
  readonly flaw?: Flaw | undefined;
}

/** An order whose process was killed long ago, before or after the venue took it. */
function abandon(world: WorldState, key: Exclude<WorldOptions['key'], 'unused'>): void {
  const lease = { owner: 'old', until: 0 };
  const record = { ...unfinishedOrder('old', 'old'), terms: ORDER, client: null };
  world.record = { ...record, lease, signedAt: 0, unconfirmedAt: 0 };
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
export function createWorld({ faults, ticks, key, flaw = (parts) => parts }: WorldOptions): System {
  const world: WorldState = {
    ...{ clock: 0, faults, record: undefined, untrue: undefined },
    ...{ owners: new Map(), taken: new Map(), heldUp: new Map() },
  };
  const [a, b] = [createClient('A', world, flaw), createClient('B', world, flaw)];
  const last = createClient('last', world, flaw);
  if (key !== 'unused') abandon(world, key);
  const close = () => {
    [world.clock, world.faults] = [ticks + 1 + LATE_TICKS, 0];
    last.ask();
  };
  const endLease = () => {
    world.clock += 1;
  };
  const happenings = () => {
    // The clients are alike: the first to do anything is called A.
    const untouched = a.answers.length === 0 && a.steps.trace().length === 0;
    const steps = [...a.steps.happenings(), ...(untouched ? [] : b.steps.happenings())];
    // A call of the venue is over before the lease is: its time budget is shorter.
    const timePasses = world.clock < ticks && !untouched && !a.steps.atVenue() && !b.steps.atVenue();
    return [...steps, ...arrivals(world), ...(timePasses ? [{ name: 'the lease ends', run: endLease }] : [])];
  };
  a.ask();
  b.ask();
  return {
    happenings: () => {
      if (a.busy() || b.busy()) return happenings();
      if (last.busy() || last.answers.length > 0) return last.steps.happenings();
      return [{ name: 'after every lease, a last repeat without faults', run: close }, ...arrivals(world)];
    },
    state: () => {
      const clients = [a, b, last].map(({ answers, busy, steps }) => [answers, busy(), steps.trace()]);
      const { clock, faults: left, taken, heldUp, untrue } = world;
      return JSON.stringify([clock, left, [...taken], [...heldUp], untrue, describeRecord(world), clients]);
    },
    breach: () => breachOf(world, [...a.answers, ...b.answers, ...last.answers], last.answers[0]),
  };
}

/** The order that all of them ask for. */
const ORDER: LimitOrder = {
  ...{ tokenId: '7', side: 'buy', price: '0.5', size: '10', postOnly: false, expiresAt: null },
};
const REQUEST: OrderRequest = { order: ORDER, idempotencyKey: 'key', client: null, requestId: null, caller: null };

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, audit: () => {} };

/** Returns true if no later answer under the same key may differ. */
function isFinal(answer: string): boolean {
  return answer.startsWith('placed') || answer === 'refused';
}

/** Returns true if an answer says that the venue did not take the order. */
function saysNotTaken(answer: string): boolean {
  return answer === 'venue_unavailable' || answer === 'venue_refused_service';
}

async function place(orders: Orders): Promise<string> {
  try {
    const result = await orders.place(REQUEST, { deadline: Number.POSITIVE_INFINITY, venueRequests: [] });
    return `placed ${placementOf(result, 'key').orderId}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'order_rejected' ? 'refused' : error.code;
  }
}

/** Creates a client of a world, which sends the same order under the same key each time it is asked to. */
function createClient(name: string, world: WorldState, flaw: Flaw) {
  const steps = createSteps(name, world);
  const answers: string[] = [];
  let busy = false;
  const ask = () => {
    const deps = { world, steps, process: name };
    const parts = {
      ...{ entry: { walletAddress: WALLET, ...createEntryModel(deps) }, store: createStoreModel(deps), log: SILENT },
      ...{ leaseMs: 1, uptime: () => world.clock, now: () => world.clock, lateArrivalMs: LATE_TICKS },
    };
    const orders = createOrders(flaw(parts));
    busy = true;
    void place(orders).then(answered);
  };
  const answered = (answer: string) => {
    if (saysNotTaken(answer) && world.taken.size > 0) world.untrue = answer;
    answers.push(answer);
    steps.forget();
    busy = false;
  };
  steps.onCrash(() => answered('crashed'));
  return { steps, answers, busy: () => busy, ask };
}
