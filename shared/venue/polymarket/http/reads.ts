import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { type AppError, refuse } from '../../../errors.ts';
import { type HttpResponse, MAX_WAIT_S, TransportError } from '../../../http/exchange.ts';
import { MIN_RETRY_MS, READ_ATTEMPT_MS, RETRY_PAUSE_MS } from '../../../limits.ts';
import { errorText, parseJson } from '../wire.ts';
import type { Transport, VenueHttpRequest } from './transport.ts';

/** Statuses of the venue, its edge and restarts after which a read is worth a second attempt. */
const TRANSIENT: ReadonlySet<number> = new Set([500, 502, 503, 504, 520, 521, 522, 523, 524]);
/** Chooses the pause before the second attempt, in milliseconds; `undefined` for no second attempt. */
function pauseBeforeRetry(result: HttpResponse | TransportError): number | undefined {
  const transient = result instanceof TransportError ? result.kind !== 'too_large' : TRANSIENT.has(result.status);
  if (!transient) return undefined;
  const asked = result instanceof TransportError ? 0 : (result.retryAfter ?? 0) * 1000;
  return Math.max(asked, RETRY_PAUSE_MS.min + Math.random() * (RETRY_PAUSE_MS.max - RETRY_PAUSE_MS.min));
}

async function sendOnce(http: Transport, spec: VenueHttpRequest, call: Call) {
  try {
    return await http.send({ ...spec, timeLimit: READ_ATTEMPT_MS }, call);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

function translateFailure({ kind, cause }: TransportError): AppError {
  if (kind === 'timeout') return refuse('venue_timeout', {});
  if (kind === 'not_connected') return refuse('venue_unavailable', { why: 'unreachable' }, { cause });
  return refuse('venue_error', { why: kind === 'reset' ? 'broken_off' : 'unusable' }, { cause });
}

/** Awaits a request without a retry; throws the errors of `readWithRetry`, and any other error unchanged. */
export async function answerTo<T>(sending: Promise<T>): Promise<T> {
  try {
    return await sending;
  } catch (error) {
    throw error instanceof TransportError ? translateFailure(error) : error;
  }
}

/**
 * Sends a read, and once more, on a new connection, after a lost answer or a transient status where the call's budget
 * allows it. Errors by code: `venue_timeout`, `venue_unavailable`, `venue_error`.
 */
export async function readWithRetry(http: Transport, spec: VenueHttpRequest, call: Call): Promise<HttpResponse> {
  let result = await sendOnce(http, spec, call);
  const pause = pauseBeforeRetry(result);
  if (pause !== undefined && performance.now() + pause + MIN_RETRY_MS < call.deadline) {
    await sleep(pause);
    result = await sendOnce(http, { ...spec, afresh: true }, call);
  }
  if (result instanceof TransportError) throw translateFailure(result);
  return result;
}

/** Bounds the venue's wait for our callers: a wait of zero would make them spin. */
export function clampRetryAfter(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_S);
}

/** Names who refuses this machine with a 403: the venue for its region, or the firewall before it. */
function refuserOf({ isJson, text }: HttpResponse): 'region' | 'firewall' {
  return isJson && /restricted in your region/i.test(errorText(text) ?? '') ? 'region' : 'firewall';
}

/** Returns true for the venue's own "not found", and false for a 404 of its edge. */
export function isOwn404({ status, isJson, text }: HttpResponse): boolean {
  return status === 404 && isJson && errorText(text) !== undefined;
}

/** Translates a status other than success of a read. */
export function refuseRead(response: HttpResponse): AppError {
  const { status, retryAfter, isJson } = response;
  const wait = { retryAfter: clampRetryAfter(retryAfter) };
  if (status === 429) return refuse('rate_limited', { rateOf: 'requests' }, wait);
  if (status === 425 || status === 503) return refuse('venue_unavailable', { why: 'busy' }, wait);
  if (status === 403) return refuse('venue_refused_service', { reason: refuserOf(response) });
  const cause = new Error(`status ${status}${isJson ? '' : ', not JSON'}`);
  return refuse('venue_error', { why: 'unusable' }, { cause });
}

/** Parses an answer of a shape; throws the errors of `refuseRead` for any other. */
export function parseAnswer<T>(response: HttpResponse, shape: z.ZodMiniType<T>): T {
  const result = response.status === 200 ? shape.safeParse(parseJson(response.text)) : undefined;
  if (!result?.success) throw refuseRead(response);
  return result.data;
}

/** Sends a read whose answer has a shape. Errors by code: those of `readWithRetry` and `refuseRead`. */
export async function readShape<T>(
  http: Transport,
  spec: VenueHttpRequest,
  shape: z.ZodMiniType<T>,
  call: Call,
): Promise<T> {
  return parseAnswer(await readWithRetry(http, spec, call), shape);
}

/** Awaits work that others may have begun, but only until the caller's own deadline; then 504 `venue_timeout`. */
export function waitUntil<T>(deadline: number, answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(refuse('venue_timeout', {}));
  const timer = setTimeout(giveUp, Math.max(deadline - performance.now(), 0));
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
