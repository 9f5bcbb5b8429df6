import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placementOf } from '../../../functions/orders/endpoint.ts';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { AppError } from '../../../shared/errors.ts';
import { ORDER_BUDGET_MS } from '../../../shared/limits.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import type { OrderClient, OrderRecord } from '../../../shared/orders/record.ts';
import { createOrderEntry, type OrderEntrySettings } from '../../../shared/venue/polymarket/order-entry.ts';
import type { LimitOrder, OrderEntry } from '../../../shared/venue/port.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { collectLog } from '../service/collected-log.ts';
import { callWithin, type Reply, type ScriptedVenue, startVenue } from '../venue/scripted-venue.ts';
import type { StoreCall } from './order-records.ts';
import { whenCalled } from './processes.ts';
import { type Answers, accountSettings, answerAsUsual, limitOrder } from './trading-world.ts';

/** What a step of a row comes to. */
interface End {
  /** The status of the placement, or code, `Retry-After` and venue's message of the problem; and that it is a replay. */
  readonly ends: string;
  /** The orders that have reached the venue so far, a letter each: equal letters are equal signed bytes. */
  readonly sent: string;
  /** The record of the key: `free`, `open`, `open unsigned`, `placed`, `refused` or `not_taken`. */
  readonly kept: string;
  /** Look-ups of the order and of its trades in this step. */
  readonly looks?: readonly [number, number];
  readonly tookMs?: number;
  /** The messages of its error lines; none by default. */
  readonly logs?: readonly string[];
  /** The cause of the problem, for the log. */
  readonly cause?: string;
  /** A part of the sentence for the caller. */
  readonly says?: string;
}

/** A request under the key of the row, and what must come of it. What is not stated is as usual. */
export interface Step extends Answers, End {
  /** Milliseconds after the step before. */
  readonly after?: number;
  /** `null`: without a key. */
  readonly key?: null;
  readonly asks?: Partial<LimitOrder>;
  /** The order's end, after the beginning of the row. */
  readonly endsInMs?: number;
  readonly client?: OrderClient | null;
  /** A service that has started again on the store, with these changes. */
  readonly restarts?: Partial<OrderEntrySettings> & Partial<Pick<OrderEntry, 'signedFor' | 'walletAddress'>>;
  readonly budgetMs?: number;
  /** The call of the store that fails. */
  readonly failing?: StoreCall;
  /** Happens between the signature and the sending. */
  readonly atWrite?: (venue: ScriptedVenue) => unknown;
  /** `begins`: the venue's answer is held back, and the next step runs meanwhile. `arrives`: that answer comes. */
  readonly held?: 'begins' | 'arrives';
}

/** The real stores, by name. */
export const STORES = {
  'a file': async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fates-'));
    const store = openOrderStore({ path: join(folder, 'orders.db'), log: collectLog().log });
    return { store, close: () => store.close().then(() => rm(folder, { recursive: true })) };
  },
  'a table': async () => {
    const db = await startDynamoDb();
    // No call ends by these, however slow the machine is.
    const limits = { call: 60_000, connect: 60_000, attempt: 60_000 };
    return { store: createDynamoDbStore({ ...db, limits }), close: db.close };
  },
} as const;

function stateOf(record: OrderRecord | undefined): string {
  if (!record) return 'free';
  if (record.state === 'finished') return record.answer.result;
  return record.payload.includes('"signature":""') ? 'open unsigned' : 'open';
}

/** Sums up the answer to a request. */
async function endOf(placing: ReturnType<Orders['place']>, key: string | undefined) {
  try {
    const result = await placing;
    const { status } = placementOf(result, key);
    return { ends: result.replayed ? `${status} replayed` : status, cause: undefined, says: '' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, retryAfter, facts, cause, message: says, replayed } = error;
    const parts = [code, facts['reason'], retryAfter, facts['venueReason'] && JSON.stringify(facts['venueReason'])];
    const ends = [...parts, replayed && 'replayed'].filter(Boolean).join(' ');
    return { ends, cause: cause instanceof Error ? cause.message : undefined, says };
  }
}

