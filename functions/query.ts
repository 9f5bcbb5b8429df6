import { type AppError, printable, refuse } from '../shared/errors.ts';

export function refuseQuery(field: string, detail: string): AppError {
  return refuse('invalid_request', { part: 'The query', errors: [{ field, detail }] });
}

/** Refuses (400 `invalid_request`) a parameter that an endpoint does not have: `?dry_run=true` must place no order. */
export function checkParameters(query: URLSearchParams, ...known: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const others = `it has ${known.join(' and ') || 'none'}`;
  throw refuseQuery(printable(unknown), `is not a parameter of this endpoint; ${others}.`);
}
