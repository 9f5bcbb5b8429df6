import { createHash } from 'node:crypto';
import { type AppError, refuse } from '../errors.ts';
import { STORE_CALL_MS, UNKNOWN_WORDS_RETRY_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Call, Fate, LimitOrder, OrderEntry, SendingCall } from '../venue/port.ts';
import type { RemainingMs } from './leases.ts';
import type { DayCaps, OrderStore } from './order-store.ts';
import type { OrderClient, OrderRecord, UnfinishedOrder } from './record.ts';

/** A request for one limit order. */
export interface OrderRequest {
  readonly order: LimitOrder;
  /** The caller's; without one each request is a new order. */
  readonly idempotencyKey: string | undefined;
  /** `null` where the caller named no client. */
  readonly client: OrderClient | null;
  /** The id of the request, for the record. */
  readonly requestId: string | null;
  /** The caller that a gateway identified, for the record; `null` without one. */
  readonly caller: string | null;
}

/** The fate of a requested order. */
export interface OrderResult {
  readonly orderId: string;
  readonly fate: Fate;
  /** True where this is the answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** The parts that all orders of a process share. */
export interface OrdersDeps extends DayCaps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  readonly leaseMs: number;
  readonly lateArrivalMs: number;
  /** Of the leases that this process reads. */
  readonly remainingMs: RemainingMs;
}

/** One request on its way, with the parts that it needs. */
export interface Placing extends OrdersDeps, OrderRequest {
  /** Its key in the store. */
  readonly key: string;
  readonly call: Call;
}

/** The sole right to send or look up an order, until the lease of its record ends. */
export interface Turn {
  readonly placing: Placing;
  /** `submit`: never sent. `settle`: may have been sent, and may be sent again. `look_up`: must not be sent again. */
  readonly act: 'submit' | 'settle' | 'look_up';
  readonly record: UnfinishedOrder;
  /** `unconfirmedAt` as it was before this request. */
  readonly unconfirmedBefore: number | null;
}

/** Returns the members by which log lines name an order and its request. */
export function traceOf({ record, placing }: Turn) {
  return { order_id: record.orderId, ...placing.call.trace };
}

/** Returns false once the lease is over. */
export function isHeld({ record, placing }: Turn): boolean {
  return placing.entry.now() < record.lease.until;
}

/** Creates 409 `order_in_progress` for a key whose record is in the way; it asks for a wait of 1 s at least. */
export function orderInProgress({ entry, remainingMs }: OrdersDeps, standing: OrderRecord | undefined): AppError {
  const leftMs = standing?.state === 'unfinished' ? remainingMs(standing.lease, entry.now()) : 0;
  return refuse('order_in_progress', {}, { retryAfter: Math.ceil(Math.max(leftMs, 1_000) / 1_000) });
}

/**
 * Sends an order or looks it up, and weighs the result against earlier sendings. Called once in each turn, after the order
 * was stored. Throws nothing.
 */
export async function attempt(turn: Turn): Promise<Fate> {
  if (turn.act === 'submit') logSigned(turn);
  // The time that was left before the venue was asked: the process may stand still after a refusal.
  const lateMs = lateArrivalMs(turn);
  return weigh(turn, await ask(turn), lateMs);
}

/** Logs the hash of the key, never the key itself. */
function logSigned(turn: Turn): void {
  const { idempotencyKey, log } = turn.placing;
  const named = idempotencyKey !== undefined && {
    idempotency_key_sha256: createHash('sha256').update(idempotencyKey).digest('hex'),
  };
  log.audit('order signed', { ...traceOf(turn), ...named });
}

/** Asks the venue. A fault of ours on the way proves nothing about the order. */
async function ask(turn: Turn): Promise<Fate> {
  const { act, record, placing } = turn;
  const { entry, call } = placing;
  // The process may have stood still since it took the lease: another request may have taken over and answered a refusal,
  // which bytes sent now could make untrue. The time to store the answer is held back.
  const bounded: SendingCall = {
    ...call,
    deadline: call.deadline - STORE_CALL_MS,
    leaseUntil: record.lease.until,
  };
  const { orderId, conditionId, payload, signedAt, terms } = record;
  const { tokenId, postOnly, expiresAt } = terms;
  const order = { orderId, tokenId, conditionId, postOnly, expiresAt, payload, signedAt };
  try {
    if (act === 'submit') return await entry.submit(order, bounded);
    if (act === 'settle') return await entry.settle(order, bounded);
    // The venue's earlier message counts only once the order has had time to show.
    return await entry.lookUp(order, bounded, lateArrivalMs(turn) > 0 ? null : record.venueReason);
  } catch (cause) {
    return { kind: 'unknown', why: 'sent', sentAt: entry.now(), cause };
  }
}

/** Returns the time in milliseconds for which an earlier sending may still arrive. */
function lateArrivalMs({ unconfirmedBefore, placing: { entry, lateArrivalMs: mostMs } }: Turn): number {
  if (unconfirmedBefore === null) return 0;
  return Math.min(Math.max(unconfirmedBefore + mostMs - entry.now(), 0), mostMs);
}

/** Weighs a fate against earlier sendings. `lateMs`: the time for their late arrival when the venue was asked. */
function weigh(turn: Turn, fate: Fate, lateMs: number): Fate {
  const { record, unconfirmedBefore } = turn;
  const leftMs = lateArrivalMs(turn);
  if (fate.kind === 'placed') return fate;
  if (fate.kind === 'unknown' && record.venueReason !== null) {
    // An earlier message was unknown: repeats report it too.
    const retryAfter = Math.ceil(Math.min(leftMs || UNKNOWN_WORDS_RETRY_MS, UNKNOWN_WORDS_RETRY_MS) / 1_000);
    return { ...fate, why: 'unknown_words', venueReason: record.venueReason, retryAfter };
  }
  if (fate.kind === 'unknown') {
    const isUnsent = fate.why !== 'lease_ended' && fate.sentAt === null && unconfirmedBefore === null;
    if (!isUnsent) return fate;
    // The venue provably took none of the sendings, and cannot be asked now.
    return {
      kind: 'not_taken',
      error: refuse('venue_unavailable', { why: 'busy' }, { cause: fate.cause }),
      freesKey: false,
    };
  }
  if (lateMs <= 0 && leftMs <= 0) return fate;
  // While an earlier send may still arrive, a refusal of this one proves nothing. A venue that is briefly busy asks for a
  // shorter wait, after which it may take a repeat.
  const retryAfter = Math.min(Math.ceil(leftMs / 1_000) || 1, fate.error.retryAfter ?? Infinity);
  return { kind: 'unknown', why: 'earlier_sending', sentAt: null, retryAfter, cause: fate.error };
}
