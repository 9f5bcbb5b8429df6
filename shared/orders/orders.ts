import { randomUUID } from 'node:crypto';
import type { Decimal } from '../decimal.ts';
import { AppError, aboutOrder, type FactsOf, refuse } from '../errors.ts';
import { LATE_ARRIVAL_MS, LEASE_MS } from '../limits.ts';
import type { Call, Moment } from '../venue/port.ts';
import { createDayCap, recount } from './day-cap.ts';
import { HeldOrder, type Hold, heldByAnother, orderInProgress, replayOf } from './held-order.ts';
import { createLeaseWatch } from './lease-watch.ts';
import type { KeyedRequest, OrderRequest, OrderResult, OrdersDeps } from './order-request.ts';
import {
  type FinishedOrder,
  holderOf,
  isOfOrder,
  laterOf,
  notionalOf,
  type OrderRecord,
  termsOf,
  type UnfinishedOrder,
  verifiedAddressOf,
} from './record.ts';

/** The orders of the operator's wallet. */
export interface Orders {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  /** Returns this moment, as `OrderEntry.now`. */
  now(): Moment;
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called, as long as the store keeps
   * what it has confirmed and the venue recognises the same signed bytes. Every order is stored before its bytes leave.
   * Throws the errors of `OrderEntry.sign`, and 422 `idempotency_key_reused` and `daily_cap_reached`, 409
   * `order_in_progress`, 503 `store_unavailable`. Once the order is stored, only `order_in_progress` is thrown.
   */
  place(request: OrderRequest, call: Call): Promise<OrderResult>;
}

type Defaults = 'wall' | 'elapsed' | 'leaseMs' | 'lateArrivalMs';

/** The parts that orders are opened with; clocks and times have defaults. */
export interface OrdersOptions
  extends Pick<OrdersDeps, 'entry' | 'store' | 'log'>,
    Partial<Pick<OrdersDeps, Defaults>> {
  /** The cap on the notional of all orders of a day, in collateral. */
  readonly maxDailyNotional?: Decimal | undefined;
}

function reused(belongsTo: FactsOf<'idempotency_key_reused'>['belongsTo']): AppError {
  return refuse('idempotency_key_reused', { belongsTo });
}

