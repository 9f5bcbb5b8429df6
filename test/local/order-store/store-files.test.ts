import {
  chmodSync,
  copyFileSync,
  existsSync,
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
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOrderFile, LAYOUT, type OrderCall, type OrderFile } from '../../../local/order-store/sqlite-file.ts';

const PATIENCE_MS = 1_000;
const LOST = /^The file of the order store, or the -wal or -shm beside it, was removed, .*restart the service/;
const BESIDE = ['-wal', '-shm'] as const;

function replaceByCopy(file: string): void {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}

describe('the files of the local store', () => {
  let directory: string;
  let path: string;
  let closing: (() => void)[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'store-files-'));
    path = join(directory, 'above', 'orders.db');
    closing = [];
  });
  afterEach(() => {
    for (const close of closing) close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Opens the store as a process of its own would, except that all of them here have one process. */
  function open(identity?: string): OrderFile {
    const file = createOrderFile(path, identity);
    closing.push(file.close);
    return file;
  }

  /** Connects to the file beside the store. */
  function connect(): DatabaseSync {
    const db = new DatabaseSync(path, { timeout: 0 });
    closing.push(() => db.isOpen && db.close());
    return db;
  }

  function write(file: OrderFile, call: OrderCall | readonly OrderCall[], patienceMs = PATIENCE_MS): unknown {
    const results = file.write(
      [call].flat().map((each) => ({ id: 7, call: each })),
      patienceMs,
    );
    return results === 'locked' ? results : results.map(({ id, answer, failure }) => [id, answer ?? failure]);
  }
  const unfinished = (key: string): OrderCall => {
    return { ask: 'create', row: { key, record: `bytes of ${key}`, holder: 'x', expiresAt: null }, counts: [] };
  };
  const finished = (key: string): OrderCall => {
    const row = { key, record: `end of ${key}`, holder: null, expiresAt: 9 };
    return { ask: 'replace', row, expected: { heldBy: 'x' }, counts: [] };
  };
  const read = (file: OrderFile, key: string) => file.read([{ id: 7, call: { ask: 'read', key } }], PATIENCE_MS);
  const found = (file: OrderFile) => file.read([{ id: 7, call: { ask: 'open' } }], PATIENCE_MS);
  const WRITTEN = [[7, 'written']];
  const sizeOf = (suffix: string) => statSync(path + suffix).size;

  /** Opens a store with one order. */
  function openWithOrder(): OrderFile {
    const file = open();
    expect(write(file, unfinished('first'))).toStrictEqual(WRITTEN);
    return file;
  }

  it("are their owner's alone, with the directory that is made for them, and are made once", () => {
    const file = open();
    expect(file.identity()).toBeUndefined();
    expect(found(file)).toStrictEqual([{ id: 7, answer: 'made' }]);
    const { dev, ino } = statSync(path, { bigint: true });
    expect(file.identity()).toBe(`${dev}:${ino}`);
    const modes = ['', ...BESIDE].map((suffix) => statSync(path + suffix).mode & 0o777);
    expect(modes).toStrictEqual([0o600, 0o600, 0o600]);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(found(open())).toStrictEqual([{ id: 7, answer: 'found' }]);
    file.close();
    chmodSync(path, 0o644);
    expect(found(file)).toStrictEqual([{ id: 7, answer: 'found' }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('are not made of what is there and is something else', () => {
    mkdirSync(path, { recursive: true });
    expect(() => found(open())).toThrow('it is there, and is no file');
    rmSync(path, { recursive: true });
    writeFileSync(path, 'Dear diary, SQLite format 3', { mode: 0o644 });
    expect(() => found(open())).toThrow('file is not a database');
    expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toStrictEqual([
      0o644,
      'Dear diary, SQLite format 3',
    ]);
    rmSync(dirname(path), { recursive: true });
    writeFileSync(dirname(path), '');
    expect(() => found(open())).toThrow('EEXIST: file already exists, mkdir');
  });

  it('are not looked for beside a link, since SQLite keeps them beside its target', () => {
    mkdirSync(dirname(path));
    symlinkSync(`${path}.elsewhere`, path);
    expect(() => found(open())).toThrow('it is there, and is no file, but a link, a folder or a device');
    expect(readdirSync(dirname(path))).toStrictEqual(['orders.db']);
  });

  it('are closed again where they are none', () => {
    mkdirSync(dirname(path));
    writeFileSync(path, 'Dear diary, SQLite format 3');
    const opened = () => readdirSync('/dev/fd').length;
    const before = opened();
    for (let time = 0; time < 20; time += 1) expect(() => found(open())).toThrow('file is not a database');
    expect(opened()).toBeLessThan(before + 10);
  });

  it('are opened beside a process that writes', () => {
    openWithOrder().close();
    connect().exec('BEGIN IMMEDIATE');
    expect(read(open(), 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
  });

  it.each([LAYOUT + 1, -1])('of layout %d are refused, and stay as they are', (layout) => {
    openWithOrder().close();
    const db = connect();
    db.exec(`PRAGMA user_version = ${layout}`);
    db.close();
    expect(() => found(open())).toThrow(`The order store has layout ${layout}, not ${LAYOUT}.`);
    expect(connect().prepare('SELECT count(*) AS rows FROM orders').get()).toMatchObject({ rows: 1 });
  });

  const LOSSES: readonly (readonly [string, (file: string) => unknown])[] = [
    ['is removed', (file) => rmSync(file)],
    ['is replaced by a copy', replaceByCopy],
    ['is replaced by an empty file', (file) => [rmSync(file), writeFileSync(file, '')]],
    ['is emptied', (file) => truncateSync(file)],
  ];

  it.each(BESIDE.flatMap((suffix) => LOSSES.map(([how, lose]) => ({ suffix, how, lose }))))(
    'fail every call once the $suffix $how, and know every key when they are opened anew',
    ({ suffix, lose }) => {
      const file = openWithOrder();
      lose(path + suffix);
      expect(() => write(file, unfinished('second'))).toThrow(LOST);
      expect(() => read(file, 'first')).toThrow(LOST);
      expect(file.identity()).toBe('lost');
      file.close();
      const next = open();
      expect(read(next, 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
      expect(write(next, unfinished('second'))).toStrictEqual(WRITTEN);
    },
  );

  it.each([
    ['it is removed', () => rmSync(path)],
    ['it goes with its directory', () => rmSync(directory, { recursive: true })],
  ])('are put back, with all that they held, where %s', (_, lose) => {
    const file = openWithOrder();
    lose();
    expect(() => write(file, unfinished('second'))).toThrow(LOST);
    expect([existsSync(path), existsSync(`${path}-saved`)]).toStrictEqual([true, false]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => found(file)).toThrow(LOST);
    const next = open();
    expect(found(next)).toStrictEqual([{ id: 7, answer: 'found' }]);
    expect(read(next, 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
    expect(read(next, 'second')).toStrictEqual([{ id: 7, answer: undefined }]);
  });

  it('are put back by the close of a file of which nobody has asked anything since it was removed', () => {
    const file = openWithOrder();
    for (const suffix of ['', ...BESIDE]) rmSync(path + suffix);
    file.close();
    const next = open();
    expect(found(next)).toStrictEqual([{ id: 7, answer: 'found' }]);
    expect(read(next, 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
  });

  it('leave another main file alone that is in their place', () => {
    const file = openWithOrder();
    rmSync(path);
    writeFileSync(path, 'of somebody else');
    expect(() => read(file, 'first')).toThrow(LOST);
    expect(readFileSync(path, 'utf8')).toBe('of somebody else');
    const there = ['-wal', '-shm', '-saved'].map((suffix) => existsSync(path + suffix));
    expect(there).toStrictEqual([true, true, false]);
  });

  it('leave alone what another process has saved', () => {
    const file = openWithOrder();
    rmSync(path);
    writeFileSync(`${path}-saved`, 'of another process');
    expect(() => read(file, 'first')).toThrow(LOST);
    expect(existsSync(path)).toBe(false);
    expect(readFileSync(`${path}-saved`, 'utf8')).toBe('of another process');
  });

  it('are not put back beside a log that is not theirs', () => {
    const file = openWithOrder();
    rmSync(path);
    rmSync(`${path}-shm`);
    replaceByCopy(`${path}-wal`);
    expect(() => read(file, 'first')).toThrow(LOST);
    const there = ['', '-wal', '-shm', '-saved'].map((suffix) => existsSync(path + suffix));
    expect(there).toStrictEqual([false, true, false, true]);
  });

  it('are not made anew by whoever has lost them', () => {
    const file = openWithOrder();
    rmSync(path);
    expect(() => read(file, 'first')).toThrow(LOST);
    rmSync(path);
    expect(() => read(file, 'first')).toThrow(LOST);
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ['its log is there', () => writeFileSync(`${path}-wal`, '')],
    ['its index is there', () => writeFileSync(`${path}-shm`, '')],
    ['what was saved of it is there', () => writeFileSync(`${path}-saved`, '')],
    ['it is there and empty, beside a log', () => [path, `${path}-wal`].map((file) => writeFileSync(file, ''))],
  ])('are not begun anew where the main file is gone and %s', (_, leave) => {
    mkdirSync(dirname(path));
    leave();
    expect(() => found(open())).toThrow(/^it is gone or empty, .* remove these too to forget every key$/);
    for (const suffix of ['', '-wal', '-shm', '-saved']) rmSync(path + suffix, { force: true });
    expect(found(open())).toStrictEqual([{ id: 7, answer: 'made' }]);
  });

  it('leave a trace where the main file was emptied: the next start must not take it for a new store', () => {
    const file = openWithOrder();
    for (const suffix of ['', ...BESIDE]) truncateSync(path + suffix);
    expect(() => read(file, 'first')).toThrow(LOST);
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(() => found(open())).toThrow('it is gone or empty');
  });

  it('leave no trace where the main file is whole: the next start finds all of it', () => {
    const file = openWithOrder();
    for (const suffix of BESIDE) rmSync(path + suffix);
    expect(() => read(file, 'first')).toThrow(LOST);
    expect(BESIDE.map((suffix) => existsSync(path + suffix))).toStrictEqual([false, false]);
    expect(read(open(), 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
  });

  it('are those of the first opening, in whatever thread that was', () => {
    const identity = openWithOrder().identity();
    expect(read(open(identity), 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
    expect(() => read(open('1:2'), 'first')).toThrow(LOST);
  });

  it('let nobody in who would have another log than the one at work', () => {
    const file = openWithOrder();
    rmSync(`${path}-wal`);
    const start = performance.now();
    expect(() => found(createOrderFile(path))).toThrow(/Another process is at work .* stop that process first\.$/);
    expect(performance.now() - start).toBeGreaterThanOrEqual(PATIENCE_MS);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(() => read(file, 'first')).toThrow(LOST);
  });

  /** A call in the middle of which something happens. */
  function interrupted(key: string, happen: () => void): OrderCall {
    const row = {
      key,
      get record() {
        happen();
        return `bytes of ${key}`;
      },
      holder: 'x',
      expiresAt: null,
    };
    return { ask: 'create', row, counts: [] };
  }

  it('confirm nothing that went into a log which was removed meanwhile', () => {
    const file = openWithOrder();
    expect(() =>
      write(
        file,
        interrupted('second', () => rmSync(`${path}-wal`)),
      ),
    ).toThrow(LOST);
    expect(read(open(), 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
  });

  it('are not called locked for another fault', () => {
    const file = openWithOrder();
    let nested: unknown;
    const call = interrupted('second', () => {
      try {
        nested = write(file, unfinished('third'));
      } catch (error) {
        nested = error;
      }
    });
    expect(() => write(file, call)).toThrow();
    expect(nested).toMatchObject({ message: 'cannot start a transaction within a transaction' });
    expect(read(file, 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
  });

  it('fail all of a group whose transaction SQLite has given up, and none is written', () => {
    const { exec } = DatabaseSync.prototype;
    let used: DatabaseSync | undefined;
    DatabaseSync.prototype.exec = function (sql) {
      used = this;
      return exec.call(this, sql);
    };
    const file = openWithOrder();
    const giveUp = interrupted('third', () => {
      used?.exec('ROLLBACK');
      throw new Error('disk I/O error');
    });
    try {
      expect(() => write(file, [unfinished('second'), giveUp])).toThrow('disk I/O error');
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
    for (const key of ['second', 'third']) expect(read(file, key)).toStrictEqual([{ id: 7, answer: undefined }]);
  });

  it('say that another process writes, which ends nothing: reads go on, and the write is made later', () => {
    const file = openWithOrder();
    const other = connect();
    other.exec('BEGIN IMMEDIATE');
    expect(write(file, unfinished('second'), 20)).toBe('locked');
    expect(read(file, 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
    other.exec('COMMIT');
    expect(write(file, unfinished('second'), 20)).toStrictEqual(WRITTEN);
  });

  it('have an order in the main file before it is sent, and then nothing signed in the log', async () => {
    const file = open();
    found(file);
    write(file, unfinished('first'));
    expect(readFileSync(path, 'latin1')).toContain('bytes of first');
    expect(sizeOf('-wal')).toBeGreaterThan(0);
    write(file, finished('first'));
    expect(sizeOf('-wal')).toBeGreaterThan(0);
    for (let waited = 0; sizeOf('-wal') > 0 && waited < 5_000; waited += 50) await sleep(50);
    expect(sizeOf('-wal')).toBe(0);
    const bytes = readFileSync(path, 'latin1');
    expect([bytes.includes('bytes of first'), bytes.includes('end of first')]).toStrictEqual([false, true]);
    expect(read(file, 'first')).toStrictEqual([{ id: 7, answer: 'end of first' }]);
  });

  it('are treated so in a group of calls too', async () => {
    const file = openWithOrder();
    const other = connect();
    write(file, [finished('first'), unfinished('second')]);
    expect(readFileSync(path, 'latin1')).toContain('bytes of second');
    for (let waited = 0; sizeOf('-wal') > 0 && waited < 5_000; waited += 50) await sleep(50);
    expect(sizeOf('-wal')).toBe(0);
    other.prepare('SELECT count(*) FROM orders').get();
    write(file, finished('second'));
    file.close();
    expect(sizeOf('-wal')).toBe(0);
  });

  it('are emptied of what a process that was killed left in the log', async () => {
    openWithOrder().close();
    const killed = connect();
    killed.exec("UPDATE orders SET record = 'left over'");
    const reader = connect();
    reader.exec('BEGIN; SELECT count(*) FROM orders');
    expect(read(open(), 'first')).toStrictEqual([{ id: 7, answer: 'left over' }]);
    expect(sizeOf('-wal')).toBeGreaterThan(0);
    reader.exec('COMMIT');
    for (let waited = 0; sizeOf('-wal') > 0 && waited < 5_000; waited += 50) await sleep(50);
    expect(sizeOf('-wal')).toBe(0);
  });

  it('are emptied of what is signed once whoever reads them is done', async () => {
    const file = openWithOrder();
    const reader = connect();
    reader.exec('BEGIN; SELECT count(*) FROM orders');
    write(file, finished('first'));
    await sleep(600);
    expect(sizeOf('-wal')).toBeGreaterThan(0);
    expect(write(file, unfinished('third'))).toStrictEqual(WRITTEN);
    reader.exec('COMMIT');
    for (let waited = 0; sizeOf('-wal') > 0 && waited < 5_000; waited += 50) await sleep(50);
    expect(sizeOf('-wal')).toBe(0);
    expect(write(file, unfinished('second'))).toStrictEqual(WRITTEN);
  });

  it('are opened anew after a call that failed', () => {
    const file = openWithOrder();
    const holder = JSON.parse('{}');
    const call: OrderCall = { ask: 'create', row: { key: 'a', record: 'a', holder, expiresAt: null }, counts: [] };
    const failed = [7, expect.stringContaining('cannot be bound')];
    expect(write(file, [unfinished('second'), call])).toStrictEqual([...WRITTEN, failed]);
    expect(BESIDE.map((suffix) => existsSync(path + suffix))).toStrictEqual([false, false]);
    expect(read(file, 'first')).toStrictEqual([{ id: 7, answer: 'bytes of first' }]);
  });
});
