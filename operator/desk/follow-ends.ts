import { compareDecimals, formatDecimal, fromUnits, toDecimal } from '../../shared/decimal.ts';
import { isOver, type VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import { note, orNote } from './desk.ts';
import { eventOf, type Followed, type Look, type OpenOrders, plus } from './follow-state.ts';

// The end of an order: it left the book, and its trades are told.

/** The trades of an order may show after its end: it is closed once nothing has changed for this long. */
const QUIET_MS = 20_000;
/** The same for an order that no look-up finds, which may only have been overlooked. */
const UNKNOWN_QUIET_MS = 120_000;
/** An order is closed by then, even if its trades do not add up to what the venue says. */
const LONGEST_WAIT_MS = 3_600_000;
/** Orders that are looked up in one look, and at once: far below the venue's 500 requests in 10 s. */
const LOOK_UPS = { most: 100, atOnce: 10 } as const;
/** The venue calls an order matched that lacks less than a hundredth of a share. */
const DUST = fromUnits(1n, 2);
/** Times have whole seconds, and clocks differ a little. */
const EXPIRY_TOLERANCE_MS = 5_000;

/** Returns the reason why an order ended; that it expired is told by its own time only, since the venue calls it cancelled. */
function reasonOf({ gross, size, expiresAt, left }: Followed, status: string | null) {
  if (status !== null && /^invalid|resolved/.test(status)) return 'ended';
  const isFilled =
    size !== null && compareDecimals(toDecimal(status === null ? plus(gross, DUST) : gross), toDecimal(size)) >= 0;
  if (isFilled || status === 'matched') return 'filled';
  return expiresAt !== null && (left?.at ?? 0) >= expiresAt - EXPIRY_TOLERANCE_MS ? 'expired' : 'cancelled';
}

/** Judges the look-up of an order that left the book: closes it once its trades are told and quiet. */
function takeEnd({ state, events, now }: Look, id: string, found: VenueOrder | null): void {
  const order = state.orders[id];
  if (!order?.left) return;
  const { left } = order;
  const status = found ? found.status : null;
  if (found && !isOver(found)) {
    // Held back by the venue, and on no list; or the list was late.
    delete order.left;
    return;
  }
  const matched = found?.size_matched ? formatDecimal(found.size_matched) : null;
  if (left.askedAt === 0 || matched !== left.matched) Object.assign(left, { matched, quietSince: now });
  left.askedAt = now;
  const isTold = matched === null || compareDecimals(toDecimal(plus(order.gross, DUST)), toDecimal(matched)) >= 0;
  if (now - left.quietSince < (found ? QUIET_MS : UNKNOWN_QUIET_MS)) return;
  if (!isTold && now - left.at < LONGEST_WAIT_MS) return;
  order.closedAt = now;
  const { token_id, side, price, size, value, fees: fee } = order;
  const terms = {
    trade_id: null,
    token_id,
    side,
    price,
    size,
    value,
    fee,
    status,
    reason: reasonOf(order, status),
  } as const;
  if (left.at >= state.start) events.push(() => eventOf('order.closed', id, order, terms, left.at));
}

/** Looks up the orders that left the book, when they leave it and after each quiet time. */
export async function takeEnds(look: Look, open: OpenOrders): Promise<void> {
  const { desk, state, now } = look;
  const due: string[] = [];
  for (const [id, order] of Object.entries(state.orders)) {
    if (order.closedAt !== undefined) continue;
    if (open.has(id)) delete order.left;
    // Due at once.
    else order.left ??= { at: now, quietSince: now - QUIET_MS, askedAt: 0, matched: null };
    if (order.left && now - Math.max(order.left.askedAt, order.left.quietSince) >= QUIET_MS) due.push(id);
  }
  const chosen = due.slice(0, LOOK_UPS.most);
  for (let from = 0; from < chosen.length; from += LOOK_UPS.atOnce) {
    const asked = chosen.slice(from, from + LOOK_UPS.atOnce);
    const found = await Promise.all(asked.map((id) => orNote(desk, desk.venue.order(id))));
    for (const [index, id] of asked.entries()) {
      const order = found[index];
      const left = state.orders[id]?.left;
      if (order === undefined || order?.status === null) {
        if (order) note(desk, `The order ${id} of the venue cannot be read.`);
        if (left) left.askedAt = now;
      } else takeEnd(look, id, order);
    }
  }
}
