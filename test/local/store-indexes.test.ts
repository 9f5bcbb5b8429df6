import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openFileRecords } from '../../local/file-store/file-records.ts';
import { type FileOrderStore, openOrderStore } from '../../local/file-store/store.ts';
import { encodeRecord } from '../../shared/orders/record.ts';
import { runProgram } from '../support/operator/desk.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../support/orders/order-records.ts';
import { collected, idOf, orderRecordsContract, placedOrder } from '../support/orders/order-records-contract.ts';

/** Rows whose indexes are larger than what SQLite holds back in memory before a commit. */
const MANY = 40_000;
const PUT = `INSERT INTO orders VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET record = excluded.record, expires_at = excluded.expires_at`;

let folder: string;
let path: string;
let store: FileOrderStore;
const open = () => {
  store = openOrderStore(path);
  return store;
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-indexes-'));
  path = join(folder, 'orders.db');
  open();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Makes the file what an earlier build has left: so many orders, and no index by order or signing. */
async function becomeEarlier(count: number): Promise<void> {
  await store.close();
  using db = new DatabaseSync(path);
  db.exec('DROP INDEX orders_by_id; DROP INDEX orders_by_signing; DROP INDEX orders_unfinished; BEGIN');
  const put = db.prepare(PUT);
  for (let number = 0; number < count; number += 1)
    put.run(`key-${number}`, encodeRecord(placedOrder(number, 1_790_000_000_000 + number)), 4_000_000_000_000);
  db.exec('COMMIT');
}

/** Returns the indexes of the file, and how many orders it has, by a connection of its own. */
function seen() {
  using db = new DatabaseSync(path);
  const indexes = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'orders_%'").all();
  expect(db.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
  const count = Number(db.prepare('SELECT count(*) AS n FROM orders').get()?.['n']);
  return [indexes.map(({ name }) => name), count];
}

const ALL = ['orders_by_end', 'orders_by_id', 'orders_by_signing', 'orders_unfinished'];

const UNFINISHED = 'SCAN orders USING INDEX orders_unfinished';

/** Opens the store in a process of its own, which runs `before` first. */
function openElsewhere(before: string, shell = '') {
  const code = `import { DatabaseSync } from 'node:sqlite'; ${before}
    const { openStore } = await import('./local/service/open-store.ts');
    await openStore({ store: ${JSON.stringify(path)} }).catch((error) => console.error(error.message));`;
  const run = `${shell} exec "$0" --input-type=module --eval "$1"`;
  return runProgram('sh', ['-c', run, process.execPath, code], {});
}

describe('the records of a file', () => {
  orderRecordsContract(() => [store, openFileRecords(path)]);

  it('are read by an index each, not row by row', async () => {
    const statements: string[] = [];
    const { prepare } = DatabaseSync.prototype;
    using _spy = jest.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql) {
      statements.push(sql);
      return prepare.call(this, sql);
    });
    const records = openFileRecords(path);
    await collected(records.find([idOf(1)]));
    await collected(records.list(1));
    using db = new DatabaseSync(path);
    const plans = statements.map((sql) =>
      db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all(1)
        .map(({ detail }) => detail),
    );
    expect(plans.map((plan) => plan.filter((step) => /orders/.test(`${step}`)))).toStrictEqual([
      Array(2).fill(['SEARCH orders USING INDEX orders_by_id (<expr>=?)', UNFINISHED]).flat(),
      ['SEARCH orders USING INDEX orders_by_signing (<expr>>?)', UNFINISHED],
    ]);
  });

  it.each(['', 'not JSON', '{}', '{"version":3}', 'null', '"orderId":"'])(
    'are written, found and counted beside a damaged one: %j',
    async (damaged) => {
      await becomeEarlier(2);
      using db = new DatabaseSync(path);
      db.prepare(PUT).run('damaged', damaged, null);
      open();
      await store.write('new', placedOrder(7), 'nothing');
      const found = await collected(openFileRecords(path).find([idOf(1), idOf(7)]));
      expect(found.filter((record) => record !== undefined)).toMatchObject([
        { orderId: idOf(1) },
        { orderId: idOf(7) },
      ]);
      expect(found.length).toBe(damaged.includes('orderId') ? 2 : 3);
      expect(await collected(openFileRecords(path).list(0))).toHaveLength(3);
    },
  );

  it('are found though a damaged one is cut behind its order id, and that one is counted', async () => {
    await becomeEarlier(2);
    using db = new DatabaseSync(path);
    db.exec(`UPDATE orders SET record = substr(record, 1, 120) WHERE idempotency_key = 'key-1'`);
    open();
    expect(await collected(openFileRecords(path).find([idOf(0), idOf(1)]))).toMatchObject([
      { orderId: idOf(0) },
      undefined,
    ]);
  });
});

