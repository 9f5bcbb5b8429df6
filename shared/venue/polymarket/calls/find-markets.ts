import * as z from 'zod/mini';
import type { Call } from '../../../call.ts';
import { withoutControls } from '../../../foreign-text.ts';
import { readShape } from '../http/reads.ts';
import type { Transport } from '../http/transport.ts';
import { lenientConditionId, lenientString } from '../wire.ts';

/** Ids of one request: a longer URL than 8 KB is refused. */
const MAX_IDS = 80;

const page = z.object({ markets: z.array(z.object({ conditionId: lenientConditionId, question: lenientString })) });

export interface CatalogueMarket {
  readonly question: string | null;
  /** True once it is closed: its shares are redeemed, not traded. */
  readonly isResolved: boolean;
}

/**
 * `GET /markets/keyset?condition_ids=…` of Gamma (https://docs.polymarket.com/api-reference/markets/list-markets), for open and
 * for closed markets. Returns them by condition id; one that cannot be looked up is left out.
 */
export async function findMarkets(
  gamma: Transport,
  conditionIds: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, CatalogueMarket>> {
  const found = new Map<string, CatalogueMarket>();
  for (let from = 0; from < conditionIds.length; from += MAX_IDS) {
    for (const isResolved of [false, true]) {
      const missing = conditionIds.slice(from, from + MAX_IDS).filter((id) => !found.has(id));
      if (missing.length === 0) continue;
      const query = new URLSearchParams({ closed: String(isResolved), limit: String(MAX_IDS) });
      for (const id of missing) query.append('condition_ids', id);
      const spec = { name: 'find-markets', method: 'GET', path: `/markets/keyset?${query}` } as const;
      const { markets } = await readShape(gamma, spec, page, call).catch(() => ({ markets: [] }));
      for (const { conditionId, question } of markets) {
        if (conditionId) found.set(conditionId, { question: withoutControls(question ?? '') || null, isResolved });
      }
    }
  }
  return found;
}
