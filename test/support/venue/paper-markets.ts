import { z } from 'zod';
import type { RunningPaper } from './paper-venue.ts';

const listed = z.object({
  id: z.string(),
  slug: z.string(),
  version: z.enum(['v1', 'v2']),
  negRisk: z.boolean(),
  conditionId: z.string(),
  clobTokenIds: z.string().nullable(),
  positionIds: z.array(z.string()).optional(),
  orderPriceMinTickSize: z.number(),
  acceptingOrders: z.boolean(),
  enableOrderBook: z.boolean(),
  bestBid: z.number().optional(),
  bestAsk: z.number(),
});

/** A listed market with its tokens in one form. */
export interface ListedMarket extends z.infer<typeof listed> {
  readonly yes: string;
  readonly no: string;
}

/** All open markets as Gamma lists them, with ids read by version. */
export async function listMarkets(paper: RunningPaper, query = ''): Promise<readonly ListedMarket[]> {
  const { body } = await paper.get(`/markets/keyset?limit=100${query}`);
  return z
    .object({ markets: z.array(listed) })
    .parse(body)
    .markets.map((market) => {
      const ids =
        market.version === 'v2'
          ? market.positionIds
          : z.array(z.string()).parse(JSON.parse(market.clobTokenIds ?? '[]'));
      return { ...market, yes: ids?.[0] ?? '', no: ids?.[1] ?? '' };
    });
}

/** The first tradable market that fits. */
export async function findMarket(paper: RunningPaper, fits: (market: ListedMarket) => boolean): Promise<ListedMarket> {
  const found = (await listMarkets(paper)).find(
    (market) => market.acceptingOrders && market.enableOrderBook && fits(market),
  );
  if (!found) throw new Error('no such market');
  return found;
}

/** A market whose best prices are 0.51 and 0.53 at tick 0.01. */
export function plainMarket(paper: RunningPaper): Promise<ListedMarket> {
  return findMarket(paper, ({ slug }) => slug === 'will-the-copper-lake-ferry-run-on-founders-day');
}
