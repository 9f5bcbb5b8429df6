import type { Call } from '../../call.ts';
import type { Market, MarketList } from '../../contract/markets.ts';
import { compareDecimals, type Decimal, parseDecimal } from '../../decimal.ts';
import type { Log } from '../../log.ts';
import type { Config } from '../../settings/config.ts';
import type { MarketData, MarketQuery } from '../port.ts';
import type { CatalogueRow } from './calls/list-markets.ts';
import { readBook } from './calls/read-book.ts';
import { createTransport } from './http/transport.ts';

/** Markets to request beyond the limit, since some of a page cannot be traded. */
const PAGE_MARGIN = 20;
/** The most pages beyond those that would be enough if every market on them could be traded. */
const SPARE_PAGES = 4;
/** The most markets that are remembered as logged: bounds the memory of a long-lived process. */
const MAX_REMEMBERED = 10_000;

const NO_VOLUME: Decimal = { coefficient: -1n, scale: 0 };

/** Most traded first; equal volumes by id. */
function sortByVolume(markets: readonly Market[]): readonly Market[] {
  return markets
    .map((market) => ({ market, volume: parseDecimal(market.volume_24h ?? '') ?? NO_VOLUME }))
    .sort(
      (a, b) =>
        compareDecimals(b.volume, a.volume) ||
        // Ids are decimals: the longer one is larger. By locale, a list of equal volumes took 30 ms to sort, not 1.
        a.market.id.length - b.market.id.length ||
        (a.market.id < b.market.id ? -1 : 1),
    )
    .map(({ market }) => market);
}

/** Market data of the venue: the catalogue from Gamma, the books from the CLOB. */
export function createMarketData(
  { gammaUrl, clobUrl, proxyEnv }: Pick<Config, 'gammaUrl' | 'clobUrl'> & Partial<Pick<Config, 'proxyEnv'>>,
  log: Log,
): MarketData {
  const clob = createTransport(clobUrl, { proxyEnv });
  const gamma = createTransport(gammaUrl, { proxyEnv });
  const logged = new Set<string>();

  /** Logs a market, or a fault of the list, once. */
  function warnOnce(message: string, id: string, facts: Readonly<Record<string, string>>, { trace }: Call): void {
    if (logged.has(id) || logged.size >= MAX_REMEMBERED) return;
    logged.add(id);
    log.warn(message, { ...facts, ...trace });
  }

  async function listMarkets({ limit, tokenIds }: MarketQuery, call: Call): Promise<MarketList> {
    // Loaded when needed, so that a function that reads books does not build schemas of markets at its start.
    const { listMarketPage, listMarketsOf, MAX_PAGE_SIZE } = await import('./calls/list-markets.ts');
    const found = new Map<string, Market>();
    const keep = (rows: readonly CatalogueRow[]) => {
      for (const { market, leftOut } of rows) {
        if (leftOut) warnOnce('market left out', leftOut.id, { market_id: leftOut.id, reason: leftOut.reason }, call);
        // Trading moves markets between pages while we read them.
        if (market && !found.has(market.id)) found.set(market.id, market);
      }
    };
    const answer = (isCut: boolean) => ({
      items: sortByVolume([...found.values()]).slice(0, limit),
      has_more: found.size > limit || isCut,
    });
    if (tokenIds) {
      keep(await listMarketsOf(gamma, tokenIds, call));
      return answer(false);
    }
    const maxPages = Math.ceil(limit / MAX_PAGE_SIZE) + SPARE_PAGES;
    let size = Math.min(limit + PAGE_MARGIN, MAX_PAGE_SIZE);
    let cursor: string | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const after = cursor === undefined ? [] : [['after_cursor', cursor] as const];
      const page = await listMarketPage(gamma, { size, filter: after }, call);
      keep(page.markets);
      size = MAX_PAGE_SIZE;
      const stands = cursor !== undefined && page.nextCursor === cursor;
      if (stands) warnOnce('cursor of the market list stands still', 'cursor', {}, call);
      cursor = page.nextCursor;
      if (stands || cursor === undefined || found.size >= limit) break;
    }
    return answer(cursor !== undefined);
  }

  return { listMarkets, readBook: async (tokenId, call) => (await readBook(clob, tokenId, call)).book };
}
