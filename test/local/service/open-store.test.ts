import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readRecordTexts } from '../../../local/order-store/store.ts';
import { openStore } from '../../../local/service/open-store.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { collectLog } from '../../support/service/collected-log.ts';
import { startProgram } from '../../support/service/program.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

describe('a store in a network or shared folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'open-store-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = (type: number, storeSharedFolder?: '1') =>
    openStore({ store: join(folder, 'data/orders.db'), storeSharedFolder }, collectLog().log, () => type);

  it.each([
    ['NFS', 0x6969],
    ['SMB', 0xff534d42],
    ['FUSE or virtiofs', 0x65735546],
    ['9p', 0x01021997],
  ])('is refused with the name of the file system: %s', async (name, type) => {
    await expect(open(type)).rejects.toThrow(
      `SERVICE_STORE cannot be opened at ${folder}/data/orders.db: its folder is a network or shared one (${name}), where locks and flushes may not work; use a local disk, or accept the risk with SERVICE_STORE_SHARED_FOLDER=1.`,
    );
  });

  it('is opened where the operator accepts the risk', async () => {
    const store = await open(0x6969, '1');
    expect(store.isNew).toBe(true);
    await store.close();
  });

  it.each([
    ['ext4', 0xef53],
    ['XFS', 0x58465342],
    ['Btrfs', 0x9123683e],
    ['ZFS', 0x2fc12fc1],
    ['tmpfs', 0x01021994],
    ['overlay', 0x794c7630],
  ])('is refused nowhere else: %s', async (_name, type) => {
    await (await open(type)).close();
  });
});

const ROOT = join(import.meta.dirname, '../../..');

describe('the file of a service', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'store-file-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function openMarket() {
    const { venue, url } = await startPaper();
    const settings = { ...paperSettings(url, join(directory, 'data')), SERVICE_PORT: '0' };
    const { tokenId: token_id, price, size } = venue.suggestOrder();
    const body = JSON.stringify({ token_id, side: 'buy', price, size, post_only: true });
    return {
      venue,
      settings,
      start: () => startProgram({ command: process.execPath, args: ['local/start.js'], cwd: ROOT, env: settings }),
      /** Runs a command of the program to its end; gives its exit code and its errors. */
      run: async (args: readonly string[], env: Readonly<Record<string, string>> = settings) => {
        const command = ['operator/start.js', ...args, '--settings', devNull];
        const child = spawn(process.execPath, command, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
        const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
        return { code, stderr };
      },
      place: async (service: { readonly url: string }, key?: string) => {
        const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
        const response = await fetch(`${service.url}/v1/orders`, { method: 'POST', headers, body });
        return { ...JSON.parse(await response.text()), status: response.status };
      },
    };
  }

  it('belongs to one process: a second one does not start, while commands read it', async () => {
    const { settings, start, run, place } = await openMarket();
    const service = await start();
    expect(await place(service, 'key')).toMatchObject({ status: 201 });
    expect(await run([])).toStrictEqual({
      code: 1,
      stderr: `SERVICE_STORE cannot be opened at ${settings.SERVICE_STORE}: process ${service.pid} has it open; stop that process, or set another SERVICE_STORE.\n`,
    });
    expect([...readRecordTexts(settings.SERVICE_STORE)]).toHaveLength(1);
    expect(await place(service, 'another')).toMatchObject({ status: 201 });
  });

  it('is free once the process was killed, and so is the key of the order that was on its way', async () => {
    const { venue, start, place } = await openMarket();
    const service = await start();
    venue.arm({ method: 'POST', path: '/order', fault: 'hang-after' });
    const cut = place(service, 'key').catch(() => undefined);
    while (venue.orders().length === 0) await sleep(5);
    await service.kill();
    await cut;
    const next = await start();
    expect(await place(next, 'key')).toMatchObject({ status: 201, order_id: venue.orders()[0]?.id });
    expect(venue.orders()).toHaveLength(1);
  });

  it('places nothing once it is removed, until a restart, which begins anew', async () => {
    const { venue, start, place } = await openMarket();
    const service = await start();
    expect(await place(service, 'key')).toMatchObject({ status: 201 });
    rmSync(join(directory, 'data'), { recursive: true });
    expect(await place(service, 'key')).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect(await place(service)).toMatchObject({ status: 503, code: 'store_unavailable' });
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    expect(venue.orders()).toHaveLength(1);
    expect(await service.stop()).toBe(0);
    const next = await start();
    expect(next.output.join()).toContain('new order store: keys of earlier orders are not known here');
    expect(await place(next, 'key')).toMatchObject({ status: 201 });
  });
});
