import * as z from 'zod/mini';
import { isTokenId, TOKEN_ID_PATTERN, TOKEN_ID_RULE } from '../shared/token-id.ts';

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;

/** What a schema describes, as an endpoint makes it. */
export type Wire<Schema extends z.core.$ZodType> = Immutable<z.infer<Schema>>;

/** An outcome token id, in requests and answers alike. */
export const tokenId = z
  .string('must be a string.')
  .check(
    z.refine(isTokenId, TOKEN_ID_RULE),
    z.meta({ pattern: TOKEN_ID_PATTERN.source, description: 'Outcome token id: a uint256 in decimal.' }),
  );
