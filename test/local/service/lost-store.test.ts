import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { startProgram } from '../../support/service/program.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('a service whose store loses its log', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lost-store-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('sends nothing until a restart, which knows the key of before', async () => {
    const { venue, url: venueUrl } = await startPaper();
    const settings = { ...paperSettings(venueUrl, directory), SERVICE_PORT: '0' };
    const store = settings.SERVICE_STORE;
    const { tokenId: token_id, price, size } = venue.suggestOrder();
    const body = JSON.stringify({ token_id, side: 'buy', price, size, post_only: true });
    const start = () => startProgram({ command: process.execPath, args: ['local/start.js'], cwd: ROOT, env: settings });
    const place = async ({ url }: { readonly url: string }, key?: string) => {
      const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
      const response = await fetch(`${url}/v1/orders`, { method: 'POST', headers, body });
      return { ...JSON.parse(await response.text()), status: response.status };
    };
    const service = await start();
    const placed = await place(service, 'key');
    for (const suffix of ['-wal', '-shm']) rmSync(store + suffix);
    expect(await place(service, 'another')).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect(await place(service)).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(venue.orders()).toHaveLength(1);
    await service.kill();
    const next = await start();
    expect(await place(next, 'key')).toMatchObject({ status: 201, order_id: placed.order_id });
    expect(venue.orders()).toHaveLength(1);
  });
});
