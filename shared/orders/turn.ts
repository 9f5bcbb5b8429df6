import type { Call } from '../call.ts';
import { type AppError, refuse } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Fate, LimitOrder, OrderEntry } from '../venue/port.ts';
import type { RemainingMs } from './leases.ts';
import type { DayCaps, OrderStore } from './order-store.ts';
import type { OrderClient, OrderRecord, UnfinishedOrder } from './record.ts';

export interface OrderRequest {
  readonly order: LimitOrder;
  /** The caller's; without one each request is a new order. */
  readonly idempotencyKey: string | undefined;
  /** `null` where the caller named no client. */
  readonly client: OrderClient | null;
  readonly requestId: string | null;
  /** The caller that a gateway identified, for the record; `null` without one. */
  readonly caller: string | null;
}

export interface OrderResult {
  readonly orderId: string;
  readonly fate: Fate;
  /** True where this is the answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

export interface OrdersDeps extends DayCaps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  readonly leaseMs: number;
  readonly lateArrivalMs: number;
  /** The wall clock, in milliseconds of the Unix epoch. */
  readonly now: () => number;
  /** Judges the leases that this process reads. */
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

/** Creates 409 `order_in_progress` for a key whose record is in the way; it asks for a wait of 1 s at least. */
export function orderInProgress({ now, remainingMs }: OrdersDeps, standing: OrderRecord | undefined): AppError {
  const leftMs = standing?.state === 'unfinished' ? remainingMs(standing.lease, now()) : 0;
  return refuse('order_in_progress', {}, { retryAfter: Math.ceil(Math.max(leftMs, 1_000) / 1_000) });
}
