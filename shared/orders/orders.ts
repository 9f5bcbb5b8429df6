import { randomUUID } from 'node:crypto';
import type { Decimal } from '../decimal.ts';
import { LATE_ARRIVAL_MS, LEASE_MS } from '../limits.ts';
import type { Call } from '../venue/port.ts';
import { Claim } from './claim.ts';
import { createDayCap } from './day-cap.ts';
import { createLeaseWatch } from './lease-watch.ts';
import type { OrderRequest, OrderResult, OrdersDeps } from './order-request.ts';

/** The orders of the operator's wallet. */
export interface Orders {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  /** The venue's clock, as `OrderEntry.now`. */
  now(): number;
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called, as long as the store keeps
   * what it has confirmed and the venue recognises the same signed bytes. Every order is stored before its bytes leave.
   * Throws the errors of `OrderEntry.sign`, and 422 `idempotency_key_reused` and `daily_cap_reached`, 409
   * `order_in_progress`, 503 `store_unavailable`. Once the order is stored, only `order_in_progress` is thrown.
   */
  place(request: OrderRequest, call: Call): Promise<OrderResult>;
}

type Defaults = 'wall' | 'elapsed' | 'leaseMs' | 'lateArrivalMs';

export interface OrdersOptions
  extends Pick<OrdersDeps, 'entry' | 'store' | 'log'>,
    Partial<Pick<OrdersDeps, Defaults>> {
  /** The cap on the notional of all orders of a day, in collateral. */
  readonly maxDailyNotional?: Decimal | undefined;
}

/** Returns the key of an order in the store. No caller's key holds a comma, so each verified client has keys of its own. */
function storedKey({ idempotencyKey, client }: OrderRequest): string {
  if (idempotencyKey === undefined) return `once ${randomUUID()}`;
  return client?.isVerified ? `${client.address},${idempotencyKey}` : idempotencyKey;
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
  const dayCap = maxDailyNotional && createDayCap(maxDailyNotional, elapsed);
  const deps: OrdersDeps = { ...rest, wall, elapsed, leaseMs, lateArrivalMs, leases, dayCap };
  return {
    walletAddress: rest.entry.walletAddress,
    now: rest.entry.now,
    place: (request, call) => new Claim(deps, { ...request, key: storedKey(request), call }).place(),
  };
}
