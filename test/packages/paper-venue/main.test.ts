import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange } from '../../../packages/paper-venue/exchange/exchange.ts';
import { houseOf, MarketMaker } from '../../../packages/paper-venue/simulation/market-maker.ts';
import { Simulation } from '../../../packages/paper-venue/simulation/simulation.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const run = promisify(execFile);
const PROGRAM = ['packages/paper-venue/main.ts', '--port'];

describe('npm run paper:venue', () => {
  it('prints its URL, answers, and stops on SIGTERM', async () => {
    const child = spawn(process.execPath, [...PROGRAM, '0', '--seed', '5', '--still']);
    const ended = once(child, 'close');
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url = ''] = /listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line) ?? [];
      if (url === '') continue;
      expect(await (await fetch(`${url}/ok`)).json()).toBe('OK');
      child.kill('SIGTERM');
      break;
    }
    expect(await ended).toStrictEqual([0, null]);
  });

  it('says in one sentence that the port is taken', async () => {
    const { port } = new URL((await startPaper()).url);
    const stderr = `Port ${port} on 127.0.0.1 is taken: stop what uses it or choose another with --port.\n`;
    await expect(run(process.execPath, [...PROGRAM, port])).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  });
});

describe('the README of the paper venue', () => {
  it('shows requests that work as they stand', async () => {
    const { url } = await startPaper();
    const readme = await readFile('packages/paper-venue/README.md', 'utf8');
    const [, commands = ''] = /\n## Paths of its own\n.*?```sh\n(.*?)```/s.exec(readme) ?? [];
    const { stdout } = await run('sh', ['-euc', commands.replace('http://127.0.0.1:8081', url)]);
    expect(stdout).toContain('"bids":[');
    expect(stdout.match(/\{"done":true\}/g)).toHaveLength(6);
    expect(stdout.match(/"armed":\[\{"fault":"hang-after"/g)).toHaveLength(2);
    expect(stdout).toContain('"path":"/time","query":"",');
    expect(stdout).toContain('"fault":"delay"');
  });
});

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
});
