import * as z from 'zod/mini';
import { AppError } from '../../errors.ts';
import { createNumberKeeper } from '../../json.ts';
import type { Call } from '../port.ts';
import { MARKET_DECIMALS, type MarketParse, parseMarket } from './market-record.ts';
import { read, refuseRead } from './reads.ts';
import type { Transport } from './transport.ts';

/** The venue clamps larger pages silently (its documentation: list markets). */
export const MAX_PAGE_SIZE = 100;

const parseMarketsJson = createNumberKeeper(MARKET_DECIMALS);

const page = z.object({ markets: z.array(z.unknown()), next_cursor: z.nullish(z.string()) });

export interface MarketPage {
  readonly markets: readonly MarketParse[];
  /** Absent on the last page. */
  readonly nextCursor: string | undefined;
}

function parsePage(text: string): z.infer<typeof page> {
  try {
    return page.parse(parseMarketsJson(text));
  } catch (cause) {
    throw new AppError('The venue gave a list of markets that cannot be read; try again later.', {
      code: 'venue_error',
      cause,
    });
  }
}

/** `GET /markets/keyset` of Gamma: one page of open markets, most traded first (its documentation: list markets). */
export async function listMarketPage(
  gamma: Transport,
  { size, cursor }: { readonly size: number; readonly cursor: string | undefined },
  call: Call,
): Promise<MarketPage> {
  const query = new URLSearchParams({ closed: 'false', order: 'volume24hr', ascending: 'false', limit: String(size) });
  if (cursor !== undefined) query.set('after_cursor', cursor);
  const response = await read(gamma, { name: 'list-markets', method: 'GET', path: `/markets/keyset?${query}` }, call);
  if (response.status !== 200 || !response.isJson) throw refuseRead(response);
  const { markets, next_cursor } = parsePage(response.text);
  return { markets: markets.map(parseMarket), nextCursor: next_cursor || undefined };
}
