import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Call, LimitOrder, OrderEntry } from '../venue/port.ts';
import { type FinishedOrder, fingerprintOf, type OrderRecord, type UnfinishedOrder } from './record.ts';
import { holderOf, type OrderStore } from './store.ts';

export interface KeyedDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  readonly now: () => number;
  readonly leaseMs: number;
}

/** A request under an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  readonly order: LimitOrder;
  readonly call: Call;
}

/** What a request gets under its key: the sole right to send the order for the time of a lease, or its final answer. */
export type Claim =
  | { readonly send: 'first' | 'again'; readonly record: UnfinishedOrder }
  | { readonly send: 'never'; readonly record: FinishedOrder };

/** 409 `order_in_progress`. */
export function orderInProgress(remainingMs: number): AppError {
  return new AppError('Another request with this Idempotency-Key is being answered; repeat this one after it.', {
    code: 'order_in_progress',
    // Below a second a client would only spin.
    retryAfter: Math.max(1, Math.ceil(remainingMs / 1_000)),
  });
}

/** Runs a store call before which nothing may be sent; 503 `store_unavailable` when it fails. */
async function required<T>(access: Promise<T>): Promise<T> {
  try {
    return await access;
  } catch (cause) {
    const detail =
      'The store of idempotency keys does not work, so this request sent nothing; repeat it with the same Idempotency-Key.';
    throw new AppError(detail, { code: 'store_unavailable', cause });
  }
}

function checkSameRequest(record: OrderRecord, fingerprint: string, walletAddress: string): void {
  if (record.fingerprint !== fingerprint) {
    throw new AppError('This Idempotency-Key belongs to another order; a new order needs a new key.', {
      code: 'idempotency_key_reused',
    });
  }
  // Another wallet's order is another order. Its record could neither be looked up nor sent with this wallet's
  // credentials, and a second order under the same key is what the key is there to prevent.
  if (record.walletAddress !== walletAddress) {
    throw new AppError('This Idempotency-Key was used when the service traded with another wallet; use a new key.', {
      code: 'idempotency_key_reused',
    });
  }
}

/** Takes an unfinished order over, or tells who has it. */
async function takeOver(deps: KeyedDeps, key: string, found: UnfinishedOrder): Promise<Claim> {
  const remaining = found.lease.until - deps.now();
  if (remaining > 0) throw orderInProgress(remaining);
  const record = { ...found, lease: newLease(deps) };
  const replaced = await required(deps.store.replace(key, record, { heldBy: found.lease.owner }));
  if (!replaced) {
    const winner = await required(deps.store.read(key));
    if (winner?.state === 'finished') return { send: 'never', record: winner };
    if (!winner || holderOf(winner) !== record.lease.owner) throw orderInProgress(deps.leaseMs);
  }
  deps.log.info('unfinished order taken over', { order_id: record.orderId });
  return { send: 'again', record };
}

function newLease({ now, leaseMs }: KeyedDeps): UnfinishedOrder['lease'] {
  return { owner: randomUUID(), until: now() + leaseMs };
}

/**
 * Claims a key. Errors: 422 `idempotency_key_reused`, 409 `order_in_progress`, 503 `store_unavailable`, and those of
 * `OrderEntry.sign`, after which the key is as free as before.
 */
export async function claim(deps: KeyedDeps, { key, order, call }: KeyedRequest): Promise<Claim> {
  const { entry, store } = deps;
  const fingerprint = fingerprintOf(order);
  const resume = (record: OrderRecord): Promise<Claim> | Claim => {
    checkSameRequest(record, fingerprint, entry.walletAddress);
    return record.state === 'finished' ? { send: 'never', record } : takeOver(deps, key, record);
  };
  // Before signing, not beside it: a repeat is answered though the market has closed, and when the venue is in trouble
  // and everybody repeats, it is not asked for market rules that nobody needs. A new order waits for this read, 0.05 ms
  // in a file and some 3 ms in DynamoDB; beside it a warm one would save the half millisecond of a signature.
  const found = await required(store.read(key));
  if (found) return resume(found);
  const signed = await entry.sign(order, call);
  const record: UnfinishedOrder = {
    state: 'unfinished',
    fingerprint,
    walletAddress: entry.walletAddress,
    orderId: signed.orderId,
    order: signed,
    lease: newLease(deps),
  };
  if (await required(store.create(key, record))) return { send: 'first', record };
  const winner = await required(store.read(key));
  if (!winner) throw orderInProgress(deps.leaseMs);
  // A store's client repeats a write whose answer was lost, and then finds its own record.
  return holderOf(winner) === record.lease.owner ? { send: 'first', record } : resume(winner);
}
