import { AppError } from '../errors.ts';
import { KEEP_MS, KEPT_AFTER_USE_MS, LEASE_MS, STORE_CALL_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Call, Fate, LimitOrder, OrderEntry } from '../venue/port.ts';
import { type Claim, type ClaimDeps, claimAgain, claimFirst, orderInProgress, readRecord } from './claim.ts';
import {
  type Expected,
  type FinalAnswer,
  type FinishedOrder,
  fingerprintOf,
  type OrderRecord,
  type OrderStore,
  toRefusal,
  type UnfinishedOrder,
} from './record.ts';

/** The fate of a requested order. */
export interface OrderResult {
  readonly orderId: string;
  readonly fate: Fate;
  /** Set where this is the answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** The orders of the operator's wallet. */
export interface Orders {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called, as long as the store keeps
   * what it has confirmed and the venue recognises the same signed bytes. Throws the errors of `OrderEntry.sign`; with
   * a key also `idempotency_key_reused`, `order_in_progress` and `store_unavailable`. Once the order is signed, nothing
   * but `order_in_progress` is thrown.
   */
  place(order: LimitOrder, idempotencyKey: string | undefined, call: Call): Promise<OrderResult>;
}

export interface OrdersDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  /** The wall clock in milliseconds of the Unix epoch, since leases are read by other processes and after a suspend. */
  readonly now?: () => number;
  readonly leaseMs?: number;
}

/** Runs what hands an order to the venue. A fault of ours on the way proves nothing about the order. */
async function fateOf(hand: () => Promise<Fate>): Promise<Fate> {
  try {
    return await hand();
  } catch (cause) {
    return { kind: 'unknown', why: 'sent', cause };
  }
}

/** Lets the next repeat proceed at once. Without it the key is only blocked until the lease is over. */
async function release({ store, log }: ClaimDeps, key: string, record: UnfinishedOrder): Promise<void> {
  const { owner } = record.lease;
  try {
    await store.replace(key, { ...record, lease: { owner, until: 0 } }, { heldBy: owner });
  } catch (error) {
    log.error('lease not released', { order_id: record.orderId, error });
  }
}

/** Hands the order of a claim to the venue. */
async function send(
  { entry, now }: ClaimDeps,
  { send: turn, record }: Exclude<Claim, { send: 'never' }>,
  call: Call,
): Promise<Fate> {
  // The process may have stood still since the lease was taken. A request that has taken over since may have been told
  // of a refusal; bytes that leave now could make it untrue.
  if (now() >= record.lease.until) return { kind: 'unknown', why: 'lease_ended', cause: undefined };
  // The time that storing the answer takes is kept back from the venue.
  const bounded = { ...call, deadline: call.deadline - STORE_CALL_MS };
  const hand = turn === 'first' ? entry.submit : entry.settle;
  return fateOf(() => hand(record.order, bounded));
}

/** Stores a final answer and returns the record now under the key, or undefined if the store failed. */
async function storeAnswer(
  { store, log }: ClaimDeps,
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

function resultOf({ orderId, answer }: FinishedOrder, replayed: boolean): OrderResult {
  if (answer.result === 'placed') return { orderId, fate: { kind: 'placed', placement: answer.placement }, replayed };
  const { code, detail, facts } = answer;
  return { orderId, fate: { kind: 'refused', error: new AppError(detail, { code, facts, replayed }) }, replayed };
}

/**
 * Stores a final answer, then gives it. The caller waits for that write (`STORE_CALL_MS` at most): a Lambda function
 * stands still once it has answered, and the venue forgets filled orders, so an answer that is not stored now may never
 * be known again. The first stored answer is everybody's answer.
 */
async function conclude(
  deps: ClaimDeps,
  key: string,
  { order, lease, ...request }: UnfinishedOrder,
  answer: FinalAnswer,
): Promise<OrderResult> {
  const record: FinishedOrder = { ...request, state: 'finished', answer, keepUntil: deps.now() + KEEP_MS };
  const { orderId } = record;
  const placed = answer.result === 'placed';
  // That an order was accepted stays true, whoever holds the lease. A refusal is final only for the holder: a request
  // that has taken over may be sending the same bytes, and the venue may take them this time.
  const standing = await storeAnswer(deps, key, record, placed ? 'unfinished' : { heldBy: lease.owner });
  if (standing?.state === 'finished' && (!placed || standing.answer.result === 'placed')) {
    return resultOf(standing, standing !== record);
  }
  if (placed) {
    if (standing) deps.log.error('a placed order contradicts its record', { order_id: orderId });
    return resultOf(record, false);
  }
  if (standing) throw orderInProgress(deps.leaseMs);
  return { orderId, fate: { kind: 'unknown', why: 'refusal_not_stored', cause: undefined }, replayed: false };
}

/** Gives a stored answer again and keeps it for another day. */
async function replay({ store, log, now }: ClaimDeps, key: string, record: FinishedOrder): Promise<OrderResult> {
  const time = now();
  if (record.keepUntil - time < KEPT_AFTER_USE_MS) {
    try {
      await store.replace(key, { ...record, keepUntil: time + KEEP_MS }, 'finished');
    } catch (error) {
      log.error('final answer not kept for longer', { order_id: record.orderId, error });
    }
  }
  return resultOf(record, true);
}

/** Claims the key of a request; an order that is new is signed first. */
async function claim(deps: ClaimDeps, key: string, order: LimitOrder, call: Call): Promise<Claim> {
  const fingerprint = fingerprintOf(order);
  // Before signing, not beside it: a repeat is answered though the market has closed, and when the venue is in trouble
  // and everybody repeats, it is not asked for market rules that nobody needs. A new order waits for this read, 0.05 ms
  // in a file and some 3 ms in DynamoDB; beside it a warm one would save the half millisecond of a signature.
  const found = await readRecord(deps, key);
  if (found) return claimAgain(deps, key, found, fingerprint);
  return claimFirst(deps, key, await deps.entry.sign(order, call), fingerprint);
}

async function placeUnderKey(deps: ClaimDeps, key: string, order: LimitOrder, call: Call): Promise<OrderResult> {
  const claimed = await claim(deps, key, order, call);
  if (claimed.send === 'never') return replay(deps, key, claimed.record);
  const { record } = claimed;
  const fate = await send(deps, claimed, call);
  if (fate.kind === 'placed') return conclude(deps, key, record, { result: 'placed', placement: fate.placement });
  if (fate.kind === 'refused') return conclude(deps, key, record, toRefusal(fate.error));
  if (fate.kind === 'not_taken' || fate.why !== 'lease_ended') await release(deps, key, record);
  return { orderId: record.orderId, fate, replayed: false };
}

/** Opens the orders of a wallet: exactly one order for an idempotency key; without a key each call is a new order. */
export function createOrders({ now = Date.now, leaseMs = LEASE_MS, ...rest }: OrdersDeps): Orders {
  const deps: ClaimDeps = { ...rest, now, leaseMs };
  const { entry } = deps;
  const placeWithoutKey = async (order: LimitOrder, call: Call): Promise<OrderResult> => {
    const signed = await entry.sign(order, call);
    return { orderId: signed.orderId, fate: await fateOf(() => entry.submit(signed, call)), replayed: false };
  };
  return {
    walletAddress: entry.walletAddress,
    place: (order, key, call) =>
      key === undefined ? placeWithoutKey(order, call) : placeUnderKey(deps, key, order, call),
  };
}
