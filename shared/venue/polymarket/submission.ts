import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, refuse } from '../../errors.ts';
import { LOOK_UP_PAUSES_MS, LOOK_UP_RESERVE_MS, MIN_SEND_MS, SEND_MS, SETTLE_PAUSES_MS } from '../../limits.ts';
import type { Call, Fate, SignedOrder } from '../port.ts';
import { createOrderFinder, type LookUp } from './calls/find-order.ts';
import { orderBody, type Posted, readPosted, type Unproven } from './calls/post-order.ts';
import { cleanVenueReason } from './calls/sentences.ts';
import { type AccountDeps, createAccountSender } from './http/account.ts';
import { TransportError } from './http/transport.ts';

/**
 * The fate of a signed order, built here and nowhere else:
 *
 *   submit ─┐
 *           ├─> send ─┬─ the venue took it ───────────────────────────────────────────────────> placed
 *   settle ─┤         ├─ a sentence of the venue that proves a refusal ───────────────────────> refused
 *     │     │         ├─ the venue did not look at it (425, 429, 401, 503), or no byte left ──> not taken
 *     │     │         └─ anything else: unproven
 *     │     │               └─> look up order and trades ─┬─ found ──────────> placed, or refused when it was cancelled
 *     │     │                   (LOOK_UP_PAUSES_MS)       ├─ no trace of it, and the answer said no ─> what it said
 *     │     │                                             └─ nothing settles it ─> unknown
 *     └─> look up the order ─┬─ found ─> placed, or refused when it was cancelled
 *           ▲                ├─ not found ─> send ─ refused or not taken ─> look up trades ─┬─ found ────> placed
 *           │                │                                                              ├─ none ─────> what was said
 *     (sent before)          └─ cannot be asked ─> unknown                                  └─ unusable ─> unknown
 */
export interface Submissions {
  /** Sends an order that was never sent. */
  submit(order: SignedOrder, call: Call): Promise<Fate>;
  /** Settles an order that may have been sent: looks it up, else sends the same bytes. */
  settle(order: SignedOrder, call: Call): Promise<Fate>;
}

function unknown(cause: string | Error): Fate {
  return { kind: 'unknown', why: 'sent', cause: typeof cause === 'string' ? new Error(cause) : cause };
}

/** Reads a failure to send, which proves nothing as soon as a byte may have arrived. */
function readFailure(error: unknown): Posted {
  // Raised before the order was sent: the account has no credentials to send it with.
  if (error instanceof AppError) return { kind: 'not_taken', error };
  if (!(error instanceof TransportError)) throw error;
  if (error.sent) return { kind: 'unproven', why: error.kind };
  return { kind: 'not_taken', error: refuse('venue_unavailable', { why: 'order_not_sent' }, { cause: error }) };
}

function hasTimeToSend({ deadline }: Call): boolean {
  return deadline - performance.now() >= LOOK_UP_RESERVE_MS + MIN_SEND_MS;
}

/** Sends and settles the orders of one account. */
export function createSubmissions(deps: AccountDeps): Submissions {
  const sendAsAccount = createAccountSender(deps);
  const find = createOrderFinder(sendAsAccount, deps.log);

  async function send(order: SignedOrder, call: Call): Promise<Posted> {
    try {
      const { response, used } = await sendAsAccount(({ key }) => {
        const timeLimit = Math.min(SEND_MS, call.deadline - performance.now() - LOOK_UP_RESERVE_MS);
        return { name: 'post-order', method: 'POST', path: '/order', body: orderBody(order, key), timeLimit };
      }, call);
      const clean = (text: string) =>
        cleanVenueReason(text, [used.key, used.secret.reveal(), used.passphrase.reveal()]);
      return readPosted(response, order.orderId, clean);
    } catch (error) {
      return readFailure(error);
    }
  }

  /** Looks an order up until a look-up settles it or the time is over. */
  async function lookUpUntilSettled(order: SignedOrder, { why, said }: Unproven, call: Call): Promise<Fate> {
    for (const [index, pause] of LOOK_UP_PAUSES_MS.entries()) {
      if (performance.now() + pause >= call.deadline) break;
      await sleep(pause);
      const found = await find.order(order.orderId, call);
      if (found.kind === 'found') return found.fate;
      // A filled order is forgotten, so that only its trades are left; a duplicate was taken before.
      const mayBeFilled = why === 'duplicate' || (index > 0 && found.kind === 'not_found');
      if (!mayBeFilled) continue;
      const fills = await find.fills(order, call);
      if (fills.kind === 'found') return fills.fate;
      if (said && fills.kind === 'not_found') return said;
    }
    return unknown(why);
  }

  /** Looks up an order of an earlier request, twice where the first look-up is of no use. */
  async function lookUpBefore(order: SignedOrder, call: Call): Promise<LookUp> {
    for (const pause of SETTLE_PAUSES_MS) {
      await sleep(pause);
      const found = await find.order(order.orderId, call);
      if (found.kind !== 'unusable') return found;
    }
    return { kind: 'unusable' };
  }

  return {
    async submit(order, call) {
      if (!hasTimeToSend(call)) return { kind: 'not_taken', error: refuse('venue_timeout', { waitedFor: 'rules' }) };
      const posted = await send(order, call);
      return posted.kind === 'unproven' ? lookUpUntilSettled(order, posted, call) : posted;
    },

    async settle(order, call) {
      const before = await lookUpBefore(order, call);
      if (before.kind === 'found') return before.fate;
      if (before.kind === 'unusable') return unknown('the venue cannot be asked');
      if (!hasTimeToSend(call)) return unknown('no time left to send the order again');
      const posted = await send(order, call);
      if (posted.kind === 'placed') return posted;
      if (posted.kind === 'unproven') return lookUpUntilSettled(order, posted, call);
      // The first sending may have been filled, forgotten, and be the very reason for this refusal.
      const fills = await find.fills(order, call);
      if (fills.kind === 'found') return fills.fate;
      return fills.kind === 'not_found' ? posted : unknown(posted.error);
    },
  };
}
