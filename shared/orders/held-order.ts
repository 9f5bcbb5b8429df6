import { createHash, randomUUID } from 'node:crypto';
import { AppError, refuse } from '../errors.ts';
import { KEEP_MS, KEPT_AFTER_USE_MS, STORE_CALL_MS, UNKNOWN_WORDS_RETRY_MS } from '../limits.ts';
import type { Fate, SendingCall } from '../venue/port.ts';
import { countOf, giveBack } from './day-cap.ts';
import type { KeyedRequest, OrderResult, OrdersDeps } from './order-request.ts';
import {
  type DayCount,
  type Expected,
  encodeRecord,
  type FinalAnswer,
  type FinishedOrder,
  holderOf,
  laterOf,
  type OrderRecord,
  signedOrderOf,
  toRefusal,
  type UnfinishedOrder,
  type Written,
} from './record.ts';

/** Creates 409 `order_in_progress`. */
export function orderInProgress(remainingMs: number): AppError {
  return refuse('order_in_progress', {}, { retryAfter: Math.ceil(remainingMs / 1_000) });
}

/** Creates the 409 for a key that another request holds. `standing`: its record, `undefined` if unreadable. */
export function heldByAnother({ entry, leaseMs }: OrdersDeps, standing: OrderRecord | undefined): AppError {
  const remaining = standing?.state === 'unfinished' ? standing.lease.until - entry.now() : leaseMs;
  return orderInProgress(Math.min(Math.max(remaining, 1_000), leaseMs));
}

/** Creates a lease of nobody: a request that has read the record before does not take over what it has not read. */
function releasedLease(): UnfinishedOrder['lease'] {
  return { owner: randomUUID(), until: 0 };
}

function resultOf({ orderId, answer }: FinishedOrder, replayed: boolean): OrderResult {
  if (answer.result === 'placed') return { orderId, fate: { kind: 'placed', placement: answer.placement }, replayed };
  if (answer.result === 'not_taken') throw new Error('an order without a key was asked for again');
  const { code, detail, facts } = answer;
  return { orderId, fate: { kind: 'refused', error: new AppError(detail, { code, facts, replayed }) }, replayed };
}

/** Replays a stored answer, and keeps it for longer if its time is nearly over. */
export async function replayOf(
  record: FinishedOrder,
  deps: OrdersDeps,
  { key, call }: KeyedRequest,
): Promise<OrderResult> {
  const now = deps.entry.now();
  if (record.keepUntil - now < KEPT_AFTER_USE_MS) {
    try {
      const longer = { ...record, keepUntil: now + KEEP_MS };
      await deps.store.replace(key, longer, { keptUntil: record.keepUntil });
    } catch (error) {
      deps.log.error('final answer not kept for longer', { order_id: record.orderId, ...call.trace, error });
    }
  }
  return resultOf(record, true);
}

/** The sole right to send the order of a record, for the time of a lease. */
export interface Hold {
  /** `look_up`: the order may be looked up and not sent. */
  readonly send: 'first' | 'again' | 'look_up';
  readonly record: UnfinishedOrder;
  /** `unprovenAt` as it was before this request. */
  readonly unprovenBefore: number | null;
}

type FateOf<Kind extends Fate['kind']> = Extract<Fate, { readonly kind: Kind }>;

/** Another request may take the order over, or keep a refusal for longer, at the same moment. */
const MAX_OVERRULINGS = 3;

/** An order whose key a request holds: sent or looked up, its answer stored, the lease released. */
export class HeldOrder {
  readonly #deps: OrdersDeps;
  readonly #request: KeyedRequest;
  readonly #hold: Hold;
  readonly #orderId: string;

  constructor(deps: OrdersDeps, request: KeyedRequest, hold: Hold) {
    this.#deps = deps;
    this.#request = request;
    this.#hold = hold;
    this.#orderId = hold.record.orderId;
  }

  /** Hands the order to the venue and ends it by what came of that. */
  async place(): Promise<OrderResult> {
    if (this.#hold.send === 'first') this.#logSigned();
    const lateMs = this.#lateArrivalMs();
    const fate = this.#weigh(await this.#hand(), lateMs);
    switch (fate.kind) {
      case 'placed':
        return this.#concludePlaced(fate);
      case 'refused':
        return this.#concludeRefused(fate);
      case 'not_taken':
        return this.#concludeNotTaken(fate);
      case 'unknown':
        // The record of an ended lease is another's.
        if (fate.why === 'lease_ended') this.#logFault('lease ended');
        else await this.#release(fate);
        return this.#own(fate);
    }
  }

  #own(fate: Fate): OrderResult {
    return { orderId: this.#orderId, fate, replayed: false };
  }

  #trace() {
    return { order_id: this.#orderId, ...this.#request.call.trace };
  }

  #logFault(message: string, error?: unknown): void {
    this.#deps.log.error(message, { ...this.#trace(), ...(error !== undefined && { error }), metric: 'lease_faults' });
  }

