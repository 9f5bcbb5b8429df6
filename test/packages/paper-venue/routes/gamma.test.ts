import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { isPositionId } from '../../../../packages/paper-venue/exchange/catalogue.ts';
import { findMarket, listMarkets } from '../../../support/venue/paper-markets.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';

const charges = z.object({ mbf: z.number(), tbf: z.number(), fd: z.unknown().optional() });
const page = z.object({ markets: z.array(z.looseObject({ id: z.string() })), next_cursor: z.string().optional() });

async function keyset(paper: RunningPaper, query: string) {
  const { body } = await paper.get(`/markets/keyset?${query}`);
  return page.parse(body);
}

describe('Gamma on the paper venue', () => {
  it('lists a market in the shape of the wire', async () => {
    const paper = await startPaper();
    const { markets } = await keyset(paper, 'slug=will-the-copper-lake-ferry-run-on-founders-day');
    expect(markets).toMatchObject([
      {
        outcomes: '["Yes","No"]',
        outcomePrices: '["0.52","0.48"]',
        clobTokenIds: expect.stringMatching(/^\["\d{60,78}","\d{60,78}"\]$/),
        volume: expect.stringMatching(/^\d+(\.\d+)?$/),
        volume24hr: expect.any(Number),
        orderPriceMinTickSize: 0.01,
        orderMinSize: 5,
        restricted: true,
        version: 'v1',
        conditionId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        endDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      },
    ]);
    expect(markets[0]).not.toHaveProperty('positionIds');
  });

  it.each(['2026-11-21T12:00Z', '2033-02-01T00:00Z'])(
    'begins with what can be traded and has not ended (%s)',
    async (start) => {
      const now = Date.parse(start);
      const paper = await startPaper({ now: () => now });
      const { markets } = await keyset(paper, 'limit=23&order=volume24hr&ascending=false&closed=false');
      for (const { endDate, acceptingOrders, enableOrderBook, clobTokenIds, positionIds } of markets) {
        expect(Date.parse(String(endDate))).toBeGreaterThan(now);
        expect([acceptingOrders, enableOrderBook]).toStrictEqual([true, true]);
        expect(clobTokenIds ?? positionIds).toBeTruthy();
      }
    },
  );

  it('keeps v1 ids out of the namespace of v2 and lays v2 ids out as the protocol does', async () => {
    const paper = await startPaper();
    for (const market of await listMarkets(paper)) {
      if (market.yes === '') continue;
      expect(isPositionId(BigInt(market.yes))).toBe(market.version === 'v2');
      if (market.version === 'v1') continue;
      expect(market.clobTokenIds).toBeNull();
      expect(BigInt(market.no)).toBe(BigInt(market.yes) + 1n);
      expect(BigInt(market.yes) >> 248n).toBe(market.negRisk ? 2n : 1n);
      expect(market.conditionId).toMatch(/^0x[0-9a-f]{62}$/);
      expect(await paper.get(`/clob-markets/${market.conditionId}`)).toMatchObject({ status: 404 });
      expect(await paper.get(`/clob-markets/${market.conditionId}00`)).toMatchObject({
        status: 200,
        body: { v: 'v2' },
      });
    }
  });

  it('gives the markets of one event the same event, and says what each charges as the CLOB does', async () => {
    const paper = await startPaper();
    const { markets } = await keyset(paper, 'limit=100');
    const listed = z
      .array(
        z.object({
          events: z.tuple([z.object({ id: z.string(), title: z.string() })]),
          negRiskMarketID: z.string().optional(),
          conditionId: z.string(),
          enableOrderBook: z.boolean(),
          clobTokenIds: z.string().nullable(),
          positionIds: z.array(z.string()).optional(),
          feesEnabled: z.boolean(),
          feeSchedule: z.object({ rate: z.number(), exponent: z.literal(1), takerOnly: z.literal(true) }).nullable(),
        }),
      )
      .parse(markets);
    const groups = Map.groupBy(listed, ({ events, negRiskMarketID }) => `${events[0].id} ${negRiskMarketID ?? ''}`);
    expect([...groups.values()].map(({ length }) => length).filter((length) => length > 1)).toStrictEqual([6, 2]);
    expect(new Set(listed.map(({ events }) => events[0].id)).size).toBe(groups.size);
    const rates = listed.map(({ feesEnabled, feeSchedule }) => {
      expect(feesEnabled).toBe(feeSchedule !== null);
      return feeSchedule?.rate ?? 0;
    });
    expect([...new Set(rates)].toSorted()).toStrictEqual([0, 0.04, 0.05, 0.07]);
    for (const market of listed) {
      const { body, status } = await paper.get(`/clob-markets/${market.conditionId.padEnd(66, '0')}`);
      if (status === 404) continue;
      const { feeSchedule } = market;
      const baseFee = feeSchedule ? 1_000 : 0;
      const details = feeSchedule ? { r: feeSchedule.rate, e: 1, to: true } : undefined;
      const { mbf, tbf, fd } = charges.parse(body);
      expect({ mbf, tbf, fd }).toStrictEqual({ mbf: baseFee, tbf: baseFee, fd: details });
    }
  });

  it('pages without repeats and leaves the cursor out on the last page', async () => {
    const paper = await startPaper();
    const all = await keyset(paper, 'limit=1000');
    expect(all).not.toHaveProperty('next_cursor');
    expect(await keyset(paper, `limit=${all.markets.length}`)).not.toHaveProperty('next_cursor');
    expect(await keyset(paper, `limit=${all.markets.length - 1}`)).toHaveProperty('next_cursor');
    const seen: string[] = [];
    let cursor = '';
    do {
      const query = `limit=7&order=volume24hr&ascending=false${cursor && `&after_cursor=${cursor}`}`;
      const { markets, next_cursor } = await keyset(paper, query);
      seen.push(...markets.map(({ id }) => id));
      cursor = next_cursor ?? '';
    } while (cursor !== '');
    expect(seen.toSorted()).toStrictEqual(all.markets.map(({ id }) => id).toSorted());
  });

  it('sorts by the asked field both ways', async () => {
    const paper = await startPaper();
    const volumes = async (ascending: boolean) =>
      (await keyset(paper, `limit=100&order=volume24hr&ascending=${ascending}`)).markets.map((m) =>
        Number(m['volume24hr']),
      );
    const down = await volumes(false);
    expect(down).toStrictEqual(down.toSorted((left, right) => right - left));
    expect(await volumes(true)).toStrictEqual(down.toReversed());
  });

  it('finds a market by token, position, id or slug, and a closed one only when asked', async () => {
    const paper = await startPaper();
    const v1 = await findMarket(paper, ({ version }) => version === 'v1');
    const v2 = await findMarket(paper, ({ version }) => version === 'v2');
    const [closed] = await listMarkets(paper, '&closed=true');
    expect((await keyset(paper, `clob_token_ids=${v1.no}`)).markets).toMatchObject([{ id: v1.id }]);
    expect((await keyset(paper, `position_ids=${v2.yes}`)).markets).toMatchObject([{ id: v2.id }]);
    expect((await keyset(paper, `clob_token_ids=${v2.yes}`)).markets).toStrictEqual([]);
    expect((await keyset(paper, `id=${v1.id}&id=${v2.id}`)).markets).toHaveLength(2);
    expect((await keyset(paper, `id=${closed?.id}`)).markets).toStrictEqual([]);
    expect((await keyset(paper, `id=${closed?.id}&closed=true`)).markets).toHaveLength(1);
    expect((await keyset(paper, `slug=${v1.slug}`)).markets).toMatchObject([{ id: v1.id }]);
    expect((await keyset(paper, 'id=1')).markets).toStrictEqual([]);
  });

  it.each(['order=volume_24hr', 'limit=ten', 'offset=20', 'ascending=down', 'after_cursor=%21'])(
    'refuses %s',
    async (query) => {
      const paper = await startPaper();
      expect(await paper.get(`/markets/keyset?${query}`)).toMatchObject({
        status: 422,
        body: { type: 'validation error', error: expect.any(String) },
      });
    },
  );
});
