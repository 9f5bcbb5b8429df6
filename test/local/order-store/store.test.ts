import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FileOrderStore, type OrderStoreSettings, openOrderStore } from '../../../local/order-store/store.ts';
import type { OrderRecord, UnfinishedOrder } from '../../../shared/orders/record.ts';
import { at, finishedOrder, PLACED, unfinishedOrder } from '../../support/orders/order-records.ts';
import { orderStoreContract } from '../../support/orders/order-store-contract.ts';
import { collectLog } from '../../support/service/collected-log.ts';

describe('orders in a file', () => {
  let directory: string;
  let path: string;
  let stores: FileOrderStore[];
  const open = (clocks: Pick<OrderStoreSettings, 'now' | 'uptime'> = {}) => {
    const store = openOrderStore({ path, log: collectLog().log, ...clocks });
    stores.push(store);
    return store;
  };
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'order-store-'));
    path = join(directory, 'data', 'orders.db');
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(directory, { recursive: true });
  });

  describe('as every order store', () => orderStoreContract(() => [open(), open()]));

  it('is readable by its owner alone, with the files beside it', async () => {
    await open().create('key', unfinishedOrder('a'));
    expect(readdirSync(dirname(path)).sort()).toStrictEqual(['orders.db', 'orders.db-shm', 'orders.db-wal']);
    for (const file of readdirSync(dirname(path))) expect(mode(join(dirname(path), file))).toBe('600');
    expect(mode(dirname(path))).toBe('700');
  });

  it('closes a file to others that was open to them', async () => {
    mkdirSync(dirname(path));
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    await open().create('key', unfinishedOrder('a'));
    expect(mode(path)).toBe('600');
  });

  it('keeps what it answered when its process is killed, with two processes at work', async () => {
    const script = join(import.meta.dirname, '../../support/orders/record-keys.ts');
    const printed: string[] = [];
    const writers = [0, 1].map((): ChildProcess => {
      const writer = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      writer.stdout?.setEncoding('utf8').on('data', (text: string) => printed.push(text));
      return writer;
    });
    await Promise.all(writers.map((writer) => writer.stdout && once(writer.stdout, 'data')));
    await Promise.all(
      writers.map(async (writer) => {
        writer.kill('SIGKILL');
        await once(writer, 'close');
      }),
    );
    const keys = printed
      .join('')
      .split('\n')
      .filter((key) => key !== '');
    expect(new Set(keys.map((key) => key.split('-')[0])).size).toBe(2);
    const store = open();
    for (const key of keys) expect(await store.read(key)).toStrictEqual(unfinishedOrder(key));
  });

  it('tells a file that it made, which knows no key of before, from one that it found', async () => {
    const store = open();
    expect(await store.open()).toBe('made');
    await store.close();
    expect(await open().open()).toBe('found');
  });

  describe('of finished orders', () => {
    const HOUR_MS = 3_600_000;
    const NOW = 1_790_000_000_000;
    let uptime: number;
    /** An order that was signed at a time of the venue. */
    const signedAt = (time: number): OrderRecord => ({ ...unfinishedOrder('a'), signedAt: at(time) });
    const openAt = (now: number) => open({ now: () => now, uptime: () => uptime });
    const finish = async (store: FileOrderStore, key: string, keepUntil: number) => {
      // Long ago: nothing is over by then.
      await store.create(key, signedAt(0));
      await store.replace(key, finishedOrder(PLACED, keepUntil), { heldBy: 'a' });
      uptime += HOUR_MS;
    };
    /** Those of the keys that the store still knows. */
    const known = async (store: FileOrderStore, ...keys: readonly string[]) => {
      const records = await Promise.all(keys.map((key) => store.read(key)));
      return keys.filter((_, index) => records[index]);
    };

    beforeEach(() => {
      uptime = 0;
    });

    it('removes those after their time, and never an unfinished one', async () => {
      const store = openAt(NOW);
      await finish(store, 'over', NOW - 1);
      await finish(store, 'kept', NOW);
      await store.create('unfinished', signedAt(0));
      uptime += HOUR_MS;
      expect(await known(store, 'over', 'kept', 'unfinished')).toHaveLength(3);
      await store.create('new', signedAt(NOW));
      expect(await known(store, 'over', 'kept', 'unfinished', 'new')).toStrictEqual(['kept', 'unfinished', 'new']);
    });

    it.each([
      ['its own clock', 26 * HOUR_MS, 0],
      ["the venue's clock", 0, 26 * HOUR_MS],
    ])('removes none before its time by a clock that is ahead: %s', async (_clock, ahead, venueAhead) => {
      const store = openAt(NOW + ahead);
      await finish(store, 'over', NOW - 1);
      await finish(store, 'kept', NOW + 25 * HOUR_MS);
      await store.create('new', signedAt(NOW + venueAhead));
      expect(await known(store, 'over', 'kept')).toStrictEqual(['kept']);
    });

    it('removes none at its opening', async () => {
      await finish(openAt(NOW), 'over', NOW - 1);
      const store = openAt(NOW + 26 * HOUR_MS);
      await store.open();
      expect(await known(store, 'over')).toStrictEqual(['over']);
    });

    it('removes some once an hour, however its clock is set', async () => {
      const store = openAt(NOW);
      await store.create('first', signedAt(NOW));
      await finish(store, 'over', NOW - 1);
      uptime = HOUR_MS - 1;
      await store.create('second', signedAt(NOW + 2 * HOUR_MS));
      expect(await known(store, 'over')).toStrictEqual(['over']);
      uptime = HOUR_MS;
      await store.create('third', signedAt(NOW));
      expect(await known(store, 'over')).toStrictEqual([]);
    });
  });

  describe('of the signed bytes of finished orders', () => {
    /** Differs from key to key, and from any text that a page has for other reasons. */
    const bytesOf = (key: string) => `signed-bytes-of-${key}-${'1b'.repeat(200)}`;
    const signed = (key: string): UnfinishedOrder => ({ ...unfinishedOrder(key), payload: bytesOf(key) });
    const keys = Array.from({ length: 100 }, (_, index) => `key-${(index * 37) % 100}`);
    const filled = async () => {
      const store = open();
      for (const key of keys) await store.create(key, signed(key));
      return store;
    };
    const finishAll = async (store: FileOrderStore) => {
      for (const key of keys) await store.replace(key, finishedOrder(PLACED), { heldBy: key });
    };
    /** Those of the keys whose signed bytes are in a file. */
    const found = () => {
      const files = readdirSync(dirname(path)).map((file) => readFileSync(join(dirname(path), file), 'latin1'));
      return keys.filter((key) => files.some((text) => text.includes(`signed-bytes-of-${key}-`)));
    };
    const until = async (condition: () => boolean) => {
      while (!condition()) await sleep(20);
    };

    it('keeps none for longer than a moment', async () => {
      const store = await filled();
      expect(found()).toHaveLength(keys.length);
      await finishAll(store);
      await until(() => found().length === 0);
      await store.create('one-more', unfinishedOrder('a'));
    });

    it('keeps none after its end, though another process has the file open', async () => {
      const store = await filled();
      const other = new DatabaseSync(path);
      other.exec('SELECT count(*) FROM orders');
      await finishAll(store);
      expect(found().length).toBeGreaterThan(0);
      await store.close();
      expect(found()).toStrictEqual([]);
      other.close();
    });

    it('keeps none that a killed process left, once it is opened again', async () => {
      const script = join(import.meta.dirname, '../../support/local/finish-keys.ts');
      const payloads = JSON.stringify(Object.fromEntries(keys.map((key) => [key, bytesOf(key)])));
      const writer = spawn(process.execPath, [script, path, payloads], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(writer.stdout, 'data');
      writer.kill('SIGKILL');
      await once(writer, 'close');
      expect(found()).toHaveLength(keys.length);
      const store = open();
      await store.open();
      expect(found()).toStrictEqual([]);
      expect(await store.read('key-0')).toStrictEqual(finishedOrder(PLACED));
    });

    it('keeps none once another process that was at work on the file is done', async () => {
      const store = await filled();
      const other = new DatabaseSync(path);
      // Before they are finished: on a busy machine the file may be clean right after.
      other.exec('BEGIN; SELECT count(*) FROM orders');
      await finishAll(store);
      await sleep(400);
      expect(found().length).toBeGreaterThan(0);
      other.exec('COMMIT');
      await until(() => found().length === 0);
      other.close();
    });
  });

  it('fails while its place cannot be used, and works from the moment it can', async () => {
    writeFileSync(dirname(path), 'a file where the directory should be');
    const store = open();
    await expect(store.read('key')).rejects.toThrow();
    await expect(store.create('key', unfinishedOrder('a'))).rejects.toThrow();
    rmSync(dirname(path));
    expect(await store.create('key', unfinishedOrder('a'))).toBe('written');
  });

  it('fails, and does not hang, where no directory can be made', async () => {
    path = '/proc/order-store/data/orders.db';
    await expect(open().create('key', unfinishedOrder('a'))).rejects.toThrow();
  });

  it('fails from the moment its file is removed or replaced, until the service starts again', async () => {
    const store = open();
    await store.create('key', unfinishedOrder('a'));
    rmSync(dirname(path), { recursive: true });
    await expect(store.read('key')).rejects.toThrow('restart the service');
    expect(await open().create('key', unfinishedOrder('b'))).toBe('conflict');
    await expect(store.replace('key', unfinishedOrder('c'), { heldBy: 'a' })).rejects.toThrow('restart the service');
    expect(await open().read('key')).toStrictEqual(unfinishedOrder('a'));
  });

  it('makes no new file where its own was removed after a call that failed', async () => {
    const store = open();
    await store.create('key', unfinishedOrder('a'));
    await expect(store.create('other', JSON.parse('{"state":"unfinished","lease":{"owner":{}}}'))).rejects.toThrow();
    rmSync(dirname(path), { recursive: true });
    await expect(store.read('key')).rejects.toThrow('restart the service');
  });

  it('makes no new tables where its file was emptied in its place', async () => {
    const first = open();
    await first.create('key', unfinishedOrder('a'));
    await first.close();
    const store = open();
    await store.read('key');
    truncateSync(path);
    await expect(store.read('key')).rejects.toThrow('restart the service');
    await expect(store.create('other', JSON.parse('{"state":"unfinished","lease":{"owner":{}}}'))).rejects.toThrow();
    await expect(store.create('key', unfinishedOrder('b'))).rejects.toThrow('restart the service');
    expect(statSync(path).size).toBe(0);
  });

  it('leaves a file alone that is no database or has another layout', async () => {
    mkdirSync(dirname(path));
    writeFileSync(path, 'a letter, not a database, but long enough to be one'.repeat(100));
    await expect(open().create('key', unfinishedOrder('a'))).rejects.toThrow('not a database');
    rmSync(path);
    const other = new DatabaseSync(path);
    other.exec('PRAGMA user_version = 7');
    other.close();
    await expect(open().create('key', unfinishedOrder('a'))).rejects.toThrow('layout 7');
  });

  it('leaves what is no database to everybody who may read it', async () => {
    mkdirSync(dirname(path));
    for (const text of ['127.0.0.1 localhost\n', 'a letter, not a database, but long enough to be one'.repeat(100)]) {
      writeFileSync(path, text);
      chmodSync(path, 0o644);
      await expect(open().create('key', unfinishedOrder('a'))).rejects.toThrow('not a database');
      expect([mode(path), readFileSync(path, 'utf8')]).toStrictEqual(['644', text]);
    }
  });

  it('closes a database to others before it opens it, with the files beside it', async () => {
    mkdirSync(dirname(path));
    const other = new DatabaseSync(path);
    other.exec('PRAGMA journal_mode = WAL');
    other.close();
    chmodSync(path, 0o644);
    await open().create('key', unfinishedOrder('a'));
    for (const file of readdirSync(dirname(path))) expect(mode(join(dirname(path), file))).toBe('600');
  });

  it('closes the files beside it that were there, too: a copy of a store may be open to others', async () => {
    mkdirSync(dirname(path));
    using other = new DatabaseSync(path);
    other.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (id)');
    for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o644);
    await open().create('key', unfinishedOrder('a'));
    for (const file of readdirSync(dirname(path)))
      expect([file, mode(join(dirname(path), file))]).toStrictEqual([file, '600']);
  });

  it('leaves what is no file to everybody who may use it', async () => {
    mkdirSync(dirname(path));
    execFileSync('mkfifo', ['-m', '666', path]);
    await expect(open().create('key', unfinishedOrder('a'))).rejects.toThrow('is no file');
    expect(mode(path)).toBe('666');
  });

  it('fails on a row that it cannot read, instead of taking it for no record', async () => {
    const store = open();
    await store.create('key', { ...unfinishedOrder('a'), orderId: JSON.parse('1') });
    await expect(store.read('key')).rejects.toThrow();
  });
});
