import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import { isReplaceable, type OrderStore, type Over, type Written } from '../../../shared/orders/order-store.ts';
import type { OrderRecord } from '../../../shared/orders/record.ts';
import type { Fate, OrderEntry, Placement, SendingCall, SignedOrder } from '../../../shared/venue/port.ts';
import { fateOfError } from '../venue/fake-venue.ts';
import type { Happening } from './interleavings.ts';
import { NOTHING_FILLED, SIGNED_FOR } from './order-records.ts';

/** Everything outside the processes. */
export interface WorldState {
  clock: number;
  /** Failures that may still happen. */
  faults: number;
  record: OrderRecord | undefined;
  /** Names of the random owners of leases. */
  readonly owners: Map<string, string>;
  /**
   * The orders that the venue took, by their ids. Look-ups lag: in the tick of `at` they may miss one. Later they show a
   * live order to everybody, and a filled one among the trades.
   */
  readonly taken: Map<string, { readonly state: 'live' | 'filled'; readonly at: number }>;
  /** Orders that are held up on their way since a tick, and may still arrive. */
  readonly heldUp: Map<string, number>;
  /** An answer that the order was not taken, given while the venue had it. */
  untrue: string | undefined;
}

/** One way a step can go: its effect on the world, and what the process sees of it. */
export interface Way<T> {
  readonly name: string;
  readonly fault?: boolean;
  readonly effect?: () => void;
  /** The result, or a thrown error. */
  readonly result: () => T;
}

/** Creates the steps of one process of a client, at each of which it waits until the search lets it go on. */
export function createSteps(client: string, world: WorldState) {
  let waiting: { readonly place: 'store' | 'venue'; readonly happenings: () => readonly Happening[] } | undefined;
  let known: string[] = [];
  let crashed = () => {};
  const crash = (name: string, effect = () => {}): Happening => ({
    name: `${client} is killed ${name}`,
    run: () => {
      world.faults -= 1;
      effect();
      [waiting, known] = [undefined, []];
      crashed();
    },
  });
  const happen = <T>(way: Way<T>, { resolve, reject }: PromiseWithResolvers<T>): Happening => ({
    name: `${client}: ${way.name}`,
    run: () => {
      if (way.fault) world.faults -= 1;
      waiting = undefined;
      way.effect?.();
      try {
        const result = way.result();
        known.push(`${way.name} at ${world.clock}: ${JSON.stringify(result)}`);
        resolve(result);
      } catch (error) {
        known.push(`${way.name} at ${world.clock}`);
        reject(error);
      }
    },
  });
  return {
    take: <T>(place: 'store' | 'venue', ways: () => readonly Way<T>[]) => {
      const taken = Promise.withResolvers<T>();
      const happenings = () => {
        const possible = ways().filter(({ fault }) => !fault || world.faults > 0);
        const steps = possible.map((way) => happen(way, taken));
        if (world.faults === 0) return steps;
        const effective = possible.filter(({ effect, fault }) => effect && !fault);
        return [...steps, crash('before'), ...effective.map(({ name, effect }) => crash(`after: ${name}`, effect))];
      };
      waiting = { place, happenings };
      return taken.promise;
    },
    happenings: (): readonly Happening[] => waiting?.happenings() ?? [],
    atVenue: () => waiting?.place === 'venue',
    onCrash: (listener: () => void) => {
      crashed = listener;
    },
    /** Returns what the process knows: processes that know the same go on in the same way. */
    trace: (): readonly string[] => known,
    /** The request is over and with it what its process knew. */
    forget: () => {
      known = [];
    },
  };
}

/** What the models of store and venue need of the process that calls them. */
export interface ModelDeps {
  readonly world: WorldState;
  readonly steps: ReturnType<typeof createSteps>;
  /** Name of the process, new for each request. */
  readonly process: string;
}

function fail(): never {
  throw new Error('the store does not answer');
}

function nameOf(record: OrderRecord | undefined, over: Over): string {
  if (!record) return 'frees the key';
  if (over === 'nothing') return 'creates';
  return record.state === 'finished' ? `stores ${record.answer.result}` : `sets the lease to ${record.lease.until}`;
}

/** One record, and every failure of a real store: a write fails before it has happened, and after. */
export function createStoreModel({ world, steps, process }: ModelDeps): OrderStore {
  return {
    read: () =>
      steps.take('store', () => [
        { name: 'reads', result: () => world.record },
        { name: 'cannot read', fault: true, result: fail },
      ]),
    write: (_key, record, over) => {
      const owner = record?.state === 'unfinished' ? record.lease.owner : undefined;
      if (owner !== undefined && !world.owners.has(owner)) world.owners.set(owner, process);
      const name = nameOf(record, over);
      const effect = () => {
        world.record = record;
      };
      return steps.take<Written>('store', () =>
        isReplaceable(world.record, over)
          ? [
              { name, effect, result: () => 'written' },
              { name: `${name}, lost on the way`, fault: true, result: fail },
              { name: `${name}, its answer lost`, fault: true, effect, result: fail },
            ]
          : [
              { name: `${name}, too late`, result: () => ({ standing: world.record }) },
              { name: `${name}, too late, and the answer lost`, fault: true, result: fail },
            ],
      );
    },
  };
}

