import { setTimeout as sleep } from 'node:timers/promises';
import type { SignatureType } from '../../account.ts';
import type { Call } from '../../call.ts';
import { AppError, refuse } from '../../errors.ts';
import { TransportError } from '../../http/exchange.ts';
import {
  LOOK_UP_PAUSES_MS,
  LOOK_UP_RESERVE_MS,
  MAX_ANSWER_BYTES,
  MIN_SEND_MS,
  SEND_MS,
  SETTLE_PAUSES_MS,
  UNKNOWN_WORDS_RETRY_MS,
} from '../../limits.ts';
import type { Fate, OrderEntry, SendingCall, SignedOrder } from '../port.ts';
import { createOrderFinder, type LookUp } from './calls/find-order.ts';
import { notTaken, orderBody, type Posted, readPosted, type Unconfirmed } from './calls/post-order.ts';
import { rejected } from './calls/sentences.ts';
import { cleanVenueReason, secretsOf } from './calls/venue-text.ts';
import { type AccountDeps, createAccountSender, createSignedSender } from './http/signed-requests.ts';
import type { Transport } from './http/transport.ts';

/**
 * The fate of a signed order, as far as the venue proves it:
 *
 *   submit ─┐
 *           ├─> send ─┬─ the venue took it ─────────────────────────────────────────────────> placed
 *   settle ─┤         ├─ a sentence that names a check before the book ─────────────────────> refused, or not taken
 *     │     │         ├─ the venue did not look at it (425, 429, JSON 401), or no byte left ─> not taken
 *     │     │         └─ anything else: unconfirmed
 *     │     │               └─> look up order and trades ─┬─ found ─────────────────────────> placed
 *     │     │                   (LOOK_UP_PAUSES_MS)       ├─ every look-up usable, all empty,
 *     │     │                                             │  and its message is known ──────> refused, or not taken
 *     │     │                                             └─ nothing settles it ────────────> unknown
 *     └─> look up the order ─┬─ found ─> placed
 *           ▲                ├─ not found ─> send ─ refused or not taken ─> look up order and trades ─┬─ found ─> placed
 *           │                │                                                                        ├─ empty ─> it
 *     (sent before)          └─ cannot be asked ─> unknown                                            └─ else ─> unknown
 *
 * A refusal by `settle` is about its own attempt; the caller checks whether an earlier one may still arrive.
 */
export type Submissions = Pick<OrderEntry, 'submit' | 'settle' | 'lookUp'>;

type UnknownFate = Extract<Fate, { readonly kind: 'unknown' }>;

function unknown(cause: string | Error, sentAt: number | null, venueReason?: string): UnknownFate {
  const retryAfter = UNKNOWN_WORDS_RETRY_MS / 1_000;
  const said = venueReason !== undefined && { why: 'unknown_words' as const, venueReason, retryAfter };
  return { kind: 'unknown', why: 'sent', sentAt, ...said, cause: typeof cause === 'string' ? new Error(cause) : cause };
}

/** The lease ended before the order was sent: the venue has answered every byte that left. */
const LEASE_ENDED: UnknownFate = { kind: 'unknown', why: 'lease_ended', sentAt: null, cause: undefined };

/** The fate of an expired order if no look-up finds it: it is never sent again, and the venue would refuse it. */
function expired(): Unconfirmed {
  const error = refuse('order_rejected', { expired: true });
  return { kind: 'unconfirmed', why: 'the order has expired', said: { kind: 'refused', error } };
}

/** The fate of an order that the venue refused in an unknown message, if no look-up finds it. */
function refusedIn(reason: string): Unconfirmed {
  return { kind: 'unconfirmed', why: reason, said: rejected({ reason, retryAfter: undefined }) };
}

/** Reads a failure to send, which proves nothing as soon as a byte may have arrived. */
function readFailure(error: unknown): Posted {
  // There are no credentials to send it with.
  if (error instanceof AppError) return notTaken(error);
  if (!(error instanceof TransportError)) throw error;
  if (error.sent) return { kind: 'unconfirmed', why: error.kind };
  return notTaken(refuse('venue_unavailable', { why: 'order_not_sent' }, { cause: error }));
}

function hasTimeToSend({ deadline }: Call): boolean {
  return deadline - performance.now() >= LOOK_UP_RESERVE_MS + MIN_SEND_MS;
}

const POST_ORDER = { name: 'post-order', method: 'POST', path: '/order', maxBytes: MAX_ANSWER_BYTES.order } as const;

interface SubmissionDeps extends AccountDeps {
  /** Connections for orders only, so that no answer to another request is read as the answer to an order. */
  readonly orders: Transport;
  readonly signatureType: SignatureType;
  /** The account that holds the funds. */
  readonly maker: string;
  /** Makes the next order read the rules of the token again. */
  readonly forgetRules: (tokenId: string) => void;
  readonly checkClock: OrderEntry['checkClock'];
}

