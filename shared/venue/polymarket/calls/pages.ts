import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { type AppError, refuse } from '../../../errors.ts';
import type { HttpResponse } from '../../../http/exchange.ts';
import { MAX_ANSWER_BYTES, MAX_PAGE_ROWS } from '../../../limits.ts';
import { parseAnswer, refuseRead } from '../http/reads.ts';
import type { SendAsAccount } from '../http/signed-requests.ts';
import { errorText, readBy } from '../wire.ts';
import { cleanVenueReason, secretsOf } from './venue-text.ts';

/**
 * The trades of an account (https://docs.polymarket.com/api-reference/trade/get-trades). A page of the venue calls
 * `maker_address` required, its client does not.
 */
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
  /** The account that holds the funds: its `maker_address`, sent where the venue asks for it. */
  readonly maker?: string | undefined;
}

interface Page {
  readonly rows: readonly unknown[];
  readonly isLast: boolean;
  /** True where the venue states that it is the last one. */
  readonly hasEnd: boolean;
  /** True where it was asked for with `maker_address`, by which the venue may leave out what the account took. */
  readonly isOfMaker: boolean;
}

function asksForMaker({ status, isJson, text }: HttpResponse): boolean {
  return status === 400 && isJson && /maker_address|trade params/i.test(errorText(text) ?? '');
}

/**
 * Reads the pages of a list of the CLOB, one after the other. Errors by code: those of `MarketData`, also for a page of
 * another form and for a cursor that comes twice.
 */
export async function* readPages(
  send: SendAsAccount,
  { name, path, filter, timeLimit, maker }: List,
  call: Call,
): AsyncGenerator<Page, void> {
  const limits = { maxBytes: MAX_ANSWER_BYTES.page, timeLimit };
  let asked = filter;
  const ask = async (cursor: string) => {
    const query = new URLSearchParams({ ...asked, ...(cursor && { next_cursor: cursor }) });
    return send({ name, method: 'GET', path: `${path}?${query}`, ...limits }, call);
  };
  const seen = new Set<string>();
  for (let cursor = ''; ; ) {
    let { response, used } = await ask(cursor);
    if (maker !== undefined && asked === filter && asksForMaker(response)) {
      asked = { ...filter, maker_address: maker };
      ({ response, used } = await ask(cursor));
    }
    if (!response.isJson) throw refuseRead(response);
    if (response.status === 400) {
      throw unusable(`status 400: ${cleanVenueReason(errorText(response.text) ?? '', secretsOf(used))}`);
    }
    const { data, next_cursor: next } = parseAnswer(response, page);
    const isLast = !next || next === END;
    yield { rows: data, isLast, hasEnd: next === END, isOfMaker: asked !== filter };
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
