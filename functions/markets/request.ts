import * as z from 'zod/mini';
import { printable, refuse } from '../../shared/errors.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 500;
const RULE = `must be an integer from 1 to ${MAX_LIMIT}, given once.`;

/** Parses the query parameter `limit`: canonical decimal digits only. */
export const limit = z.pipe(
  z.transform((text) => (typeof text === 'string' && /^[1-9]\d*$/.test(text) ? Number(text) : undefined)),
  z
    .int(RULE)
    .check(
      z.minimum(1, RULE),
      z.maximum(MAX_LIMIT, RULE),
      z.meta({ default: DEFAULT_LIMIT, description: 'How many markets to answer, at most.' }),
    ),
);

function refuseQuery(field: string, detail: string) {
  return refuse('invalid_request', { part: 'The query', errors: [{ field, detail }] });
}

/** Reads `limit` in canonical form; 400 `invalid_request` for anything else, misspelt parameters included. */
export function parseLimit(query: URLSearchParams): number {
  const unknown = [...query.keys()].find((name) => name !== 'limit');
  if (unknown !== undefined)
    throw refuseQuery(printable(unknown), 'is not a parameter of this endpoint; the only one is limit.');
  const values = query.getAll('limit');
  const [text = String(DEFAULT_LIMIT)] = values;
  const { data } = limit.safeParse(text);
  if (data === undefined || values.length > 1) throw refuseQuery('limit', RULE);
  return data;
}
