import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { FULL_EXTENT, fakeOnly } from '../../support/jest.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { type RunningPaper, startPaper } from '../../support/venue/paper-venue.ts';

const listed = z.object({ items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })) });
const level = z.object({ price: z.string(), size: z.string() });
const bookBody = z.object({ bids: z.array(level), asks: z.array(level), last_trade_price: z.string().nullable() });
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
  jest.restoreAllMocks();
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
    // The service goes by the same clock.
    jest.spyOn(Date, 'now').mockImplementation(() => clock);
    const { url, venueUrl } = await startPaperService({}, { ...living, seed });
    await quoteForThreeMinutes(url);
    const { orders } = placed.parse(await get(`${venueUrl}/paper/orders`));
    const filled = (side: string) =>
      orders.filter((order) => order.side === side).reduce((sum, { size_matched }) => sum + Number(size_matched), 0);
    expect(orders).toHaveLength(36);
    expect([filled('BUY') > 0, filled('SELL') > 0]).toStrictEqual([true, true]);
  });
});

describe('the markets of a paper venue that lives', () => {
  it('are equal for equal seeds and clocks, change every second until it is closed, and begin again when reset', async () => {
    const [one, other] = [await startPaper(living), await startPaper(living)];
    const still = await startPaper({ ...living, still: true });
    const first = await everything(one);
    pass(120);
    const later = await everything(one);
    expect(later).not.toStrictEqual(first);
    expect(await everything(other)).toStrictEqual(later);
    expect(await everything(still)).toStrictEqual(first);
    await other.send('POST', '/paper/reset');
    expect(await everything(other)).toStrictEqual(await everything(await startPaper(living)));
    await Promise.all([one, one, other].map(({ venue }) => venue.close()));
    expect(jest.getTimerCount()).toBe(1);
  });
});
