import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import type { ApiCredentials } from '../../config.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Call, Placement, SignedOrder } from '../port.ts';
import { type AuthenticatedRequest, sendAuthenticated } from './authenticated.ts';
import type { CredentialSource } from './credentials.ts';
import { classifyOutcome, type Outcome } from './outcome.ts';
import { classifyLookUp, type LookUp } from './read-order.ts';
import { findFills } from './read-trades.ts';
import type { Transport, VenueHttpResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';
import { cleanVenueReason } from './venue-reason.ts';
import { parseJson } from './wire.ts';

/** Milliseconds of one attempt to send an order; the rest of the request's budget is for looking it up. */
const SEND_TIME_LIMIT = 12_000;
/** Milliseconds that must be left before an order is sent, so that an unknown outcome can be looked up. */
const LOOK_UP_RESERVE = 5_000;
/** Milliseconds of one look-up. */
const LOOK_UP_TIME_LIMIT = 3_000;
/** Milliseconds between look-ups: an order that was accepted shows up at once, or within seconds of an engine's pause. */
const LOOK_UP_PAUSES = [0, 300, 700, 1_500, 2_500] as const;

const timestamped = z.object({ timestamp: z.string().check(z.regex(/^\d{10,15}$/)) });

export interface SubmissionDeps {
  readonly clob: Transport;
  readonly walletAddress: string;
  readonly credentials: CredentialSource;
  readonly log: Log;
}

/** Sends signed orders and finds out what became of them. */
export interface Submissions {
  submit(order: SignedOrder, call: Call): Promise<Placement>;
  settle(order: SignedOrder, call: Call): Promise<Placement>;
}

function outcomeUnknown(orderId: string, cause: unknown): AppError {
  const detail =
    'The order may be live. Repeat the request with the same Idempotency-Key; if none was sent, look the order id up ' +
    'at the venue before ordering again.';
  return new AppError(detail, { code: 'outcome_unknown', facts: { orderId }, cause });
}

/** The body of `POST /order`; the signed order stands in it byte for byte (`venue.md` 3.1). */
function orderBody({ payload, postOnly }: SignedOrder, owner: string): string {
  return `{"deferExec":false,"postOnly":${postOnly},"order":${payload},"owner":${JSON.stringify(owner)},"orderType":"GTC"}`;
}

/** Sending and settling of orders by the policy of `outcome.ts`; errors by code: see `OrderEntry`. */
export function createSubmissions({ clob, walletAddress, credentials, log }: SubmissionDeps): Submissions {
  async function sendAs(used: ApiCredentials, spec: AuthenticatedRequest, call: Call): Promise<VenueHttpResponse> {
    return sendAuthenticated(clob, spec, { address: walletAddress, credentials: used }, call);
  }

  /** One `POST /order`, and what its answer proves. */
  async function post(order: SignedOrder, used: ApiCredentials, call: Call): Promise<Outcome> {
    const secrets = [used.key, used.secret.reveal(), used.passphrase.reveal()];
    const left = call.deadline - performance.now();
    const spec = { name: 'post-order', method: 'POST', path: '/order', body: orderBody(order, used.key) } as const;
    try {
      const timeLimit = Math.min(SEND_TIME_LIMIT, left - LOOK_UP_RESERVE);
      const response = await sendAs(used, { ...spec, timeLimit }, call);
      return classifyOutcome(response, order.orderId, (text) => cleanVenueReason(text, secrets));
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      if (error.sent) return { kind: 'unknown', why: error.kind };
      const refusal = new AppError('The venue cannot be reached; the order was not sent. Try again later.', {
        code: 'venue_unavailable',
        cause: error,
      });
      return { kind: 'refused', error: refusal };
    }
  }

  /** Sends the order; once more, the same bytes, when the venue refused the credentials and there are others. */
  async function send(order: SignedOrder, call: Call): Promise<Outcome> {
    const used = await credentials.get(call);
    const skew = clob.clockSkew();
    const outcome = await post(order, used, call);
    if (outcome.kind !== 'unauthorised') return outcome;
    log.warn('the venue refused the API credentials', { order_id: order.orderId, error: outcome.error });
    const clockWasWrong = Math.abs(clob.clockSkew() - skew) > 2_000;
    const renewed = clockWasWrong ? used : await credentials.renew(used, call);
    return post(order, renewed, call);
  }

  async function lookUp(orderId: string, call: Call): Promise<LookUp> {
    const spec = {
      name: 'read-order',
      method: 'GET',
      path: `/data/order/${orderId}`,
      timeLimit: LOOK_UP_TIME_LIMIT,
    } as const;
    try {
      return classifyLookUp(await sendAs(await credentials.get(call), spec, call), orderId);
    } catch (error) {
      log.debug('look-up failed', { order_id: orderId, error });
      return { kind: 'unusable' };
    }
  }

  /** The fills of the order; `null` when there are none, `undefined` when the venue cannot be asked. */
  async function lookUpFills({ orderId, payload }: SignedOrder, call: Call): Promise<Placement | null | undefined> {
    const signed = timestamped.safeParse(parseJson(payload));
    const after = signed.success ? Math.floor(Number(signed.data.timestamp) / 1000) - 60 : 0;
    const spec = { name: 'read-trades', method: 'GET', path: '/data/trades', timeLimit: LOOK_UP_TIME_LIMIT } as const;
    try {
      const used = await credentials.get(call);
      return findFills(await sendAs(used, { ...spec, query: `?after=${after}` }, call), orderId);
    } catch (error) {
      log.debug('look-up of trades failed', { order_id: orderId, error });
      return undefined;
    }
  }

  /** The order as the venue knows it, as soon as one look-up finds it; `outcome_unknown` when none does in time. */
  async function settleUnknown(order: SignedOrder, why: string, call: Call): Promise<Placement> {
    for (const pause of LOOK_UP_PAUSES) {
      if (performance.now() + pause >= call.deadline) break;
      await sleep(pause);
      const found = await lookUp(order.orderId, call);
      if (found.kind === 'found') return found.placement;
      if (found.kind === 'cancelled') throw found.error;
      // A duplicate was taken before, and may be gone because it is filled.
      const fills = why === 'duplicate' ? await lookUpFills(order, call) : null;
      if (fills) return fills;
    }
    throw outcomeUnknown(order.orderId, new Error(why));
  }

  function conclude(order: SignedOrder, outcome: Outcome, call: Call): Promise<Placement> {
    if (outcome.kind === 'accepted') return Promise.resolve(outcome.placement);
    if (outcome.kind === 'unknown') return settleUnknown(order, outcome.why, call);
    return Promise.reject(outcome.error);
  }

  function checkTime(call: Call, error: () => AppError): void {
    if (call.deadline - performance.now() < LOOK_UP_RESERVE + 1_000) throw error();
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
      const found = await lookUp(order.orderId, call);
      if (found.kind === 'found') return found.placement;
      if (found.kind === 'cancelled') throw found.error;
      if (found.kind === 'unusable') throw outcomeUnknown(order.orderId, new Error('the venue cannot be asked'));
      checkTime(call, () => outcomeUnknown(order.orderId, new Error('no time left to send the order again')));
      const outcome = await send(order, call);
      if (outcome.kind !== 'refused') return conclude(order, outcome, call);
      // The first sending may have been filled, forgotten, and be the very reason for this refusal.
      const fills = await lookUpFills(order, call);
      if (fills) return fills;
      if (fills === undefined) throw outcomeUnknown(order.orderId, outcome.error);
      throw outcome.error;
    },
  };
}
