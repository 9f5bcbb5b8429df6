import * as z from 'zod/mini';
import { refuse } from '../../../errors.ts';
import { type Fate, PLACEMENT_STATUSES, type SignedOrder } from '../../port.ts';
import { refusedCredentials } from '../http/account.ts';
import { toldWait, type VenueHttpResponse } from '../http/transport.ts';
import { parseJson, sentenceOf } from '../wire.ts';
import { fateSaidBy, isDuplicate, type Said, type SaidFate } from './sentences.ts';

/** Writes the body of `POST /order`; the signed order stands in it byte for byte. `owner` is the API key. */
export function orderBody({ payload, postOnly }: SignedOrder, owner: string): string {
  return `{"deferExec":false,"postOnly":${postOnly},"order":${payload},"owner":${JSON.stringify(owner)},"orderType":"GTC"}`;
}

/** An answer that proves nothing: the order may be live. `said` holds if look-ups find that it is not. */
export interface Unproven {
  readonly kind: 'unproven';
  readonly why: string;
  readonly said?: SaidFate;
}

/** The end that an answer to `POST /order` proves, if it proves one. */
export type Posted = Exclude<Fate, { readonly kind: 'unknown' }> | Unproven;

/** Statuses under which a sentence of the venue is believed; any other status proves nothing. */
const VENUE_REFUSED: ReadonlySet<number> = new Set([400, 403, 404]);

const strings = z.catch(z.array(z.string()), []);

const acceptedOrder = z.object({
  success: z.boolean(),
  errorMsg: z.nullish(z.string()),
  orderID: z.string(),
  status: z.string(),
  transactionsHashes: strings,
  tradeIDs: strings,
});

const refusedOrder = z.object({ errorMsg: z.string().check(z.minLength(1)) });

const statuses = z.enum(PLACEMENT_STATUSES);

const retryHint = z.object({ retry_after_seconds: z.number().check(z.minimum(0)) });

function unproven(why: string): Unproven {
  return { kind: 'unproven', why };
}

function notTaken(error: SaidFate['error']): SaidFate {
  return { kind: 'not_taken', error };
}

/** Quotes a refusal in a sentence that is not known. */
function rejected({ reason }: Said): SaidFate {
  return { kind: 'refused', error: refuse('order_rejected', { venueReason: reason }) };
}

/** Reads a 200, which is acceptance only with `success`, no message, our id and a status that we know. */
function readSuccess(body: unknown, orderId: string, saidIn: (sentence: string) => Said): Posted {
  const accepted = acceptedOrder.safeParse(body);
  const status = statuses.safeParse(accepted.data?.status.toLowerCase());
  const isOurs = accepted.data?.orderID.toLowerCase() === orderId.toLowerCase();
  const refused = refusedOrder.safeParse(body);
  if (refused.success) {
    const { errorMsg } = refused.data;
    if (isDuplicate(errorMsg)) return unproven('duplicate');
    const words = saidIn(errorMsg);
    const said = fateSaidBy(errorMsg, words) ?? rejected(words);
    // Message and id contradict each other: before it is called refused, it is looked up.
    return isOurs && accepted.data?.success ? { ...unproven('contradictory answer'), said } : said;
  }
  if (!accepted.success) return unproven('unreadable acceptance');
  const { success, transactionsHashes, tradeIDs } = accepted.data;
  if (!success || !isOurs || !status.success) return unproven('unclear acceptance');
  return {
    kind: 'placed',
    placement: { orderId, status: status.data, transactionHashes: transactionsHashes, tradeIds: tradeIDs },
  };
}

/**
 * Reads the answer to `POST /order` as far as it proves an end of the order. `clean` takes secrets out of the venue's
 * sentences. Source: https://docs.polymarket.com/api-reference/trade/post-a-new-order and the page of error codes.
 */
export function readPosted(
  { status, isJson, text, retryAfter }: VenueHttpResponse,
  orderId: string,
  clean: (text: string) => string,
): Posted {
  const body = isJson ? parseJson(text) : undefined;
  const waitS = () => retryAfter ?? retryHint.safeParse(body).data?.retry_after_seconds;
  const saidIn = (sentence: string): Said => ({ reason: clean(sentence), retryAfter: waitS() });
  if ((status === 200 || status === 201) && isJson) return readSuccess(body, orderId, saidIn);
  const wait = () => ({ retryAfter: toldWait(waitS()) });
  if (status === 425) return notTaken(refuse('venue_unavailable', { why: 'restarting' }, wait()));
  if (status === 429) return notTaken(refuse('rate_limited', { rateOf: 'orders' }, wait()));
  const sentence = sentenceOf(body);
  // Credentials are checked before the order: a 401 alone proves that it was not processed.
  if (status === 401) return notTaken(refusedCredentials(new Error(clean(sentence ?? 'no sentence'))));
  const behindFirewall = () => notTaken(refuse('venue_refused_service', { reason: 'firewall' }));
  if (sentence === undefined) {
    return status === 403 ? behindFirewall() : unproven(`status ${status} without a word of the venue`);
  }
  if (isDuplicate(sentence)) return unproven('duplicate');
  const words = saidIn(sentence);
  const said = fateSaidBy(sentence, words);
  if (status === 403 && !said) return behindFirewall();
  if (status === 503 && said) return said;
  // The venue rewrites statuses by the words of a message: these two came from its inside, not from a check.
  const fromInside = /context canceled|timed out/i.test(sentence) || (status === 404 && !said);
  if (!VENUE_REFUSED.has(status) || fromInside) return unproven(`status ${status}`);
  return said ?? rejected(words);
}
