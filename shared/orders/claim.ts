import { createHash, randomUUID } from 'node:crypto';
import { formatDecimal, multiplyDecimals, parseDecimal } from '../decimal.ts';
import { dropOldest } from '../drop-oldest.ts';
import { AppError, aboutOrder, type FactsOf, refuse } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { Call, LimitOrder, OrderEntry } from '../venue/port.ts';
import type { DayCap } from './day-cap.ts';
import {
  type FinishedOrder,
  fingerprintOf,
  holderOf,
  newRecord,
  type OrderRecord,
  type OrderStore,
  type UnfinishedOrder,
} from './record.ts';

export interface ClaimDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  /** Our own wall clock, which goes on while a process stands still, in milliseconds of the Unix epoch. */
  readonly wall: () => number;
  readonly leaseMs: number;
  readonly leases: LeaseWatch;
  readonly dayCap: DayCap | undefined;
}

/** The hold of a request on its key: the sole right to send the order for the time of a lease, or its final answer. */
export type Claim =
  | {
      /** `look_up`: the order may be looked up and not sent; `aboveCap` is why, where it is the cap. */
      readonly send: 'first' | 'again' | 'look_up';
      readonly record: UnfinishedOrder;
      /** `unprovenAt` as it was before this request. */
      readonly unprovenBefore: number | null;
      /** Tells that the lease is not over, whatever the venue's clock has turned out to be since. */
      readonly isHeld: () => boolean;
      readonly aboveCap?: AppError | undefined;
    }
  | { readonly send: 'never'; readonly record: FinishedOrder };

/** A claim by which the order may be sent or looked up. */
export type Held = Exclude<Claim, { readonly send: 'never' }>;

/** A request under an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  readonly order: LimitOrder;
  readonly call: Call;
}

/** Remembers since when each foreign lease has been seen, by a clock that nobody sets. */
export interface LeaseWatch {
  /** The time that a lease can still last, in milliseconds: no wall clock makes it longer than `leaseMs` in all. */
  remaining(lease: UnfinishedOrder['lease'], now: number): number;
}

/** Owners of leases that are remembered; the oldest goes first. */
const MAX_OWNERS = 10_000;

/** Makes the watch of one process. `elapsed`: a monotonic clock in milliseconds. */
export function createLeaseWatch(leaseMs: number, elapsed: () => number): LeaseWatch {
  const seenAt = new Map<string, number>();
  return {
    remaining({ owner, until }, now) {
      if (until <= now) return 0;
      const since = seenAt.get(owner) ?? elapsed();
      seenAt.set(owner, since);
      dropOldest(seenAt, MAX_OWNERS);
      return Math.min(until - now, since + leaseMs - elapsed());
    },
  };
}

/** 409 `order_in_progress`. */
function orderInProgress(remainingMs: number): AppError {
  return refuse('order_in_progress', {}, { retryAfter: Math.ceil(remainingMs / 1_000) });
}

/** 409 about the record that another request has put under the key; `undefined` where that could not be read. */
export function heldByAnother({ leases, entry, leaseMs }: ClaimDeps, standing: OrderRecord | undefined): AppError {
  const remaining = standing?.state === 'unfinished' ? leases.remaining(standing.lease, entry.now()) : leaseMs;
  return orderInProgress(Math.max(remaining, 1_000));
}

/** Runs a store call before which nothing may be sent; 503 `store_unavailable` when it fails. */
async function required<T>(access: () => Promise<T>, orderId?: string): Promise<T> {
  try {
    return await access();
  } catch (cause) {
    const error = refuse('store_unavailable', { store: 'orders' }, { cause });
    throw orderId === undefined ? error : aboutOrder(error, orderId);
  }
}

/** Names a key in the log without giving it away. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

interface Lease {
  readonly lease: UnfinishedOrder['lease'];
  readonly isHeld: () => boolean;
}

function newLease({ entry, wall, leaseMs }: ClaimDeps): Lease {
  const takenAt = wall();
  return {
    lease: { owner: randomUUID(), until: entry.now() + leaseMs },
    isHeld: () => wall() - takenAt < leaseMs,
  };
}

function isFreed(record: OrderRecord): boolean {
  return record.state === 'unfinished' && record.freed;
}

/**
 * Throws 422 `idempotency_key_reused` for a record of another order, or of one that was signed for another account or
 * venue: it could neither be looked up nor sent, and a second order under the same key is what the key is there to
 * prevent. A freed key is bound to its order alone.
 */
