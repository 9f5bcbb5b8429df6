import type { OrderStore } from '../../../shared/orders/order-store.ts';
import type { OrderClient } from '../../../shared/orders/record.ts';
import type { OrderEntrySettings } from '../../../shared/venue/polymarket/order-entry.ts';
import type { LimitOrder, OrderEntry } from '../../../shared/venue/port.ts';
import type { ScriptedVenue } from '../venue/scripted-venue.ts';
import type { Answers } from './trading-world.ts';

/** The calls of a store: a first record is created, another one replaced or deleted. */
export type StoreCall = 'read' | 'create' | 'replace';

/** What a step of a row comes to. */
export interface End {
  /** The status of the placement, or code, `Retry-After` and venue's message of the problem; and that it is a replay. */
  readonly ends: string;
  /** The orders that have reached the venue so far, a letter each: equal letters are equal signed bytes. */
  readonly sent: string;
  /** The record of the key: `free`, `open`, `open unsigned`, `placed`, `refused` or `not_taken`. */
  readonly kept: string;
  /** Look-ups of the order and of its trades in this step. */
  readonly looks?: readonly [number, number];
  readonly tookMs?: number;
  /** Its error lines and those that an alarm counts: message, metric, and what the record says; none by default. */
  readonly logs?: readonly string[];
  /** The messages of its lines that every log level has. */
  readonly audits?: readonly string[];
  /** The calls of the store. */
  readonly calls?: readonly StoreCall[];
  /** The notional that counts for the row's first day, and for its second. */
  readonly counted?: readonly [number, number?];
  /** The cause of the problem, for the log. */
  readonly cause?: string;
  /** A part of the sentence for the caller. */
  readonly says?: string;
}

/** The service of a row, where it is not as usual. */
export interface Changes
  extends Partial<OrderEntrySettings>,
    Partial<Pick<OrderEntry, 'signedFor' | 'walletAddress' | 'submit'>> {
  /** On the notional of a day, of all or of each client. */
  readonly cap?: string;
  readonly clientCap?: string;
}

/** A request under the key of the row, and what must come of it. What is not stated is as usual. */
export interface Step extends Answers, End {
  /** Milliseconds after the step before. */
  readonly after?: number;
  /** Milliseconds by which our clock and the venue's run ahead of the monotonic one, as in a suspend, or are set. */
  readonly clockSet?: number;
  /** Milliseconds by which somebody sets our clock alone. */
  readonly ownClockSet?: number;
  /** `null`: without a key. */
  readonly key?: null;
  readonly asks?: Partial<LimitOrder>;
  /** The order's end, after the beginning of the row. */
  readonly endsInMs?: number;
  readonly client?: OrderClient | null;
  /** A service that has started again on the store, with these changes. */
  readonly restarts?: Changes;
  readonly budgetMs?: number;
  /** The call of the store that fails. */
  readonly failing?: StoreCall;
  /** Happens between the signature and the sending. */
  readonly atWrite?: (venue: ScriptedVenue) => unknown;
  /** Somebody changes the store first. */
  readonly tamper?: (store: OrderStore, key: string) => Promise<unknown>;
  /** `begins`: the venue's answer is held back, and the next step runs meanwhile. `arrives`: the oldest such answer comes. */
  readonly held?: 'begins' | 'arrives';
  /** So many equal requests in one turn of the event loop, to two processes. All but one are told to wait. */
  readonly atOnce?: number;
  /** The step of another request, in the middle of this one: before its call `before` of the store, the `nth` of them. */
  readonly meanwhile?: Step & { readonly before: StoreCall; readonly nth?: number };
}

/** Returns what `play` finds where every step comes to what it states. */
export function expected(steps: readonly Step[]): unknown[] {
  return steps.flatMap(({ meanwhile, ends, sent, kept, looks, tookMs, logs = [], audits, calls, cause, says }) => [
    ...(meanwhile ? expected([meanwhile]) : []),
    { ends, sent, kept, looks, tookMs, logs, audits, calls, cause, says },
  ]);
}
