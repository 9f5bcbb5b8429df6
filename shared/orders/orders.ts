import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatDecimal } from '../decimal.ts';
import { type AppError, aboutOrder, refuse } from '../errors.ts';
import { KEPT_AFTER_USE_MS, LATE_ARRIVAL_MS, LEASE_MS } from '../limits.ts';
import { type Call, type LimitOrder, timed } from '../venue/port.ts';
import { conclude, replay } from './conclude.ts';
import { judgeLeases } from './leases.ts';
import { countsOf, dayOf, type OrderStore, type Written } from './order-store.ts';
import {
  type FinishedOrder,
  isSendable,
  type OrderRecord,
  OtherVersionError,
  type UnfinishedOrder,
  verifiedAddressOf,
  withoutSignature,
} from './record.ts';
import {
  attempt,
  type OrderRequest,
  type OrderResult,
  type OrdersDeps,
  orderInProgress,
  type Placing,
  type Turn,
} from './turn.ts';

const DAY_MS = 86_400_000;

/** The orders of the operator's wallet. */
export interface Orders {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  /** Returns the time of `OrderEntry.now`, and asks the venue for it where `OrderEntry.syncClock` does. */
  now(call: Call): Promise<number>;
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called, as long as the store keeps
   * what it has confirmed and the venue recognises the same signed bytes. Every order is stored before its bytes leave.
   * Throws the errors of `OrderEntry.sign`, and 422 `idempotency_key_reused` and `daily_cap_reached`, 409
   * `order_in_progress`, 503 `store_unavailable`. Once the order is stored, only `order_in_progress` is thrown.
   */
  place(request: OrderRequest, call: Call): Promise<OrderResult>;
}

/** The parts that orders are opened with; times have defaults. */
export type OrdersOptions = Pick<OrdersDeps, 'entry' | 'store' | 'log'> &
  Partial<Omit<OrdersDeps, 'remainingMs'>> & {
    /** A clock that no one sets, in milliseconds. */
    readonly uptime?: () => number;
  };

/**
 * Opens the orders of a wallet: exactly one order for an idempotency key; without a key each call is a new order.
 *
 *   claim ─ read the key ─┬─ no record ──> sign, write over nothing ─┬─ written ──────────────────> submit
 *                         │                                          └─ another was first ─┐
 *                         ├─ of another order or client <──────────────────────────────────┤ ─> 422
 *                         ├─ finished <────────────────────────────────────────────────────┤ ─> replay
 *                         └─ unfinished <──────────────────────────────────────────────────┘
 *                              ├─ its lease runs ───────────────────────────────────────────> 409
 *                              └─ its lease is over ─> write a lease over the one that was read
 *                                   ├─ written ─┬─ the venue's message is unknown ──────────> look up
 *                                   │           └─ else ────────────────────────────────────> settle
 *                                   └─ another was first ─┬─ it has finished ───────────────> replay
 *                                                         └─ else ──────────────────────────> 409
 *
 *   attempt ─ submit, settle or look up ─> weigh against earlier sendings ─> placed, refused, not taken or unknown
 *
 *   conclude ─┬─ placed ────> write over the unfinished order, else over its refusal ──────> 201
 *             ├─ refused ───> write over the own lease ─┬─ written ────────────────────────> 422
 *             │                                         ├─ another request was first ──────> its answer, or 409
 *             │                                         └─ the store failed ───────────────> 504
 *             ├─ not taken ─> release the own lease, or delete the record: the key is free ─> 4xx or 5xx
 *             └─ unknown ───> release the own lease ────────────────────────────────────────> 504
 */
export function createOrders({
  leaseMs = LEASE_MS,
  lateArrivalMs = LATE_ARRIVAL_MS,
  uptime = () => performance.now(),
  ...parts
}: OrdersOptions): Orders {
  const { entry } = parts;
  const remainingMs = judgeLeases(leaseMs, uptime);
  return {
    walletAddress: entry.walletAddress,
    async now(call) {
      await entry.syncClock(call);
      return entry.now();
    },
    async place(request, call) {
      // A caller cannot guess the key of an order without one.
      const key = request.idempotencyKey ?? `once ${randomUUID()}`;
      const store: OrderStore = {
        read: timed(call, 'store', parts.store.read),
        write: timed(call, 'store', parts.store.write),
      };
      const placing: Placing = { ...parts, store, leaseMs, lateArrivalMs, remainingMs, ...request, key, call };
      const claimed = await claim(placing);
      return 'act' in claimed ? conclude(claimed, await attempt(claimed)) : replay(claimed, placing);
    },
  };
}

/**
 * Finds out whose turn a request is. Called first, before anything is sent. Returns the request's own turn, or the finished
 * order of its key. Errors: those of `Orders.place`.
 */
async function claim(placing: Placing): Promise<Turn | FinishedOrder> {
  const { store, key, idempotencyKey } = placing;
  if (idempotencyKey === undefined) return create(placing);
  // Before signing: a repeat is answered though its market has closed, and while the venue is in trouble, repeats ask it
  // for no rules. A new order waits for this read, 0.1 ms in a file and some 3 ms in DynamoDB.
  const found = await required(() => store.read(key));
  return found ? claimFound(found, placing) : create(placing);
}

/** Runs a store call before which nothing may be sent; 503 `store_unavailable` when it fails. */
async function required<T>(access: () => Promise<T>, orderId?: string): Promise<T> {
  try {
    return await access();
  } catch (cause) {
    const store = cause instanceof OtherVersionError ? 'otherVersion' : 'orders';
    const error = refuse('store_unavailable', { store }, { cause });
    throw orderId === undefined ? error : aboutOrder(error, orderId);
  }
}

