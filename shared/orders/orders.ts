import { randomUUID } from 'node:crypto';
import { type AppError, aboutOrder, type FactsOf, refuse } from '../errors.ts';
import { LATE_ARRIVAL_MS, LEASE_MS } from '../limits.ts';
import type { Call } from '../venue/port.ts';
import { countOf, dailyCapReached, dayOf } from './day-cap.ts';
import { HeldOrder, type Hold, heldByAnother, orderInProgress, replayOf } from './held-order.ts';
import type { KeyedRequest, OrderRequest, OrderResult, OrdersDeps } from './order-request.ts';
import {
  type FinishedOrder,
  holderOf,
  isOfOrder,
  laterOf,
  type OrderRecord,
  termsOf,
  type UnfinishedOrder,
  verifiedAddressOf,
} from './record.ts';

/** The orders of the operator's wallet. */
export interface Orders {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  /** Returns the time, as `OrderEntry.now`. */
  now(): number;
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called, as long as the store keeps
   * what it has confirmed and the venue recognises the same signed bytes. Every order is stored before its bytes leave.
   * Throws the errors of `OrderEntry.sign`, and 422 `idempotency_key_reused` and `daily_cap_reached`, 409
   * `order_in_progress`, 503 `store_unavailable`. Once the order is stored, only `order_in_progress` is thrown.
   */
  place(request: OrderRequest, call: Call): Promise<OrderResult>;
}

/** The parts that orders are opened with; times have defaults. */
export type OrdersOptions = Pick<OrdersDeps, 'entry' | 'store' | 'log'> & Partial<OrdersDeps>;

function reused(belongsTo: FactsOf<'idempotency_key_reused'>['belongsTo']): AppError {
  return refuse('idempotency_key_reused', { belongsTo });
}

