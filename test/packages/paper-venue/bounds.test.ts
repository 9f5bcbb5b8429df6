import { describe, expect, it } from '@jest/globals';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange } from '../../../packages/paper-venue/exchange/exchange.ts';
import { RequestLog } from '../../../packages/paper-venue/http/transport.ts';
import { houseOf, MarketMaker } from '../../../packages/paper-venue/simulation/market-maker.ts';
import { Simulation } from '../../../packages/paper-venue/simulation/simulation.ts';

describe('a paper venue that runs for long', () => {
  it('does not pile up the quotes and the trades of the house', () => {
    const catalogue = createCatalogue(1, { startedAt: 0, stopsAt: 0 });
    const exchange = new Exchange(catalogue, { collateral: 0n, shares: 0n }, houseOf(1));
    const marketMaker = new MarketMaker(exchange, 1);
    marketMaker.open();
    // Five levels of either side.
    const most = 10 * catalogue.markets.length;
    for (let step = 1; step <= 200; step += 1) marketMaker.refresh(step, step);
    expect(exchange.orders.size).toBeLessThanOrEqual(most);
    const simulation = new Simulation(exchange, marketMaker, 1);
    for (let step = 201; step <= 800; step += 1) simulation.advance(step, step);
    expect(exchange.orders.size).toBeLessThanOrEqual(most);
    expect(exchange.orders.size).toBe(exchange.open().length);
    expect(exchange.trades).toStrictEqual([]);
  });

  it('keeps the last ten thousand requests', () => {
    const log = new RequestLog();
    for (let at = 0; at < 10_003; at += 1) log.add({ method: 'GET', path: '/ok', query: '', at, fault: null });
    expect(log.list()).toHaveLength(10_000);
    expect(log.list()[0]).toMatchObject({ at: 3 });
  });
});
