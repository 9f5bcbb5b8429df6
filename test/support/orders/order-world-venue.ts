import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { Fate, OrderEntry, Placement, SendingCall, SignedOrder } from '../../../shared/venue/port.ts';
import { fateOfError } from '../venue/fates.ts';
import { NOTHING_FILLED, SIGNED_FOR } from './order-records.ts';
import type { Way, WorldState } from './order-world-steps.ts';
import type { ModelDeps } from './order-world-store.ts';

/** An order that is held up arrives so many ticks after its sending at the latest. */
export const LATE_TICKS = 2;

type Posted = Fate | 'duplicated' | 'held up';

function fail(code: ErrorCode) {
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
export function arrivals(world: WorldState): readonly { readonly name: string; readonly run: () => void }[] {
  return [...world.heldUp].flatMap(([orderId, since]) =>
    world.clock - since < LATE_TICKS && !world.taken.has(orderId)
      ? takings(world, orderId).map(({ name, effect }) => ({
          name: `${orderId} arrives late and ${name}`,
          run: effect,
        }))
      : [],
  );
}

/**
 * The venue behind an adapter that keeps to the contract. The venue may check the balance before it knows an order again;
 * what it refused before, it may take the next time; an order may be held up on its way and be taken later; look-ups lag;
 * a filled order is shown among the trades alone.
 */
export function createEntryModel({ world, steps, process, flaw }: ModelDeps): Omit<OrderEntry, 'walletAddress'> {
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
    const refusal = { name: 'is refused', result: fail('order_rejected') };
    const refuseOperator = () => {
      world.lastRefusedOperator = true;
    };
    const faults: readonly Way<Posted>[] = [
      { name: 'is lost on the way to the venue', fault: true, result: () => unknown(now()) },
      { name: 'is not taken by a venue in trouble', fault: true, result: fail('venue_unavailable') },
      {
        name: 'is refused with its operator',
        fault: true,
        effect: refuseOperator,
        result: fail('venue_refused_service'),
      },
    ];
    if (world.taken.has(orderId)) return [{ name: 'is a duplicate', result: () => 'duplicated' }, refusal, ...faults];
    const holdUp = () => void world.heldUp.set(orderId, world.clock);
    const ways = takings(world, orderId).flatMap(({ name, status, effect }): Way<Posted>[] => [
      { name, effect, result: placed(orderId, status) },
      { name: `${name}, the answer lost`, fault: true, effect, result: () => unknown(now()) },
    ]);
    const late: Way<Posted> = { name: 'is held up', fault: true, effect: holdUp, result: () => 'held up' };
    return [...ways, refusal, ...faults, late];
  };
  const look = (order: SignedOrder, where: 'orders' | 'orders and trades') =>
    steps.take('venue', () => lookUp(order, where));
  const send = async (order: SignedOrder, { maySend }: SendingCall): Promise<Posted> => {
    const isAsked = flaw !== 'the right to send is not asked for' || !process.startsWith('A');
    if (isAsked && maySend?.(now()) === false)
      return { kind: 'unknown', why: 'lease_ended', sentAt: null, cause: undefined };
    world.lastRefusedOperator = false;
    return steps.take('venue', () => arrive(order));
  };
  const settled = async (order: SignedOrder, posted: Posted): Promise<Fate> => {
    if (typeof posted !== 'string') return posted;
    const found = posted === 'duplicated' ? await look(order, 'orders and trades') : undefined;
    return found?.kind === 'placed' ? found : unknown(now());
  };
  return {
    signedFor: SIGNED_FOR,
    now,
    syncClock: async () => {},
    sign: async () => sign(),
    submit: async (order, call) => settled(order, await send(order, call)),
    lookUp: async (order) => (await look(order, 'orders and trades')) ?? unknown(null),
    settle: async (stored, call) => {
      const order = flaw === 'a repeat signs anew' ? sign() : stored;
      const found = await look(order, 'orders');
      if (found) return found;
      const fate = await settled(order, await send(order, call));
      const isNo = fate.kind === 'refused' || fate.kind === 'not_taken';
      if (!isNo || flaw === 'nothing is looked up after a refusal') return fate;
      return (await look(order, 'orders and trades')) ?? fate;
    },
  };
}