  /** Logs the hash of the key, never the key itself. */
  #logSigned(): void {
    const { idempotencyKey } = this.#request;
    const named = idempotencyKey !== undefined && {
      idempotency_key_sha256: createHash('sha256').update(idempotencyKey).digest('hex'),
    };
    this.#deps.log.audit('order signed', { ...this.#trace(), ...named });
  }

  /** Returns false once the lease is over. */
  #isHeld(): boolean {
    return this.#deps.entry.now() < this.#hold.record.lease.until;
  }

  /** Hands the order to the venue. One of unknown fate counts as not taken where every sending, if any, provably was not. */
  async #hand(): Promise<Fate> {
    const { unprovenBefore } = this.#hold;
    const fate = await this.#ask();
    if (fate.kind !== 'unknown' || fate.why === 'lease_ended' || unprovenBefore !== null) return fate;
    if (fate.sentAt !== null) return fate;
    const error = refuse('venue_unavailable', { why: 'busy' }, { cause: fate.cause });
    return { kind: 'not_taken', error, refusesOperator: false };
  }

  /** Sends the order or looks it up. A fault of ours on the way proves nothing about the order. */
  async #ask(): Promise<Fate> {
    const { entry } = this.#deps;
    const { send, record } = this.#hold;
    const { call } = this.#request;
    // The process may freeze after it took the lease. Another request may then have taken over and answered a refusal,
    // which bytes sent now could make untrue. The time to store the answer is held back.
    const maySend = () => this.#isHeld();
    const bounded: SendingCall = { ...call, deadline: call.deadline - STORE_CALL_MS, maySend };
    const order = signedOrderOf(record);
    try {
      if (send === 'first') return await entry.submit(order, bounded);
      if (send === 'again') return await entry.settle(order, bounded);
      // The venue's earlier words count only once the order has had time to show.
      const venueReason = this.#lateArrivalMs() > 0 ? null : record.venueReason;
      return await entry.lookUp(order, bounded, venueReason);
    } catch (cause) {
      return { kind: 'unknown', why: 'sent', sentAt: entry.now(), cause };
    }
  }

  /** Returns the time in milliseconds for which an earlier sending may still arrive. */
  #lateArrivalMs(): number {
    const { unprovenBefore } = this.#hold;
    const { entry, lateArrivalMs } = this.#deps;
    if (unprovenBefore === null) return 0;
    const leftMs = unprovenBefore + lateArrivalMs - entry.now();
    return Math.min(Math.max(leftMs, 0), lateArrivalMs);
  }

  /**
   * While an earlier send may still arrive, a refusal proves nothing: returns `unknown` for it. `lateMs` is the time that was
   * left for that when the order was handed over: it counts though it is over by now, since the process may have stood
   * still after the refusal. If the venue refused the order in unknown words before, adds these words to an unknown fate.
   */
  #weigh(fate: Fate, lateMs: number): Fate {
    const venueReason = this.#hold.record.venueReason ?? undefined;
    const leftMs = this.#lateArrivalMs();
    if (fate.kind === 'unknown' && venueReason !== undefined) {
      const retryAfter = Math.ceil(Math.min(leftMs || UNKNOWN_WORDS_RETRY_MS, UNKNOWN_WORDS_RETRY_MS) / 1_000);
      return { ...fate, why: 'unknown_words', venueReason, retryAfter };
    }
    if (fate.kind === 'unknown') return fate;
    if (Math.max(lateMs, leftMs) <= 0 || fate.kind === 'placed') return fate;
    // A venue that is briefly busy asks for a shorter wait, after which it may take a repeat.
    const retryAfter = Math.min(Math.ceil(leftMs / 1_000) || 1, fate.error.retryAfter ?? Infinity);
    return { kind: 'unknown', why: 'earlier_sending', sentAt: null, retryAfter, cause: fate.error };
  }

  #finish(answer: FinalAnswer): FinishedOrder {
    const {
      payload: _signedBytes,
      lease: _ended,
      unprovenAt: _settled,
      venueReason: _told,
      isFreed: _used,
      ...common
    } = this.#hold.record;
    return { ...common, state: 'finished', answer, keepUntil: this.#deps.entry.now() + KEEP_MS };
  }

  /** Stores a final answer. Returns the record now under the key, or undefined if the store failed. */
  async #store(
    record: FinishedOrder,
    expected: Expected,
    counts?: readonly DayCount[],
  ): Promise<OrderRecord | undefined> {
    const { store } = this.#deps;
    const { key } = this.#request;
    try {
      return (await store.replace(key, record, expected, counts)) === 'written' ? record : await store.read(key);
    } catch (error) {
      this.#logFault('final answer not stored', error);
      return undefined;
    }
  }

  #asHolder(): Expected {
    return { heldBy: this.#hold.record.lease.owner };
  }

  /**
   * Stores that the order was placed, then answers so. This stays true regardless of who has the lease and of what was
   * stored before. The caller waits for the write (`STORE_CALL_MS` at most): a Lambda function freezes once it has
   * answered, and the venue forgets filled orders, so an answer that is not stored now may never be known again.
   */
  async #concludePlaced(fate: FateOf<'placed'>): Promise<OrderResult> {
    const orderId = this.#orderId;
    const record = this.#finish({ result: 'placed', placement: fate.placement });
    const own = this.#own(fate);
    const stored = this.#store(record, this.#asHolder());
    // Without a key no request can ask again: the record is for the operator and may be written after the answer.
    if (this.#request.idempotencyKey === undefined && this.#deps.store.outlivesAnswers) return own;
    let standing = await stored;
    // A request that has taken over holds the same order, except for a key that was freed since.
    for (let attempt = 0; attempt < MAX_OVERRULINGS; attempt += 1) {
      if (standing?.state !== 'unfinished' || standing.orderId !== orderId) break;
      standing = await this.#store(record, { heldBy: standing.lease.owner });
    }
    if (!standing || standing === record) return own;
    const { log } = this.#deps;
    const contradiction = { ...this.#trace(), metric: 'contradicted_records' } as const;
    if (standing.orderId !== orderId) {
      const other = { ...contradiction, record: { order_id: standing.orderId } };
      log.error('a placed order has lost its key to another one', other);
      return own;
    }
    if (standing.state !== 'finished') {
      this.#logFault('final answer not stored');
      return own;
    }
    if (standing.answer.result === 'placed') return isSame(standing, record) ? own : resultOf(standing, true);
    log.error('a placed order contradicts its record', { ...contradiction, record: standing.answer });
    await this.#overrule(standing, record);
    return own;
  }

  /** Replaces a refusal that was untrue. Its notional counts again, even above the cap: the order exists. */
  async #overrule(refusal: FinishedOrder, record: FinishedOrder): Promise<void> {
    let standing: OrderRecord | undefined = refusal;
    for (let attempt = 0; attempt < MAX_OVERRULINGS; attempt += 1) {
      if (standing?.state !== 'finished' || standing.orderId !== record.orderId) return;
      if (standing.answer.result === 'placed') return;
      standing = await this.#store(record, { keptUntil: standing.keepUntil }, countOf(record));
    }
  }

  /**
   * Stores a refusal, then answers it. It is final only for the holder of the lease: a request that has taken over may be
   * sending the same bytes, and the venue may take them this time. The first stored answer is everybody's answer.
   */
  async #concludeRefused(fate: FateOf<'refused'>): Promise<OrderResult> {
    const record = { ...this.#finish(toRefusal(fate.error)), countedOn: null };
    const standing = await this.#store(record, this.#asHolder(), giveBack(this.#hold.record));
    if (standing?.state === 'finished') return isSame(standing, record) ? this.#own(fate) : resultOf(standing, true);
    if (standing) throw heldByAnother(this.#deps, standing);
    return this.#own({ kind: 'unknown', why: 'refusal_not_stored', sentAt: null, cause: fate.error });
  }

  /** Ends a send that the venue did not take, though it may have taken that of a request that took over. */
  async #concludeNotTaken(fate: FateOf<'not_taken'>): Promise<OrderResult> {
    if (this.#request.idempotencyKey === undefined) {
      // Without a key it cannot be repeated: its notional is given back.
      const record = { ...this.#finish({ result: 'not_taken' }), countedOn: null };
      await this.#store(record, this.#asHolder(), giveBack(this.#hold.record));
      return this.#own(fate);
    }
    const standing = await this.#release(fate);
    if (standing === 'released') return this.#own(fate);
    if (standing?.state === 'finished') return resultOf(standing, true);
    throw heldByAnother(this.#deps, standing);
  }

  /**
   * Releases the lease, so that the next repeat proceeds at once with what is known now of the sendings; without it the
   * key is only blocked until the lease is over. Returns `released`, the record of a request that took over, or
   * `undefined` if that cannot be told.
   */
  async #release(fate: FateOf<'not_taken' | 'unknown'>): Promise<'released' | OrderRecord | undefined> {
    const { store } = this.#deps;
    const { key } = this.#request;
    const { record, unprovenBefore } = this.#hold;
    const sentAt = fate.kind === 'unknown' ? fate.sentAt : null;
    const unprovenAt = laterOf(sentAt, unprovenBefore);
    const isFreed = fate.kind === 'not_taken' && fate.refusesOperator && unprovenAt === null;
    const lease = releasedLease();
    const venueReason = (fate.kind === 'unknown' && fate.venueReason) || record.venueReason;
    const countedOn = isFreed ? null : record.countedOn;
    const open = { ...record, unprovenAt, venueReason, isFreed, countedOn, lease };
    let written: Written | undefined;
    try {
      written = await store.replace(key, open, this.#asHolder(), isFreed ? giveBack(record) : []);
      if (written === 'written') return 'released';
      const standing = await store.read(key);
      // A store's client repeats a write whose answer was lost, and then finds its own record.
      return standing && holderOf(standing) === lease.owner ? 'released' : standing;
    } catch (error) {
      this.#logFault('lease not released', error);
      // Where the store did not answer, no request takes over before the lease is over.
      return written === undefined && this.#isHeld() ? 'released' : undefined;
    }
  }
}

/** Returns true for our own record, which a store's client finds when it repeats a write whose answer was lost. */
function isSame(standing: FinishedOrder, record: FinishedOrder): boolean {
  return encodeRecord(standing) === encodeRecord(record);
}
