import * as z from 'zod/mini';
import type { Config } from '../../shared/settings/config.ts';
import { readShape } from '../../shared/venue/polymarket/http/reads.ts';
import { createTransport } from '../../shared/venue/polymarket/http/transport.ts';
import { lenientConditionId, lenientString } from '../../shared/venue/polymarket/wire.ts';
import { printable } from './rows.ts';

/** Ids of one request: a longer URL than 8 KB is refused. */
const MAX_IDS = 80;

const page = z.object({ markets: z.array(z.object({ conditionId: lenientConditionId, question: lenientString })) });

/** A market of the catalogue. */
export interface CatalogueMarket {
  readonly question: string | null;
  /** True once it is closed: its shares are redeemed, not traded. */
  readonly isResolved: boolean;
}

/**
 * `GET /markets/keyset?condition_ids=…` of Gamma (https://docs.polymarket.com/api-reference/markets/list-markets), for open
 * and for closed markets. Returns them by condition id; a market that cannot be looked up in `limitMs` is left out.
 */
export async function readMarkets(
  { gammaUrl, proxyEnv }: Pick<Config, 'gammaUrl' | 'proxyEnv'>,
  conditionIds: readonly string[],
  limitMs: number,
): Promise<ReadonlyMap<string, CatalogueMarket>> {
  const gamma = createTransport(gammaUrl, { proxyEnv });
  const call = { deadline: performance.now() + limitMs, venueRequests: [] };
  const found = new Map<string, CatalogueMarket>();
  for (let from = 0; from < conditionIds.length; from += MAX_IDS) {
    for (const isResolved of [false, true]) {
      const query = new URLSearchParams({ closed: String(isResolved), limit: String(MAX_IDS) });
      for (const id of conditionIds.slice(from, from + MAX_IDS)) query.append('condition_ids', id);
      const spec = { name: 'read-questions', method: 'GET', path: `/markets/keyset?${query}` } as const;
      const { markets } = await readShape(gamma, spec, page, call).catch(() => ({ markets: [] }));
      for (const { conditionId, question } of markets) {
        if (conditionId) found.set(conditionId, { question: printable(question ?? '') || null, isResolved });
      }
    }
  }
  return found;
}
