import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Decimal } from '../decimal.ts';
import { AppError } from '../errors.ts';
import { KEEP_MS, KEPT_AFTER_USE_MS, LATE_ARRIVAL_MS, LEASE_MS, STORE_CALL_MS } from '../limits.ts';
import type { Log } from '../log/log.ts';
import type { Call, Fate, LimitOrder, OrderEntry, SendingCall } from '../venue/port.ts';
import {
  type ClaimDeps,
  claim,
  claimFresh,
  createLeaseWatch,
  type Held,
  hashOfKey,
  heldByAnother,
  type KeyedRequest,
} from './claim.ts';
import { countOf, createDayCap, givenBack } from './day-cap.ts';
import {
  type DayCount,
  type Expected,
  type FinalAnswer,
  type FinishedOrder,
  type OrderRecord,
  type OrderStore,
  signedOrderOf,
  toRefusal,
  type Written,
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
  /** The venue's clock, as `OrderEntry.now`. */
  now(): number;
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called, as long as the store keeps
   * what it has confirmed and the venue recognises the same signed bytes. Throws the errors of `OrderEntry.sign`; with
   * a key also `idempotency_key_reused` and `order_in_progress`; where the order is stored, which it is with a key or a
   * daily cap, `daily_cap_reached` and `store_unavailable`. Once it is stored, nothing but `order_in_progress` is thrown.
   */
  place(order: LimitOrder, idempotencyKey: string | undefined, call: Call): Promise<OrderResult>;
}

export interface OrdersDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  /** The cap on the notional of all orders of a day, in collateral. */
  readonly maxDailyNotional?: Decimal | undefined;
  /** Our own wall clock, in milliseconds of the Unix epoch. */
  readonly wall?: () => number;
  /** A monotonic clock in milliseconds. */
  readonly elapsed?: () => number;
  readonly leaseMs?: number;
  readonly lateArrivalMs?: number;
}

interface Deps extends ClaimDeps {
  readonly lateArrivalMs: number;
}

/** Runs what hands an order to the venue. A fault of ours on the way proves nothing about the order. */
async function fateOf({ now }: OrderEntry, hand: () => Promise<Fate>): Promise<Fate> {
  try {
    return await hand();
  } catch (cause) {
    return { kind: 'unknown', why: 'sent', sentAt: now(), cause };
  }
}

/** Hands the order of a claim to the venue, or only looks it up. */
async function hand({ entry }: Deps, held: Held, call: Call): Promise<Fate> {
  const { send, record, unprovenBefore, aboveCap } = held;
  // The process may stand still after the lease was taken. A request that has taken over since may have been told of a
  // refusal; bytes that leave then could make it untrue. The time that storing the answer takes is kept back.
  const bounded: SendingCall = { ...call, deadline: call.deadline - STORE_CALL_MS, maySend: held.isHeld };
  const order = signedOrderOf(record);
  if (send === 'first') return fateOf(entry, () => entry.submit(order, bounded));
  if (send === 'again') return fateOf(entry, () => entry.settle(order, bounded));
  const found = await fateOf(entry, () => entry.lookUp(order, bounded));
  const neverTaken = found.kind === 'unknown' && unprovenBefore === null;
  return aboveCap && neverTaken ? { kind: 'not_taken', error: aboveCap, refusesOperator: false } : found;
}

/**
 * Weighs what a sending came to against an earlier one that is without a provable answer: for as long as that may still
 * arrive, a refusal of this one says nothing about the order.
 */
function weigh({ entry, lateArrivalMs }: Deps, { unprovenBefore }: Held, fate: Fate): Fate {
  if (unprovenBefore === null || (fate.kind !== 'refused' && fate.kind !== 'not_taken')) return fate;
  const leftMs = unprovenBefore + lateArrivalMs - entry.now();
  if (leftMs <= 0) return fate;
  // A venue that is busy for a moment says so; a repeat may be taken then.
  const retryAfter = Math.min(Math.ceil(Math.min(leftMs, lateArrivalMs) / 1_000), fate.error.retryAfter ?? Infinity);
  return { kind: 'unknown', why: 'earlier_sending', sentAt: null, retryAfter, cause: fate.error };
}

