import type { components } from './api.ts';

type Schemas = components['schemas'];

/** Union of the service's problem bodies; `code` tells them apart. */
type Problem = {
  [Name in keyof Schemas]: Schemas[Name] extends { code: string; detail: string } ? Schemas[Name] : never;
}[keyof Schemas];

/**
 * Codes of the service, and three of the client's own: `network_error` (no answer, or none in time), `aborted` (by the
 * caller's signal) and `foreign_answer` (not from the service: a gateway, a proxy, a wrong address).
 */
export type ErrorCode = Problem['code'] | 'network_error' | 'aborted' | 'foreign_answer';

type Member<P, Name> = P extends unknown ? (Name extends keyof P ? P[Name] : never) : never;
type NameOf<P> = P extends unknown ? keyof P : never;
type FactName = Exclude<NameOf<Problem>, 'type' | 'title' | 'status' | 'code' | 'detail' | 'request_id'>;

/** Members that a code adds to its problem, such as `tick_size` of `price_off_tick`; `openapi.json` lists them. */
export type Facts = { readonly [Name in FactName]?: Member<Problem, Name> | undefined };

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
  /** Key of the order: placed again with it, the order is still placed once. */
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
