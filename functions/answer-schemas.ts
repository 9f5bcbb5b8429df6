import * as z from 'zod/mini';

/** The building blocks of answers. Only types of them reach a deployed function. */

/** Plain notation without superfluous zeros. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/;

/** A decimal as the service writes it. */
export function decimal(description: string) {
  return z.string().check(z.regex(DECIMAL), z.describe(description));
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
