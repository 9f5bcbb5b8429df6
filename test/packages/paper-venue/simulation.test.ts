import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { createClient } from '../../../packages/client/client.ts';
import { fakeOnly } from '../../support/jest.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { type RunningPaper, startPaper } from '../../support/venue/paper-venue.ts';

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

it('a client that quotes both sides for three minutes gets fills on both', async () => {
  // The service goes by the same clock.
  jest.spyOn(Date, 'now').mockImplementation(() => clock);
  const { url, venue } = await startPaperService({}, living);
  const client = createClient({ baseUrl: url });
  const token_id = (await client.markets({ limit: 1 })).items[0]?.outcomes[0]?.token_id ?? '';
  for (let round = 0; round < 18; round += 1) {
    const { bids, asks } = await client.book(token_id);
    const quote = { token_id, size: '10', post_only: true };
    await client.placeOrder({ ...quote, side: 'buy', price: bids[0]?.price ?? '' });
    await client.placeOrder({ ...quote, side: 'sell', price: asks[0]?.price ?? '' });
    pass(10);
  }
  const filled = venue.orders().filter(({ size_matched }) => Number(size_matched) > 0);
  expect(new Set(filled.map(({ side }) => side))).toStrictEqual(new Set(['BUY', 'SELL']));
});

it('the markets of a venue that lives are equal for equal seeds and clocks, change every second until it is closed, and begin again when reset', async () => {
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