/** Signs the order and stores it under its new key. */
async function create(placing: Placing): Promise<Turn | FinishedOrder> {
  const { store, key } = placing;
  const record = await sign(placing);
  const { orderId } = record;
  const counts = countsOf(record, placing);
  const written = await required(() => store.write(key, record, 'nothing', counts), orderId);
  if (written === 'written') return { placing, act: 'submit', record, unconfirmedBefore: null };
  if ('fullDay' in written) throw aboveDailyCap(placing, orderId, written);
  // Another request with the key was first.
  if (!written.standing) throw orderInProgress(placing, undefined);
  return claimFound(written.standing, placing);
}

async function sign(placing: Placing): Promise<UnfinishedOrder> {
  const { entry, order, client, requestId, caller, call } = placing;
  const { orderId, conditionId, payload, signedAt } = await entry.sign(order, call);
  const lease = newLease(placing, signedAt);
  const isCapped = placing.maxDailyNotional !== undefined || placing.maxDailyNotionalPerClient !== undefined;
  return {
    state: 'unfinished',
    orderId,
    terms: order,
    conditionId,
    walletAddress: entry.walletAddress,
    signedFor: entry.signedFor,
    signedAt,
    // A sale brings money in: no cap of a day keeps anybody in a position.
    countedOn: order.side === 'buy' && isCapped ? dayOf(signedAt) : null,
    requestId,
    caller,
    client,
    payload,
    sendableUntil: sendableUntil(order, signedAt),
    lease,
    // A process that is killed may have sent the order until the end of its lease.
    unconfirmedAt: lease.until,
    venueReason: null,
  };
}

function sendableUntil({ expiresAt }: LimitOrder, now: number): number {
  return Math.min(now + KEPT_AFTER_USE_MS, expiresAt ?? Infinity);
}

function newLease({ leaseMs }: Placing, now: number): UnfinishedOrder['lease'] {
  return { owner: randomUUID(), until: now + leaseMs };
}

/** Logs and creates 422 `daily_cap_reached`; it resets at the next midnight UTC. */
function aboveDailyCap(
  placing: Placing,
  orderId: string,
  { fullDay, scope }: Extract<Written, { readonly fullDay: string }>,
): AppError {
  const { log, call } = placing;
  const trace = { order_id: orderId, scope, ...call.trace };
  log.audit('daily cap reached', { ...trace, metric: 'daily_cap_warnings' });
  const cap = scope === 'client' ? placing.maxDailyNotionalPerClient : placing.maxDailyNotional;
  if (!cap) throw new Error('the store refused a count without a cap');
  const resetsAt = `${dayOf(Date.parse(fullDay) + DAY_MS)}T00:00:00Z`;
  return aboutOrder(refuse('daily_cap_reached', { maxDailyNotional: formatDecimal(cap), resetsAt, scope }), orderId);
}

async function claimFound(record: OrderRecord, placing: Placing): Promise<Turn | FinishedOrder> {
  checkBelongs(record, placing);
  return record.state === 'finished' ? record : takeOver(record, placing);
}

/** Takes over an order that an earlier request left unfinished; 409 while that holds it. */
async function takeOver(found: UnfinishedOrder, placing: Placing): Promise<Turn | FinishedOrder> {
  const { entry, store, log, remainingMs, key, call } = placing;
  // A clock that stood still is behind: by it, the lease only ends later.
  await entry.syncClock(call).catch(() => undefined);
  const now = entry.now();
  if (remainingMs(found.lease, now) > 0) throw orderInProgress(placing, found);
  const lease = newLease(placing, now);
  const { orderId, venueReason, unconfirmedAt: unconfirmedBefore } = found;
  const isKept = isSendable(found, now);
  const isEnded = found.terms.expiresAt !== null && found.terms.expiresAt <= now;
  // An order that has ended is not sent by `settle` either, which knows what no look-up finds for expired.
  const act = venueReason === null && (isKept || isEnded) ? 'settle' : 'look_up';
  // A process that is killed may have sent the order until the end of its lease.
  const unconfirmedAt = act === 'look_up' ? unconfirmedBefore : Math.max(lease.until, unconfirmedBefore ?? 0);
  const kept = isKept ? { ...found, sendableUntil: sendableUntil(found.terms, now) } : withoutSignature(found);
  const record = { ...kept, lease, unconfirmedAt };
  const written = await required(() => store.write(key, record, { version: found.lease.owner }), orderId);
  if (written === 'written') {
    log.audit('unfinished order taken over', { order_id: orderId, ...call.trace });
    return { placing, act, record, unconfirmedBefore };
  }
  // Another request was first: it holds the order, has finished it or has released the key.
  const standing = 'standing' in written ? written.standing : undefined;
  if (standing?.state !== 'finished') throw orderInProgress(placing, standing);
  checkBelongs(standing, placing);
  return standing;
}

/**
 * Throws 422 `idempotency_key_reused` for the record of another order or client, and of one that was signed for another
 * account or venue: it could neither be looked up nor sent.
 */
function checkBelongs(record: OrderRecord, { entry, order, client }: Placing): void {
  const [owner, caller] = [verifiedAddressOf(record.client), verifiedAddressOf(client)];
  const isSameService =
    record.walletAddress === entry.walletAddress &&
    isDeepStrictEqual(record.signedFor, entry.signedFor) &&
    (owner === null) === (caller === null);
  if (!isSameService) throw refuse('idempotency_key_reused', { belongsTo: 'another service' });
  // Before the order: another client must not learn by guesses which order a key names.
  if (owner !== caller) throw refuse('idempotency_key_reused', { belongsTo: 'another client' });
  if (!isDeepStrictEqual(record.terms, order)) throw refuse('idempotency_key_reused', { belongsTo: 'another order' });
}
