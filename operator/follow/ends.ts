import { addTexts, compareTexts, formatDecimal } from '../../shared/decimal.ts';
import { isOver, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Look } from './shown.ts';
import type { Followed } from './state.ts';
import { EXPIRY_TOLERANCE_MS, LONGEST_WAIT_MS, QUIET_MS, UNKNOWN_QUIET_MS } from './times.ts';

// The end of an order: it left the book, and its trades are reported.

/** Look-ups in one look: far below the venue's 500 requests in 10 s. */
const MOST_LOOK_UPS = 100;
/** The venue calls an order matched when less than a hundredth of a share is left. */
const DUST = '0.01';

/** Returns why an order ended. Its own expiry shows that it expired: the venue calls it cancelled. */
function reasonOf({ gross, size, expiresAt, left }: Followed, status: string | null) {
  if (status !== null && /^invalid|resolved/.test(status)) return 'ended';
  const filled = status === null ? addTexts(gross, DUST) : gross;
  if (status === 'matched' || (size !== null && compareTexts(filled, size) >= 0)) return 'filled';
  if (expiresAt !== null && (left?.at ?? 0) >= expiresAt - EXPIRY_TOLERANCE_MS) return 'expired';
  return status === null ? null : 'cancelled';
}

/** Judges the look-up of an order that left the book: closes it once its trades are reported and quiet. */
function takeEnd({ shown, lacks, facts, now }: Look, id: string, order: Followed, found: VenueOrder | null) {
  const { left } = order;
  if (!left) return;
  left.askedAt = now;
  if (found && !isOver(found)) {
    // The venue delays it and does not list it, or the list was late.
    delete order.left;
    return;
  }
  const matched = found?.filledSize ? formatDecimal(found.filledSize) : '0';
  if (!found && now - left.quietSince < UNKNOWN_QUIET_MS) return;
  if (compareTexts(addTexts(order.gross, DUST), matched) < 0 && now - left.at < LONGEST_WAIT_MS) return;
  order.closedAt = now;
  order.outcome ??= found?.outcome ?? null;
  if (order.market !== null && !shown.markets.has(order.market)) lacks.markets.add(order.market);
  const status = found ? found.status : null;
  const data = { trade_id: null, status, reason: reasonOf(order, status) };
  facts.push({ type: 'order.closed', orderId: id, at: left.at, data });
}

/** Looks up the orders that left the book, after each quiet time. */
export function takeEnds(look: Look): void {
  const { state, shown, open, lacks, now } = look;
  for (const [id, order] of Object.entries(state.orders)) {
    if (open.has(id)) {
      delete order.left;
      // It is back on the book; a look-up had missed it.
      delete order.closedAt;
    }
    if (open.has(id) || order.closedAt !== undefined) continue;
    order.left ??= { at: now, quietSince: now, askedAt: 0 };
    if (now - Math.max(order.left.askedAt, order.left.quietSince) < QUIET_MS) continue;
    const found = shown.lookUps.get(id);
    if (found === null || (found && found.status !== null)) takeEnd(look, id, order, found);
    else if (shown.lookUps.has(id)) order.left.askedAt = now;
    else if (shown.lookUps.size + lacks.lookUps.size < MOST_LOOK_UPS) lacks.lookUps.add(id);
  }
}
