import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { createPaperVenue } from '../../paper/venue.ts';
import { officialClient } from '../../tools/support/paper-client.ts';
import { plainMarket } from '../support/venue/paper-markets.ts';
import { signOrder } from '../support/venue/paper-order.ts';
import { startPaper, stopPaper } from '../support/venue/paper-venue.ts';
import { signedRequest } from '../support/venue/signed-request.ts';

let folder: string;
let stateFile: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paper-'));
  stateFile = join(folder, 'state.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a paper venue with a state file', () => {
  it('comes back with its keys, orders, trades, books and holdings', async () => {
    const first = await startPaper({ stateFile });
    const { client, creds } = await officialClient(first);
    const { yes, no } = await plainMarket(first);
    const rested = await client.createAndPostOrder({ tokenID: yes, price: 0.4, size: 25, side: Side.BUY });
    await client.createAndPostOrder({ tokenID: no, price: 0.49, size: 100, side: Side.BUY });
    const gone = await client.createAndPostOrder({ tokenID: yes, price: 0.9, size: 25, side: Side.SELL });
    await client.cancelOrder({ orderID: gone.orderID });
    await first.send('POST', '/paper/refresh', { steps: 5 });
    await first.send('POST', '/paper/tick-size', { token_id: yes, tick_size: '0.001' });
    const before = [first.venue.orders(), await client.getTrades(), await client.getOrderBook(yes)];
    await stopPaper(first);

    const second = await startPaper({ stateFile });
    const again = await officialClient(second);
    expect(again.creds).toStrictEqual(creds);
    expect([second.venue.orders(), await again.client.getTrades(), await again.client.getOrderBook(yes)]).toStrictEqual(
      before,
    );
    expect(await again.client.cancelOrder({ orderID: rested.orderID })).toMatchObject({ canceled: [rested.orderID] });
  });

  it('has an order on the disk before the answer is sent, so that a crash cannot lose it', async () => {
    const paper = await startPaper({ stateFile });
    const { creds } = await officialClient(paper);
    const { yes } = await plainMarket(paper);
    const { id, order } = await signOrder({ tokenId: yes });
    paper.venue.arm({ fault: 'reset-after', path: '/order' });
    const body = { order, owner: creds.key, orderType: 'GTC' };
    await expect(signedRequest(paper, creds, { method: 'POST', path: '/order', body })).rejects.toThrow();
    // The file alone, as after a kill: a second venue reads it while the first was never closed.
    expect(readFileSync(stateFile, 'utf8')).toContain(id);
    const copy = join(folder, 'copy.jsonl');
    writeFileSync(copy, readFileSync(stateFile));
    const crashed = await startPaper({ stateFile: copy });
    const repeat = await signedRequest(crashed, creds, { method: 'POST', path: '/order', body });
    expect(repeat).toMatchObject({ status: 400, body: { error: `order ${id} is invalid. Duplicated.` } });
  });

  it('keeps an order that arrived late, and is not bothered by one that had not yet arrived', async () => {
    const first = await startPaper({ stateFile });
    const { creds } = await officialClient(first);
    const { yes } = await plainMarket(first);
    first.venue.arm([
      { fault: 'late', path: '/order', seconds: 0.1, answer: 'edge-504' },
      { fault: 'late', path: '/order', seconds: 0.8, answer: 'edge-504' },
    ]);
    const orders = [await signOrder({ tokenId: yes }), await signOrder({ tokenId: yes })];
    for (const { order } of orders) {
      const body = { order, owner: creds.key, orderType: 'GTC' };
      expect(await signedRequest(first, creds, { method: 'POST', path: '/order', body })).toMatchObject({
        status: 504,
      });
    }
    while (first.venue.orders().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await stopPaper(first);
    await new Promise((resolve) => setTimeout(resolve, 900));
    const second = await startPaper({ stateFile });
    expect(second.venue.orders()).toMatchObject([{ id: orders[0]?.id }]);
  });

  it('drops a last line that a crash cut short, and goes on from there', async () => {
    const first = await startPaper({ stateFile });
    const { creds } = await officialClient(first);
    await stopPaper(first);
    appendFileSync(stateFile, '{"do":"order","at":17');
    const second = await startPaper({ stateFile });
    const { yes } = await plainMarket(second);
    const { order } = await signOrder({ tokenId: yes });
    const body = { order, owner: creds.key, orderType: 'GTC' };
    expect(await signedRequest(second, creds, { method: 'POST', path: '/order', body })).toMatchObject({ status: 200 });
    await stopPaper(second);
    const third = await startPaper({ stateFile });
    expect(third.venue.orders()).toHaveLength(1);
  });

  it('refuses a file of another seed, or one that is no state file', async () => {
    await stopPaper(await startPaper({ stateFile, seed: 3 }));
    expect(() => createPaperVenue({ stateFile, seed: 4 })).toThrow('belongs to seed 3, not 4');
    const text = join(folder, 'notes.txt');
    writeFileSync(text, 'hello\n');
    expect(() => createPaperVenue({ stateFile: text })).toThrow('is not a state file of the paper venue');
    expect(readFileSync(text, 'utf8')).toBe('hello\n');
  });

  it('forgets everything when it is reset', async () => {
    const paper = await startPaper({ stateFile });
    await officialClient(paper);
    await paper.send('POST', '/paper/reset');
    await stopPaper(paper);
    expect(readFileSync(stateFile, 'utf8').split('\n')).toHaveLength(2);
  });
});
