import type { components } from './api.ts';

type Schemas = components['schemas'];

/** The problem bodies of the service, told apart by `code`. */
type Problem = {
  [Name in keyof Schemas]: Schemas[Name] extends { code: string; detail: string } ? Schemas[Name] : never;
}[keyof Schemas];

/**
 * The codes of the service, and three of the client's own: `network_error` (no answer, or none in time), `aborted` (by
 * the caller's signal) and `foreign_answer` (of something else than the service: a gateway, a proxy, a wrong address).
 */
export type ErrorCode = Problem['code'] | 'network_error' | 'aborted' | 'foreign_answer';

type Member<P, Name> = P extends unknown ? (Name extends keyof P ? P[Name] : never) : never;
type NameOf<P> = P extends unknown ? keyof P : never;
type FactName = Exclude<NameOf<Problem>, 'type' | 'title' | 'status' | 'code' | 'detail' | 'request_id'>;

/** The members that a code adds, such as `tick_size` of `price_off_tick`; the document says which. */
export type Facts = { readonly [Name in FactName]?: Member<Problem, Name> | undefined };

export interface ErrorContext {
  readonly code: ErrorCode;
  /** HTTP status; absent where there was no answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** Seconds until a repeat makes sense. */
  readonly retryAfter?: number | undefined;
  readonly facts?: Facts | undefined;
  readonly cause?: unknown;
}

/** Everything that can go wrong. `message` is a sentence; branch on `code`. */
export class OrderBookError extends Error {
  override readonly name = 'OrderBookError';
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly facts: Facts;
  /** Of an order: place it again with this key, and it is still placed once. */
  idempotencyKey: string | undefined;

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
