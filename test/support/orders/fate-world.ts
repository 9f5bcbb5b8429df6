import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { placementOf } from '../../../functions/orders/endpoint.ts';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { parseDecimal } from '../../../shared/decimal.ts';
import { AppError } from '../../../shared/errors.ts';
import { LEASE_MS, ORDER_BUDGET_MS } from '../../../shared/limits.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { dayOf, type OrderStore } from '../../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import type { OrderClient, OrderRecord } from '../../../shared/orders/record.ts';
import type { OrderRequest } from '../../../shared/orders/turn.ts';
import { createOrderEntry, type OrderEntrySettings } from '../../../shared/venue/polymarket/order-entry.ts';
import type { LimitOrder, OrderEntry } from '../../../shared/venue/port.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { collectLog } from '../service/collected-log.ts';
import { callWithin, type Reply, type ScriptedVenue, type SeenRequest, startVenue } from '../venue/scripted-venue.ts';
import { expectCounted } from './order-store-contract.ts';
import { type Answers, accountSettings, answerAsUsual, limitOrder } from './trading-world.ts';

/** The calls of a store: a first record is created, another one replaced or deleted. */
type StoreCall = 'read' | 'create' | 'replace';

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
interface Changes
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
  /** Milliseconds by which somebody sets our clock and the venue's. */
  readonly clockSet?: number;
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

/** The real stores by name, each as two processes have opened it; only one can open a file. */
export const STORES = {
  'a file': async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fates-'));
    const store = openOrderStore({ path: join(folder, 'orders.db'), log: collectLog().log });
    return { handles: [store, store], close: () => store.close().then(() => rm(folder, { recursive: true })) };
  },
  'a table': async () => {
    const db = await startDynamoDb();
    // No call ends by these, however slow the machine is.
    const limits = { call: 60_000, connect: 60_000, attempt: 60_000 };
    return {
      handles: [createDynamoDbStore({ ...db, limits }), createDynamoDbStore({ ...db, limits })],
      close: db.close,
    };
  },
} satisfies Record<string, () => Promise<{ handles: [OrderStore, OrderStore]; close: () => Promise<unknown> }>>;

const DAY_MS = 86_400_000;
const REQUEST = { requestId: 'r-1', caller: 'arn:aws:iam::1:user/a' } as const;
/** The problems that name no order: whose it is, or what becomes of it, is not told. */
const NAMELESS = ['order_in_progress', 'idempotency_key_reused'];

function stateOf(record: OrderRecord | undefined): string {
  if (!record) return 'free';
  if (record.state === 'finished') return record.answer.result;
  return record.payload.includes('"signature":""') ? 'open unsigned' : 'open';
}

/** The answer to a request, in short. */
interface Answered extends Pick<End, 'ends'> {
  readonly cause?: string | undefined;
  readonly says?: string;
  readonly problem?: { readonly code: string; readonly namesOrder: boolean };
}

/** Sums up the answer to a request. */
async function endOf(placing: ReturnType<Orders['place']>, key: string | undefined): Promise<Answered> {
  try {
    const result = await placing;
    const { status } = placementOf(result, key);
    return { ends: result.replayed ? `${status} replayed` : status };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, retryAfter, facts, cause, message: says, replayed } = error;
    const parts = [code, facts['reason'], retryAfter, facts['venueReason'] && JSON.stringify(facts['venueReason'])];
    const ends = [...parts, replayed && 'replayed'].filter(Boolean).join(' ');
    const problem = { code, namesOrder: facts['orderId'] !== undefined };
    return { ends, cause: cause instanceof Error ? cause.message : undefined, says, problem };
  }
}

type Line = Readonly<Record<string, unknown>>;

/** Sums up a line that is an error or is counted. */
function summaryOf({ message, metric, record }: Line): string {
  const { code, order_id }: Line = { ...(typeof record === 'object' && record) };
  return [message, metric && `[${metric}]`, code ?? order_id].filter(Boolean).join(' ');
}

/** What a row has done so far. */
interface Stage {
  readonly key: string;
  readonly begunAt: number;
  readonly lines: readonly Line[];
  /** What no step may do: a sending without its record, an answer before its write, a problem without its order. */
  readonly faults: string[];
  /** The ids of orders by their signatures. */
  readonly signed: Map<string, string>;
  /** The signed bytes that have reached the venue. */
  readonly sent: string[];
  /** Requests whose answers are held back. */
  readonly waiting: { readonly arrive: () => void; readonly end: ReturnType<typeof endOf> }[];
  /** The step that is at work, and what it has done. */
  now: { step: Step; calls: StoreCall[] } | undefined;
  /** The last request, without its key. */
  asked: Omit<OrderRequest, 'idempotencyKey'> | undefined;
  /** The answers of the venue, and its requests by path. */
  answers: Answers;
  counts: Record<string, number>;
  /** Calls of the store that are not over. */
  pending: number;
  /** The key of the last write. */
  lastKey: string;
  /** The venue answers no order before this, and tells that one has come. */
  held: Promise<void>;
  onPost: () => void;
}

