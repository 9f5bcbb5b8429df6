import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { startProgram } from '../../support/service/program.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('a service whose store is lost', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lost-store-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function openMarket() {
    const { venue, url } = await startPaper();
    const settings = { ...paperSettings(url, directory), SERVICE_PORT: '0' };
    const { tokenId: token_id, price, size } = venue.suggestOrder();
    const body = JSON.stringify({ token_id, side: 'buy', price, size, post_only: true });
    return {
      venue,
      settings,
      start: () => startProgram({ command: process.execPath, args: ['local/start.js'], cwd: ROOT, env: settings }),
      place: async (service: { readonly url: string }, key?: string) => {
        const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
        const response = await fetch(`${service.url}/v1/orders`, { method: 'POST', headers, body });
        return { ...JSON.parse(await response.text()), status: response.status };
      },
    };
  }

  it('sends nothing without its log until a restart, which knows the key of before', async () => {
    const { venue, settings, start, place } = await openMarket();
    const service = await start();
    const placed = await place(service, 'key');
    for (const suffix of ['-wal', '-shm']) rmSync(settings.SERVICE_STORE + suffix);
    expect(await place(service, 'another')).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect(await place(service)).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(venue.orders()).toHaveLength(1);
    await service.kill();
    const next = await start();
    expect(await place(next, 'key')).toMatchObject({ status: 201, order_id: placed.order_id });
    expect(venue.orders()).toHaveLength(1);
  });

  it('is not given another store by a probe, and knows the key of before', async () => {
    const { venue, settings, start, place } = await openMarket();
    const service = await start();
    const placed = await place(service, 'key');
    for (const suffix of ['', '-wal', '-shm']) rmSync(settings.SERVICE_STORE + suffix);
    const args = ['local/start.js', 'ready', '--settings', devNull];
    const env = { ...settings, SERVICE_PORT: new URL(service.url).port };
    const probe = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'inherit', 'pipe'] });
    const said = await Promise.all([text(probe.stderr), once(probe, 'close')]);
    expect(said).toStrictEqual([`Not ready: There is no store at ${settings.SERVICE_STORE}.\n`, [1, null]]);
    expect(await place(service, 'another')).toMatchObject({ status: 503, code: 'store_unavailable' });
    await service.kill();
    const next = await start();
    expect(await place(next, 'key')).toMatchObject({ status: 201, order_id: placed.order_id });
    expect(venue.orders()).toHaveLength(1);
  });
});
