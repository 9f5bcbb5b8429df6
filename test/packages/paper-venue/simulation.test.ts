import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AssetType, Side } from '@polymarket/clob-client-v2';
import { z } from 'zod';
import { ONE } from '../../../packages/paper-venue/exchange/millionths.ts';
import { settingsOf, VenueState } from '../../../packages/paper-venue/state/state.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { FULL_EXTENT, fakeOnly } from '../../support/jest.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { plainMarket, type RunningPaper, startPaper } from '../../support/venue/paper-venue.ts';

const listed = z.object({ items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })) });
const level = z.object({ price: z.string(), size: z.string() });
const bookBody = z.object({ bids: z.array(level), asks: z.array(level), last_trade_price: z.string().nullable() });
const record = z.object({
  volume24hr: z.number(),
  volumeNum: z.number(),
  lastTradePrice: z.number(),
  bestBid: z.number(),
  bestAsk: z.number(),
});
const placed = z.object({ orders: z.array(z.object({ side: z.string(), size_matched: z.string() })) });

/** Time of the venue, which the tests move; it begins now, since clients sign theirs. */
let clock: number;
/** Options of a venue that lives by that time alone. */
const living = { now: () => clock, still: false, clockToleranceSeconds: 1e9 };

beforeEach(() => {
  clock = Date.now();
  // Only intervals are faked: the sockets need the rest.
  fakeOnly(['setInterval', 'clearInterval']);
});
afterEach(() => {
  jest.useRealTimers();
});

/** Lets the time of the venue pass, and its own ticker with it. */
function pass(seconds: number): void {
  for (let second = 0; second < seconds; second += 1) {
    clock += 1_000;
    jest.advanceTimersByTime(1_000);
  }
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

/** All that the venue tells anybody: the list of markets, and the books. */
async function everything(paper: RunningPaper) {
  const { body } = await paper.get('/markets/keyset?limit=100');
  const { markets } = z
    .object({ markets: z.array(z.looseObject({ clobTokenIds: z.string().nullable() })) })
    .parse(body);
  const tokens = markets.flatMap(({ clobTokenIds }) => z.array(z.string()).parse(JSON.parse(clobTokenIds ?? '[]')));
  const books = await Promise.all(tokens.map((token) => paper.get(`/book?token_id=${token}`)));
  return { markets, books: books.map((book) => book.body) };
}

/** Quotes both sides of the first market every ten seconds, as a market maker that only knows the service. */
async function quoteForThreeMinutes(url: string): Promise<void> {
  const { items } = listed.parse(await get(`${url}/v1/markets?limit=1`));
  const token_id = items[0]?.outcomes[0]?.token_id;
  for (let round = 0; round < 18; round += 1) {
    const { bids, asks } = bookBody.parse(await get(`${url}/v1/book/${token_id}`));
    for (const [side, best] of [
      ['buy', bids[0]],
      ['sell', asks[0]],
    ] as const) {
      const body = JSON.stringify({ token_id, side, price: best?.price, size: '10', post_only: true });
      const headers = { 'content-type': 'application/json' };
      expect(await fetch(`${url}/v1/orders`, { method: 'POST', headers, body })).toMatchObject({ status: 201 });
    }
    pass(10);
  }
}

describe('a market maker on the paper venue for three minutes', () => {
  it.each(FULL_EXTENT ? [1, 2, 3] : [1])('gets fills on both sides (seed %i)', async (seed) => {
    const { url, venueUrl } = await startPaperService({}, { ...living, seed });
    await quoteForThreeMinutes(url);
    const { orders } = placed.parse(await get(`${venueUrl}/paper/orders`));
    const filled = (side: string) =>
      orders.filter((order) => order.side === side).reduce((sum, { size_matched }) => sum + Number(size_matched), 0);
    expect(orders).toHaveLength(36);
    expect([filled('BUY') > 0, filled('SELL') > 0]).toStrictEqual([true, true]);
  });
});

describe('the house as a taker', () => {
  it('changes all that a fill changes: order, trades, balances, last price, volume and best prices', async () => {
    const paper = await startPaper(living);
    const { client } = await officialClient(paper);
    const { id, yes, bestBid = 0 } = await plainMarket(paper);
    const market = async () => {
      const { body } = await paper.get(`/markets/keyset?id=${id}`);
      return z.object({ markets: z.tuple([record]) }).parse(body).markets[0];
    };
    const balance = async () =>
      (await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: yes })).balance;
    const before = await market();
    // Better than the touch, so that whoever sells in this market takes it first.
    const price = bestBid + 0.01;
    const { orderID } = await client.createAndPostOrder({ tokenID: yes, price, size: 20, side: Side.BUY });
    expect(await market()).toMatchObject({ bestBid: price });
    for (let second = 0; paper.venue.orders()[0]?.status === 'LIVE' && second < 180; second += 1) pass(1);
    const trades = await client.getTrades();
    expect(await client.getOrder(orderID)).toMatchObject({ size_matched: '20', status: 'MATCHED' });
    expect(trades[0]).toMatchObject({ trader_side: 'MAKER', maker_orders: [{ order_id: orderID, price: '0.52' }] });
    const matched = trades.map(({ maker_orders }) => Number(maker_orders[0]?.matched_amount));
    expect(matched.reduce((sum, amount) => sum + amount, 0)).toBe(20);
    expect(await balance()).toBe(String(1_020n * ONE));
    expect((await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).balance).toBe('989600000');
    const after = await market();
    expect(after).toMatchObject({ lastTradePrice: price });
    // A taker of the second outcome pays for it at the other price.
    expect(after.volume24hr - before.volume24hr).toBeGreaterThanOrEqual(20 * (1 - price) - 1e-6);
    expect(after.volumeNum - before.volumeNum).toBeCloseTo(after.volume24hr - before.volume24hr, 6);
    expect(await client.getOrderBook(yes)).toMatchObject({ last_trade_price: String(price) });
    expect(after.bestBid).toBeLessThan(price);
  });
});