/** Opens the orders of a wallet: exactly one order for an idempotency key; without a key each call is a new order. */
export function createOrders({
  wall = Date.now,
  elapsed = () => performance.now(),
  leaseMs = LEASE_MS,
  lateArrivalMs = LATE_ARRIVAL_MS,
  maxDailyNotional,
  ...rest
}: OrdersOptions): Orders {
  const leases = createLeaseWatch(leaseMs, elapsed);
  const dayCap = maxDailyNotional && createDayCap(maxDailyNotional, wall);
  const deps: OrdersDeps = { ...rest, wall, elapsed, leaseMs, lateArrivalMs, leases, dayCap };
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
 *                                        ├─ above the caps of now, or answered in words that are not known
 *                                        │  ──────────────────────> replace the lease ─────────────> held, looked up
 *                                        └─ else ──────────────────> replace the lease ─────────────> held, sent again
 */
class Claim {
  readonly #deps: OrdersDeps;
  readonly #request: KeyedRequest;
  /** Read before the time of the lease in the record, so that here the lease ends first. */
  #takenAt = Number.NEGATIVE_INFINITY;

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
    const { store, dayCap } = this.#deps;
    const { key } = this.#request;
    const record = await this.#sign();
    const { orderId } = record;
    const counts = dayCap && recount({ ...record, countedOn: [] }, record.countedOn, dayCap.atMost);
    const written = await required(() => store.create(key, record, counts), orderId);
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
    const { entry, leases } = this.#deps;
    await entry.syncClock(this.#request.call);
    this.#takenAt = this.#deps.wall();
    const now = entry.now();
    const remaining = leases.remaining(found.lease, now.venue);
    if (remaining > 0) throw orderInProgress(remaining);
    if (found.isFreed) {
      const record = await this.#sign();
      return (await this.#replace(found, record)) ?? this.#holdFirst(record);
    }
    const heldBack = await this.#aboveCapNow(found, now);
    if (heldBack || found.venueReason !== null) return this.#takeLease(found, 'look_up', now, heldBack);
    try {
      return await this.#takeLease(found, 'again', now);
    } catch (error) {
      // Signed when there was no daily cap: above it, it is not counted, and not sent.
      if (!(error instanceof AppError) || error.code !== 'daily_cap_reached') throw error;
      return this.#takeLease(found, 'look_up', now, error);
    }
  }

  async #takeLease(
    found: UnfinishedOrder,
    send: 'again' | 'look_up',
    now: Moment,
    heldBack?: AppError,
  ): Promise<HeldOrder | FinishedOrder> {
    const lease = this.#newLease(now);
    const { unprovenAt: unprovenBefore, countedOn } = found;
    const record =
      send === 'look_up'
        ? { ...found, lease }
        : {
            ...found,
            lease,
            unprovenAt: laterOf(this.#lastSending(now), unprovenBefore),
            countedOn: this.#deps.dayCap?.daysFor(now, countedOn) ?? countedOn,
          };
    const finished = await this.#replace(found, record);
    if (finished) return finished;
    this.#deps.log.audit('unfinished order taken over', { order_id: record.orderId, ...this.#request.call.trace });
    return this.#hold({ send, record, unprovenBefore, heldBack });
  }

  /**
   * Replaces the record of a lease that is over. Returns the finished record that another request has put there instead,
   * if it has. 409 when another request was first, 422 `daily_cap_reached`.
   */
  async #replace(found: UnfinishedOrder, record: UnfinishedOrder): Promise<FinishedOrder | undefined> {
    const { store, dayCap } = this.#deps;
    const { key } = this.#request;
    const { orderId } = record;
    // An order that is sent again counts on the day of that, instead of the earlier day.
    const counts = recount(found, record.countedOn, dayCap?.atMost);
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
    const { entry, dayCap } = this.#deps;
    const { order, client, requestId, call } = this.#request;
    this.#takenAt = this.#deps.wall();
    const { orderId, conditionId, payload, signedAt } = await entry.sign(order, call);
    return {
      state: 'unfinished',
      orderId,
      terms: termsOf(order),
      conditionId,
      walletAddress: entry.walletAddress,
      signedFor: entry.signedFor,
      signedAt,
      countedOn: dayCap?.daysFor(signedAt) ?? [],
      requestId,
      client,
      payload,
      lease: this.#newLease(signedAt),
      unprovenAt: this.#lastSending(signedAt),
      venueReason: null,
      isFreed: false,
    };
  }

  /** Returns the last moment at which the holder of a lease sends: should it be killed then, nobody stores a better one. */
  #lastSending({ venue, own }: Moment): Moment {
    const { leaseMs } = this.#deps;
    return { venue: venue + leaseMs, own: own + leaseMs };
  }

  #newLease({ venue }: Moment): UnfinishedOrder['lease'] {
    return { owner: randomUUID(), until: venue + this.#deps.leaseMs };
  }

  #holdFirst(record: UnfinishedOrder): HeldOrder {
    return this.#hold({ send: 'first', record, unprovenBefore: null });
  }

  #hold(hold: Omit<Hold, 'takenAt'>): HeldOrder {
    return new HeldOrder(this.#deps, this.#request, { ...hold, takenAt: this.#takenAt });
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

  /** Returns the refusal, by the cap or the daily cap of today, that keeps an order of an earlier request from being sent. */
  async #aboveCapNow({ orderId, countedOn, ...found }: UnfinishedOrder, now: Moment): Promise<AppError | undefined> {
    const { dayCap, entry, store } = this.#deps;
    const aboveCap = entry.overCap(notionalOf(found));
    if (aboveCap || !dayCap) return aboveCap;
    // A day before is given back by the write that counts the order today, which checks today's sum.
    const stillCountedOn = dayCap.daysFor(now, countedOn).filter((day) => countedOn.includes(day));
    const fullDay = await required(() => dayCap.fullDay(stillCountedOn, store), orderId);
    return fullDay === undefined ? undefined : this.#aboveDayCap(orderId, fullDay);
  }

  #aboveDayCap(orderId: string, fullDay: string): AppError {
    const { dayCap, log } = this.#deps;
    if (!dayCap) throw new Error('the store refused a count that was not asked for');
    const trace = { order_id: orderId, ...this.#request.call.trace };
    log.audit('an order is above what is left of the daily cap', { ...trace, metric: 'daily_cap_warnings' });
    return aboutOrder(dayCap.refusal(fullDay), orderId);
  }
}
