import * as z from 'zod/mini';
import { PLAIN_DECIMAL } from '../shared/decimal.ts';

/** The building blocks of answers. Only types of them reach a deployed function. */

/** A decimal as the service writes it. */
export function decimal(description: string) {
  return z.string().check(z.regex(PLAIN_DECIMAL), z.describe(description));
}

export function address(description: string) {
  return z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/), z.describe(description));
}

/** 32 bytes in hex. */
export function hash(description: string) {
  return z.string().check(z.regex(/^0x[0-9a-fA-F]{64}$/), z.describe(description));
}

export function text(description: string) {
  return z.string().check(z.describe(description));
}

export const conditionId = hash("The venue's id of the question on the settlement chain.");
