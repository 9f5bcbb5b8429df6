import * as z from 'zod/mini';
import type { SignatureType } from '../../../account.ts';
import { refuse } from '../../../errors.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import type { Fate, SignedOrder } from '../../port.ts';
import { fillsInAnswer, isSale, NOTHING_KNOWN } from '../fills.ts';
import { clampRetryAfter } from '../http/reads.ts';
import { refusedCredentials } from '../http/signed-requests.ts';
import type { OrderResponse } from '../official-client.ts';
import { lenient, type Members, parseJson, readBy, sentenceOf } from '../wire.ts';
import { fateSaidBy, type SaidFate } from './sentences.ts';

/** Writes the body of `POST /order`; the signed order stands in it byte for byte. `owner` is the API key. */
export function orderBody({ payload, postOnly, expiresAt }: SignedOrder, owner: string): string {
  const type = expiresAt === null ? 'GTC' : 'GTD';
  return `{"deferExec":false,"postOnly":${postOnly},"order":${payload},"owner":${JSON.stringify(owner)},"orderType":"${type}"}`;
}

/** An answer that proves nothing: the order may be live. */
export interface Unconfirmed {
  readonly kind: 'unconfirmed';
  readonly why: string;
  /** The fate if no look-up finds the order. */
  readonly said?: SaidFate | undefined;
  /** An unknown message of a refusal. */
  readonly unknownMessage?: string;
  /** True for a page of the edge that refuses this machine: it states nothing about the order. */
  readonly isFirewall?: boolean;
}

/** The fate that an answer to `POST /order` proves, if it proves one. */
export type Posted = Extract<Fate, { readonly kind: 'placed' }> | SaidFate | Unconfirmed;

/** A list of anything. A single value counts as a list of one: trades in another form are still trades. */
const list = readBy((value) => [value || []].flat());
const isText = (item: unknown) => typeof item === 'string';
const text = z.catch(z.string(), '');
/** The text of an amount, empty if there is none. */
const amount = readBy((value) => (typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)));

/** The members of an accepted order, in an answer of any status. */
const acceptance = z.object({
  success: lenient(z.boolean()),
  errorMsg: text,
  orderID: text,
  status: text,
  makingAmount: amount,
  takingAmount: amount,
  transactionsHashes: list,
  tradeIDs: list,
} satisfies Members<OrderResponse>);

const empty = z.optional(z.nullable(z.literal('')));
/** An answer whose error fields are absent, null or empty. */
const silent = z.object({ errorMsg: empty, error: empty });

const NOTHING_CLAIMED = acceptance.parse({});

/** The statuses of an accepted order; any other is looked up. */
const statuses = z.enum(['live', 'matched', 'delayed']);

/**
 * An error of the firewall in front of the venue, for clients that accept JSON
 * (https://blog.cloudflare.com/rfc-9457-agent-error-pages).
 */
const edgeError = z.object({ cloudflare_error: z.literal(true) });

const retryHint = z.object({ retry_after_seconds: z.number().check(z.minimum(0)) });

/** Creates the fate of an order that the venue did not take this time. */
export function notTaken(error: SaidFate['error']): SaidFate {
  return { kind: 'not_taken', error, freesKey: false };
}

function unconfirmed(why: string, said?: SaidFate): Unconfirmed {
  return { kind: 'unconfirmed', why, said };
}

/** An answer without members of an accepted order, in its parts. */
interface Refusal {
  /** The fate that a known message proves. */
  readonly said: SaidFate | undefined;
  readonly reason: string | undefined;
  readonly retryAfter: number | undefined;
  readonly deniesSuccess: boolean;
  readonly isOfVenue: boolean;
}

function readRefusal(
  { status, isJson }: HttpResponse,
  { said, reason, retryAfter, deniesSuccess, isOfVenue }: Refusal,
): SaidFate | Unconfirmed {
  const isSuccess = status === 200 || status === 201;
  const wait = { retryAfter: clampRetryAfter(retryAfter) };
  // With these the venue states that it did not process the order.
  if (status === 425) return notTaken(refuse('venue_unavailable', { why: 'restarting' }, wait));
  if (status === 429) return notTaken(refuse('rate_limited', { rateOf: 'orders' }, wait));
  if (status === 401 && isJson) return said ?? notTaken(refusedCredentials(new Error(reason ?? 'no sentence')));
  if (status === 503 && said?.error.code === 'venue_unavailable') return said;
  if (!isSuccess && (status < 400 || status > 499)) return unconfirmed(`status ${status}: ${reason ?? 'no sentence'}`);
  if (said) return said;
  if (reason)
    return isSuccess && !deniesSuccess
      ? unconfirmed(reason)
      : { kind: 'unconfirmed', why: reason, unknownMessage: reason };
  const isFirewall = status === 403 && !isOfVenue;
  return { ...unconfirmed(`status ${status} without a message of the venue`), ...(isFirewall && { isFirewall }) };
}

/**
 * Reads the answer to `POST /order` as far as it proves the fate of the order. Members of an accepted order go before
 * messages, and messages before the status. `clean` removes secrets from messages, some of which differ in meaning between
 * the kinds of account. Source:
 * https://docs.polymarket.com/api-reference/trade/post-a-new-order and the page of error codes.
 */
export function readPosted(
  response: HttpResponse,
  order: SignedOrder,
  clean: (text: string) => string,
  signatureType: SignatureType,
): Posted {
  const { orderId } = order;
  const { status, isJson } = response;
  const body = isJson ? parseJson(response.text) : undefined;
  const claims = acceptance.safeParse(body).data ?? NOTHING_CLAIMED;
  const { success, errorMsg, orderID, tradeIDs, transactionsHashes, ...accepted } = claims;
  const hasTrades = tradeIDs.length + transactionsHashes.length > 0;
  const isSilent = silent.safeParse(body).success;
  const known = statuses.safeParse(accepted.status.toLowerCase());
  const isOurs = orderID.toLowerCase() === orderId.toLowerCase();
  if ((status === 200 || status === 201) && success && isSilent && isOurs && known.success) {
    const fills = fillsInAnswer(order, known.data, accepted);
    const placement = {
      orderId,
      status: known.data,
      // Trades without amounts: something was executed.
      ...(hasTrades && fills.filledSize === '0' ? NOTHING_KNOWN : fills),
      transactionHashes: transactionsHashes.filter(isText),
      tradeIds: tradeIDs.filter(isText),
    };
    return { kind: 'placed', placement };
  }
  const retryAfter = response.retryAfter ?? retryHint.safeParse(body).data?.retry_after_seconds;
  const elsewhere = sentenceOf(body);
  const sentence = errorMsg || elsewhere;
  const message = sentence ? { reason: clean(sentence), retryAfter, signatureType, isSale: isSale(order) } : undefined;
  const said = sentence && message ? fateSaidBy(sentence, message) : undefined;
  const fateOfError = elsewhere && message ? fateSaidBy(elsewhere, message) : undefined;
  if (said === 'nothing' || fateOfError === 'nothing') return unconfirmed(message?.reason ?? '');
  const why = 'an answer with members of an accepted order';
  if (known.success || hasTrades) return unconfirmed(why);
  const isOfVenue = isJson && !edgeError.safeParse(body).success;
  const deniesSuccess = success === false;
  const refusal = readRefusal(response, { said, reason: message?.reason, retryAfter, deniesSuccess, isOfVenue });
  if (!orderID && !accepted.status) return refusal;
  // The service looks up every order that an answer names, whatever else it contains.
  return refusal.kind === 'unconfirmed' ? { ...refusal, why } : unconfirmed(why, said);
}