describe('the markets of a paper venue that lives', () => {
  it('drift within bounds for two hours, and exclusive outcomes stay worth one together', () => {
    const state = new VenueState(settingsOf({ ...living, seed: 5 }));
    const markets = state.exchange.catalogue.markets.filter(({ volume24h }) => volume24h > 0n);
    const moved = new Set<string>();
    const outOfBounds: unknown[] = [];
    for (let step = 0; step < 2 * 3_600; step += 1) {
      clock += 1_000;
      state.step(clock);
      for (const { id, mid } of markets) if (state.exchange.floor(id).mid !== mid) moved.add(id);
      const events = Map.groupBy(markets, ({ negRiskMarketId }) => negRiskMarketId);
      events.delete(null);
      for (const rivals of events.values()) {
        const first = rivals.reduce((sum, { mid }) => sum + mid, 0n);
        const sum = rivals.reduce((total, { id }) => total + state.exchange.floor(id).mid, 0n);
        if (sum > ONE || sum - first >= ONE / 40n || first - sum >= ONE / 40n) outOfBounds.push({ step, first, sum });
      }
    }
    expect(outOfBounds).toStrictEqual([]);
    expect(moved.size).toBe(markets.length);
    for (const { id, mid } of markets) {
      const { tick, mid: drifted, book } = state.exchange.floor(id);
      expect([drifted % tick, drifted >= mid / 2n, ONE - drifted >= (ONE - mid) / 2n]).toStrictEqual([0n, true, true]);
      expect(book.levels(0).bids.length).toBeGreaterThan(0);
    }
  });

  it('trade: within three minutes most of them have another last price or volume, and the other outcome mirrors it', async () => {
    const paper = await startPaper(living);
    const records = async () =>
      z
        .object({ markets: z.array(z.object({ id: z.string(), volume24hr: z.number(), outcomePrices: z.string() })) })
        .parse((await paper.get('/markets/keyset?limit=100')).body).markets;
    const before = await records();
    pass(180);
    const after = await records();
    const changed = after.filter(({ volume24hr }, index) => volume24hr > (before[index]?.volume24hr ?? Infinity));
    expect(changed.length).toBeGreaterThan(10);
    for (const { outcomePrices } of after) {
      const [yes = 0, no = 0] = z.array(z.coerce.number()).parse(JSON.parse(outcomePrices));
      expect(yes + no).toBeCloseTo(1, 6);
    }
  });

  it('are equal for equal seeds and clocks, and begin again when they are reset', async () => {
    const [one, other] = [await startPaper(living), await startPaper(living)];
    const first = await everything(one);
    pass(120);
    const later = await everything(one);
    expect(later).not.toStrictEqual(first);
    expect(await everything(other)).toStrictEqual(later);
    await other.send('POST', '/paper/reset');
    expect(await everything(other)).toStrictEqual(await everything(await startPaper(living)));
  });
});
