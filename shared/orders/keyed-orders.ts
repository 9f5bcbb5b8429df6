import { KEEP_MS, KEPT_AFTER_USE_MS, STORE_CALL_MS } from '../limits.ts';
import type { Call } from '../venue/port.ts';
import { type Claim, claim, type KeyedDeps, type KeyedRequest, orderInProgress } from './claim.ts';
import { adviseOnUnknown, giveAnswer, outcomeUnknown, type PlacedOrder, toRefusal } from './outcome.ts';
import type { FinalAnswer, FinishedOrder, OrderRecord, UnfinishedOrder } from './record.ts';
import type { Expected } from './store.ts';

const REPEAT = 'Repeat the request with the same Idempotency-Key to find out.';

function finish({ order, lease, ...request }: UnfinishedOrder, answer: FinalAnswer, now: number): FinishedOrder {
  return { ...request, state: 'finished', answer, keepUntil: now + KEEP_MS };
}

/** Lets the next repeat proceed at once. Without it the key is only blocked until the lease is over. */
async function release({ store, log }: KeyedDeps, key: string, record: UnfinishedOrder): Promise<void> {
  const { owner } = record.lease;
  try {
    await store.replace(key, { ...record, lease: { owner, until: 0 } }, { heldBy: owner });
  } catch (error) {
    log.error('lease not released', { order_id: record.orderId, error });
  }
}

/** Sends the order of a claim: a final answer, or an error that leaves the order unfinished. */
async function send(
  deps: KeyedDeps,
  key: string,
  { send: turn, record }: Exclude<Claim, { send: 'never' }>,
  call: Call,
): Promise<FinalAnswer> {
  // The process may have stood still since the lease was taken. Whoever has taken over since may have been told of a
  // refusal; bytes that leave now could make it untrue.
  if (deps.now() >= record.lease.until) {
    throw outcomeUnknown(`The lease ended before the order was sent. ${REPEAT}`, record.orderId);
  }
  const { order } = record;
  try {
    const sending = () => (turn === 'first' ? deps.entry.submit(order, call) : deps.entry.settle(order, call));
    return { result: 'placed', placement: await adviseOnUnknown(order, REPEAT, sending) };
  } catch (error) {
    const refusal = toRefusal(error);
    if (refusal) return refusal;
    await release(deps, key, record);
    throw error;
  }
}

/** Stores a final answer. What the key holds then; `undefined` when the store does not say. */
async function storeAnswer(
  { store, log }: KeyedDeps,
  key: string,
  record: FinishedOrder,
  expected: Expected,
): Promise<OrderRecord | undefined> {
  try {
    return (await store.replace(key, record, expected)) ? record : await store.read(key);
  } catch (error) {
    log.error('final answer not stored', { order_id: record.orderId, error });
    return undefined;
  }
}

/**
 * Stores the venue's answer, then gives it. The caller waits for that write (`STORE_CALL_MS` at most): a Lambda function
 * stands still once it has answered, and the venue forgets filled orders, so what is not stored now may never be known
 * again. The first stored answer is everybody's answer.
 */
async function conclude(
  deps: KeyedDeps,
  key: string,
  held: UnfinishedOrder,
  answer: FinalAnswer,
): Promise<PlacedOrder> {
  const record = finish(held, answer, deps.now());
  const placed = answer.result === 'placed';
  // That an order was accepted stays true, whoever holds the lease. A refusal is final only for the holder: whoever has
  // taken over may be sending the same bytes, and the venue may take them this time.
  const standing = await storeAnswer(deps, key, record, placed ? 'unfinished' : { heldBy: held.lease.owner });
  if (standing?.state === 'finished' && (!placed || standing.answer.result === 'placed')) {
    return giveAnswer(standing.answer, standing !== record);
  }
  if (placed) {
    if (standing) deps.log.error('a placed order contradicts its record', { order_id: record.orderId });
    return giveAnswer(answer, false);
  }
  if (standing) throw orderInProgress(deps.leaseMs);
  throw outcomeUnknown(`The venue refused the order, but the store does not work. ${REPEAT}`, record.orderId);
}

/** Gives a stored answer again and keeps it for another day. */
async function replay({ store, log, now }: KeyedDeps, key: string, record: FinishedOrder): Promise<PlacedOrder> {
  const time = now();
  if (record.keepUntil - time < KEPT_AFTER_USE_MS) {
    try {
      await store.replace(key, { ...record, keepUntil: time + KEEP_MS }, 'finished');
    } catch (error) {
      log.error('final answer not kept for longer', { order_id: record.orderId, error });
    }
  }
  return giveAnswer(record.answer, true);
}

/** Places the order of a request, unless its key has done so before. Errors as `Orders.place` with a key. */
export async function placeOnce(deps: KeyedDeps, request: KeyedRequest): Promise<PlacedOrder> {
  const { key, call } = request;
  const claimed = await claim(deps, request);
  if (claimed.send === 'never') return replay(deps, key, claimed.record);
  // What storing the answer takes is kept back from the venue's time.
  const answer = await send(deps, key, claimed, { ...call, deadline: call.deadline - STORE_CALL_MS });
  return conclude(deps, key, claimed.record, answer);
}
