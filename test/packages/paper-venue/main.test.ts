import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createCatalogue } from '../../../packages/paper-venue/exchange/catalogue.ts';
import { Exchange } from '../../../packages/paper-venue/exchange/exchange.ts';
import { houseOf, MarketMaker } from '../../../packages/paper-venue/simulation/market-maker.ts';
import { Simulation } from '../../../packages/paper-venue/simulation/simulation.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const stops: (() => unknown)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function start(...flags: string[]) {
  const child = spawn(process.execPath, ['packages/paper-venue/main.ts', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stops.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, output }));
  const listening = async (): Promise<string> => {
    for (;;) {
      const url = /listening on (\S+)\n/.exec(output)?.[1];
      if (url) return url;
      await once(child.stdout, 'data');
    }
  };
  return { child, ended, listening };
}

describe('npm run paper:venue', () => {
  it('prints its URL, answers, and stops on SIGTERM', async () => {
    const { child, ended, listening } = start('--port', '0', '--seed', '5', '--still');
    const url = await listening();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${url}/ok`)).json()).toBe('OK');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('says in one sentence that the port is taken', async () => {
    const server = createServer();
    stops.push(() => server.close());
    const { port } = new URL(await listenOnLoopback(server));
    expect(await start('--port', port).ended).toStrictEqual({
      code: 1,
      output: `Port ${port} on 127.0.0.1 is taken: stop what uses it or choose another with --port.\n`,
    });
  });
});

const run = promisify(execFile);

/** The text under a heading of the paper venue's README. */
async function section(heading: string): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../../../packages/paper-venue/README.md'), 'utf8');
  return readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

describe('the README of the paper venue', () => {
  it('shows requests that work as they stand', async () => {
    const { url } = await startPaper();
    const commands = /```sh\n(.*?)```/s.exec(await section('Paths of its own'))?.[1] ?? '';
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
