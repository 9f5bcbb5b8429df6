import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { placementOf } from '../../../functions/orders/endpoint.ts';
import { openOrderStore } from '../../../local/file-store/store.ts';
import { parseDecimal } from '../../../shared/decimal.ts';
import { AppError } from '../../../shared/errors.ts';
import { LEASE_MS, ORDER_BUDGET_MS } from '../../../shared/limits.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { dayOf, type OrderStore, type Over } from '../../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import { encodeRecord, type OrderRecord, versionOf } from '../../../shared/orders/record.ts';
import type { OrderRequest } from '../../../shared/orders/turn.ts';
import { createOrderEntry } from '../../../shared/venue/polymarket/order-entry.ts';
import type { OrderEntry } from '../../../shared/venue/port.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { collectLog } from '../service/collected-log.ts';
import { callWithin, type ScriptedVenue, startVenue } from '../venue/scripted-venue.ts';
import type { Changes, End, Step, StoreCall } from './fate-steps.ts';
import { expectCounted } from './order-store-contract.ts';
import { accountSettings, answerAsUsual, limitOrder } from './trading-world.ts';

/** The real stores by name, each as two processes have opened it; only one can open a file. */
export const STORES = {
  'a file': async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fates-'));
    const store = openOrderStore(join(folder, 'orders.db'));
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
type Pass = (milliseconds: number, clock?: 'wall') => void;

/** A step at work: its calls of the store, and its requests of the venue by path. */
interface Working {
  readonly step: Partial<Step>;
  readonly calls: StoreCall[];
  readonly counts: Record<string, number>;
}

/** What a step has left behind. */
interface Seen {
  readonly record: OrderRecord | undefined;
  readonly lines: readonly Line[];
  readonly tookMs: number;
}

/** Sums up a line that is an error or is counted. */
function summaryOf({ message, metric, record, error }: Line): string {
  const { code, order_id, message: cause }: Line = Object.assign({}, record, error);
  return [message, metric && `[${metric}]`, code ?? order_id ?? cause].filter(Boolean).join(' ');
}

/** A row at work: one key, a venue on a socket, and a store. */
class Stage {
  readonly key = `fate-${crypto.randomUUID()}`;
  readonly found: unknown[] = [];
  /** What no step may do: a sending without its record, an answer before its write, bytes of an ended order. */
  readonly faults: string[] = [];
  readonly #handles: readonly [OrderStore, OrderStore];
  readonly #pass: Pass;
  readonly #begunAt: number;
  readonly #collected = collectLog();
  /** The ids of orders by their signatures, and the signatures that have reached the venue. */
  readonly #signed = new Map<string, string>();
  readonly #sent: string[] = [];
  /** Requests whose answers are held back. */
  readonly #waiting: { readonly arrive: () => void; readonly end: Promise<Answered> }[] = [];
  #now: Working = { step: {}, calls: [], counts: {} };
  /** The last request, without its key. */
  #asked: Omit<OrderRequest, 'idempotencyKey'> | undefined;
  /** Calls of the store that are not over. */
  #pending = 0;
  /** The key of the last write. */
  #lastKey = this.key;
  /** The venue answers no order before this, and tells that one has come. */
  #held = Promise.resolve();
  #onPost = () => {};
  /** The milliseconds by which the venue's clock is ahead of ours. */
  #venueAheadMs = 0;
  #venue: ScriptedVenue | undefined;
  #orders: Orders | undefined;

  constructor(handles: readonly [OrderStore, OrderStore], pass: Pass) {
    // At midnight of a day of its own; whole seconds, as the venue tells its time.
    pass(DAY_MS - (Date.now() % DAY_MS));
    [this.#handles, this.#pass, this.#begunAt] = [handles, pass, Date.now()];
  }

  async play(steps: readonly Step[]): Promise<void> {
    let lastId = '';
    this.#venue = await startVenue(async (request) => {
      const isOrder = `${request.method} ${request.path}` === 'POST /order';
      const { signature = '' } = isOrder ? JSON.parse(request.body).order : {};
      lastId = this.#signed.get(signature) ?? lastId;
      const { step, counts } = this.#now;
      const time = () => ({ body: String(Math.floor(this.#venueNow() / 1_000)) });
      const answer = answerAsUsual(request, { time, ...step }, counts, lastId);
      if (isOrder) await this.#takeOrder(signature, lastId);
      const reply = answer();
      if (typeof reply !== 'object') return reply;
      return { ...reply, headers: { date: new Date(this.#venueNow()).toUTCString(), ...reply.headers } };
    });
    this.#orders = this.#open();
    for (const step of steps) await this.#run(step);
    while (this.#waiting.length > 0) await this.#arrive();
  }

  #venueNow(): number {
    return Date.now() + this.#venueAheadMs;
  }

  /** An order comes to the venue: it was stored, and its line written, before. */
  async #takeOrder(signature: string, orderId: string): Promise<void> {
    const [isFirst, answered] = [!this.#sent.includes(signature), this.#held];
    this.#sent.push(signature);
    const record = await this.#handles[0].read(this.#lastKey);
    if (stateOf(record) !== 'open' || record?.orderId !== orderId) this.faults.push(`not stored: ${orderId}`);
    const { requestId, caller, client, terms: order } = record ?? {};
    // A repeat may come from another one.
    if (isFirst && !isDeepStrictEqual({ requestId, caller, client, order }, this.#asked)) {
      this.faults.push(`stored for another request: ${JSON.stringify(record)}`);
    }
    const hash = this.#lastKey === this.key ? createHash('sha256').update(this.key).digest('hex') : undefined;
    const expected = ['order signed', orderId, REQUEST.requestId, hash];
    const isLogged = this.#collected.lines.some(({ message, order_id, request_id, idempotency_key_sha256 }) =>
      isDeepStrictEqual([message, order_id, request_id, idempotency_key_sha256], expected),
    );
    if (!isLogged) this.faults.push(`no line: ${orderId}`);
    this.#onPost();
    await answered;
  }

  /** A handle of the store, on whose calls the steps act. */
  #watch(handle: OrderStore): OrderStore {
    const call = async <T>(name: StoreCall, act: () => Promise<T>): Promise<T> => {
      const { step, calls } = this.#now;
      calls.push(name);
      if (name === step.failing) throw new Error('down');
      if (name === 'create' && this.#venue) step.atWrite?.(this.#venue);
      const count = calls.filter((each) => each === name).length;
      if (name === step.meanwhile?.before && count === (step.meanwhile.nth ?? 1)) await this.#run(step.meanwhile);
      this.#pending += 1;
      return act().finally(() => {
        this.#pending -= 1;
      });
    };
    return {
      read: (key) => call('read', () => handle.read(key)),
      write: (key, record, over, counts) => {
        this.#lastKey = key;
        this.#checkWrite(record, over);
        return call(over === 'nothing' ? 'create' : 'replace', () => handle.write(key, record, over, counts));
      },
    };
  }

  #open({ cap = '', clientCap = '', ...changes }: Changes = {}, handle = this.#handles[0]): Orders {
    const { log } = this.#collected;
    const real = createOrderEntry({ ...accountSettings(this.#venue?.url ?? ''), ...changes }, log);
    const sign: OrderEntry['sign'] = async (...asked) => {
      const order = await real.sign(...asked);
      this.#signed.set(JSON.parse(order.payload).signature, order.orderId);
      return order;
    };
    const { walletAddress = real.walletAddress, signedFor = real.signedFor, submit = real.submit } = changes;
    const entry = { ...real, sign, walletAddress, signedFor, submit };
    const caps = { maxDailyNotional: parseDecimal(cap), maxDailyNotionalPerClient: parseDecimal(clientCap) };
    return createOrders({ entry, store: this.#watch(handle), log, ...caps });
  }

  async #ask(step: Step, by = this.#orders): Promise<Answered> {
    const expiresAt = step.endsInMs === undefined ? null : this.#begunAt + step.endsInMs;
    const order = { ...limitOrder(), expiresAt, ...step.asks };
    const idempotencyKey = step.key === null ? undefined : this.key;
    this.#asked = { ...REQUEST, order, client: step.client ?? null };
    const call = { ...callWithin(step.budgetMs ?? ORDER_BUDGET_MS), trace: { request_id: REQUEST.requestId } };
    return by ? endOf(by.place({ ...this.#asked, idempotencyKey }, call), idempotencyKey) : { ends: 'no service' };
  }

  /** Lets a request go as far as the venue, where its answer is held back. */
  async #begin(step: Step): Promise<Answered> {
    const [answer, posted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    [this.#held, this.#onPost] = [answer.promise, posted.resolve];
    const end = this.#ask(step);
    await Promise.race([posted.promise, end]);
    [this.#held, this.#onPost] = [Promise.resolve(), () => {}];
    this.#waiting.push({ arrive: answer.resolve, end });
    return { ends: 'begun' };
  }

  async #arrive(): Promise<Answered> {
    const { arrive, end } = this.#waiting.shift() ?? {};
    arrive?.();
    return (await end) ?? { ends: 'nothing was held back' };
  }

  /** The venue answers once every other request has its answer, or has reached the venue as well. */
  async #askAtOnce(step: Step, times: number): Promise<Answered> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let over = 0;
    this.#held = promise;
    this.#onPost = () => {
      over += 1;
      if (over === times) resolve();
    };
    const processes = this.#handles.map((handle) => this.#open(step.restarts, handle));
    const each = Array.from({ length: times }, (_, index) =>
      this.#ask(step, processes[index % 2]).finally(this.#onPost),
    );
    const ends = await Promise.all(each);
    [this.#held, this.#onPost] = [Promise.resolve(), () => {}];
    const [first, ...others] = ends.filter((end) => end.ends !== `order_in_progress ${LEASE_MS / 1_000}`);
    return first && others.length === 0 ? first : { ends: ends.map((end) => end.ends).join(', ') };
  }

  async #endOf(step: Step): Promise<Answered> {
    if (step.held === 'arrives') return this.#arrive();
    if (step.restarts) this.#orders = this.#open(step.restarts);
    if (step.held === 'begins') return this.#begin(step);
    return step.atOnce === undefined ? this.#ask(step) : this.#askAtOnce(step, step.atOnce);
  }

  /** Runs a step, and notes what it came to. */
  async #run(step: Step): Promise<void> {
    this.#pass(step.after ?? 0);
    this.#pass(step.clockSet ?? 0, 'wall');
    this.#pass(step.ownClockSet ?? 0, 'wall');
    this.#venueAheadMs -= step.ownClockSet ?? 0;
    const [store] = this.#handles;
    const { lines } = this.#collected;
    await step.tamper?.(store, this.key);
    const outer = this.#now;
    const now = { step, calls: [], counts: {} };
    this.#now = now;
    const [seen, startedAt, signedBefore] = [lines.length, Date.now(), this.#signed.size];
    const isKnown = step.key !== null && (await store.read(this.key)) !== undefined;
    const answered = await this.#endOf(step);
    this.#checkAnswer(answered, isKnown || this.#signed.size > signedBefore);
    const record = await store.read(step.key === null ? this.#lastKey : this.key);
    this.found.push(this.#sumUp(now, answered, { record, lines: lines.slice(seen), tookMs: Date.now() - startedAt }));
    for (const [index, units = 0] of (step.counted ?? []).entries()) {
      await expectCounted(store, dayOf(this.#begunAt + index * DAY_MS), BigInt(units * 1_000_000));
    }
    this.#now = outer;
  }

  /** The record of an ended order has no signed bytes, and a request with the record before it can no longer write. */
  #checkWrite(record: OrderRecord | undefined, over: Over): void {
    if (record?.state === 'finished' && encodeRecord(record).includes('payload')) this.faults.push('bytes are kept');
    const replaced = typeof over === 'object' && 'version' in over ? over.version : undefined;
    if (record && versionOf(record) === replaced) this.faults.push(`still replaceable: ${stateOf(record)}`);
  }

  #checkAnswer({ ends, problem }: Answered, hasOrder: boolean): void {
    if (this.#pending > 0) this.faults.push(`answered before its write: ${ends}`);
    const mustName = !NAMELESS.includes(problem?.code ?? '') && hasOrder;
    if (problem && problem.namesOrder !== mustName) this.faults.push(`names an order, or none: ${ends}`);
  }

  #sumUp(
    { step, calls, counts }: Working,
    { ends, cause, says = '' }: Answered,
    { record, lines, tookMs }: Seen,
  ): unknown {
    const audits = lines.filter(({ level }) => level === 'info');
    const told = lines.filter(({ level, metric }) => level === 'error' || metric);
    // A wrong clock is about every order.
    const isNamed = ({ order_id, request_id, metric }: Line) => request_id && (order_id ?? metric === 'wrong_clocks');
    if (![...audits, ...told].every(isNamed)) {
      this.faults.push('a line without its order');
    }
    const letters = [...new Set(this.#sent)];
    return {
      ends,
      sent: this.#sent.map((signature) => 'ABCDE'[letters.indexOf(signature)]).join(''),
      kept: stateOf(record),
      looks: step.looks && [counts['order'] ?? 0, counts['trades'] ?? 0],
      tookMs: step.tookMs && tookMs,
      logs: told.map(summaryOf),
      audits: step.audits && audits.map(({ message }) => message),
      calls: step.calls && calls,
      cause: step.cause && cause,
      says: step.says && (says.includes(step.says) ? step.says : says),
    };
  }
}

/** Plays the steps of a row. Returns what they came to, and what they may not do. */
export async function play(handles: readonly [OrderStore, OrderStore], steps: readonly Step[], pass: Pass) {
  const stage = new Stage(handles, pass);
  await stage.play(steps);
  const { found, faults } = stage;
  return { found, faults };
}
