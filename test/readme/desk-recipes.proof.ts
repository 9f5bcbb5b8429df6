import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import { createClient } from '../../packages/client/client.ts';
import { PAPER_KEY } from '../../tools/support/paper-settings.ts';
import { sharedPaperService } from '../support/service/paper-service.ts';
import { WITH_THIS_NODE } from '../support/service/program.ts';

const ROOT = join(import.meta.dirname, '../..');
const [ALICE, BOB] = ['0x1563915e194D8CfBA1943570603F7606A3115508', 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew'];
const run = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'desk-recipes-'));
const store = join(folder, 'orders.db');
const sharedService = sharedPaperService({ SERVICE_STORE: store });
let env: Record<string, string>;

/** Two clients have bought on one market. */
beforeAll(async () => {
  const { url, venueUrl } = sharedService();
  const venue = { SERVICE_GAMMA_URL: venueUrl, SERVICE_CLOB_URL: venueUrl };
  env = { ...WITH_THIS_NODE, ...venue, SERVICE_PRIVATE_KEY: PAPER_KEY, SERVICE_STORE: store };
  const client = createClient({ baseUrl: url });
  const token_id = (await client.markets({ limit: 1 })).items[0]?.outcomes[0]?.token_id ?? '';
  for (const [clientAddress, size] of [
    [ALICE, '5'],
    [BOB, '15'],
  ] as const) {
    const order = { token_id, side: 'buy', price: '0.53', size } as const;
    const { order_id, transaction_hashes } = await client.placeOrder(order, { clientAddress });
    env = { ...env, ORDER_ID: order_id, TRANSACTION_HASH: transaction_hashes[0] ?? 'none', CLIENT: clientAddress };
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the commands of a section as they are printed, in months that hold today. */
async function perform(heading: string, url = sharedService().url, settings = env): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/desk.md'), 'utf8');
  const [section = ''] = text.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
  const commands = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, code = '']) => code).join('');
  expect(commands).not.toBe('');
  const monthOf = (add: number) => new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + add));
  const script = commands
    .replaceAll('2026-11-01', monthOf(0).toISOString().slice(0, 10))
    .replaceAll('2026-12-01', monthOf(1).toISOString().slice(0, 10))
    .replaceAll('127.0.0.1:8080', new URL(url).host)
    .replaceAll('> november.csv', `> ${join(folder, 'november.csv')}`)
    // Without npm, whose start takes half the time.
    .replaceAll(/npm run (?:-s |--silent )?orders --/g, 'node operator/start.js orders');
  return (await run('sh', ['-euc', script], { cwd: ROOT, env: settings })).stdout;
}

describe('the recipe', () => {
  it('"Who ordered this, and what did a client trade in November?" names the client, and has its fills and their sum', async () => {
    const out = await perform('Who ordered this, and what did a client trade in November?');
    expect(out).toContain(`client_address           ${BOB}\n`);
    const [line = ''] = out.split('\n').filter((each) => each.includes(`,${BOB},`));
    expect(line).toContain(String(env['TRANSACTION_HASH']));
    const rows = (await readFile(join(folder, 'november.csv'), 'utf8')).trimEnd().split('\n');
    expect(rows).toHaveLength(2);
    expect(rows[1]).toContain(`,${BOB},false,,${env['ORDER_ID']},`);
    expect(out).toContain('1 fill of 1 order: 15 shares, value 7.95, fees 0.14946.\n');
  });

  it('"Fee attribution by builder code" shares out by value', async () => {
    expect(await perform('Fee attribution by builder code')).toBe(`${ALICE} 2.65 25.00 %\n${BOB} 7.95 75.00 %\n`);
  });

  it('"On paper" lists the open part of the order, and the position', async () => {
    const quiet = { write: () => undefined };
    const session = await startOnPaper({ SERVICE_PORT: '0' }, () => undefined, quiet);
    const { port } = new URL(session.url);
    const out = await perform('On paper', session.url, { ...WITH_THIS_NODE, SERVICE_PORT: port }).finally(session.stop);
    expect(out).toMatch(/order +0x[0-9a-f]{64}\n/);
    expect(out).toMatch(/question +Will .*\?\n/);
  });
});
