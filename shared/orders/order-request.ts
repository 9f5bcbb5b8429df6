import type { Log } from '../log.ts';
import type { Call, Fate, LimitOrder, OrderEntry } from '../venue/port.ts';
import type { DayCap } from './day-cap.ts';
import type { createLeaseWatch } from './lease-watch.ts';
import type { OrderClient, OrderStore } from './record.ts';

/** A request for one limit order. */
export interface OrderRequest {
  readonly order: LimitOrder;
  /** The caller's; without one each request is a new order. */
  readonly idempotencyKey: string | undefined;
  /** `null` where the caller named no client. */
  readonly client: OrderClient | null;
  /** The id of the request, for the record. */
  readonly requestId: string | null;
}

/** The fate of a requested order. */
export interface OrderResult {
  readonly orderId: string;
  readonly fate: Fate;
  /** True where this is the answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** The parts that all orders of a process share. */
export interface OrdersDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  /** Our own wall clock, which goes on while a process stands still, in milliseconds of the Unix epoch. */
  readonly wall: () => number;
  /** A monotonic clock in milliseconds. */
  readonly elapsed: () => number;
  readonly leaseMs: number;
  readonly lateArrivalMs: number;
  readonly leases: ReturnType<typeof createLeaseWatch>;
  readonly dayCap: DayCap | undefined;
}

/** A request under its key in the store. */
export interface KeyedRequest extends OrderRequest {
  readonly key: string;
  readonly call: Call;
}
