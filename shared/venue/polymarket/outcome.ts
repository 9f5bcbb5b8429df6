import * as z from 'zod/mini';
import { AppError } from '../../errors.ts';
import type { Placement } from '../port.ts';
import { refusedCredentials } from './credentials.ts';
import { isDuplicate, isKnownSentence, type Refusal, translateRefusal } from './refusals.ts';
import { toldWait } from './retry-after.ts';
import type { VenueHttpResponse } from './transport.ts';
import { parseJson, sentenceOf } from './wire.ts';

/**
 * What an answer to `POST /order` proves.
 * - `accepted`: the venue took the order;
 * - `refused`: the venue itself did not take it;
 * - `unknown`: it may be live; `refusal` is what the venue said if it turns out that it is not.
 */
export type Outcome =
  | { readonly kind: 'accepted'; readonly placement: Placement }
  | { readonly kind: 'refused'; readonly error: AppError }
  | { readonly kind: 'unknown'; readonly why: string; readonly refusal?: AppError };

/** An allowlist: a status that is not on it proves nothing about the order. */
const VENUE_REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404]);

const strings = z.catch(z.array(z.string()), []);

const postedOrder = z.object({
  success: z.boolean(),
  errorMsg: z.nullish(z.string()),
  orderID: z.string(),
  status: z.string(),
  transactionsHashes: strings,
  tradeIDs: strings,
});

const refusedOrder = z.object({ errorMsg: z.string().check(z.minLength(1)) });

const statuses = z.enum(['live', 'matched', 'delayed']);

const retryHint = z.object({ retry_after_seconds: z.number().check(z.minimum(0)) });

function unknown(why: string): Outcome {
  return { kind: 'unknown', why };
}

/** A 200 can be a refusal: it is acceptance only with `success`, no message, our id and a status that we know. */
function classifySuccess(body: unknown, orderId: string, refusal: (sentence: string) => Refusal): Outcome {
  const posted = postedOrder.safeParse(body);
  const known = statuses.safeParse(posted.data?.status.toLowerCase());
  const isOurs = posted.data?.orderID.toLowerCase() === orderId.toLowerCase();
  const refusedBody = refusedOrder.safeParse(body);
  if (refusedBody.success) {
    const { errorMsg } = refusedBody.data;
    if (isDuplicate(errorMsg)) return unknown('duplicate');
    const error = translateRefusal(errorMsg, refusal(errorMsg));
    // Message and id contradict each other: before it is called refused, it is looked up.
    return isOurs && posted.data?.success
      ? { kind: 'unknown', why: 'contradictory answer', refusal: error }
      : { kind: 'refused', error };
  }
  if (!posted.success) return unknown('unreadable acceptance');
  const { success, transactionsHashes, tradeIDs } = posted.data;
  if (!success || !isOurs || !known.success) return unknown('unclear acceptance');
  return {
    kind: 'accepted',
    placement: { orderId, status: known.data, transactionHashes: transactionsHashes, tradeIds: tradeIDs },
  };
}

function notTaken(code: 'rate_limited' | 'venue_unavailable', detail: string, retryAfter: number | undefined): Outcome {
  const error = new AppError(`${detail} The order was not taken; try again later.`, {
    code,
    ...toldWait(retryAfter),
  });
  return { kind: 'refused', error };
}

function behindFirewall(): AppError {
  return new AppError('A firewall before the venue refuses this service; its operator has to act.', {
    code: 'venue_refused_service',
    facts: { reason: 'firewall' },
  });
}

/**
 * Reads the venue's answer to an order (its documentation: post an order, and the error codes of the CLOB). `clean`
 * takes secrets out of the venue's sentences.
 */
export function classifyOutcome(
  { status, isJson, text, retryAfter }: VenueHttpResponse,
  orderId: string,
  clean: (text: string) => string,
): Outcome {
  const body = isJson ? parseJson(text) : undefined;
  const wait = () => retryAfter ?? retryHint.safeParse(body).data?.retry_after_seconds;
  const refusal = (sentence: string): Refusal => ({ reason: clean(sentence), retryAfter: wait() });
  if ((status === 200 || status === 201) && isJson) return classifySuccess(body, orderId, refusal);
  if (status === 425) return notTaken('venue_unavailable', "The venue's engine restarts.", wait());
  if (status === 429) return notTaken('rate_limited', 'The venue limits the rate of orders.', wait());
  const sentence = sentenceOf(body);
  // Nobody looks at an order before its credentials, so it takes no words of the venue's to believe this one.
  if (status === 401)
    return { kind: 'refused', error: refusedCredentials(new Error(clean(sentence ?? 'no sentence'))) };
  if (sentence === undefined) {
    if (status !== 403) return unknown(`status ${status} without a word of the venue`);
    return { kind: 'refused', error: behindFirewall() };
  }
  if (isDuplicate(sentence)) return unknown('duplicate');
  if (status === 403 && !isKnownSentence(sentence)) return { kind: 'refused', error: behindFirewall() };
  if (status === 503 && isKnownSentence(sentence))
    return { kind: 'refused', error: translateRefusal(sentence, refusal(sentence)) };
  // The venue rewrites statuses by the words of a message: these two came from its inside, not from a check.
  const fromInside = /context canceled|timed out/i.test(sentence) || (status === 404 && !isKnownSentence(sentence));
  if (!VENUE_REFUSED.has(status) || fromInside) return unknown(`status ${status}`);
  return { kind: 'refused', error: translateRefusal(sentence, refusal(sentence)) };
}