function checkBelongs({ entry }: ClaimDeps, record: OrderRecord, order: LimitOrder): void {
  const reused = (belongsTo: FactsOf<'idempotency_key_reused'>['belongsTo']) =>
    refuse('idempotency_key_reused', { belongsTo });
  if (record.fingerprint !== fingerprintOf(order)) throw reused('another order');
  if (isFreed(record)) return;
  if (record.walletAddress !== entry.walletAddress) throw reused('another wallet');
  const [then, now] = [record.signing?.for, entry.signedFor];
  if (!then) return;
  if (then.venue !== now.venue || then.chainId !== now.chainId) throw reused('another venue');
  if (then.maker !== now.maker || then.signatureType !== now.signatureType) throw reused('another account');
}

/**
 * Replaces the record of a lease that is over; gives the finished record that another request has put there instead. 409
 * when another request was first, 422 `daily_cap_reached`.
 */
async function takeRecord(
  deps: ClaimDeps,
  request: KeyedRequest,
  found: UnfinishedOrder,
  record: UnfinishedOrder,
): Promise<FinishedOrder | undefined> {
  const { key } = request;
  const { orderId } = record;
  // What was counted before stays so.
  const count = record.counted && !found.counted ? deps.dayCap?.admit(record) : undefined;
  const written = await required(() => deps.store.replace(key, record, { heldBy: found.lease.owner }, count), orderId);
  if (written === 'written') return undefined;
  if (written === 'above_cap') {
    // An order that is signed anew counts for the day of then; midnight may have passed while the store was asked.
    throw aboveDayCap(deps, request, orderId, orderId === found.orderId ? undefined : record.signing?.at);
  }
  const winner = await required(() => deps.store.read(key), orderId);
  if (winner?.state === 'finished') return winner;
  // A store's client repeats a write whose answer was lost, and then finds its own record.
  if (!winner || holderOf(winner) !== record.lease.owner) throw heldByAnother(deps, winner);
  return undefined;
}

/** `at`: a time of the day that is full. */
function aboveDayCap(
  { dayCap, entry, log }: ClaimDeps,
  { call }: KeyedRequest,
  orderId: string,
  at = entry.now(),
): AppError {
  if (!dayCap) throw new Error('the store refused a count that nobody asked for');
  const trace = { order_id: orderId, ...call.trace };
  log.audit('an order is above what is left of the daily cap', { ...trace, metric: 'daily_cap_warnings' });
  return aboutOrder(dayCap.refusal(at), orderId);
}

/** Gives the refusal, by the cap or the daily cap of today, that keeps an order of an earlier request from being sent. */
async function aboveCapNow(
  deps: ClaimDeps,
  request: KeyedRequest,
  found: UnfinishedOrder,
): Promise<AppError | undefined> {
  const { dayCap, entry, store } = deps;
  const notional = parseDecimal(found.signing?.notional ?? '');
  const aboveCap = notional && entry.overCap(notional);
  if (aboveCap || !dayCap || !found.counted) return aboveCap;
  const isExceeded = await required(() => dayCap.isExceeded(found, store), found.orderId);
  return isExceeded ? aboveDayCap(deps, request, found.orderId) : undefined;
}

/** Takes an unfinished order over; 409 while another request holds it. */
async function takeOver(deps: ClaimDeps, request: KeyedRequest, found: UnfinishedOrder): Promise<Claim> {
  const { entry, leases } = deps;
  await entry.syncClock(request.call);
  const remaining = leases.remaining(found.lease, entry.now());
  if (remaining > 0) throw orderInProgress(remaining);
  if (found.freed) return signAnew(deps, request, found);
  const aboveCap = await aboveCapNow(deps, request, found);
  // A record of version 1 says too little for its order to be sent again.
  if (!found.signing || aboveCap) return hold(deps, request, found, 'look_up', aboveCap);
  try {
    return await hold(deps, request, found, 'again');
  } catch (error) {
    // Signed when there was no daily cap: above it, it is not counted, and not sent.
    if (!(error instanceof AppError) || error.code !== 'daily_cap_reached') throw error;
    return hold(deps, request, found, 'look_up', error);
  }
}

