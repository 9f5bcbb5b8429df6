import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { startOnPaper } from '../../../local/paper/paper-mode.ts';
import type { Environment } from '../../../shared/settings/table.ts';

const run = promisify(execFile);
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Starts the service on paper; gives what it printed, and the addresses on it. */
async function start(settings: Environment = {}) {
  let screen = '';
  const print = (text: string) => {
    screen += text;
  };
  const quiet = { write: () => undefined };
  const service = await startOnPaper({ SERVICE_PORT: '0', ...settings }, print, quiet);
  stops.push(service.stop);
  const [, venueUrl = ''] = /^ {2}venue +(http:\S+) /m.exec(screen) ?? [];
  return { service, screen, venueUrl };
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

const healthy = z.object({ wallet_address: z.string() });

describe('the first screen on paper', () => {
  it('says where service and venue listen and what the wallet holds', async () => {
    const { service, screen, venueUrl } = await start();
    const { wallet_address } = healthy.parse(await get(`${service.url}/health`));
    expect(screen).toContain(`\n  service  ${service.url}\n`);
    expect(screen).toContain(`\n  wallet   ${wallet_address}, 1000 pUSD and shares\n`);
    expect(await get(venueUrl)).toMatchObject({ about: expect.stringContaining('paper venue'), still: false });
    // The screen is written without a request: the first one in the log is the reader's own.
    expect(await get(`${venueUrl}/paper/requests`)).toStrictEqual({ requests: [] });
  });

  it('has commands that work as they stand, in their order', async () => {
    const { screen, venueUrl } = await start();
    const names = screen.split('\n').filter((line) => /^[A-Z]=/.test(line));
    const commands = screen
      .replaceAll('\\\n', '')
      .split('\n')
      .filter((line) => line.startsWith('curl '))
      .map((line) => [...names, line].join('\n'));
    const answers: unknown[] = [];
    for (const command of commands) {
      const { stdout } = await run('sh', ['-euc', command.replace('curl', 'curl -sf')]);
      answers.push(JSON.parse(stdout));
    }
    const [markets, book, order, orders, faults] = answers.map(Object);
    expect(markets.items).toHaveLength(3);
    expect(markets.items[0].outcomes[0].token_id).toBe(book.token_id);
    expect(order).toMatchObject({ status: 'live', token_id: book.token_id });
    expect(orders.orders).toMatchObject([{ id: order.order_id, size_matched: '0' }]);
    expect(faults.armed).toMatchObject([{ fault: 'reset-after', times: 1 }]);
    const again = await run('sh', ['-euc', `${commands[2]?.replace('curl', 'curl -sf')}`]);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'live', filled_size: '0' });
    expect(await get(`${venueUrl}/paper/faults`)).toStrictEqual({ armed: [] });
  });

  it('fits a terminal of 24 lines and 80 columns, with what npm and the log write', async () => {
    const { screen } = await start();
    const { scripts } = z
      .object({ scripts: z.object({ paper: z.string() }) })
      .parse(JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8')));
    const lines = screen.split('\n').slice(0, -1);
    expect(lines.filter((line) => line.length > 80)).toStrictEqual([]);
    const byNpm = 3 + Math.ceil(`> ${scripts.paper}`.length / 80);
    expect(byNpm + lines.length + 1).toBeLessThanOrEqual(24);
  });

  it('names another address of the venue where its port is taken', async () => {
    const [one, other] = [await start(), await start()];
    expect(other.venueUrl).not.toBe(one.venueUrl);
    expect(await get(`${other.venueUrl}/ok`)).toBe('OK');
  });
});

describe('the console on paper', () => {
  it('may place orders from both of its names, beside the pages that the operator lists', async () => {
    const listed = 'https://app.example';
    const { service, screen } = await start({ SERVICE_CORS_ORIGINS: listed });
    const [, consoleUrl = ''] = /^ {2}console +(http:\S+) /m.exec(screen) ?? [];
    const allowed = [consoleUrl, consoleUrl.replace('127.0.0.1', 'localhost'), listed];
    for (const origin of [...allowed, 'https://other.example']) {
      const { headers } = await fetch(`${service.url}/health`, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe(allowed.includes(origin) ? origin : null);
    }
    expect(await get(`${consoleUrl}/console.json`)).toMatchObject({ service_url: service.url });
  });

  it('ends with the service', async () => {
    const { service, screen } = await start();
    const [, consoleUrl = ''] = /^ {2}console +(http:\S+) /m.exec(screen) ?? [];
    const shown = async () => JSON.stringify(await get(`${consoleUrl}/console.json`));
    expect(await shown()).toContain(service.url);
    await service.stop();
    // Nobody answers, or the console of another service, which has taken the port since.
    expect(await shown().catch(String)).not.toContain(service.url);
  });
});
