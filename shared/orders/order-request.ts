import type { Decimal } from '../decimal.ts';
import type { Log } from '../log.ts';
import type { Call, Fate, LimitOrder, OrderEntry } from '../venue/port.ts';
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
  readonly leaseMs: number;
  readonly lateArrivalMs: number;
  /** The cap on the notional of all orders of a UTC day, in collateral. */
  readonly maxDailyNotional: Decimal | undefined;
}

/** A request under its key in the store. */
export interface KeyedRequest extends OrderRequest {
  readonly key: string;
  readonly call: Call;
}