/**
 * Gives the lease back, so that the next repeat proceeds at once, with what is known now of the sendings. Without it the
 * key is only blocked until the lease is over. Gives the record of another request that has taken over by now, or
 * `undefined` where one may have, and its record cannot be read.
 */
async function release(
  { store, log }: Deps,
  { key, call }: KeyedRequest,
  { record, unprovenBefore, isHeld }: Held,
  fate: Fate,
): Promise<'released' | OrderRecord | undefined> {
  const { owner } = record.lease;
  const unprovenAt = (fate.kind === 'unknown' ? fate.sentAt : null) ?? unprovenBefore;
  const freed = fate.kind === 'not_taken' && fate.refusesOperator && unprovenAt === null;
  const counted = record.counted && !freed;
  const open = { ...record, unprovenAt, freed, counted, lease: { owner, until: 0 } };
  let written: Written | undefined;
  try {
    written = await store.replace(key, open, { heldBy: owner }, freed ? givenBack(record) : undefined);
    return written === 'written' ? 'released' : await store.read(key);
  } catch (error) {
    log.error('lease not released', { order_id: record.orderId, ...call.trace, error, metric: 'lease_faults' });
    // Where the store told nothing: nobody takes over before the lease is over.
    return written === undefined && isHeld() ? 'released' : undefined;
  }
}

/** Stores a final answer and returns the record now under the key, or undefined if the store failed. */
async function storeAnswer(
  { store, log }: Deps,
  { key, call }: KeyedRequest,
  record: FinishedOrder,
  expected: Expected,
  count?: DayCount,
): Promise<OrderRecord | undefined> {
  try {
    return (await store.replace(key, record, expected, count)) === 'written' ? record : await store.read(key);
  } catch (error) {
    log.error('final answer not stored', { order_id: record.orderId, ...call.trace, error, metric: 'lease_faults' });
    return undefined;
  }
}

function resultOf({ orderId, answer }: FinishedOrder, replayed: boolean): OrderResult {
  if (answer.result === 'placed') return { orderId, fate: { kind: 'placed', placement: answer.placement }, replayed };
  if (answer.result === 'not_taken') throw new Error('an order without a key was asked for again');
  const { code, detail, facts } = answer;
  return { orderId, fate: { kind: 'refused', error: new AppError(detail, { code, facts, replayed }) }, replayed };
}

/** Keeps an answer for a day and an hour by whichever clock says later: one of the two may be wrong. */
function keepUntil({ entry, wall }: Deps): number {
  return Math.max(entry.now(), wall()) + KEEP_MS;
}

function finish(deps: Deps, { record }: Held, answer: FinalAnswer): FinishedOrder {
  const { order: _signedBytes, lease: _ended, unprovenAt: _settled, freed: _used, ...request } = record;
  return { ...request, state: 'finished', answer, keepUntil: keepUntil(deps) };
}

/**
 * Stores that the order was placed, then says so. That stays true, whoever holds the lease and whatever was believed
 * before. The caller waits for the write (`STORE_CALL_MS` at most): a Lambda function stands still once it has answered,
 * and the venue forgets filled orders, so an answer that is not stored now may never be known again.
 */
