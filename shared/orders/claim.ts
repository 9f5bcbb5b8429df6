import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatDecimal } from '../decimal.ts';
import { type AppError, aboutOrder, refuse } from '../errors.ts';
import { DAY_MS, KEPT_AFTER_USE_MS } from '../limits.ts';
import type { LimitOrder } from '../venue/port.ts';
import { countsOf, dayOf, type Written } from './order-store.ts';
import {
  type FinishedOrder,
  isSendable,
  type OrderRecord,
  OtherVersionError,
  type UnfinishedOrder,
  verifiedAddressOf,
  withoutSignature,
} from './record.ts';
import { orderInProgress, type Placing, type Turn } from './turn.ts';

/** Finds out whose turn a request is: returns its own, or the finished order of its key. Errors: those of `Orders.place`. */
export async function claim(placing: Placing): Promise<Turn | FinishedOrder> {
  const { store, key, idempotencyKey } = placing;
  if (idempotencyKey === undefined) return create(placing);
  // Before signing: a repeat is answered though its market has closed, and while the venue is in trouble, repeats need
  // none of its rules. A new order waits for this read, 0.1 ms in a file and some 3 ms in DynamoDB.
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
    // A sale brings money in: a daily cap must not keep anybody in a position.
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
  const { store, log, remainingMs, key, call } = placing;
  const now = placing.now();
  if (remainingMs(found.lease, now) > 0) throw orderInProgress(placing, found);
  const lease = newLease(placing, now);
  const { orderId, venueReason, unconfirmedAt: unconfirmedBefore } = found;
  const isKept = isSendable(found, now);
  const isEnded = found.terms.expiresAt !== null && found.terms.expiresAt <= now;
  // `settle` does not send an expired order; if no look-up finds it, the order is expired.
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