/** An order that is held up arrives so many ticks after its sending at the latest. */
export const LATE_TICKS = 2;

type Posted = Fate | 'duplicated' | 'held up';

function fateOf(code: ErrorCode) {
  return (): Fate => fateOfError(new AppError(code, { code }));
}

function unknown(sentAt: number | null): Fate {
  return { kind: 'unknown', why: 'sent', sentAt, cause: undefined };
}

function placed(orderId: string, status: Placement['status']) {
  return (): Fate => ({
    kind: 'placed',
    placement: { orderId, status, ...NOTHING_FILLED, transactionHashes: [], tradeIds: [] },
  });
}

/** The ways in which an order that is at the venue's door can be taken. */
function takings(world: WorldState, orderId: string) {
  const take = (state: 'live' | 'filled') => () => {
    world.heldUp.delete(orderId);
    world.taken.set(orderId, { state, at: world.clock });
  };
  return [
    { name: 'rests', status: 'live', effect: take('live') },
    { name: 'is filled', status: 'matched', effect: take('filled') },
  ] as const;
}

/** Lists the late arrivals that may happen now. */
export function arrivals(world: WorldState): readonly Happening[] {
  return [...world.heldUp]
    .filter(([orderId, since]) => world.clock - since < LATE_TICKS && !world.taken.has(orderId))
    .flatMap(([orderId]) =>
      takings(world, orderId).map(({ name, effect: run }) => ({ name: `${orderId} ${name}`, run })),
    );
}

/**
 * The venue behind an adapter that keeps to the contract. The venue may check the balance before it knows an order again;
 * what it refused before, it may take the next time; an order may be held up on its way and be taken later; look-ups lag;
 * a filled order is shown among the trades alone.
 */
export function createEntryModel({ world, steps, process }: ModelDeps): Omit<OrderEntry, 'walletAddress'> {
  let signatures = 0;
  const now = () => world.clock;
  const sign = (): SignedOrder => {
    signatures += 1;
    const orderId = `${process}-${signatures}`;
    const order = { tokenId: '7', conditionId: null, postOnly: false, expiresAt: null, payload: orderId };
    return { ...order, orderId, signedAt: now() };
  };
  const lookUp = (
    { orderId }: SignedOrder,
    where: 'orders' | 'orders and trades',
  ): readonly Way<Fate | undefined>[] => {
    const taken = world.taken.get(orderId);
    const isShown = taken !== undefined && (taken.state === 'live' || where === 'orders and trades');
    const isMissed = !isShown || taken.at === world.clock;
    return [
      { name: 'cannot look up', fault: true, result: () => unknown(null) },
      ...(isShown ? [{ name: 'finds it', result: placed(orderId, 'live') }] : []),
      ...(isMissed ? [{ name: 'finds nothing', result: () => undefined }] : []),
    ];
  };
  const arrive = ({ orderId }: SignedOrder): readonly Way<Posted>[] => {
    const never: readonly Way<Posted>[] = [
      { name: 'is refused', result: fateOf('order_rejected') },
      { name: 'is lost on the way to the venue', fault: true, result: () => unknown(now()) },
      { name: 'is not taken by a venue in trouble', fault: true, result: fateOf('venue_unavailable') },
      { name: 'is refused with its operator', fault: true, result: fateOf('venue_refused_service') },
    ];
    if (world.taken.has(orderId)) return [{ name: 'is a duplicate', result: () => 'duplicated' }, ...never];
    const holdUp = () => void world.heldUp.set(orderId, world.clock);
    const ways = takings(world, orderId).flatMap(({ name, status, effect }): Way<Posted>[] => [
      { name, effect, result: placed(orderId, status) },
      { name: `${name}, the answer lost`, fault: true, effect, result: () => unknown(now()) },
    ]);
    const late: Way<Posted> = { name: 'is held up', fault: true, effect: holdUp, result: () => 'held up' };
    return [...ways, ...never, late];
  };
  const look = (order: SignedOrder, where: 'orders' | 'orders and trades') =>
    steps.take('venue', () => lookUp(order, where));
  const send = async (order: SignedOrder, { leaseUntil = Number.POSITIVE_INFINITY }: SendingCall): Promise<Posted> => {
    if (now() >= leaseUntil) return { kind: 'unknown', why: 'lease_ended', sentAt: null, cause: undefined };
    return steps.take('venue', () => arrive(order));
  };
  const settled = async (order: SignedOrder, posted: Posted): Promise<Fate> => {
    if (typeof posted !== 'string') return posted;
    const found = posted === 'duplicated' ? await look(order, 'orders and trades') : undefined;
    return found?.kind === 'placed' ? found : unknown(now());
  };
  return {
    signedFor: SIGNED_FOR,
    checkClock: async () => {},
    sign: async () => sign(),
    submit: async (order, call) => settled(order, await send(order, call)),
    lookUp: async (order) => (await look(order, 'orders and trades')) ?? unknown(null),
    settle: async (order, call) => {
      const found = await look(order, 'orders');
      if (found) return found;
      const fate = await settled(order, await send(order, call));
      if (fate.kind !== 'refused' && fate.kind !== 'not_taken') return fate;
      return (await look(order, 'orders and trades')) ?? fate;
    },
  };
}
