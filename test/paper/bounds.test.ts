import { describe, expect, it } from '@jest/globals';
import { createCatalogue } from '../../paper/catalogue.ts';
import { Exchange } from '../../paper/exchange.ts';
import { MarketMaker } from '../../paper/market-maker.ts';
import { RequestLog } from '../../paper/request-log.ts';

describe('a paper venue that runs for long', () => {
  it('does not pile up the quotes that its market maker withdrew', () => {
    const exchange = new Exchange(createCatalogue(1, { startedAt: 0, stopsAt: 0 }), { collateral: 0n, shares: 0n });
    const marketMaker = new MarketMaker(exchange, 1);
    marketMaker.open();
    const first = exchange.orders.size;
    for (let step = 1; step <= 200; step += 1) marketMaker.refresh(step, step);
    expect(exchange.orders.size).toBeLessThanOrEqual(first);
    expect(exchange.orders.size).toBe(exchange.open().length);
  });

  it('keeps the last ten thousand requests', () => {
    const log = new RequestLog();
    for (let at = 0; at < 10_003; at += 1) log.add({ method: 'GET', path: '/ok', query: '', at, fault: null });
    expect(log.list()).toHaveLength(10_000);
    expect(log.list()[0]).toMatchObject({ at: 3 });
  });
});
