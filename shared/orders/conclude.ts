import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import { KEEP_MS, KEPT_AFTER_USE_MS } from '../limits.ts';
import type { Fate } from '../venue/port.ts';
import { countsOf, type DayCount, giveBack, type Over } from './order-store.ts';
import {
  type FinalAnswer,
  type FinishedOrder,
  type OrderRecord,
  toRefusal,
  versionOf,
  withoutSignature,
} from './record.ts';
import { type OrderResult, orderInProgress, type Placing, type Turn, traceOf } from './turn.ts';

type FateOf<Kind extends Fate['kind']> = Extract<Fate, { readonly kind: Kind }>;

/** Stores the fate of an order, then answers; 409 `order_in_progress` where another request has taken over and may still place it. */
export async function conclude(turn: Turn, fate: Fate): Promise<OrderResult> {
  switch (fate.kind) {
    case 'placed':
      return concludePlaced(turn, fate);
    case 'refused':
      return concludeRefused(turn, fate);
    case 'not_taken':
      return concludeNotTaken(turn, fate);
    case 'unknown':
      // After the lease ends, another request may own the record.
      if (fate.why === 'lease_ended') logFault(turn, 'lease ended');
      else await keepOpen(turn, fate);
      return ownResult(turn, fate);
  }
}

/** Replays a finished order, and keeps its record longer if the record expires soon. */
export async function replay(record: FinishedOrder, placing: Placing): Promise<OrderResult> {
  const { store, log, key, call } = placing;
  const now = placing.now();
  if (record.keepUntil - now < KEPT_AFTER_USE_MS) {
    try {
      await store.write(key, { ...record, keepUntil: now + KEEP_MS }, { version: versionOf(record) });
    } catch (error) {
      log.error('retention of the final answer not extended', { order_id: record.orderId, ...call.trace, error });
    }
  }
  return replayed(record);
}

function replayed({ orderId, answer }: FinishedOrder): OrderResult {
  if (answer.result === 'placed') {
    return { orderId, fate: { kind: 'placed', placement: answer.placement }, replayed: true };
  }
  if (answer.result === 'not_taken') throw new Error('an order without a key was asked for again');
  const { code, detail, facts } = answer;
  return {
    orderId,
    fate: { kind: 'refused', error: new AppError(detail, { code, facts, replayed: true }) },
    replayed: true,
  };
}

function ownResult({ record }: Turn, fate: Fate): OrderResult {
  return { orderId: record.orderId, fate, replayed: false };
}

function logFault(turn: Turn, message: string, error?: unknown): void {
  turn.placing.log.error(message, { ...traceOf(turn), ...(error !== undefined && { error }), metric: 'lease_faults' });
}

/** Returns the record with a final answer, without signed bytes. */
function finish({ record, placing }: Turn, answer: FinalAnswer): FinishedOrder {
  const {
    payload: _bytes,
    sendableUntil: _until,
    lease: _lease,
    unconfirmedAt: _unconfirmed,
    venueReason: _reason,
    ...common
  } = record;
  const countedOn = answer.result === 'placed' ? record.countedOn : null;
  return { ...common, countedOn, state: 'finished', answer, keepUntil: placing.now() + KEEP_MS };
}

/** Stores a final answer. Returns `written`, the record that stands instead, or `undefined` if the store failed. */
async function storeAnswer(
  turn: Turn,
  record: FinishedOrder,
  over: Over,
  counts: readonly DayCount[] = [],
): Promise<'written' | OrderRecord | undefined> {
  const { store, key } = turn.placing;
  try {
    const written = await store.write(key, record, over, counts);
    if (written === 'written') return written;
    if ('standing' in written && written.standing) return written.standing;
    logFault(turn, 'final answer not stored');
  } catch (error) {
    logFault(turn, 'final answer not stored', error);
  }
  return undefined;
}

/** Names the record of this request; another one may have taken over. */
function own({ record }: Turn): Over {
  return { version: versionOf(record) };
}

/**
 * A placement never becomes untrue: it replaces any other record of the order. The caller waits for the write: a Lambda
 * function freezes once it has answered, and the venue forgets filled orders.
 */
