import { randomUUID } from 'node:crypto';

/** The form of a request id that is taken over from the caller. */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's request id where it has the allowed form, else a new one. */
export function requestIdFrom(value: string | undefined): string {
  return value !== undefined && REQUEST_ID.test(value) ? value : randomUUID();
}
