import { randomUUID } from 'node:crypto';
import { type AppError, refuse } from '../errors.ts';
import type { Log } from '../log.ts';
import type { OrderEntry, SignedOrder } from '../venue/port.ts';
import { type FinishedOrder, holderOf, type OrderRecord, type OrderStore, type UnfinishedOrder } from './record.ts';

export interface ClaimDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  /** The time in milliseconds of the Unix epoch. */
  readonly now: () => number;
  readonly leaseMs: number;
}

/** The hold of a request on its key: the sole right to send the order for the time of a lease, or its final answer. */
export type Claim =
  | { readonly send: 'first' | 'again'; readonly record: UnfinishedOrder }
  | { readonly send: 'never'; readonly record: FinishedOrder };

/** 409 `order_in_progress`. */
export function orderInProgress(remainingMs: number): AppError {
  return refuse('order_in_progress', {}, { retryAfter: Math.ceil(remainingMs / 1_000) });
}

/** Runs a store call before which nothing may be sent; 503 `store_unavailable` when it fails. */
async function required<T>(access: () => Promise<T>): Promise<T> {
  try {
    return await access();
  } catch (cause) {
    throw refuse('store_unavailable', { store: 'orders' }, { cause });
  }
}

function newLease({ now, leaseMs }: ClaimDeps): UnfinishedOrder['lease'] {
  return { owner: randomUUID(), until: now() + leaseMs };
}

/** Takes an unfinished order over; 409 while another request holds it. */
async function takeOver(deps: ClaimDeps, key: string, found: UnfinishedOrder): Promise<Claim> {
  const remaining = found.lease.until - deps.now();
  if (remaining > 0) throw orderInProgress(remaining);
  const record = { ...found, lease: newLease(deps) };
  const replaced = await required(() => deps.store.replace(key, record, { heldBy: found.lease.owner }));
  if (!replaced) {
    const winner = await required(() => deps.store.read(key));
    if (winner?.state === 'finished') return { send: 'never', record: winner };
    if (!winner || holderOf(winner) !== record.lease.owner) throw orderInProgress(deps.leaseMs);
  }
  deps.log.info('unfinished order taken over', { order_id: record.orderId });
  return { send: 'again', record };
}

/** Reads the record of a key; 503 `store_unavailable`. */
export function readRecord({ store }: ClaimDeps, key: string): Promise<OrderRecord | undefined> {
  return required(() => store.read(key));
}

/** Claims a key that has a record. Errors: 422 `idempotency_key_reused`, 409 `order_in_progress`, 503. */
export async function claimAgain(
  deps: ClaimDeps,
  key: string,
  record: OrderRecord,
  fingerprint: string,
): Promise<Claim> {
  if (record.fingerprint !== fingerprint) throw refuse('idempotency_key_reused', { belongsTo: 'another order' });
  // Another wallet's order is another order. Its record could neither be looked up nor sent with this wallet's
  // credentials, and a second order under the same key is what the key is there to prevent.
  if (record.walletAddress !== deps.entry.walletAddress) {
    throw refuse('idempotency_key_reused', { belongsTo: 'another wallet' });
  }
  return record.state === 'finished' ? { send: 'never', record } : takeOver(deps, key, record);
}

/** Claims a key that had no record by writing its first one. Errors as `claimAgain`, when another request was first. */
export async function claimFirst(
  deps: ClaimDeps,
  key: string,
  order: SignedOrder,
  fingerprint: string,
): Promise<Claim> {
  const { walletAddress } = deps.entry;
  const lease = newLease(deps);
  const record = { state: 'unfinished', fingerprint, walletAddress, orderId: order.orderId, order, lease } as const;
  if (await required(() => deps.store.create(key, record))) return { send: 'first', record };
  const winner = await readRecord(deps, key);
  if (!winner) throw orderInProgress(deps.leaseMs);
  // A store's client repeats a write whose answer was lost, and then finds its own record.
  return holderOf(winner) === lease.owner ? { send: 'first', record } : claimAgain(deps, key, winner, fingerprint);
}