/** Sends and settles the orders of one account. */
export function createSubmissions(deps: SubmissionDeps): Submissions {
  const sendOrder = createSignedSender({ ...deps, clob: deps.orders });
  const find = createOrderFinder(createAccountSender(deps), deps.maker, deps.log);

  const hasExpired = ({ expiresAt }: SignedOrder) => expiresAt !== null && expiresAt <= Date.now();

  /** Returns the fate of a repeat while our clock may be wrong: nothing is sent, and no time proves a refusal. */
  async function wrongClock(call: Call): Promise<UnknownFate | undefined> {
    try {
      await deps.checkClock(call);
      return undefined;
    } catch (cause) {
      return { kind: 'unknown', why: 'clock', sentAt: null, cause };
    }
  }

  /** Sends an order, and looks it up where the answer proves nothing. */
  async function send(order: SignedOrder, call: SendingCall): Promise<Fate> {
    let sentAt: number | null = null;
    let posted: Posted;
    try {
      const used = await deps.credentials.get(call);
      const now = Date.now();
      if (now >= (call.leaseUntil ?? Number.POSITIVE_INFINITY)) return LEASE_ENDED;
      if (hasExpired(order)) {
        posted = expired();
      } else {
        sentAt = now;
        const timeLimit = Math.min(SEND_MS, call.deadline - performance.now() - LOOK_UP_RESERVE_MS);
        const request = { ...POST_ORDER, body: orderBody(order, used.key), timeLimit };
        const clean = (text: string) => cleanVenueReason(text, secretsOf(used));
        posted = readPosted(await sendOrder(request, used, call), order, clean, deps.signatureType);
      }
    } catch (error) {
      posted = readFailure(error);
    }
    const fate = posted.kind === 'unconfirmed' ? await lookUpUntilSettled(order, posted, sentAt, call) : posted;
    // The order may have broken rules that have changed.
    if (fate.kind === 'refused' || fate.kind === 'not_taken') deps.forgetRules(order.tokenId);
    return fate;
  }

  /** Looks the order up, and its trades if the venue does not show the order. */
  async function findWithTrades(order: SignedOrder, call: Call): Promise<LookUp> {
    const found = await find.order(order, call);
    if (found.kind === 'found') return found;
    const traded = await find.trades(order, call);
    return traded.kind === 'not_found' ? found : traded;
  }

  /** Looks an order up until it is found or the time is over. Returns `said` if all look-ups were usable and empty. */
  async function lookUpUntilSettled(
    order: SignedOrder,
    { why, said, unknownMessage, isFirewall }: Unconfirmed,
    sentAt: number | null,
    call: Call,
  ): Promise<Fate> {
    if (unknownMessage !== undefined) {
      const trace = { order_id: order.orderId, venue_reason: unknownMessage, ...call.trace };
      deps.log.error('unknown venue message: add a row to sentences.ts', trace);
    }
    let allEmpty = true;
    for (const [index, pause] of LOOK_UP_PAUSES_MS.entries()) {
      if (performance.now() + pause >= call.deadline) return unknown(why, sentAt, unknownMessage);
      await sleep(pause);
      // The venue usually shows an order at once; its trades are read from the second look-up on.
      const found = index === 0 ? await find.order(order, call) : await findWithTrades(order, call);
      if (found.kind === 'found') return found.fate;
      allEmpty &&= found.kind === 'not_found';
    }
    if (said && allEmpty) return said;
    return { ...unknown(why, sentAt, unknownMessage), ...(isFirewall && allEmpty && { why: 'firewall' as const }) };
  }

  /** Looks up an order of an earlier request; once more if the first look-up is unusable. */
  async function lookUpBefore(order: SignedOrder, call: Call): Promise<LookUp> {
    for (const pause of SETTLE_PAUSES_MS) {
      await sleep(pause);
      const found = await find.order(order, call);
      if (found.kind !== 'unusable') return found;
    }
    return { kind: 'unusable' };
  }

  async function lookUp(order: SignedOrder, call: Call, venueReason?: string | null): Promise<Fate> {
    const end = venueReason ? refusedIn(venueReason) : hasExpired(order) ? expired() : undefined;
    if (end) {
      const fate = await lookUpUntilSettled(order, end, null, call);
      return fate.kind === 'refused' ? ((await wrongClock(call)) ?? fate) : fate;
    }
    const found = await findWithTrades(order, call);
    return found.kind === 'found' ? found.fate : unknown(`a look-up ended with ${found.kind}`, null);
  }

  return {
    async submit(order, call) {
      if (!hasTimeToSend(call)) {
        return { kind: 'not_taken', error: refuse('venue_timeout', { order: 'not sent' }), freesKey: false };
      }
      return send(order, call);
    },

    async settle(order, call) {
      if (hasExpired(order)) return lookUp(order, call);
      const before = await lookUpBefore(order, call);
      if (before.kind === 'found') return before.fate;
      if (before.kind === 'unusable') return unknown('the venue cannot be asked', null);
      const stopped = await wrongClock(call);
      if (stopped) return stopped;
      if (!hasTimeToSend(call)) return unknown('no time left to send the order again', null);
      const fate = await send(order, call);
      if (fate.kind === 'placed' || fate.kind === 'unknown') return fate;
      // The venue may have taken the first attempt and refuse this one because of it.
      const after = await findWithTrades(order, call);
      if (after.kind === 'found') return after.fate;
      return after.kind === 'not_found' ? fate : unknown(fate.error, null);
    },

    lookUp,
  };
}
