import * as z from 'zod/mini';
import { isTokenId, TOKEN_ID_PATTERN, TOKEN_ID_RULE } from '../token-id.ts';

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;

/** The value of a response that a schema describes. */
export type Wire<Schema extends z.core.$ZodType> = Immutable<z.infer<Schema>>;

/** An outcome token id, in requests and responses alike. */
export const tokenId = z
  .string('must be a string.')
  .check(
    z.refine(isTokenId, TOKEN_ID_RULE),
    z.meta({ pattern: TOKEN_ID_PATTERN.source, description: 'Outcome token id: a uint256 in decimal.' }),
  );

// Parts of responses. Endpoints use only the types; the OpenAPI document uses the schemas.

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

// Pure: a function needs only its type, and the build drops the rest.
export const conditionId = /* @__PURE__ */ hash("The venue's id of the question on the settlement chain.");