describe('the indexes of a file of an earlier build', () => {
  it('are not needed to read it, and are there once a service has started', async () => {
    await becomeEarlier(300);
    const ask = () => collected(openFileRecords(path).find([idOf(7), idOf(299)]));
    const found = [{ orderId: idOf(7) }, { orderId: idOf(299) }];
    expect(await ask()).toMatchObject(found);
    expect(seen()).toStrictEqual([['orders_by_end'], 300]);
    open();
    expect(seen()).toStrictEqual([ALL, 300]);
    expect(await ask()).toMatchObject(found);
    expect(await collected(openFileRecords(path).list(1_790_000_000_298))).toHaveLength(2);
  });

  it('are kept up to date by an earlier build', async () => {
    await store.close();
    using earlier = new DatabaseSync(path);
    const put = earlier.prepare(PUT);
    put.run('key', encodeRecord(unfinishedOrder('a', idOf(1))), null);
    put.run('key', encodeRecord(placedOrder(1)), 1);
    put.run('other', encodeRecord(placedOrder(2)), 1);
    earlier.exec("DELETE FROM orders WHERE idempotency_key = 'other'");
    expect(await collected(openFileRecords(path).find([idOf(1), idOf(2)]))).toStrictEqual([placedOrder(1)]);
  });

  it('are built whole or not at all: a process that is killed before the commit leaves the file as it was', async () => {
    await becomeEarlier(MANY);
    const { out } = await openElsewhere(`
      import { writeSync } from 'node:fs';
      const { exec } = DatabaseSync.prototype;
      DatabaseSync.prototype.exec = function (sql) {
        if (!sql.includes('CREATE INDEX')) return exec.call(this, sql);
        exec.call(this, sql.slice(0, sql.indexOf('COMMIT')));
        writeSync(1, 'built');
        process.kill(process.pid, 'SIGKILL');
      };`);
    expect(out).toBe('built');
    expect(seen()).toStrictEqual([['orders_by_end'], MANY]);
    open();
    expect(seen()).toStrictEqual([ALL, MANY]);
  });

  it('that a disk has no room for stop the start with one sentence, and lose nothing', async () => {
    await becomeEarlier(MANY);
    // The log of the file may have half a megabyte.
    const { err } = await openElsewhere('', "trap '' XFSZ; ulimit -f 1024;");
    expect(err).toBe(`SERVICE_STORE cannot be opened at ${path}: disk I/O error.\n`);
    expect(seen()).toStrictEqual([['orders_by_end'], MANY]);
    open();
    expect(seen()).toStrictEqual([ALL, MANY]);
  });

  it('are built while another process reads, which sees the file as it was', async () => {
    await becomeEarlier(300);
    const reader = openFileRecords(path).list(0);
    const iterator = reader[Symbol.asyncIterator]();
    await iterator.next();
    open();
    expect(await collected(reader)).toHaveLength(299);
    expect(seen()).toStrictEqual([ALL, 300]);
  });
});

it('removes many expired records in the writes of many orders, a few in each', async () => {
  const NOW = 1_790_000_000_000;
  const COUNT = 1_000;
  using db = new DatabaseSync(path);
  db.exec('BEGIN');
  const put = db.prepare(PUT);
  for (let number = 0; number < COUNT; number += 1)
    put.run(`old-${number}`, encodeRecord(placedOrder(number)), NOW - 1);
  put.run('kept', encodeRecord(finishedOrder(PLACED, NOW)), NOW);
  db.exec('COMMIT');
  const left = () =>
    Number(db.prepare("SELECT count(*) AS n FROM orders WHERE idempotency_key LIKE 'old-%'").get()?.['n']);
  let before = left();
  for (let number = 0; before > 0; number += 1) {
    await store.write(`new-${number}`, { ...unfinishedOrder('a', idOf(COUNT + number)), signedAt: NOW }, 'nothing');
    expect(before - left()).toBe(Math.min(before, 50));
    before = left();
  }
  expect(await store.read('kept')).toBeDefined();
  expect(await collected(openFileRecords(path).find([idOf(1)]))).toStrictEqual([]);
});