/** Holds that the order was stored, and its line written, before its bytes came. */
async function checkTrace({ key, lastKey, lines, faults, asked, sent }: Stage, store: OrderStore, id: string) {
  const record = await store.read(lastKey);
  if (stateOf(record) !== 'open' || record?.orderId !== id) faults.push(`not stored: ${id}`);
  const { requestId, caller, client, terms: order } = record ?? {};
  // A repeat may come from another one.
  const isFirst = sent.indexOf(String(sent.at(-1))) === sent.length - 1;
  if (isFirst && !isDeepStrictEqual({ requestId, caller, client, order }, asked)) {
    faults.push(`stored for another request: ${JSON.stringify(record)}`);
  }
  const isKeyed = !lastKey.startsWith('once');
  const idempotency_key_sha256 = isKeyed ? createHash('sha256').update(key).digest('hex') : undefined;
  const line = { level: 'info', message: 'order signed', order_id: id, request_id: 'r-1', idempotency_key_sha256 };
  const names = Object.keys(line);
  const isLogged = lines.some((seen) => names.every((name) => seen[name] === Reflect.get(line, name)));
  if (!isLogged) faults.push(`no line: ${id}`);
}

/** Starts the venue of a row. */
function startStageVenue(stage: Stage, store: OrderStore): Promise<ScriptedVenue> {
  const dated = (reply: Reply): Reply =>
    typeof reply === 'object'
      ? { ...reply, headers: { date: new Date(Date.now()).toUTCString(), ...reply.headers } }
      : reply;
  let lastId = '';
  return startVenue(async (request: SeenRequest) => {
    if (`${request.method} ${request.path}` !== 'POST /order') {
      return dated(answerAsUsual(request, stage.answers, stage.counts, lastId)());
    }
    const { order } = JSON.parse(request.body);
    lastId = stage.signed.get(order.signature) ?? '';
    const usual = answerAsUsual(request, stage.answers, stage.counts, lastId);
    stage.sent.push(order.signature);
    const answered = stage.held;
    await checkTrace(stage, store, lastId);
    stage.onPost();
    await answered;
    return dated(usual());
  });
}

