import { randomUUID } from 'node:crypto';
import { type Call, timed } from '../call.ts';
import { LATE_ARRIVAL_MS, LEASE_MS } from '../limits.ts';
import type { OrderEntry } from '../venue/port.ts';
import { attempt } from './attempt.ts';
import { claim } from './claim.ts';
import { conclude, replay } from './conclude.ts';
import { judgeLeases } from './leases.ts';
import type { OrderStore } from './order-store.ts';
import type { OrderRequest, OrderResult, OrdersDeps, Placing } from './turn.ts';

export interface Orders {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  readonly checkClock: OrderEntry['checkClock'];
  /**
   * Places one limit order; with an idempotency key exactly one, however often it is called. Throws the errors of
   * `OrderEntry.sign`, and 422 `idempotency_key_reused` and `daily_cap_reached`, 409 `order_in_progress`, 503
   * `store_unavailable`. Once the order is stored, only `order_in_progress` is thrown.
   */
  place(request: OrderRequest, call: Call): Promise<OrderResult>;
}

export type OrdersOptions = Pick<OrdersDeps, 'entry' | 'store' | 'log'> &
  Partial<Omit<OrdersDeps, 'remainingMs'>> & {
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
 *   attempt ─ submit, settle or look up ─> weigh against earlier attempts ─> placed, refused, not taken or unknown
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
  now = () => Date.now(),
  ...parts
}: OrdersOptions): Orders {
  const { entry } = parts;
  const remainingMs = judgeLeases(leaseMs, uptime);
  return {
    walletAddress: entry.walletAddress,
    checkClock: entry.checkClock,
    async place(request, call) {
      // A caller cannot guess the key of an order without one.
      const key = request.idempotencyKey ?? `once ${randomUUID()}`;
      const store: OrderStore = {
        read: timed(call, 'store', parts.store.read),
        write: timed(call, 'store', parts.store.write),
      };
      const placing: Placing = { ...parts, store, leaseMs, lateArrivalMs, remainingMs, now, ...request, key, call };
      const claimed = await claim(placing);
      return 'act' in claimed ? conclude(claimed, await attempt(claimed)) : replay(claimed, placing);
    },
  };
}