async function concludePlaced(turn: Turn, fate: FateOf<'placed'>): Promise<OrderResult> {
  const { orderId } = turn.record;
  const record = finish(turn, { result: 'placed', placement: fate.placement });
  const standing = await storeAnswer(turn, record, { unfinished: orderId });
  if (standing === undefined || standing === 'written') return ownResult(turn, fate);
  const contradiction = { ...traceOf(turn), metric: 'contradicted_records' } as const;
  if (standing.orderId !== orderId) {
    const other = { order_id: standing.orderId };
    turn.placing.log.error('placed order superseded: its idempotency key now belongs to another order', {
      ...contradiction,
      record: other,
    });
    return ownResult(turn, fate);
  }
  if (standing.state === 'finished' && standing.answer.result === 'placed') return replayed(standing);
  const answer = standing.state === 'finished' ? standing.answer : null;
  turn.placing.log.error('placed order contradicts its record', { ...contradiction, record: answer });
  // Its notional counts again, even above the cap: the order exists.
  const written = await storeAnswer(turn, record, { version: versionOf(standing) }, countsOf(record));
  if (written !== 'written') logFault(turn, 'final answer not stored');
  return ownResult(turn, fate);
}

/**
 * A refusal is final only for the holder of the lease: a request that has taken over may be sending the same bytes, and the
 * venue may take them this time. All requests get the answer that was stored first.
 */
async function concludeRefused(turn: Turn, fate: FateOf<'refused'>): Promise<OrderResult> {
  const record = finish(turn, toRefusal(fate.error));
  const standing = await storeAnswer(turn, record, own(turn), giveBack(turn.record));
  if (standing === 'written') return ownResult(turn, fate);
  if (standing) return overtaken(turn, standing);
  return ownResult(turn, { kind: 'unknown', why: 'refusal_not_stored', sentAt: null, cause: fate.error });
}

/** The venue did not take this attempt, but may take that of a request that took over. */
async function concludeNotTaken(turn: Turn, fate: FateOf<'not_taken'>): Promise<OrderResult> {
  if (turn.placing.idempotencyKey === undefined) {
    // Nobody can repeat an order without a key: its notional is given back.
    await storeAnswer(turn, finish(turn, { result: 'not_taken' }), own(turn), giveBack(turn.record));
    return ownResult(turn, fate);
  }
  const standing = await keepOpen(turn, fate);
  return standing === 'released' ? ownResult(turn, fate) : overtaken(turn, standing);
}

/** Returns the answer of a request that has taken over; 409 while it has none. */
function overtaken({ record, placing }: Turn, standing: OrderRecord | undefined): OrderResult {
  if (standing?.state === 'finished' && standing.orderId === record.orderId) return replayed(standing);
  throw orderInProgress(placing, standing);
}

/**
 * Releases the lease for the next repeat; deletes the record if a message of the venue frees the key and no attempt is in doubt.
 * Returns `released`, the record of a request that took over, or `undefined` if that cannot be known.
 */
async function keepOpen(
  turn: Turn,
  fate: FateOf<'not_taken' | 'unknown'>,
): Promise<'released' | OrderRecord | undefined> {
  const { record, unconfirmedBefore, placing } = turn;
  const { store, key } = placing;
  const sentAt = fate.kind === 'unknown' ? fate.sentAt : null;
  // Since the lease began our clock may have been set back.
  const begunAt = record.lease.until - placing.leaseMs;
  const unconfirmedAt = sentAt === null ? unconfirmedBefore : Math.max(sentAt, begunAt, unconfirmedBefore ?? 0);
  const venueReason = (fate.kind === 'unknown' && fate.venueReason) || record.venueReason;
  const isFreed = fate.kind === 'not_taken' && fate.freesKey && unconfirmedAt === null;
  // Changes the owner: a request with the old record can no longer take it over.
  const lease = { owner: randomUUID(), until: 0 };
  // Nobody can repeat an order without a key.
  const kept = placing.idempotencyKey === undefined ? withoutSignature(record) : record;
  const open = { ...kept, unconfirmedAt, venueReason, lease };
  try {
    const written = isFreed
      ? await store.write(key, undefined, own(turn), giveBack(record))
      : await store.write(key, open, own(turn));
    if (written === 'written') return 'released';
    return 'standing' in written ? written.standing : undefined;
  } catch (error) {
    logFault(turn, 'lease not released', error);
    // No other request takes over before the lease ends.
    return placing.now() < record.lease.until ? 'released' : undefined;
  }
}
