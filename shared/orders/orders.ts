import { LEASE_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Call, LimitOrder, OrderEntry } from '../venue/port.ts';
import { placeOnce } from './keyed-orders.ts';
import { adviseOnUnknown, type PlacedOrder } from './outcome.ts';
import type { OrderStore } from './store.ts';

/** The orders of the operator's wallet. */
export interface Orders {
  /** EIP-55 address of the key. */
  readonly walletAddress: string;
  /**
   * Places one limit order. Errors: those of the venue's `OrderEntry`; with an idempotency key also
   * `idempotency_key_reused`, `order_in_progress` and `store_unavailable`.
   */
  place(order: LimitOrder, idempotencyKey: string | undefined, call: Call): Promise<PlacedOrder>;
}

export interface OrdersDeps {
  readonly entry: OrderEntry;
  readonly store: OrderStore;
  readonly log: Log;
  /** Milliseconds of the Unix epoch. The wall clock, since leases are read by other processes and after a suspend. */
  readonly now?: () => number;
  readonly leaseMs?: number;
}

const LOOK_UP = 'Look the order id up at the venue before ordering again.';

/** Orders that are placed at most once per idempotency key; without a key each call is an order of its own. */
export function createOrders({ entry, store, log, now = Date.now, leaseMs = LEASE_MS }: OrdersDeps): Orders {
  const deps = { entry, store, log, now, leaseMs };
  const placeUnkeyed = async (order: LimitOrder, call: Call): Promise<PlacedOrder> => {
    const signed = await entry.sign(order, call);
    const placement = await adviseOnUnknown(signed, LOOK_UP, () => entry.submit(signed, call));
    return { placement, replayed: false };
  };
  return {
    walletAddress: entry.walletAddress,
    place: (order, key, call) =>
      key === undefined ? placeUnkeyed(order, call) : placeOnce(deps, { key, order, call }),
  };
}
