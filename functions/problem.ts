import { AppError, ERRORS, refuse } from '../shared/errors.ts';
import type { HttpResponse } from './response.ts';

/** `tickSize` as `tick_size`: a fact's name in code as its name on the wire. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z0-9]+/g, (part) => `_${part.toLowerCase()}`);
}

/** Any error as one that may leave the service: what is not ours says nothing but that it happened. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return refuse('internal_error', {}, { cause: error });
}

/** The problem body of an error (RFC 9457) with its facts in wire names. */
export function toProblem(error: AppError, requestId: string): HttpResponse {
  const { status, title } = ERRORS[error.code];
  const facts = Object.entries(error.facts).map(([name, value]) => [toSnakeCase(name), value]);
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      ...(error.retryAfter !== undefined && { 'retry-after': String(Math.ceil(error.retryAfter)) }),
      ...(error.replayed && { 'idempotency-replayed': 'true' }),
    },
    body: {
      type: 'about:blank',
      title,
      status,
      code: error.code,
      detail: error.message,
      request_id: requestId,
      ...Object.fromEntries(facts),
    },
  };
}
