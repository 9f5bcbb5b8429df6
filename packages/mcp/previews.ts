import type { OrderRequest, PlacedOrder } from '../client/client.ts';
import { type Client, formatUnits, newIdempotencyKey, OrderBookError, parseUnits } from '../client/client.ts';

/** Caps of the process, price × size in collateral. Without both no order is placed. */
export type Caps = Readonly<Record<'maxOrder' | 'maxTotal', string | undefined>>;

/** A refusal of this process; its message says what to do. */
export class Refusal extends Error {}

interface Preview {
  readonly order: OrderRequest;
  readonly idempotencyKey: string;
  /** Price × size, in 10^-36 of the collateral. */
  readonly notional: bigint;
  readonly endsAt: number;
  /** Set once a request may have left: then the preview does not end, and a repeat settles its order. */
  isSent: boolean;
  mayBeLive: boolean;
  placing?: Promise<PlacedOrder>;
}

/** A person needs a minute or two to read a preview; a book moves. */
const PREVIEW_MS = 5 * 60_000;
/** Previews that are kept; the oldest unsent one goes first. */
const MAX_PREVIEWS = 200;
const DECIMALS = 36;

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
    if (notional > parseUnits(maxOrder, DECIMALS))
      throw new Refusal(`Price × size is above --max-order (${maxOrder}). Preview a smaller order.`);
    const left = parseUnits(maxTotal, DECIMALS) - total;
    if (notional > left)
      throw new Refusal(`Only ${formatUnits(left, DECIMALS)} of --max-total (${maxTotal}) are left. Stop here.`);
  }

  return {
    /** Keeps an order; returns the id by which it is placed, and the end of the preview. */
    keep(order: OrderRequest) {
      const [preview_id, idempotencyKey, endsAt] = [newIdempotencyKey(), newIdempotencyKey(), Date.now() + PREVIEW_MS];
      const notional = parseUnits(order.price) * parseUnits(order.size);
      kept.set(preview_id, { order, idempotencyKey, notional, endsAt, isSent: false, mayBeLive: false });
      const [oldest] = [...kept].find(([, { isSent }]) => !isSent) ?? [];
      if (kept.size > MAX_PREVIEWS && oldest !== undefined) kept.delete(oldest);
      return { preview_id, valid_until: new Date(endsAt).toISOString() };
    },

    /** Returns a preview that can be placed. Throws a `Refusal` for one that is unknown, has ended or breaks a cap. */
    find(id: string): Preview {
      const preview = kept.get(id);
      if (!preview || (!preview.isSent && Date.now() > preview.endsAt))
        throw new Refusal(`There is no preview ${id}, or it has ended; nothing was sent. Call preview_order again.`);
      if (!preview.isSent) checkCaps(preview.notional);
      return preview;
    },

    /** Sends the order of a preview. Throws the client's `OrderBookError`. */
    place(preview: Preview, clientAddress: string | undefined): Promise<PlacedOrder> {
      const { order, idempotencyKey, mayBeLive, notional } = preview;
      if (preview.placing !== undefined) return preview.placing;
      if (!preview.isSent) total += notional;
      preview.isSent = true;
      const failed = (error: unknown) => {
        preview.mayBeLive = !(error instanceof OrderBookError) || error.mayBeLive;
        preview.isSent = preview.mayBeLive;
        // The service placed nothing: the order does not count, and the next attempt is a first one.
        if (!preview.isSent) total -= notional;
        throw error;
      };
      const placed = client.placeOrder(order, { idempotencyKey, mayBeLive, clientAddress }).catch(failed);
      preview.placing = placed.finally(() => delete preview.placing);
      return preview.placing;
    },
  };
}
