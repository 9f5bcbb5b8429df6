import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FileOrderStore, openOrderStore } from '../../local/sqlite-order-store.ts';
import { createLog } from '../../shared/log.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../support/orders/order-records.ts';
import { orderStoreContract } from '../support/orders/order-store-contract.ts';

describe('orders in a file', () => {
  let directory: string;
  let path: string;
  let lines: string[];
  let stores: FileOrderStore[];
  const open = (now?: () => number) => {
    const log = createLog({ level: 'info', write: (line) => lines.push(line) });
    const store = openOrderStore({ path, log, ...(now && { now }) });
    stores.push(store);
    return store;
  };
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'order-store-'));
    path = join(directory, 'data', 'orders.db');
    [lines, stores] = [[], []];
  });
  afterEach(() => {
    for (const store of stores) store.close();
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
    const script = join(import.meta.dirname, '../support/orders/record-keys.ts');
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

  it('removes finished orders after their time, and never an unfinished one', async () => {
    const store = open(() => 1_000);
    await store.create('unfinished', unfinishedOrder('a'));
    for (const key of ['over', 'kept']) await store.create(key, unfinishedOrder('a'));
    await store.replace('over', finishedOrder(PLACED, 4_000_000), 'unfinished');
    await store.replace('kept', finishedOrder(PLACED, 4_000_002), 'unfinished');
    const later = open(() => 4_000_001);
    expect(await later.read('over')).toBeUndefined();
    expect(await later.read('kept')).toBeDefined();
    expect(await later.read('unfinished')).toBeDefined();
  });

  it('fails while its place cannot be used, and works from the moment it can', async () => {
    writeFileSync(dirname(path), 'a file where the directory should be');
    const store = open();
    await expect(store.read('key')).rejects.toThrow();
    await expect(store.create('key', unfinishedOrder('a'))).rejects.toThrow();
    expect(lines.join()).toContain('order store not opened');
    rmSync(dirname(path));
    expect(await store.create('key', unfinishedOrder('a'))).toBe(true);
  });

  it('fails, and does not hang, where no directory can be made', async () => {
    path = '/proc/order-store/data/orders.db';
    await expect(open().create('key', unfinishedOrder('a'))).rejects.toThrow();
    expect(lines.join()).toContain('order store not opened');
  });

  it('fails from the moment its file is removed or replaced, until the service starts again', async () => {
    const store = open();
    await store.create('key', unfinishedOrder('a'));
    rmSync(dirname(path), { recursive: true });
    await expect(store.read('key')).rejects.toThrow('restart the service');
    await open().create('key', unfinishedOrder('b'));
    await expect(store.replace('key', unfinishedOrder('c'), 'unfinished')).rejects.toThrow('restart the service');
    expect(await open().read('key')).toStrictEqual(unfinishedOrder('b'));
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

  it('fails on a row that it cannot read, instead of taking it for no record', async () => {
    const store = open();
    await store.create('key', JSON.parse('{"state":"unfinished","lease":{"owner":"a"}}'));
    await expect(store.read('key')).rejects.toThrow();
  });
});