async function concludePlaced(
  deps: Deps,
  request: KeyedRequest,
  held: Held,
  fate: Extract<Fate, { kind: 'placed' }>,
): Promise<OrderResult> {
  const record = finish(deps, held, { result: 'placed', placement: fate.placement });
  const { orderId } = record;
  const own = { orderId, fate, replayed: false };
  let standing = await storeAnswer(deps, request, record, { heldBy: held.record.lease.owner });
  // A request that has taken over holds the same order, but for a key that was freed since.
  if (standing?.state === 'unfinished' && standing.orderId === orderId) {
    standing = await storeAnswer(deps, request, record, 'unfinished');
  }
  if (!standing || standing === record) return own;
  const contradiction = { order_id: orderId, ...request.call.trace, metric: 'contradicted_records' } as const;
  if (standing.orderId !== orderId) {
    const other = { ...contradiction, record: { order_id: standing.orderId } };
    deps.log.error('a placed order has lost its key to another one', other);
    return own;
  }
  if (standing.state !== 'finished') return own;
  if (standing.answer.result === 'placed') return isSame(standing, record) ? own : resultOf(standing, true);
  deps.log.error('a placed order contradicts its record', { ...contradiction, record: standing.answer });
  await overrule(deps, request, standing, record);
  return own;
}

/** A repeat may keep the refusal for longer at the same moment. */
const MAX_OVERRULINGS = 3;

/** Replaces a refusal that was not true. What was given back counts again, whatever the cap says: the order is there. */
async function overrule(
  deps: Deps,
  request: KeyedRequest,
  refusal: FinishedOrder,
  record: FinishedOrder,
): Promise<void> {
  let standing: OrderRecord | undefined = refusal;
  for (let attempt = 0; attempt < MAX_OVERRULINGS; attempt += 1) {
    if (standing?.state !== 'finished' || standing.orderId !== record.orderId) return;
    if (standing.answer.result === 'placed') return;
    const count = record.counted && !standing.counted ? countOf(record) : undefined;
    standing = await storeAnswer(deps, request, record, { keptUntil: standing.keepUntil }, count);
  }
}

/** Tells our own record, which a store's client finds when it repeats a write whose answer was lost. */
function isSame(standing: FinishedOrder, record: FinishedOrder): boolean {
  return isDeepStrictEqual(standing, record);
}

/**
 * Stores a refusal, then says it. It is final only for the holder of the lease: a request that has taken over may be
 * sending the same bytes, and the venue may take them this time. The first stored answer is everybody's answer.
 */
async function concludeRefused(
  deps: Deps,
  request: KeyedRequest,
  held: Held,
  fate: Extract<Fate, { kind: 'refused' }>,
): Promise<OrderResult> {
  const record = { ...finish(deps, held, toRefusal(fate.error)), counted: false };
  const { orderId } = record;
  const holder = { heldBy: held.record.lease.owner };
  const standing = await storeAnswer(deps, request, record, holder, givenBack(held.record));
  if (standing?.state === 'finished') {
    return isSame(standing, record) ? { orderId, fate, replayed: false } : resultOf(standing, true);
  }
  if (standing) throw heldByAnother(deps, standing);
  const unknown = { kind: 'unknown', why: 'refusal_not_stored', sentAt: null, cause: fate.error } as const;
  return { orderId, fate: unknown, replayed: false };
}

/** Gives a stored answer again and keeps it for another day. */
async function replay(deps: Deps, { key, call }: KeyedRequest, record: FinishedOrder): Promise<OrderResult> {
  if (record.keepUntil - deps.entry.now() < KEPT_AFTER_USE_MS) {
    try {
      const longer = { ...record, keepUntil: keepUntil(deps) };
      await deps.store.replace(key, longer, { keptUntil: record.keepUntil });
    } catch (error) {
      deps.log.error('final answer not kept for longer', { order_id: record.orderId, ...call.trace, error });
    }
  }
  return resultOf(record, true);
}

/** The end of an order that the venue did not take this time; gives what `release` does. */
type Leave = (deps: Deps, request: KeyedRequest, held: Held, fate: Fate) => ReturnType<typeof release>;

/** Ends an order that nobody can repeat and that the venue did not take: its notional is given back. */
const giveUp: Leave = async (deps, request, held) => {
  const record = { ...finish(deps, held, { result: 'not_taken' }), counted: false };
  await storeAnswer(deps, request, record, { heldBy: held.record.lease.owner }, givenBack(held.record));
  return 'released';
};

