import * as z from 'zod/mini';
import { FIRST_MS } from './times.ts';

// The state between two looks at the venue. Times are in milliseconds of the Unix epoch, decimals are texts.

const text = z.nullable(z.string());
const time = z.number();

/** An order until its trades are settled; `gross` also counts trades whose settlement failed. */
const followed = z.object({
  ...{ client_address: text, client_address_verified: z.nullable(z.boolean()), caller: text },
  ...{ signedAt: time, expiresAt: z.nullable(time), market: text, token_id: text, outcome: text },
  ...{ side: z.nullable(z.enum(['buy', 'sell'])), price: text, size: text },
  ...{ filled_size: z.string(), gross: z.string(), value: z.string(), fee: text },
  /** When it left the book, when its last trade came, and when it was last looked up. */
  left: z.optional(z.object({ at: time, quietSince: time, askedAt: time })),
  closedAt: z.optional(time),
});

/** An order's part in a trade of the window: the reported amounts, and the last fact about it. */
const part = z.object({
  ...{ orderId: z.string(), at: time, fact: z.enum(['matched', 'confirmed', 'failed']) },
  ...{ price: text, size: z.string(), value: z.string(), fee: text },
});

const kept = z.object({
  version: z.literal(1),
  /** The follower reports nothing earlier. */
  start: time,
  newestTrade: time,
  newestRecord: time,
  orders: z.record(z.string(), followed),
  parts: z.record(z.string(), part),
  /** The rows that cannot be used, with the start of the window in which they were seen. */
  unreadable: z.record(z.string(), time),
});

export type Followed = z.infer<typeof followed>;
export type Part = z.infer<typeof part>;

export interface FollowState extends z.infer<typeof kept> {
  /** The time of the last look; always greater than the previous value. */
  revision: number;
  /** When this process has last read the whole window. */
  wholeAt: number;
}

/** Creates the state of a follower that reports what happens from a time on. */
export function newState(begin = Date.now() - FIRST_MS, revision = 0): FollowState {
  // The times of trades have whole seconds.
  const start = Math.floor(begin / 1_000) * 1_000;
  const times = { start, newestTrade: start, newestRecord: start, revision, wholeAt: 0 };
  return { version: 1, ...times, orders: {}, parts: {}, unreadable: {} };
}

/** A state as it is kept; its text is the same where nothing has changed. */
export interface SavedState {
  readonly revision: number;
  readonly text: string;
}

export function encodeState({ revision, wholeAt: _, ...state }: FollowState): SavedState {
  return { revision, text: JSON.stringify(state) };
}

/** Reads a kept state; `undefined` for a damaged one, and for one of another version. */
export function decodeState({ revision, text }: SavedState): FollowState | undefined {
  try {
    return { ...kept.parse(JSON.parse(text)), revision, wholeAt: 0 };
  } catch {
    return undefined;
  }
}