async function hold(
  deps: ClaimDeps,
  request: KeyedRequest,
  found: UnfinishedOrder,
  send: 'again' | 'look_up',
  aboveCap?: AppError,
): Promise<Claim> {
  const { unprovenAt } = found;
  const { lease, isHeld } = newLease(deps);
  const record =
    send === 'look_up'
      ? { ...found, lease }
      : {
          ...found,
          lease,
          unprovenAt: Math.max(deps.entry.now(), unprovenAt ?? 0),
          counted: found.counted || deps.dayCap !== undefined,
        };
  const finished = await takeRecord(deps, request, found, record);
  if (finished) return { send: 'never', record: finished };
  deps.log.audit('unfinished order taken over', { order_id: record.orderId, ...request.call.trace });
  return { send, record, unprovenBefore: unprovenAt, isHeld, aboveCap };
}

/** Signs the order of a request, and makes its first record. */
async function signFirst(deps: ClaimDeps, { order, call }: KeyedRequest, rules?: 'afresh'): Promise<Held> {
  const { entry } = deps;
  const signed = await entry.sign(order, call, rules);
  await entry.syncClock(call);
  const notional = formatDecimal(multiplyDecimals(order.price, order.size));
  const { lease, isHeld } = newLease(deps);
  const { walletAddress, signedFor } = entry;
  const request = { fingerprint: fingerprintOf(order), walletAddress, lease, counted: deps.dayCap !== undefined };
  const record = newRecord(signed, { for: signedFor, notional, at: entry.now() }, request);
  return { send: 'first', record, unprovenBefore: null, isHeld };
}

/** Claims a freed key for another signature of its order, by the account and the rules of today. */
async function signAnew(deps: ClaimDeps, request: KeyedRequest, found: UnfinishedOrder): Promise<Claim> {
  const first = await signFirst(deps, request, 'afresh');
  const finished = await takeRecord(deps, request, found, first.record);
  return finished ? { send: 'never', record: finished } : first;
}

function claimAgain(deps: ClaimDeps, request: KeyedRequest, record: OrderRecord): Claim | Promise<Claim> {
  checkBelongs(deps, record, request.order);
  return record.state === 'finished' ? { send: 'never', record } : takeOver(deps, request, record);
}

/** Claims a key that nobody knows: an order is signed and stored under it. Errors as `claim`. */
export async function claimFresh(deps: ClaimDeps, request: KeyedRequest): Promise<Held> {
  const claimed = await claimFirst(deps, request);
  if (claimed.send === 'never') throw new Error('a fresh key has a record');
  return claimed;
}

/** Claims a key that had no record by writing its first one. */
async function claimFirst(deps: ClaimDeps, request: KeyedRequest): Promise<Claim> {
  const first = await signFirst(deps, request);
  const { record } = first;
  const { orderId, lease } = record;
  const written = await required(() => deps.store.create(request.key, record, deps.dayCap?.admit(record)), orderId);
  if (written === 'written') return first;
  // Midnight may have passed while the store was asked.
  if (written === 'above_cap') throw aboveDayCap(deps, request, orderId, record.signing?.at);
  const winner = await required(() => deps.store.read(request.key), orderId);
  if (!winner) throw heldByAnother(deps, winner);
  // A store's client repeats a write whose answer was lost, and then finds its own record.
  return holderOf(winner) === lease.owner ? first : claimAgain(deps, request, winner);
}

/**
 * Claims the key of a request; an order that is new is signed first. Errors: those of `OrderEntry.sign`, 422
 * `idempotency_key_reused` and `daily_cap_reached`, 409 `order_in_progress`, 503 `store_unavailable`.
 */
export async function claim(deps: ClaimDeps, request: KeyedRequest): Promise<Claim> {
  // Before signing, not beside it: a repeat is answered though the market has closed, and when the venue is in trouble
  // and everybody repeats, it is not asked for market rules that nobody needs. A new order waits for this read, 0.1 ms
  // in a file and some 3 ms in DynamoDB; beside it a warm one would save the half millisecond of a signature.
  const found = await required(() => deps.store.read(request.key));
  return found ? claimAgain(deps, request, found) : claimFirst(deps, request);
}
