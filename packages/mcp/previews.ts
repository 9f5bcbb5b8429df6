import type { HealthStatus, OrderRequest, PlacedOrder } from '../client/client.ts';
import { type Client, formatUnits, newIdempotencyKey, OrderBookError, parseUnits } from '../client/client.ts';

/** Caps of the process, price × size in collateral. Without both no order is placed. */
export type Caps = Readonly<Record<'maxOrder' | 'maxTotal', string | undefined>>;

/** A refusal of this process; its message says what to do. */
export class Refusal extends Error {}

/** An order as it was previewed. */
export interface Terms {
  readonly order: OrderRequest;
  /** The question to a person. */
  readonly question: string;
  /** The service at that time: the order is for its account. */
  readonly health: HealthStatus;
  /** Time in epoch milliseconds from which on the service would refuse the order. */
  readonly lastAt: number;
}

interface Preview extends Terms {
  readonly idempotencyKey: string;
  /** Price × size, in 10^-36 of the collateral. */
  readonly notional: bigint;
  /** Set once a request may have left: then the preview does not end, and a repeat settles its order, also after a placement. */
  isSent: boolean;
  placing?: Promise<PlacedOrder>;
}

/** A person needs a minute or two to read a preview; a book moves. */
const PREVIEW_MS = 5 * 60_000;
/** Previews that are kept; the oldest unsent one goes first. */
const MAX_PREVIEWS = 200;
const DECIMALS = 36;

function accountOf({ venue, mode, wallet_address, funder_address = 'its own' }: HealthStatus): string {
  return `venue ${venue}, ${mode}, wallet ${wallet_address}, funds ${funder_address}`;
}

/**
 * Keeps the exact orders that were previewed, each with its idempotency key. A preview places one order at most, however
 * often and under whatever request id it is asked for: the key belongs to the preview, not to the call.
 */
export function createPreviews(client: Client, { maxOrder, maxTotal }: Caps) {
  const kept = new Map<string, Preview>();
  let total = 0n;

  function checkCaps(notional: bigint): void {
    if (!maxOrder || !maxTotal)
      throw new Refusal('This process places no orders: its operator must start it with --max-order and --max-total.');
    const left = parseUnits(maxTotal, DECIMALS) - total;
    if (notional > left)
      throw new Refusal(`Only ${formatUnits(left, DECIMALS)} of --max-total (${maxTotal}) are left. Stop here.`);
  }

  return {
    /** Keeps an order; returns the id by which it is placed, and the end of the preview. */
    keep(terms: Terms) {
      const [preview_id, idempotencyKey] = [newIdempotencyKey(), newIdempotencyKey()];
      const lastAt = Math.min(Date.now() + PREVIEW_MS, terms.lastAt);
      const notional = parseUnits(terms.order.price) * parseUnits(terms.order.size);
      kept.set(preview_id, { ...terms, lastAt, idempotencyKey, notional, isSent: false });
      const [oldest] = [...kept].find(([, { isSent }]) => !isSent) ?? [];
      if (kept.size > MAX_PREVIEWS && oldest !== undefined) kept.delete(oldest);
      return { preview_id, valid_until: new Date(lastAt).toISOString() };
    },

    /** Returns true if a request of this preview may have left. */
    isSent: (id: string) => kept.get(id)?.isSent === true,

    /** Returns a preview that can be placed. Throws a `Refusal` for one that is unknown, has ended, is of another account or breaks a cap. */
    find(id: string, health: HealthStatus): Preview {
      const preview = kept.get(id);
      if (!preview || (!preview.isSent && Date.now() > preview.lastAt))
        throw new Refusal(`There is no preview ${id}, or it has ended; nothing was sent. Call preview_order again.`);
      const [then, now] = [accountOf(preview.health), accountOf(health)];
      const advice = preview.isSent ? 'Its order may be live there: tell your user' : 'Call preview_order again';
      if (then !== now)
        throw new Refusal(`Nothing was sent: the preview is of ${then}; here is now ${now}. ${advice}.`);
      if (!preview.isSent) checkCaps(preview.notional);
      return preview;
    },

    /** Sends the order of a preview once. Throws the client's `OrderBookError`. */
    place(preview: Preview, clientAddress: string | undefined): Promise<PlacedOrder> {
      const { order, idempotencyKey, isSent: mayBeLive, notional } = preview;
      if (preview.placing !== undefined) return preview.placing;
      if (!mayBeLive) total += notional;
      preview.isSent = true;
      const failed = (error: unknown) => {
        preview.isSent = !(error instanceof OrderBookError) || error.mayBeLive;
        // The service placed nothing: the order does not count, and the next attempt is a first one.
        if (!preview.isSent) total -= notional;
        throw error;
      };
      const placed = client.placeOrder(order, { idempotencyKey, mayBeLive, clientAddress, attempts: 1 }).catch(failed);
      preview.placing = placed.finally(() => delete preview.placing);
      return preview.placing;
    },
  };
}
