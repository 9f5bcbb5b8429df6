import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { Fate, OrderEntry, Placement, SignedOrder } from '../../../shared/venue/port.ts';
import { fateOfError } from './fates.ts';
import type { Way } from './order-world-steps.ts';
import type { ModelDeps } from './order-world-store.ts';

function fail(code: ErrorCode) {
  return (): Fate => fateOfError(new AppError(code, { code }));
}

function placed(orderId: string, status: Placement['status']) {
  return (): Fate => ({ kind: 'placed', placement: { orderId, status, transactionHashes: [], tradeIds: [] } });
}

/**
 * The venue behind an adapter that keeps to the contract. It knows an order that it once took as a duplicate; what it
 * refused before, it may take the next time; a look-up finds a live order, and a filled one only perhaps.
 */
export function createEntryModel({ world, steps, process, flaw }: ModelDeps): Omit<OrderEntry, 'walletAddress'> {
  let signatures = 0;
  const sign = (): SignedOrder => {
    signatures += 1;
    const orderId = `${process}-${signatures}`;
    return { orderId, tokenId: '7', postOnly: false, payload: orderId };
  };
  const lookUp = ({ orderId }: SignedOrder): readonly Way<Fate | undefined>[] => [
    { name: 'cannot look up', fault: true, result: fail('outcome_unknown') },
    ...(world.taken.has(orderId) ? [{ name: 'finds it', result: placed(orderId, 'live') }] : []),
    ...(world.taken.get(orderId) === 'live' ? [] : [{ name: 'finds nothing', result: () => undefined }]),
  ];
  const arrive = ({ orderId }: SignedOrder): readonly Way<Fate | 'duplicated'>[] => {
    const take = (state: 'live' | 'filled') => () => void world.taken.set(orderId, state);
    const refusal = { name: 'is refused', result: fail('order_rejected') };
    const faults = [
      { name: 'is lost on the way to the venue', fault: true, result: fail('outcome_unknown') },
      { name: 'is not taken by a venue in trouble', fault: true, result: fail('venue_unavailable') },
    ];
    if (world.taken.has(orderId)) {
      const balanceFirst = flaw === 'the venue looks for the balance before the duplicate' ? [refusal] : [];
      return [{ name: 'is a duplicate', result: () => 'duplicated' as const }, ...balanceFirst, ...faults];
    }
    return [
      { name: 'rests', effect: take('live'), result: placed(orderId, 'live') },
      { name: 'is filled', effect: take('filled'), result: placed(orderId, 'matched') },
      refusal,
      ...faults,
      { name: 'rests, the answer lost', fault: true, effect: take('live'), result: fail('outcome_unknown') },
      { name: 'is filled, the answer lost', fault: true, effect: take('filled'), result: fail('outcome_unknown') },
    ];
  };
  const submit = async (order: SignedOrder): Promise<Fate> => {
    world.sent.add(order.orderId);
    const answer = await steps.take('venue', () => arrive(order));
    if (answer !== 'duplicated') return answer;
    return (await steps.take('venue', () => lookUp(order))) ?? fail('outcome_unknown')();
  };
  return {
    sign: async () => sign(),
    submit,
    settle: async (stored) => {
      const order = flaw === 'a repeat signs anew' ? sign() : stored;
      return (await steps.take('venue', () => lookUp(order))) ?? submit(order);
    },
  };
}
