import type { components } from './api.ts';

type Schemas = components['schemas'];

/** Union of the service's problem bodies, distinguished by `code`. */
type Problem = {
  [Name in keyof Schemas]: Schemas[Name] extends { code: string; detail: string } ? Schemas[Name] : never;
}[keyof Schemas];

/**
 * Codes of the service, and four of the client's own: `network_error` (no answer, or none in time), `aborted` (by the
 * caller's signal, or by a wallet that did not sign), `foreign_answer` (not from the service: a gateway, a proxy, a wrong
 * address) and `unsupported_platform` (a function is missing that the client needs; nothing was sent).
 */
export type ErrorCode = Problem['code'] | 'network_error' | 'aborted' | 'foreign_answer' | 'unsupported_platform';

type Member<P, Name> = P extends unknown ? (Name extends keyof P ? P[Name] : never) : never;
type NameOf<P> = P extends unknown ? keyof P : never;
type FactName = Exclude<NameOf<Problem>, 'type' | 'title' | 'status' | 'code' | 'detail' | 'request_id'>;

/** Members that a code adds to its problem, such as `tick_size` of `price_off_tick`; `openapi.json` lists them. */
export type Facts = { readonly [Name in FactName]?: Member<Problem, Name> | undefined };

/** Facts of a failed call. */
export interface ErrorContext {
  readonly code: ErrorCode;
  /** HTTP status; absent without an answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Wait before a repeat makes sense, in seconds. */
  readonly retryAfter?: number | undefined;
  readonly facts?: Facts | undefined;
  readonly cause?: unknown;
}

/** Error of every failed call. `message` is a sentence for people; branch on `code`. */
export class OrderBookError extends Error {
  override readonly name = 'OrderBookError';
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly facts: Facts;
  /** Key of the order: placed again with it, the order is still placed once, and then known. */
  idempotencyKey: string | undefined;
  /** Set if an attempt left open whether the order is live, even if the last one was refused: place it again. */
  mayBeLive = false;

  constructor(detail: string, { code, status, requestId, retryAfter, facts = {}, cause }: ErrorContext) {
    super(detail, { cause });
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.facts = facts;
  }
}

/** Codes by which the service says that this attempt placed no order. */
const PLACED_NOTHING: readonly string[] = [
  'client_chain_unavailable',
  'rate_limited',
  'store_unavailable',
  'venue_error',
  'venue_timeout',
  'venue_unavailable',
];
/** Statuses by which a gateway or proxy refuses a request that it does not pass on. */
export const NOT_PASSED_ON: readonly (number | undefined)[] = [401, 403, 407, 413, 429];
/** Statuses of a server that has no such path or method: it is not the service. */
const NOT_THE_SERVICE: readonly (number | undefined)[] = [404, 405];

/** Returns true if an order may be live after an attempt that ended with this error; `before`: if it may have been already. */
export function mayBeLiveAfter({ code, status, facts }: OrderBookError, before: boolean): boolean {
  if (code === 'foreign_answer') return before || ![...NOT_PASSED_ON, ...NOT_THE_SERVICE].includes(status);
  if (PLACED_NOTHING.includes(code)) return before;
  // The service refuses the signed order itself. Any other refusal is about this attempt only: the daily cap may refuse
  // the order that this attempt signed, while an earlier one is still on its way.
  if (status === 422 && facts.order_id !== undefined && code !== 'daily_cap_reached') return false;
  return before || !status || status === 409 || status >= 500;
}

/** Functions of the platform that the client needs; React Native lacks some of them without polyfills. */
const NEEDED = ['AbortSignal.any', 'AbortSignal.timeout', 'URL.canParse', 'Headers', 'crypto.getRandomValues'];

/** Throws `unsupported_platform` where a function is missing: the failure of a later call would look like a lost answer. */
export function requirePlatform(): void {
  const isMissing = (path: string) =>
    typeof path.split('.').reduce<unknown>((value, name) => Reflect.get(Object(value ?? {}), name), globalThis) !==
    'function';
  const missing = NEEDED.filter(isMissing);
  if (missing.length === 0) return;
  const detail = `This platform lacks ${missing.join(', ')}: nothing was sent. Import polyfills before the client.`;
  throw new OrderBookError(detail, { code: 'unsupported_platform' });
}

/** Reads a member of a value of any kind; `undefined` if it has none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Finds the address of the page that the client runs in; `undefined` outside of a browser. */
function pageUrl(): URL | undefined {
  const href = memberOf(memberOf(globalThis, 'location'), 'href');
  return typeof href === 'string' && /^https?:/.test(href) ? new URL(href) : undefined;
}

/** Reads the address of the service, which a page may give relative to its own. */
export function serviceUrl(baseUrl: string): URL | undefined {
  const page = pageUrl()?.href;
  const url = URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Names the service by its address, without credentials and query, which an address may hold too. */
export function addressOf(baseUrl: string): string {
  const url = serviceUrl(baseUrl);
  return url ? `${url.origin}${url.pathname}`.replace(/\/+$/, '') : 'the address in baseUrl';
}

/** Finds the system's code of a failure, such as ECONNREFUSED: Node's `fetch` puts it a cause down. */
function systemCodeOf(thrown: unknown): string | undefined {
  const [code, cause] = [memberOf(thrown, 'code'), memberOf(thrown, 'cause')];
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : systemCodeOf(cause);
}

/** Creates the error of a call without an answer from what `fetch` threw. A browser gives its page no reason. */
export function noAnswer(baseUrl: string, thrown: unknown): OrderBookError {
  const url = serviceUrl(baseUrl);
  const reason = memberOf(thrown, 'name') === 'TimeoutError' ? 'timed out' : systemCodeOf(thrown);
  const origin = pageUrl()?.origin;
  const isForeign = origin !== undefined && origin !== url?.origin;
  const question = isForeign ? ` For orders and health, is ${origin} in its SERVICE_CORS_ORIGINS?` : '';
  const sentence = url
    ? `No answer from ${addressOf(baseUrl)}${reason ? ` (${reason})` : ''}. Is the service running?${question}`
    : 'No answer: baseUrl is not an address of a service. It must begin with http:// or https://, such as http://127.0.0.1:8080.';
  // The error of `fetch` quotes a refused address, with its secrets.
  const cause = /[@?]/.test(baseUrl) ? undefined : thrown;
  return new OrderBookError(sentence, { code: 'network_error', cause });
}
