import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openFileRecords } from '../../local/file-store/file-records.ts';
import { type FileOrderStore, openOrderStore } from '../../local/file-store/store.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import { finishedOrder, PLACED, REFUSED, unfinishedOrder } from '../support/orders/order-records.ts';
import { orderStoreContract } from '../support/orders/order-store-contract.ts';

const [A, B, FINISHED] = [unfinishedOrder('a'), unfinishedOrder('b'), finishedOrder(PLACED)];
/** SQLite's number of the mode in which each commit to the log is flushed. */
const FULL_SYNC = 2;
/** More than a number of SQLite holds. */
const TOO_MUCH = [{ day: '2026-11-21', units: 2n ** 70n }];
const LOST = 'A file of the order store was removed, replaced or emptied; restart the service.';

async function listed(path: string, since = 0) {
  const all: (OrderRecord | undefined)[] = [];
  for await (const record of openFileRecords(path).list(since)) all.push(record);
  return all;
}

describe('orders in a file', () => {
  let directory: string;
  let path: string;
  let stores: FileOrderStore[];
  const openAt = (at: string) => {
    const store = openOrderStore(at);
    stores.push(store);
    return store;
  };
  const open = () => openAt(path);
  /** Opens the store, and stores an order. */
  const openWith = async (key: string, record: OrderRecord) => {
    const store = open();
    await store.write(key, record, 'nothing');
    return store;
  };
  const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
  /** The files of the store, with their modes. */
  const files = () => readdirSync(dirname(path)).map((file) => `${file} ${mode(join(dirname(path), file))}`);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'order-store-'));
    path = join(directory, 'data', 'orders.db');
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    rmSync(directory, { recursive: true });
  });

  describe('as every order store', () =>
    orderStoreContract(() => {
      const store = open();
      return [store, store];
    }));

  it('creates files of mode 0600 in a folder of mode 0700, also for a copy', async () => {
    await openWith('key', A);
    const all = ['', '-shm', '-wal', '.lock'].map((suffix) => `orders.db${suffix} 600`);
    expect([mode(dirname(path)), ...files()]).toStrictEqual(['700', ...all]);
    const copied = join(directory, 'copied.db');
    using copy = new DatabaseSync(copied);
    copy.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (id)');
    for (const suffix of ['', '-wal', '-shm']) chmodSync(copied + suffix, 0o644);
    openAt(copied);
    expect(['', '-wal', '-shm'].map((suffix) => mode(copied + suffix))).toStrictEqual(['600', '600', '600']);
  });

  it('cannot be opened twice in one process; closing it releases the file and its leases', async () => {
    const first = await openWith('key', A);
    expect(open).toThrow(`process ${process.pid} has it open; stop that process, or set another SERVICE_STORE`);
    // The lock survives the attempt.
    expect(open).toThrow('has it open');
    expect(await first.read('key')).toStrictEqual(A);
    await first.close();
    const next = open();
    // The leases of a process that is gone are over; those of this one run.
    expect(await next.read('key')).toMatchObject({ lease: { owner: 'a', until: 0 } });
    expect(await next.write('key', B, { version: 'a' })).toBe('written');
    expect(await next.read('key')).toStrictEqual(B);
  });

  it('can be read while a store is open, without its last writes', async () => {
    const store = await openWith('key', A);
    const reader = openFileRecords(path).list(0)[Symbol.asyncIterator]();
    expect(await reader.next()).toMatchObject({ value: A });
    await store.write('other', B, 'nothing');
    expect(await store.read('other')).toStrictEqual(B);
    expect(await reader.next()).toMatchObject({ done: true });
    const later = { ...A, signedAt: A.signedAt + 1 };
    await store.write('later', later, 'nothing');
    expect(await listed(path, later.signedAt)).toStrictEqual([later]);
    await expect(listed(join(directory, 'nothing.db'))).rejects.toThrow('there is no such file');
  });

  it('removes finished orders after their time, and never an unfinished one', async () => {
    const NOW = 1_790_000_000_000;
    const old = { ...A, signedAt: 0 };
    const before = await openWith('unfinished', old);
    for (const [key, keepUntil] of [
      ['over', NOW - 1],
      ['kept', NOW],
    ] as const) {
      await before.write(key, old, 'nothing');
      await before.write(key, finishedOrder(PLACED, keepUntil), { version: 'a' });
    }
    await before.close();
    const store = await openWith('new', { ...A, signedAt: NOW });
    expect(await store.read('over')).toBeUndefined();
    for (const key of ['kept', 'unfinished']) expect(await store.read(key)).toBeDefined();
  });

  it('keeps no signed bytes in the record of an order that has ended', async () => {
    const store = await openWith('key', A);
    using db = new DatabaseSync(path, { readOnly: true });
    const isSigned = () => String(db.prepare('SELECT record FROM orders').get()?.['record']).includes('1b'.repeat(300));
    expect(isSigned()).toBe(true);
    await store.write('key', FINISHED, { version: 'a' });
    expect(isSigned()).toBe(false);
  });

  it('flushes each kind of write before it is answered', async () => {
    const { exec } = DatabaseSync.prototype;
    const commits: unknown[] = [];
    // The pragma is of a connection: the store's own one is asked, at each end of a transaction.
    using _spy = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (sql === 'COMMIT') commits.push(this.prepare('PRAGMA synchronous').get()?.['synchronous']);
      exec.call(this, sql);
    });
    const store = open();
    const count = [{ day: '2026-11-21', units: 5n }];
    for (const [key, record, over, counts] of [
      ['claim', A, 'nothing', []],
      ['claim', B, { version: 'a' }, []],
      ['claim', finishedOrder(REFUSED), { version: 'b' }, []],
      ['count', A, 'nothing', count],
      ['count', FINISHED, { unfinished: A.orderId }, []],
      ['freed', A, 'nothing', []],
      ['freed', undefined, { version: 'a' }, count],
    ] as const) {
      expect(await store.write(key, record, over, counts)).toBe('written');
      expect([key, ...commits.splice(0)]).toStrictEqual([key, FULL_SYNC]);
    }
  });

  it('keeps no memory of an order that has ended, or that could not be stored', async () => {
    const store = open();
    const held: WeakRef<OrderRecord>[] = [];
    const hold = (owner: string): OrderRecord => {
      const record = unfinishedOrder(owner);
      held.push(new WeakRef(record));
      return record;
    };
    for (let index = 0; index < 300; index += 1) {
      const key = `key-${index}`;
      await store.write(key, hold(`before-${index}`), 'nothing');
      await store.write(key, hold(key), { version: `before-${index}` });
      await store.write(key, index % 2 ? FINISHED : undefined, { version: key });
      const lost = store.write('lost', hold(`lost-${index}`), 'nothing');
      // Its count is too large for the file: nothing of the turn is written.
      await Promise.allSettled([lost, store.write('broken', A, 'nothing', TOO_MUCH)]);
    }
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    await setImmediate();
    collectGarbage();
    expect(held.filter((record) => record.deref()).length).toBeLessThan(10);
  });

  describe('under which a file is changed', () => {
    const replace = (file: string) => {
      copyFileSync(file, `${file}-copy`);
      renameSync(`${file}-copy`, file);
    };
    /** SQLite has nothing to copy from the log then, and does not see that it is empty. */
    const emptyOnceCopied = (file: string) => {
      using reader = new DatabaseSync(path);
      reader.exec('PRAGMA wal_checkpoint(PASSIVE)');
      truncateSync(file);
    };
    it.each([
      ['removed', '', rmSync],
      ['removed', '-wal', rmSync],
      ['removed', '-shm', rmSync],
      ['removed', '.lock', rmSync],
      ['replaced', '', replace],
      ['replaced', '-wal', replace],
      ['emptied', '', truncateSync],
      ['emptied', '-wal', truncateSync],
      ['emptied after its writes were copied', '-wal', emptyOnceCopied],
      ['cut', '-wal', (file: string) => truncateSync(file, statSync(file).size - 1)],
    ])('fails every call until it is opened again: %s, orders.db%s', async (_change, suffix, change) => {
      const store = await openWith('key', A);
      change(path + suffix);
      await expect(store.write('other', B, 'nothing')).rejects.toThrow(LOST);
      await expect(store.read('key')).rejects.toThrow(LOST);
      await expect(store.write('key', B, { version: 'a' })).rejects.toThrow(LOST);
    });

    it.each([
      ['missing', rmSync],
      ['empty', truncateSync],
    ])('does not open a log of orders whose main file is %s', async (_, change) => {
      const first = await openWith('key', A);
      const log = readFileSync(`${path}-wal`);
      await first.close();
      change(path);
      writeFileSync(`${path}-wal`, log);
      expect(open).toThrow('it is missing or empty beside its -wal; restore it, or remove the -wal to start without');
      rmSync(`${path}-wal`);
      expect(open().isNew).toBe(true);
    });
  });

  it('is not opened if its path cannot be used, and leaves no lock', async () => {
    writeFileSync(dirname(path), 'a file where the folder should be');
    expect(open).toThrow('EEXIST');
    rmSync(dirname(path));
    mkdirSync(dirname(path));
    const text = 'a letter, not a database, but long enough to be one'.repeat(100);
    writeFileSync(path, text, { mode: 0o644 });
    expect(open).toThrow('file is not a database');
    expect([mode(path), readFileSync(path, 'utf8')]).toStrictEqual(['644', text]);
    rmSync(path);
    const other = new DatabaseSync(path);
    other.exec('PRAGMA user_version = 7');
    other.close();
    expect(open).toThrow('it has orders of a later version of the service (7, not 3)');
    rmSync(path);
    expect(open().isNew).toBe(true);
  });

  it.each(['PRAGMA wal_checkpoint(TRUNCATE)', 'VACUUM'])('works while a reader does %s', async (statement) => {
    const store = await openWith('a', { ...A, payload: '1b'.repeat(50_000) });
    await store.write('a', FINISHED, { version: 'a' });
    await store.write('c', unfinishedOrder('c'), 'nothing');
    using reader = new DatabaseSync(path);
    reader.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const before = statSync(path).size;
    reader.exec(statement);
    reader.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(statSync(path).size < before).toBe(statement === 'VACUUM');
    expect(await store.write('key', unfinishedOrder('d'), 'nothing')).toBe('written');
    expect(await store.read('c')).toStrictEqual(unfinishedOrder('c'));
    await store.close();
    expect(await open().read('key')).toMatchObject({ lease: { owner: 'd' } });
  });

  it('is opened only with an SQLite that cannot damage it', async () => {
    const { versions } = process;
    const openWithSqlite = (sqlite: string | undefined) => {
      Object.defineProperty(process, 'versions', { value: { ...versions, sqlite } });
      try {
        return open();
      } finally {
        Object.defineProperty(process, 'versions', { value: versions });
      }
    };
    for (const damaging of ['3.44.5', '3.45.9', '3.49.9', '3.50.6', '3.51.2', '2.51.3', '3.5.9', undefined]) {
      const sentence = `the SQLite of this Node (${damaging ?? 'none'}) may damage it; use Node 24.15 or later`;
      expect(() => openWithSqlite(damaging)).toThrow(sentence);
    }
    for (const cured of ['3.44.6', '3.50.7', '3.50.10', '3.51.3', '3.52.0', '3.53.4', '4.0.0']) {
      await openWithSqlite(cured).close();
    }
  });

  it('is not opened while it has a hard link', async () => {
    const first = await openWith('key', A);
    linkSync(path, join(directory, 'other.db'));
    expect(() => openAt(join(directory, 'other.db'))).toThrow('it has a second name (a hard link); remove that name');
    await first.close();
    expect(open).toThrow('second name');
    rmSync(join(directory, 'other.db'));
    expect(await open().read('key')).toBeDefined();
  });

  it('is opened only if it is a regular file', () => {
    mkdirSync(dirname(path));
    execFileSync('mkfifo', [path]);
    expect(open).toThrow('it is not a regular file');
    rmSync(path);
    symlinkSync('elsewhere.db', path);
    expect(open).toThrow('it is not a regular file');
  });

  it('fails on a row that it cannot read, instead of treating it as absent or as its own', async () => {
    const store = await openWith('key', A);
    using other = new DatabaseSync(path);
    other.exec('UPDATE orders SET record = replace(record, \'"signedAt":\', \'"signedAt":"","at":\')');
    await expect(store.read('key')).rejects.toThrow();
    await expect(store.write('key', FINISHED, { version: 'a' })).rejects.toThrow();
  });

  it('rolls back all writes of a batch if one of them fails', async () => {
    const store = await openWith('key', A);
    const turn = await Promise.allSettled([
      store.write('key', B, { version: 'a' }),
      store.write('broken', unfinishedOrder('c'), 'nothing', TOO_MUCH),
    ]);
    expect(turn.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
    expect(await store.read('broken')).toBeUndefined();
    // Its lease still runs.
    expect(await store.read('key')).toStrictEqual(A);
    expect(await store.write('key', B, { version: 'a' })).toBe('written');
  });
});