/** Opens the orders of a wallet: exactly one order for an idempotency key; without a key each call is a new order. */
export function createOrders({
  leaseMs = LEASE_MS,
  lateArrivalMs = LATE_ARRIVAL_MS,
  maxDailyNotional,
  ...rest
}: OrdersOptions): Orders {
  const deps: OrdersDeps = { ...rest, leaseMs, lateArrivalMs, maxDailyNotional };
  return {
    walletAddress: rest.entry.walletAddress,
    now: rest.entry.now,
    place: (request, call) => {
      const key = request.idempotencyKey ?? `once ${randomUUID()}`;
      return new Claim(deps, { ...request, key, call }).place();
    },
  };
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

/**
 * The way of a request to the sole right to send an order, or to the answer that its key has already:
 *
 *   place ─ read the key ─┬─ no record ──> sign, create the record ─┬─ written ──> held, sent for the first time
 *                         │                                         └─ conflict ─> whose record is it?
 *                         ├─ finished ───> replayed
 *                         └─ unfinished ─┬─ its lease runs ────────> 409
 *                                        ├─ freed ─────────────────> sign anew, replace the record ─> held, sent first
 *                                        ├─ answered in unknown words ─> replace the lease ──────────> held, looked up
 *                                        └─ else ──────────────────> replace the lease ─────────────> held, sent again
 */
class Claim {
  readonly #deps: OrdersDeps;
  readonly #request: KeyedRequest;

  constructor(deps: OrdersDeps, request: KeyedRequest) {
    this.#deps = deps;
    this.#request = request;
  }

  /** Places the order. Errors: see `Orders.place`. */
  async place(): Promise<OrderResult> {
    const claimed = await this.#claim();
    return claimed instanceof HeldOrder ? claimed.place() : replayOf(claimed, this.#deps, this.#request);
  }

  async #claim(): Promise<HeldOrder | FinishedOrder> {
    const { key, idempotencyKey } = this.#request;
    if (idempotencyKey === undefined) return this.#create();
    // Before signing, not beside it: a repeat is answered though the market has closed, and when the venue is in trouble
    // and everybody repeats, it is not asked for market rules that are not needed. A new order waits for this read, 0.1 ms
    // in a file and some 3 ms in DynamoDB; beside it a warm one would save the half millisecond of a signature.
    const found = await required(() => this.#deps.store.read(key));
    return found ? this.#claimFound(found) : this.#create();
  }

  #claimFound(record: OrderRecord): Promise<HeldOrder | FinishedOrder> | FinishedOrder {
    this.#checkBelongs(record);
    return record.state === 'finished' ? record : this.#takeOver(record);
  }

  /** Signs the order and creates its record. */
  async #create(): Promise<HeldOrder | FinishedOrder> {
    const { store, maxDailyNotional } = this.#deps;
    const { key } = this.#request;
    const record = await this.#sign();
    const { orderId } = record;
    const written = await required(() => store.create(key, record, countOf(record, maxDailyNotional)), orderId);
    if (written === 'written') return this.#holdFirst(record);
    if (written !== 'conflict') throw this.#aboveDayCap(orderId, written.fullDay);
    const winner = await required(() => store.read(key), orderId);
    if (!winner) throw heldByAnother(this.#deps, winner);
    // A store's client repeats a write whose answer was lost, and then finds its own record.
    const isOwn = holderOf(winner) === record.lease.owner;
    return isOwn ? this.#holdFirst(record) : this.#claimFound(winner);
  }

  /** Takes an unfinished order over; 409 while another request holds it. */
  async #takeOver(found: UnfinishedOrder): Promise<HeldOrder | FinishedOrder> {
    const { entry, leaseMs } = this.#deps;
    await entry.syncClock(this.#request.call);
    const now = entry.now();
    const remaining = Math.min(found.lease.until - now, leaseMs);
    if (remaining > 0) throw orderInProgress(remaining);
    if (found.isFreed) {
      const record = await this.#sign();
      return (await this.#replace(found, record)) ?? this.#holdFirst(record);
    }
    return this.#takeLease(found, found.venueReason === null ? 'again' : 'look_up', now);
  }

  async #takeLease(found: UnfinishedOrder, send: 'again' | 'look_up', now: number): Promise<HeldOrder | FinishedOrder> {
    const lease = this.#newLease(now);
    const { unprovenAt: unprovenBefore } = found;
    // Should the holder be killed, its bytes may have left until the end of its lease.
    const unprovenAt = send === 'look_up' ? unprovenBefore : laterOf(lease.until, unprovenBefore);
    const record = { ...found, lease, unprovenAt };
    const finished = await this.#replace(found, record);
    if (finished) return finished;
    this.#deps.log.audit('unfinished order taken over', { order_id: record.orderId, ...this.#request.call.trace });
    return this.#hold({ send, record, unprovenBefore });
  }

  /**
   * Replaces the record of a lease that is over. Returns the finished record that another request has put there instead,
   * if it has. 409 when another request was first, 422 `daily_cap_reached`.
   */
  async #replace(found: UnfinishedOrder, record: UnfinishedOrder): Promise<FinishedOrder | undefined> {
    const { store, maxDailyNotional } = this.#deps;
    const { key } = this.#request;
    const { orderId } = record;
    const counts = found.isFreed ? countOf(record, maxDailyNotional) : [];
    const written = await required(() => store.replace(key, record, { heldBy: found.lease.owner }, counts), orderId);
    if (written === 'written') return undefined;
    if (written !== 'conflict') throw this.#aboveDayCap(orderId, written.fullDay);
    const winner = await required(() => store.read(key), orderId);
    if (winner?.state === 'finished') {
      this.#checkBelongs(winner);
      return winner;
    }
    // A store's client repeats a write whose answer was lost, and then finds its own record.
    if (!winner || holderOf(winner) !== record.lease.owner) throw heldByAnother(this.#deps, winner);
    return undefined;
  }

  /** Signs the order and returns its first record. */
  async #sign(): Promise<UnfinishedOrder> {
    const { entry, maxDailyNotional } = this.#deps;
    const { order, client, requestId, call } = this.#request;
    const { orderId, conditionId, payload, signedAt } = await entry.sign(order, call);
    const lease = this.#newLease(signedAt);
    return {
      state: 'unfinished',
      orderId,
      terms: termsOf(order),
      conditionId,
      walletAddress: entry.walletAddress,
      signedFor: entry.signedFor,
      signedAt,
      countedOn: maxDailyNotional ? dayOf(signedAt) : null,
      requestId,
      client,
      payload,
      lease,
      // Should the process be killed, the bytes may have left until the end of its lease.
      unprovenAt: lease.until,
      venueReason: null,
      isFreed: false,
    };
  }

  #newLease(now: number): UnfinishedOrder['lease'] {
    return { owner: randomUUID(), until: now + this.#deps.leaseMs };
  }

  #holdFirst(record: UnfinishedOrder): HeldOrder {
    return this.#hold({ send: 'first', record, unprovenBefore: null });
  }

  #hold(hold: Hold): HeldOrder {
    return new HeldOrder(this.#deps, this.#request, hold);
  }

  /**
   * Throws 422 `idempotency_key_reused` for the record of another order or client, and of one that was signed for another
   * account or venue: it could neither be looked up nor sent. A freed key is bound to its order only.
   */
  #checkBelongs(record: OrderRecord): void {
    if (!isOfOrder(record, this.#request.order)) throw reused('another order');
    if (record.state === 'unfinished' && record.isFreed) return;
    const [then, now] = [verifiedAddressOf(record.client), verifiedAddressOf(this.#request.client)];
    if (then !== now) throw reused(then === null || now === null ? 'another verification' : 'another client');
    this.#checkAccount(record);
  }

  #checkAccount(record: OrderRecord): void {
    const { entry } = this.#deps;
    if (record.walletAddress !== entry.walletAddress) throw reused('another wallet');
    const { signedFor: then } = record;
    const { signedFor: now } = entry;
    if (then.venue !== now.venue || then.chainId !== now.chainId) throw reused('another venue');
    if (then.maker !== now.maker || then.signatureType !== now.signatureType) throw reused('another account');
  }

  #aboveDayCap(orderId: string, fullDay: string): AppError {
    const { maxDailyNotional, log } = this.#deps;
    if (!maxDailyNotional) throw new Error('the store refused a count that was not asked for');
    const trace = { order_id: orderId, ...this.#request.call.trace };
    log.audit('an order is above what is left of the daily cap', { ...trace, metric: 'daily_cap_warnings' });
    return aboutOrder(dailyCapReached(maxDailyNotional, fullDay), orderId);
  }
}
