import { createHash } from 'node:crypto';
import { refuse } from '../errors.ts';
import { STORE_CALL_MS, UNKNOWN_WORDS_RETRY_MS } from '../limits.ts';
import type { Fate, SendingCall } from '../venue/port.ts';
import { type Turn, traceOf } from './turn.ts';

/** Sends a stored order or looks it up, and weighs the result against earlier attempts. Throws nothing. */
export async function attempt(turn: Turn): Promise<Fate> {
  if (turn.act === 'submit') logSigned(turn);
  // Measured before the venue was asked: the process may pause after a refusal.
  const lateMs = lateArrivalMs(turn);
  return weigh(turn, await ask(turn), lateMs);
}

/** Logs the hash of the key, never the key itself. */
function logSigned(turn: Turn): void {
  const { idempotencyKey, log } = turn.placing;
  const named = idempotencyKey !== undefined && {
    idempotency_key_sha256: createHash('sha256').update(idempotencyKey).digest('hex'),
  };
  log.audit('order signed', { ...traceOf(turn), ...named });
}

/** Asks the venue. An error of this service proves nothing about the order. */
async function ask(turn: Turn): Promise<Fate> {
  const { act, record, placing } = turn;
  const { entry, call, now } = placing;
  // The process may have stood still since it took the lease: another request may have taken over and answered a refusal,
  // which bytes sent now could make untrue. The time to store the answer is held back.
  const bounded: SendingCall = { ...call, deadline: call.deadline - STORE_CALL_MS, leaseUntil: record.lease.until };
  const { orderId, conditionId, payload, signedAt, terms } = record;
  const { tokenId, postOnly, expiresAt } = terms;
  const order = { orderId, tokenId, conditionId, postOnly, expiresAt, payload, signedAt };
  try {
    if (act === 'submit') return await entry.submit(order, bounded);
    if (act === 'settle') return await entry.settle(order, bounded);
    // The venue's earlier message counts only once the order has had time to show.
    return await entry.lookUp(order, bounded, lateArrivalMs(turn) > 0 ? null : record.venueReason);
  } catch (cause) {
    return { kind: 'unknown', why: 'sent', sentAt: now(), cause };
  }
}

/** Returns the time in milliseconds for which an earlier attempt may still arrive. */
function lateArrivalMs({ unconfirmedBefore, placing: { now, lateArrivalMs: mostMs } }: Turn): number {
  if (unconfirmedBefore === null) return 0;
  return Math.min(Math.max(unconfirmedBefore + mostMs - now(), 0), mostMs);
}

/** Weighs a fate against earlier attempts. `lateMs`: the time for their late arrival when the venue was asked. */
function weigh(turn: Turn, fate: Fate, lateMs: number): Fate {
  const { record, unconfirmedBefore } = turn;
  const leftMs = lateArrivalMs(turn);
  if (fate.kind === 'placed') return fate;
  if (fate.kind === 'unknown' && record.venueReason !== null) {
    // An earlier message was unknown: repeats report it too.
    const retryAfter = Math.ceil(Math.min(leftMs || UNKNOWN_WORDS_RETRY_MS, UNKNOWN_WORDS_RETRY_MS) / 1_000);
    return { ...fate, why: 'unknown_words', venueReason: record.venueReason, retryAfter };
  }
  if (fate.kind === 'unknown') {
    const isOfOurs = fate.why === 'lease_ended' || fate.why === 'clock';
    if (isOfOurs || fate.sentAt !== null || unconfirmedBefore !== null) return fate;
    // The venue provably took no attempt, and is unavailable now.
    return {
      kind: 'not_taken',
      error: refuse('venue_unavailable', { why: 'busy' }, { cause: fate.cause }),
      freesKey: false,
    };
  }
  if (lateMs <= 0 && leftMs <= 0) return fate;
  // While an earlier send may still arrive, a refusal of this one proves nothing. A venue that is briefly busy asks for a
  // shorter wait, after which it may take a repeat.
  const retryAfter = Math.min(Math.ceil(leftMs / 1_000) || 1, fate.error.retryAfter ?? Infinity);
  return { kind: 'unknown', why: 'earlier_sending', sentAt: null, retryAfter, cause: fate.error };
}
