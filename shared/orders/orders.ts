import type { Call, LimitOrder, Placement } from '../venue/port.ts';

export interface PlacedOrder {
  readonly placement: Placement;
  /** Whether this is the answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

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