/** One key, a venue on a socket and a store, through the steps of a row. */
export async function play(
  handles: readonly [OrderStore, OrderStore],
  steps: readonly Step[],
  pass: (milliseconds: number, clock?: 'wall') => void,
) {
  const [store] = handles;
  // At midnight of a day of its own; whole seconds, as the venue tells its time.
  pass(DAY_MS - (Date.now() % DAY_MS));
  const key = `fate-${crypto.randomUUID()}`;
  const { log, lines } = collectLog();
  const stage: Stage = {
    ...{
      key,
      lines,
      begunAt: Date.now(),
      faults: [],
      signed: new Map(),
      sent: [],
      waiting: [],
      now: undefined,
      asked: undefined,
    },
    ...{ answers: {}, counts: {}, pending: 0, lastKey: key, held: Promise.resolve(), onPost: () => {} },
  };
  const venue = await startStageVenue(stage, store);
  const found: unknown[] = [];

  /** A handle of the store, on whose calls the steps act. */
  const watch = (handle: OrderStore): OrderStore => {
    const call = async <T>(name: StoreCall, act: () => Promise<T>): Promise<T> => {
      const { step, calls = [] } = stage.now ?? {};
      calls.push(name);
      if (name === step?.failing) throw new Error('down');
      if (name === 'create') step?.atWrite?.(venue);
      const { meanwhile } = step ?? {};
      const count = calls.filter((each) => each === name).length;
      if (name === meanwhile?.before && count === (meanwhile.nth ?? 1)) await run(meanwhile);
      stage.pending += 1;
      return act().finally(() => {
        stage.pending -= 1;
      });
    };
    return {
      read: (name) => call('read', () => handle.read(name)),
      write: (name, record, over, counts) => {
        stage.lastKey = name;
        return call(over === 'nothing' ? 'create' : 'replace', () => handle.write(name, record, over, counts));
      },
    };
  };

  const open = ({ cap = '', clientCap = '', ...changes }: Changes = {}, handle = store) => {
    const real = createOrderEntry({ ...accountSettings(venue.url), ...changes }, log);
    const sign: OrderEntry['sign'] = async (...asked) => {
      const order = await real.sign(...asked);
      stage.signed.set(JSON.parse(order.payload).signature, order.orderId);
      return order;
    };
    const { walletAddress = real.walletAddress, signedFor = real.signedFor, submit = real.submit } = changes;
    const entry = { ...real, sign, walletAddress, signedFor, submit };
    const caps = { maxDailyNotional: parseDecimal(cap), maxDailyNotionalPerClient: parseDecimal(clientCap) };
    return createOrders({ entry, store: watch(handle), log, ...caps });
  };
  let orders = open();

  const ask = (step: Step, by = orders) => {
    const expiresAt = step.endsInMs === undefined ? null : stage.begunAt + step.endsInMs;
    const order = { ...limitOrder(), expiresAt, ...step.asks };
    const idempotencyKey = step.key === null ? undefined : key;
    stage.asked = { ...REQUEST, order, client: step.client ?? null };
    const call = { ...callWithin(step.budgetMs ?? ORDER_BUDGET_MS), trace: { request_id: REQUEST.requestId } };
    return endOf(by.place({ ...stage.asked, idempotencyKey }, call), idempotencyKey);
  };

  /** Lets a request go as far as the venue, where its answer is held back. */
  async function begin(step: Step): Promise<Answered> {
    const [answer, posted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    [stage.held, stage.onPost] = [answer.promise, posted.resolve];
    const end = ask(step);
    await Promise.race([posted.promise, end]);
    [stage.held, stage.onPost] = [Promise.resolve(), () => {}];
    stage.waiting.push({ arrive: answer.resolve, end });
    return { ends: 'begun' };
  }

  function arrive() {
    const { arrive: come, end } = stage.waiting.shift() ?? {};
    come?.();
    return end;
  }

  /** The venue answers once every other request has its answer, or has reached the venue as well. */
  async function askAtOnce(step: Step, times: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let over = 0;
    stage.held = promise;
    stage.onPost = () => {
      over += 1;
      if (over === times) resolve();
    };
    const processes = handles.map((handle) => open(step.restarts, handle));
    const each = Array.from({ length: times }, (_, index) => ask(step, processes[index % 2]).finally(stage.onPost));
    const ends = await Promise.all(each);
    [stage.held, stage.onPost] = [Promise.resolve(), () => {}];
    const others = ends.filter(({ ends: end }) => end !== `order_in_progress ${LEASE_MS / 1_000}`);
    if (others.length !== 1) stage.faults.push(`at once: ${ends.map(({ ends: end }) => end).join(', ')}`);
    return others[0];
  }

  async function endOfStep(step: Step): Promise<Answered | undefined> {
    if (step.held === 'arrives') return arrive();
    if (step.restarts) orders = open(step.restarts);
    if (step.held === 'begins') return begin(step);
    return step.atOnce === undefined ? ask(step) : askAtOnce(step, step.atOnce);
  }

  /** Runs a step, and notes what it came to. */
  async function run(step: Step): Promise<void> {
    pass(step.after ?? 0);
    pass(step.clockSet ?? 0, 'wall');
    const { now: outer, answers, counts } = stage;
    await step.tamper?.(store, key);
    const calls: StoreCall[] = [];
    stage.now = { step, calls };
    [stage.answers, stage.counts] = [step, {}];
    const [seen, startedAt, signedBefore] = [lines.length, Date.now(), stage.signed.size];
    const isKnown = step.key !== null && (await store.read(key)) !== undefined;
    const { ends, cause, says = '', problem } = (await endOfStep(step)) ?? { ends: 'nothing' };
    if (stage.pending > 0) stage.faults.push(`answered before its write: ${ends}`);
    const mustName = !NAMELESS.includes(problem?.code ?? '') && (isKnown || stage.signed.size > signedBefore);
    if (problem && problem.namesOrder !== mustName) stage.faults.push(`names an order, or none: ${ends}`);
    const own = lines.slice(seen);
    const told = own.filter(({ level, metric }) => level === 'error' || metric);
    if (!told.every(({ order_id, request_id }) => order_id && request_id))
      stage.faults.push('a line without its order');
    const looks = step.looks && [stage.counts['order'] ?? 0, stage.counts['trades'] ?? 0];
    const letters = [...new Set(stage.sent)];
    found.push({
      ends,
      sent: stage.sent.map((signature) => 'ABCDE'[letters.indexOf(signature)]).join(''),
      kept: stateOf(await store.read(step.key === null ? stage.lastKey : key)),
      looks,
      tookMs: step.tookMs && Date.now() - startedAt,
      logs: told.map(summaryOf),
      audits: step.audits && own.filter(({ level }) => level === 'info').map(({ message }) => message),
      calls: step.calls && calls,
      cause: step.cause && cause,
      says: step.says && (says.includes(step.says) ? step.says : says),
    });
    for (const [index, units = 0] of (step.counted ?? []).entries()) {
      await expectCounted(store, dayOf(stage.begunAt + index * DAY_MS), BigInt(units * 1_000_000));
    }
    [stage.now, stage.answers, stage.counts] = [outer, answers, counts];
  }

  for (const step of steps) await run(step);
  while (stage.waiting.length > 0) await arrive();
  return { found, faults: stage.faults };
}

/** Returns what `play` finds where every step comes to what it states. */
export function expected(steps: readonly Step[]): unknown[] {
  return steps.flatMap(({ meanwhile, ends, sent, kept, looks, tookMs, logs = [], audits, calls, cause, says }) => [
    ...(meanwhile ? expected([meanwhile]) : []),
    { ends, sent, kept, looks, tookMs, logs, audits, calls, cause, says },
  ]);
}