/** One key, a venue on a socket and a store, through the steps of a row. */
export async function play(store: OrderStore, steps: readonly Step[], pass: (milliseconds: number) => void) {
  const key = `fate-${crypto.randomUUID()}`;
  const { log, lines } = collectLog();
  // Whole seconds, as the venue tells its time.
  pass(1_000 - (Date.now() % 1_000));
  const begunAt = Date.now();
  let answers: Answers = {};
  let counts: Record<string, number> = {};
  let held = Promise.resolve();
  let [orderId, lastKey] = ['', key];
  const signed: string[] = [];
  const sent: number[] = [];
  const unstored: string[] = [];
  const venue = await startVenue(async (request) => {
    const usual = answerAsUsual(request, answers, counts, orderId);
    const dated = (reply: Reply): Reply =>
      typeof reply === 'object'
        ? { ...reply, headers: { date: new Date(Date.now()).toUTCString(), ...reply.headers } }
        : reply;
    if (`${request.method} ${request.path}` !== 'POST /order') return dated(usual());
    const answered = held;
    const payload = JSON.stringify(JSON.parse(request.body).order);
    if (!signed.includes(payload)) signed.push(payload);
    sent.push(signed.indexOf(payload));
    const record = await store.read(lastKey);
    if (stateOf(record) !== 'open' || record?.orderId !== orderId) unstored.push(orderId);
    await answered;
    return dated(usual());
  });
  let current: Step | undefined;
  const kept = whenCalled(store, (name) => {
    if (name === current?.failing) throw new Error('down');
    return name === 'create' ? current?.atWrite?.(venue) : undefined;
  });
  const noting: OrderStore = {
    read: kept.read,
    write: (name, ...rest) => {
      lastKey = name;
      return kept.write(name, ...rest);
    },
  };
  const open = (changes: Step['restarts'] = {}) => {
    const real = createOrderEntry({ ...accountSettings(venue.url), ...changes }, log);
    const sign: OrderEntry['sign'] = async (...asked) => {
      const order = await real.sign(...asked);
      ({ orderId } = order);
      return order;
    };
    const { walletAddress = real.walletAddress, signedFor = real.signedFor } = changes;
    return createOrders({ entry: { ...real, sign, walletAddress, signedFor }, store: noting, log });
  };
  let orders = open();
  let begun: ReturnType<typeof endOf> | undefined;
  let arrive = () => {};

  const ask = (step: Step) => {
    const expiresAt = step.endsInMs === undefined ? null : begunAt + step.endsInMs;
    const order = { ...limitOrder(), expiresAt, ...step.asks };
    const { client = null } = step;
    const idempotencyKey = step.key === null ? undefined : key;
    const request = { order, idempotencyKey, client, requestId: 'r-1', caller: 'me' };
    return endOf(orders.place(request, callWithin(step.budgetMs ?? ORDER_BUDGET_MS)), idempotencyKey);
  };

  /** Lets a request go as far as the venue, where its answer is held back. */
  async function begin(step: Step) {
    const { promise, resolve } = Promise.withResolvers<void>();
    [held, arrive] = [promise, resolve];
    const before = sent.length;
    begun = ask(step);
    while (sent.length === before) await new Promise((resolve) => setImmediate(resolve));
    held = Promise.resolve();
    return { ends: 'begun', cause: undefined, says: '' };
  }

  async function run(step: Step) {
    pass(step.after ?? 0);
    current = step;
    if (step.held !== 'arrives') [answers, counts] = [step, {}];
    if (step.restarts) orders = open(step.restarts);
    if (step.held === 'begins') return begin(step);
    if (step.held !== 'arrives' || !begun) return ask(step);
    arrive();
    return begun;
  }

  const found: unknown[] = [];
  for (const step of steps) {
    const seen = lines.length;
    const startedAt = Date.now() + (step.after ?? 0);
    const { ends, cause, says } = await run(step);
    current = undefined;
    const errors = lines.slice(seen).filter(({ level }) => level === 'error');
    found.push({
      ends,
      sent: sent.map((index) => 'ABC'[index]).join(''),
      kept: stateOf(await store.read(step.key === null ? lastKey : key)),
      looks: step.looks && [counts['order'] ?? 0, counts['trades'] ?? 0],
      tookMs: step.tookMs && Date.now() - startedAt,
      logs: errors.map(({ message }) => message),
      cause: step.cause && cause,
      says: step.says && (says.includes(step.says) ? step.says : says),
    });
  }
  return { found, unstored, lines, venue, record: await store.read(lastKey) };
}

/** Returns what `play` finds where every step comes to what it states. */
export function expected(steps: readonly Step[]): unknown[] {
  return steps.map(({ ends, sent, kept, looks, tookMs, logs = [], cause, says }) => ({
    ...{ ends, sent, kept, looks, tookMs, logs, cause, says },
  }));
}
