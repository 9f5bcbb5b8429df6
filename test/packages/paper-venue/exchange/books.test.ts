import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { officialClient } from '../../../../tools/support/paper-client.ts';
import { fakeOnly } from '../../../support/fake-only.ts';
import { listMarkets, plainMarket } from '../../../support/venue/paper-markets.ts';
import { signOrder } from '../../../support/venue/paper-order.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { postOrder } from '../../../support/venue/signed-request.ts';

const side = z.array(z.object({ price: z.string(), size: z.string() }));
const bookBody = z.looseObject({
  bids: side,
  asks: side,
  hash: z.string(),
  tick_size: z.string(),
  timestamp: z.string(),
});

async function book(paper: RunningPaper, token: string) {
  return bookBody.parse((await paper.get(`/book?token_id=${token}`)).body);
}

async function allBooks(paper: RunningPaper) {
  const tokens = (await listMarkets(paper))
    .filter((m) => m.yes !== '' && m.enableOrderBook)
    .flatMap((m) => [m.yes, m.no]);
  return Promise.all(tokens.map((token) => book(paper, token)));
}

function millionths(text: string): number {
  return Math.round(Number(text) * 1e6);
}

afterEach(() => {
  jest.useRealTimers();
});

describe('books of the paper venue', () => {
  it('change by orders only where the venue is still, and else every second until it is closed', async () => {
    const now = () => 1_800_000_000_000;
    // Only intervals are faked: the sockets need the rest.
    fakeOnly(['setInterval', 'clearInterval']);
    const [still, living] = [await startPaper({ now }), await startPaper({ now, still: false })];
    const before = await allBooks(still);
    expect(await allBooks(living)).toStrictEqual(before);
    jest.advanceTimersByTime(20_000);
    expect(await allBooks(still)).toStrictEqual(before);
    expect(await allBooks(living)).not.toStrictEqual(before);
    await Promise.all([living.venue.close(), living.venue.close()]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('list both sides worst first, on the grid, uncrossed, and mirror the other outcome', async () => {
    const paper = await startPaper();
    const mirror = (levels: z.infer<typeof side>) => levels.map(({ price, size }) => [1e6 - millionths(price), size]);
    const plain = (levels: z.infer<typeof side>) => levels.map(({ price, size }) => [millionths(price), size]);
    for (const market of (await listMarkets(paper)).filter((m) => m.yes !== '' && m.enableOrderBook)) {
      const [yes, no] = [await book(paper, market.yes), await book(paper, market.no)];
      const [bids, asks] = [yes.bids, yes.asks].map((levels) => levels.map(({ price }) => millionths(price)));
      expect(bids).toStrictEqual(bids?.toSorted((a, b) => a - b));
      expect(asks).toStrictEqual(asks?.toSorted((a, b) => b - a));
      expect((bids?.at(-1) ?? 0) < (asks?.at(-1) ?? 1e6)).toBe(true);
      const tick = millionths(yes.tick_size);
      for (const price of [...(bids ?? []), ...(asks ?? [])]) expect(price % tick).toBe(0);
      expect(mirror(no.bids)).toStrictEqual(plain(yes.asks));
      expect(mirror(no.asks)).toStrictEqual(plain(yes.bids));
    }
  });

  it('carry the SHA-1 of their own text with an empty hash', async () => {
    const paper = await startPaper();
    const { yes } = await plainMarket(paper);
    const text = await (await fetch(`${paper.url}/book?token_id=${yes}`)).text();
    const { hash } = bookBody.parse(JSON.parse(text));
    expect(createHash('sha1').update(text.replace(hash, '')).digest('hex')).toBe(hash);
  });

  it('say what is wrong with a token id', async () => {
    const paper = await startPaper();
    const unknown = { status: 404, body: { error: 'No orderbook exists for the requested token id' } };
    const [closed] = await listMarkets(paper, '&closed=true');
    expect(await paper.get('/book')).toMatchObject({ status: 400, body: { error: 'Invalid token id' } });
    expect(await paper.get('/book?token_id=0x12')).toMatchObject({ status: 400, body: { error: 'Invalid token id' } });
    expect(await paper.get('/book?token_id=12')).toMatchObject(unknown);
    expect(await paper.get(`/book?token_id=${closed?.yes}`)).toMatchObject(unknown);
    expect(await paper.get('/tick-size?token_id=12')).toMatchObject({
      status: 404,
      body: { error: 'market not found' },
    });
  });

  it('forget a GTD order a minute before its expiration', async () => {
    let clock = Date.now();
    const paper = await startPaper({ now: () => clock });
    const { creds } = await officialClient(paper);
    const { yes } = await plainMarket(paper);
    const before = await book(paper, yes);
    const expiration = Math.floor(clock / 1_000) + 200;
    const { order } = await signOrder({ tokenId: yes, price: 0.52, expiration: String(expiration) });
    await postOrder(paper, creds, order, { orderType: 'GTD', at: clock });
    clock = (expiration - 60) * 1_000 - 1;
    expect((await book(paper, yes)).bids.at(-1)).toMatchObject({ price: '0.52' });
    clock += 1;
    expect((await book(paper, yes)).bids).toStrictEqual(before.bids);
    expect(paper.venue.orders()).toMatchObject([{ status: 'CANCELED' }]);
  });

  it('take a new tick while the venue runs', async () => {
    const paper = await startPaper();
    const { yes, no } = await plainMarket(paper);
    expect(await paper.send('POST', '/paper/tick-size', { token_id: yes, tick_size: '0.001' })).toMatchObject({
      status: 200,
    });
    expect((await book(paper, no)).tick_size).toBe('0.001');
    expect(await paper.get(`/tick-size?token_id=${yes}`)).toMatchObject({ body: { minimum_tick_size: 0.001 } });
    expect(await paper.send('POST', '/paper/tick-size', { token_id: yes, tick_size: '0.3' })).toMatchObject({
      status: 400,
    });
  });
});
