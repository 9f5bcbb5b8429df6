import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openStore } from '../../../local/service/open-store.ts';
import { collectLog } from '../../support/service/collected-log.ts';

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
