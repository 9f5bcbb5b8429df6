import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { LOOK_UP_PAUSES_MS, LOOK_UP_RESERVE_MS, MIN_SEND_MS, SEND_MS, SETTLE_PAUSES_MS } from '../../limits.ts';
import type { Call, Placement, SignedOrder } from '../port.ts';
import { type AccountDeps, createAccountSender } from './authenticated.ts';
import { createLookUps } from './look-ups.ts';
import { classifyOutcome, type Outcome } from './outcome.ts';
import type { LookUp } from './read-order.ts';
import { TransportError } from './transport-error.ts';
import { cleanVenueReason } from './venue-reason.ts';

/** Sends signed orders and finds out what became of them. */
export interface Submissions {
  submit(order: SignedOrder, call: Call): Promise<Placement>;
  settle(order: SignedOrder, call: Call): Promise<Placement>;
}

type Unknown = Extract<Outcome, { kind: 'unknown' }>;

/** What to do about it is said by who knows whether there is a key to repeat (`adviseOnUnknown`). */
function outcomeUnknown(orderId: string, cause: unknown): AppError {
  return new AppError('The order may be live.', { code: 'outcome_unknown', facts: { orderId }, cause });
}

/** The body of `POST /order`; the signed order stands in it byte for byte (the venue's documentation: post an order). */
function orderBody({ payload, postOnly }: SignedOrder, owner: string): string {
  return `{"deferExec":false,"postOnly":${postOnly},"order":${payload},"owner":${JSON.stringify(owner)},"orderType":"GTC"}`;
}

/** What a failure to send proves: nothing as soon as a byte may have arrived. */
function classifyFailure(error: unknown): Outcome {
  if (error instanceof AppError) return { kind: 'refused', error };
  if (!(error instanceof TransportError)) throw error;
  if (error.sent) return { kind: 'unknown', why: error.kind };
  const refusal = new AppError('The venue cannot be reached; the order was not sent. Try again later.', {
    code: 'venue_unavailable',
    cause: error,
  });
  return { kind: 'refused', error: refusal };
}

function checkTime(call: Call, error: () => AppError): void {
  if (call.deadline - performance.now() < LOOK_UP_RESERVE_MS + MIN_SEND_MS) throw error();
}

/** Sending and settling of orders by the policy of `outcome.ts`; errors by code: see `OrderEntry`. */
export function createSubmissions(deps: AccountDeps): Submissions {
  const sendAsAccount = createAccountSender(deps);
  const lookUps = createLookUps(sendAsAccount, deps.log);

  /** Sends the order, and says what the answer proves. */
  async function send(order: SignedOrder, call: Call): Promise<Outcome> {
    try {
      const { response, used } = await sendAsAccount(({ key }) => {
        const timeLimit = Math.min(SEND_MS, call.deadline - performance.now() - LOOK_UP_RESERVE_MS);
        return { name: 'post-order', method: 'POST', path: '/order', body: orderBody(order, key), timeLimit };
      }, call);
      const secrets = [used.key, used.secret.reveal(), used.passphrase.reveal()];
      return classifyOutcome(response, order.orderId, (text) => cleanVenueReason(text, secrets));
    } catch (error) {
      return classifyFailure(error);
    }
  }

  /** The order as the venue knows it, as soon as one look-up finds it; `outcome_unknown` when none does in time. */
  async function settleUnknown(order: SignedOrder, { why, refusal }: Unknown, call: Call): Promise<Placement> {
    for (const [index, pause] of LOOK_UP_PAUSES_MS.entries()) {
      if (performance.now() + pause >= call.deadline) break;
      await sleep(pause);
      const found = await lookUps.order(order.orderId, call);
      if (found.kind === 'found') return found.placement;
      if (found.kind === 'cancelled') throw found.error;
      // A filled order is forgotten, so that only its trades are left; a duplicate was taken before.
      const mayBeFilled = why === 'duplicate' || (index > 0 && found.kind === 'not_found');
      const fills = mayBeFilled ? await lookUps.fills(order, call) : undefined;
      if (fills) return fills;
      if (refusal && fills === null) throw refusal;
    }
    throw outcomeUnknown(order.orderId, new Error(why));
  }

  function conclude(order: SignedOrder, outcome: Outcome, call: Call): Promise<Placement> {
    if (outcome.kind === 'accepted') return Promise.resolve(outcome.placement);
    if (outcome.kind === 'unknown') return settleUnknown(order, outcome, call);
    return Promise.reject(outcome.error);
  }

  /** The order as the venue knows it, asked twice when it is necessary. */
  async function lookUpBefore(order: SignedOrder, call: Call): Promise<LookUp> {
    for (const pause of SETTLE_PAUSES_MS) {
      await sleep(pause);
      const found = await lookUps.order(order.orderId, call);
      if (found.kind !== 'unusable') return found;
    }
    return { kind: 'unusable' };
  }

  return {
    async submit(order, call) {
      checkTime(call, () => {
        const detail = 'The venue took too long to give the rules of the market; nothing was sent. Try again.';
        return new AppError(detail, { code: 'venue_timeout' });
      });
      return conclude(order, await send(order, call), call);
    },

    async settle(order, call) {
      const found = await lookUpBefore(order, call);
      if (found.kind === 'found') return found.placement;
      if (found.kind === 'cancelled') throw found.error;
      if (found.kind === 'unusable') throw outcomeUnknown(order.orderId, new Error('the venue cannot be asked'));
      checkTime(call, () => outcomeUnknown(order.orderId, new Error('no time left to send the order again')));
      const outcome = await send(order, call);
      if (outcome.kind !== 'refused') return conclude(order, outcome, call);
      // The first sending may have been filled, forgotten, and be the very reason for this refusal.
      const fills = await lookUps.fills(order, call);
      if (fills) return fills;
      if (fills === undefined) throw outcomeUnknown(order.orderId, outcome.error);
      throw outcome.error;
    },
  };
}