/** Tells the operator, and not the caller, that the daily cap is nearly used up. A store that fails says so elsewhere. */
async function warnOfDayCap({ dayCap, store, log }: Deps, { call }: KeyedRequest, { record }: Held): Promise<void> {
  const nearlyUsed = await dayCap?.nearlyUsed(record, store).catch(() => undefined);
  if (!nearlyUsed) return;
  log.audit('the daily cap is nearly used up', { ...nearlyUsed, ...call.trace, metric: 'daily_cap_warnings' });
}

/** Places the order of a claim. `logged` names the key in the log. */
async function placeClaimed(
  deps: Deps,
  request: KeyedRequest,
  held: Held,
  { logged, leave }: { readonly logged: object; readonly leave: Leave },
): Promise<OrderResult> {
  const { call } = request;
  const { orderId } = held.record;
  if (held.send === 'first') deps.log.audit('order signed', { order_id: orderId, ...call.trace, ...logged });
  // Beside the sending, which takes longer.
  const [handed] = await Promise.all([hand(deps, held, call), warnOfDayCap(deps, request, held)]);
  const fate = weigh(deps, held, handed);
  if (fate.kind === 'placed') return concludePlaced(deps, request, held, fate);
  if (fate.kind === 'refused') return concludeRefused(deps, request, held, fate);
  if (fate.kind === 'not_taken') {
    // True of this sending alone: the venue may have taken that of a request that has taken over.
    const standing = await leave(deps, request, held, fate);
    if (standing !== 'released') {
      if (standing?.state === 'finished') return resultOf(standing, true);
      throw heldByAnother(deps, standing);
    }
  } else if (fate.why !== 'lease_ended') await release(deps, request, held, fate);
  // The record is another's then.
  else deps.log.error('lease ended', { order_id: orderId, ...call.trace, metric: 'lease_faults' });
  return { orderId, fate, replayed: false };
}

async function placeUnderKey(deps: Deps, request: KeyedRequest): Promise<OrderResult> {
  const { key } = request;
  const claimed = await claim(deps, request);
  if (claimed.send === 'never') return replay(deps, request, claimed.record);
  return placeClaimed(deps, request, claimed, { logged: { idempotency_key_sha256: hashOfKey(key) }, leave: release });
}

/** Places an order that is stored for the daily cap alone, under a key that nobody knows. */
async function placeCounted(deps: Deps, order: LimitOrder, call: Call): Promise<OrderResult> {
  const request = { key: `once ${randomUUID()}`, order, call };
  return placeClaimed(deps, request, await claimFresh(deps, request), { logged: {}, leave: giveUp });
}

/** Places an order that leaves nothing but its line in the log. */
async function placeUnstored({ entry, log }: Deps, order: LimitOrder, call: Call): Promise<OrderResult> {
  const signed = await entry.sign(order, call);
  const { orderId } = signed;
  log.audit('order signed', { order_id: orderId, ...call.trace });
  return { orderId, fate: await fateOf(entry, () => entry.submit(signed, call)), replayed: false };
}

/** Opens the orders of a wallet: exactly one order for an idempotency key; without a key each call is a new order. */
export function createOrders({
  wall = Date.now,
  elapsed = () => performance.now(),
  leaseMs = LEASE_MS,
  lateArrivalMs = LATE_ARRIVAL_MS,
  maxDailyNotional,
  ...rest
}: OrdersDeps): Orders {
  const leases = createLeaseWatch(leaseMs, elapsed);
  const dayCap = maxDailyNotional && createDayCap(maxDailyNotional, elapsed);
  const deps: Deps = { ...rest, wall, leaseMs, lateArrivalMs, leases, dayCap };
  return {
    walletAddress: rest.entry.walletAddress,
    now: rest.entry.now,
    place: (order, key, call) => {
      if (key !== undefined) return placeUnderKey(deps, { key, order, call });
      return dayCap ? placeCounted(deps, order, call) : placeUnstored(deps, order, call);
    },
  };
}
