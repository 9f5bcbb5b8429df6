import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  subtractDecimals,
  toDecimal,
} from '../../shared/decimal.ts';
import { formatTime } from '../../shared/time.ts';
import type { Fees, VenueOrder } from '../../shared/venue/polymarket/operator-venue.ts';
import type { Desk } from './desk.ts';

// What has been told of each order, as it is kept between two looks at the venue. Times are in milliseconds of the Unix epoch.

const text = z.nullable(z.string());

/** An order that is followed until its trades are settled; `gross` also counts trades whose settlement failed. */
const followed = z.object({
  client_address: text,
  client_address_verified: z.nullable(z.boolean()),
  caller: text,
  recorded: z.boolean(),
  signedAt: z.number(),
  token_id: text,
  side: text,
  price: text,
  size: text,
  expiresAt: z.nullable(z.number()),
  filled: z.string(),
  gross: z.string(),
  value: z.string(),
  fees: text,
  /** Since when it is off the book, and since when nothing about it has changed. */
  left: z.optional(z.object({ at: z.number(), quietSince: z.number(), askedAt: z.number(), matched: text })),
  closedAt: z.optional(z.number()),
});

/** A part of an order in a trade of the window, with the last fact that was told of it. */
const part = z.object({
  orderId: z.string(),
  at: z.number(),
  fact: z.enum(['matched', 'confirmed', 'failed']),
  fee: text,
});

/** The state of a follower. */
export const followState = z.object({
  /** The wallet and the venue. */
  account: z.string(),
  /** Nothing from before is told. */
  start: z.number(),
  newestTrade: z.number(),
  newestRecord: z.number(),
  orders: z.record(z.string(), followed),
  parts: z.record(z.string(), part),
  /** The rows that cannot be read, with the start of the window in which they were seen. */
  unreadable: z.record(z.string(), z.number()),
  /** The accounts that orders were signed for. */
  makers: z.array(z.string()),
});

export type FollowState = z.infer<typeof followState>;
export type Followed = z.infer<typeof followed>;

/** Creates the state of a follower that tells what happens from a time on. */
export function newState(account: string, time: number): FollowState {
  // The times of trades have whole seconds.
  const start = Math.floor(time / 1_000) * 1_000;
  const none = { orders: {}, parts: {}, unreadable: {}, makers: [] };
  return { account, start, newestTrade: start, newestRecord: start, ...none };
}

/** The kinds of events. */
export type EventType =
  | 'order.filled'
  | 'order.settled'
  | 'order.settlement_failed'
  | 'order.closed'
  | 'order.unreadable';

/** The trade that an event is about, or the reason for the end of an order. */
interface Fact {
  readonly trade_id: string | null;
  readonly token_id?: string | null;
  readonly side?: string | null;
  readonly price?: string | null;
  readonly size?: string | null;
  readonly value?: string | null;
  readonly fee?: string | null;
  readonly status: string | null;
  readonly reason?: 'filled' | 'cancelled' | 'expired' | 'ended';
}

/** One fact about an order. The same fact has the same `id`, however often it is told. */
export interface OrderEvent {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, string | boolean | null>> & { readonly order_id: string | null };
}

/** Adds to a decimal of the state. */
export function plus(text: string, amount: Decimal): string {
  return formatDecimal(addDecimals(toDecimal(text), amount));
}

/** Subtracts from a decimal of the state. */
export function minus(text: string, amount: Decimal): string {
  return formatDecimal(subtractDecimals(toDecimal(text), amount));
}

/** Returns what is left of an order; `null` if its size is unknown. More than its size may have been reported. */
function remainingOf({ size, filled }: Followed): string | null {
  if (size === null) return null;
  return compareDecimals(toDecimal(filled), toDecimal(size)) >= 0 ? '0' : minus(size, toDecimal(filled));
}

/** Creates an event with the state of its order. */
export function eventOf(
  type: EventType,
  orderId: string | null,
  order: Followed | undefined,
  fact: Fact,
  at: number,
): OrderEvent {
  const key = JSON.stringify([type, orderId, fact.trade_id, ...(type === 'order.unreadable' ? [fact.status] : [])]);
  return {
    id: `evt_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
    type,
    timestamp: formatTime(at),
    data: {
      order_id: orderId,
      client_address: order?.client_address ?? null,
      client_address_verified: order?.client_address_verified ?? null,
      caller: order?.caller ?? null,
      token_id: order?.token_id ?? null,
      side: order?.side ?? null,
      price: order?.price ?? null,
      size: order?.size ?? null,
      value: order?.value ?? null,
      fee: order?.fees ?? null,
      filled_size: order?.filled ?? null,
      remaining_size: order ? remainingOf(order) : null,
      ...fact,
    },
  };
}

/** What a process reads anew after a restart. */
export interface Memory {
  wholeAt: number;
  readonly fees: Map<string, Fees | null>;
}

/** Creates the memory of a process that has not looked yet. */
export function newMemory(): Memory {
  return { wholeAt: Number.NEGATIVE_INFINITY, fees: new Map() };
}

/**
 * One look: the state that it changes, and the events so far. They are made at its end, so that each has all that is known
 * of its order: after a restart a late trade may be told behind one that it precedes.
 */
export interface Look {
  readonly desk: Desk;
  readonly state: FollowState;
  readonly memory: Memory;
  readonly now: number;
  readonly events: (() => OrderEvent)[];
}

/** Orders on the book, by their ids. */
export type OpenOrders = ReadonlyMap<string, VenueOrder>;
