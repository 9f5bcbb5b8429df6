import * as z from 'zod/mini';
import { type AppError, refuse } from '../../../errors.ts';
import { MAX_ANSWER_BYTES, MAX_PAGE_ROWS } from '../../../limits.ts';
import type { Call } from '../../port.ts';
import { answerTo, parseAnswer, refuseRead } from '../http/reads.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import { readBy } from '../wire.ts';

/** The trades of an account (https://docs.polymarket.com/api-reference/trade/get-trades). */
export const TRADES = { name: 'read-trades', path: '/data/trades' } as const;

/** The cursor of the CLOB after its last page. */
const END = 'LTE=';

const rows = readBy((value) => (Array.isArray(value) && value.length <= MAX_PAGE_ROWS ? value : undefined));
const page = z.object({ data: z.pipe(rows, z.array(z.unknown())), next_cursor: z.nullish(z.string()) });

function unusable(why: string): AppError {
  return refuse('venue_error', { why: 'unusable' }, { cause: new Error(why) });
}

/** A list of an account; `timeLimit` is that of one page, in milliseconds. */
interface List {
  readonly name: string;
  readonly path: string;
  readonly filter: Readonly<Record<string, string>>;
  readonly timeLimit: number;
}

/** A page of a list. */
interface Page {
  readonly rows: readonly unknown[];
  readonly isLast: boolean;
  /** True where the venue states that it is the last one. */
  readonly hasEnd: boolean;
}

/**
 * Reads the pages of a list of the CLOB, one after the other. Errors by code: those of `MarketData`, also for a page of
 * another form and for a cursor that comes twice.
 */
export async function* readPages(
  send: SendAsAccount,
  { name, path, filter, timeLimit }: List,
  call: Call,
): AsyncGenerator<Page, void> {
  const seen = new Set<string>();
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ ...filter, ...(cursor && { next_cursor: cursor }) });
    const spec = { name, method: 'GET', path: `${path}?${query}`, maxBytes: MAX_ANSWER_BYTES.page, timeLimit } as const;
    const { response } = await answerTo(send(() => spec, call));
    if (!response.isJson) throw refuseRead(response);
    const { data, next_cursor: next } = parseAnswer(response, page);
    const isLast = !next || next === END;
    yield { rows: data, isLast, hasEnd: next === END };
    if (isLast) return;
    if (seen.has(next)) throw unusable('a page comes twice');
    seen.add(next);
    cursor = next;
  }
}

/** The time of one page for the operator, who waits for it at a terminal. */
const OPERATOR_PAGE_MS = 10_000;

/** Reads all rows of a list. Errors: as `readPages`, also where the venue does not state which page is the last one. */
export async function readRows(
  send: SendAsAccount,
  list: Omit<List, 'timeLimit'>,
  call: Call,
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const { rows, isLast, hasEnd } of readPages(send, { ...list, timeLimit: OPERATOR_PAGE_MS }, call)) {
    all.push(...rows);
    if (isLast && !hasEnd) throw unusable('the list has no end');
  }
  return all;
}
