import { AppError, errorSpec, refuse, titleOf } from '../shared/errors.ts';
import type { HttpResponse } from './http.ts';

/** Turns a fact's name in code into its name on the wire: `tickSize` into `tick_size`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`);
}

/** Wraps anything but an `AppError` as `internal_error`, so that no foreign message leaves. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return refuse('internal_error', {}, { cause: error });
}

/** Writes an error as a problem (RFC 9457), its facts in wire names. */
export function toProblem(error: AppError, requestId: string): HttpResponse {
  const { status } = errorSpec(error.code);
  const facts = Object.entries(error.facts).map(([name, value]) => [toSnakeCase(name), value]);
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(error.retryAfter !== undefined && { 'retry-after': String(Math.ceil(error.retryAfter)) }),
      ...(status === 401 && { 'www-authenticate': 'Wallet-Signature' }),
      ...(error.replayed && { 'idempotency-replayed': 'true' }),
    },
    body: {
      type: 'about:blank',
      title: titleOf(error.code),
      status,
      code: error.code,
      detail: error.message,
      request_id: requestId,
      ...Object.fromEntries(facts),
    },
  };
}
