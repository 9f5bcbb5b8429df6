import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { FULL_EXTENT } from '../../support/full-extent.ts';
import { unfinishedOrder } from '../../support/orders/order-records.ts';
import { collectLog } from '../../support/service/collected-log.ts';

const SCRIPT = join(import.meta.dirname, '../../support/local/open-store.ts');
const LOST = expect.stringMatching(/^failed: .*restart the service/);

describe('a store of which a file is lost while processes are at work on it', () => {
  let directory: string;
  let path: string;
  let children: ChildProcessWithoutNullStreams[];
  let restarted: ReturnType<typeof openOrderStore> | undefined;

  /** Starts a process with the store, which answers what it is asked and can be killed. */
  const start = () => {
    const child = spawn(process.execPath, [SCRIPT, path], { stdio: 'pipe' });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (question: string): Promise<string> => {
      child.stdin.write(`${question}\n`);
      return String((await lines.next()).value);
    };
    const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
      const closed = once(child, 'close');
      child.kill(signal);
      await closed;
    };
    return { ask, kill };
  };
  const started = async () => {
    const process = start();
    expect(await process.ask('create first')).toBe('written');
    return process;
  };
  /** Opens the store in this process, which is cheaper than a process that nobody kills. */
  const restart = () => {
    restarted = openOrderStore({ path, log: collectLog().log });
    const { open, read, create } = restarted;
    return {
      open,
      read: async (key: string) => ((await read(key)) ? 'known' : 'unknown'),
      create: (key: string) => create(key, unfinishedOrder(key)),
    };
  };
  const losses = {
    'is removed': (file: string) => rmSync(file),
    'is replaced by a copy': (file: string) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
    'is replaced by an empty file': (file: string) => {
      rmSync(file);
      writeFileSync(file, '');
    },
    'is emptied': (file: string) => truncateSync(file),
  } as const;
  const LOG_LOSSES = Object.entries(losses).flatMap(([how, lose]) =>
    ['-wal', '-shm'].map((suffix) => ({ suffix, how, lose })),
  );

  /** All of them are noticed in one process by the test of the files; by default the service's thread notices two. */
  const NOTICED = FULL_EXTENT ? LOG_LOSSES : LOG_LOSSES.filter((_loss, index) => index === 0 || index === 7);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lost-files-'));
    path = join(directory, 'orders.db');
    children = [];
  });
  afterEach(async () => {
    await restarted?.close();
    restarted = undefined;
    for (const child of children) child.kill('SIGKILL');
    for (const made of [directory, `${directory}.moved`]) rmSync(made, { recursive: true, force: true });
  });

  it.each(NOTICED)('fails each call until a restart, which knows every key: $suffix $how', async ({ suffix, lose }) => {
    const { ask, kill } = await started();
    lose(path + suffix);
    expect(await ask('create second')).toStrictEqual(LOST);
    expect(await ask('read first')).toStrictEqual(LOST);
    await kill();
    const next = restart();
    expect(await next.read('first')).toBe('known');
    expect(await next.read('second')).toBe('unknown');
    expect(await next.create('second')).toBe('written');
  });

  it.each(LOG_LOSSES)('forgets no key where nobody notices before the kill: $suffix $how', async ({ suffix, lose }) => {
    const { kill } = await started();
    lose(path + suffix);
    await kill();
    const next = restart();
    expect(await next.read('first')).toBe('known');
    expect(await next.create('second')).toBe('written');
  });

  it.each(['-wal', '-shm'])(
    'lets no second process in where one is at work and its file is gone: %s',
    async (suffix) => {
      const first = await started();
      const before = start();
      expect(await before.ask('read first')).toBe('known');
      rmSync(path + suffix);
      const late = start();
      expect(await late.ask('open')).toMatch(/^failed: .*Another process is at work .* stop that process first/);
      expect(existsSync(path + suffix)).toBe(false);
      for (const { ask } of [first, before]) expect(await ask('create second')).toStrictEqual(LOST);
      await first.kill();
      await before.kill();
      expect(await late.ask('read first')).toBe('known');
    },
  );

  it.each([
    ['its main file is removed', () => rmSync(path)],
    ['its directory is removed', () => rmSync(directory, { recursive: true })],
    ['its directory is moved away', () => renameSync(directory, `${directory}.moved`)],
  ])('is put back in its place where %s', async (_what, lose) => {
    const { ask, kill } = await started();
    lose();
    expect(await ask('create second')).toStrictEqual(LOST);
    await kill();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const next = restart();
    expect(await next.open()).toBe('found');
    expect(await next.read('first')).toBe('known');
    expect(await next.read('second')).toBe('unknown');
  });

  it('is not begun anew where its main file is gone and its log is not', async () => {
    const { kill } = await started();
    rmSync(path);
    await kill();
    await expect(restart().open()).rejects.toThrow(/put it back, or remove these too/);
    expect(existsSync(path)).toBe(false);
  });

  it('is not begun anew where all of it was emptied', async () => {
    const { ask, kill } = await started();
    for (const suffix of ['', '-wal', '-shm']) truncateSync(path + suffix);
    expect(await ask('create second')).toStrictEqual(LOST);
    await kill('SIGTERM');
    await expect(restart().open()).rejects.toThrow(/put it back, or remove these too/);
  });

  it('is the same store for processes that come and go', async () => {
    const first = await started();
    for (const key of ['a', 'b', 'c']) {
      const other = start();
      expect(await other.ask(`create ${key}`)).toBe('written');
      await other.kill(key === 'b' ? 'SIGKILL' : 'SIGTERM');
      expect(await first.ask(`read ${key}`)).toBe('known');
    }
    expect(await first.ask('create second')).toBe('written');
    const [all, last] = [Array.from({ length: 4 }, start), start()];
    expect(await Promise.all(all.map(({ ask }) => ask('open')))).toStrictEqual(all.map(() => 'found'));
    expect(await last.ask('read second')).toBe('known');
  });

  it('goes on where its log is empty because all of it is in the main file', async () => {
    const { ask } = await started();
    const other = start();
    await other.ask('read first');
    expect(statSync(`${path}-wal`).size).toBe(0);
    expect(await ask('create second')).toBe('written');
  });
});
