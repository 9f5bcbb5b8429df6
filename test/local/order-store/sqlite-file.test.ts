import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createOrderFile,
  type NumberedCall,
  type OrderCall,
  type OrderRow,
} from '../../../local/order-store/sqlite-file.ts';
import type { DayCount, Expected } from '../../../shared/orders/record.ts';
import { stateOfLog, transactionsIn } from '../../support/local/transactions.ts';

const PATIENCE_MS = 1_000;
const KEYS = ['a', 'b', 'c'];
const DAYS = ['2026-11-21', '2026-11-22'];
/** The largest that a sum can be. */
const MOST = 2n ** 63n - 1n;

/** The file in plain words: one call after the other, each all or nothing. `failed` stands for any reason. */
function createModel() {
  const rows = new Map<string, OrderRow>();
  const sums = new Map<string, bigint>();
  const matches = (found: OrderRow | undefined, expected: Expected | undefined) => {
    if (!found || !expected) return found === expected;
    if ('heldBy' in expected) return found.holder === expected.heldBy;
    return found.holder === null && found.expiresAt === expected.keptUntil;
  };
  const write = (row: OrderRow, expected: Expected | undefined, counts: readonly DayCount[]) => {
    if (row.holder !== null && typeof row.holder !== 'string') return 'failed';
    if (!matches(rows.get(row.key), expected)) return 'conflict';
    const sumWith = ({ day, units }: DayCount) => (sums.get(day) ?? 0n) + units;
    if (counts.some((count) => sumWith(count) > MOST)) return 'failed';
    const full = counts.findLast((count) => sumWith(count) > (count.atMost ?? MOST));
    if (full) return { fullDay: full.day };
    rows.set(row.key, row);
    for (const count of counts) sums.set(count.day, sumWith(count));
    return 'written';
  };
  return (call: OrderCall) => {
    if (call.ask === 'read') return rows.get(call.key)?.record;
    if (call.ask === 'counted') return sums.get(call.day) ?? 0n;
    if (call.ask === 'create') return write(call.row, undefined, call.counts);
    if (call.ask === 'replace') return write(call.row, call.expected, call.counts);
    for (const { key, expiresAt } of rows.values()) if (expiresAt !== null && expiresAt < 2) rows.delete(key);
    return undefined;
  };
}

const counts = fc.uniqueArray(
  fc.record({
    day: fc.constantFrom(...DAYS),
    // With the last one a call fails, or is above the cap, when its row is written already.
    units: fc.constantFrom(-3n, 4n, 9n, MOST),
    atMost: fc.constantFrom(5n, 12n, MOST),
  }),
  { maxLength: 2, selector: ({ day }) => day },
);
const row = fc.record({
  key: fc.constantFrom(...KEYS),
  record: fc.string({ maxLength: 8 }),
  // The last one is no text, and no row can have it.
  holder: fc.constantFrom('x', 'y', null, JSON.parse('{}')),
  expiresAt: fc.constantFrom(null, 1, 2),
});
const expected = fc.constantFrom({ heldBy: 'x' }, { heldBy: 'y' }, { keptUntil: 1 });
const call: fc.Arbitrary<OrderCall> = fc.oneof(
  fc.record({ ask: fc.constant('create' as const), row, counts }),
  fc.record({ ask: fc.constant('replace' as const), row, expected, counts }),
  fc.record({ ask: fc.constant('read' as const), key: fc.constantFrom(...KEYS) }),
  fc.record({ ask: fc.constant('counted' as const), day: fc.constantFrom(...DAYS) }),
  fc.record({ ask: fc.constant('clean' as const), beforeMs: fc.constant(2) }),
);
/** All that a file can be asked about what it holds. */
const QUESTIONS: readonly OrderCall[] = [
  ...KEYS.map((key) => ({ ask: 'read', key }) as const),
  ...DAYS.map((day) => ({ ask: 'counted', day }) as const),
];

function numbered(calls: readonly OrderCall[]): readonly NumberedCall[] {
  return calls.map((each, id) => ({ id, call: each }));
}

describe('the file of the local store', () => {
  let directory: string;
  let close: () => void;
  const open = (name: string) => {
    const path = join(directory, name);
    const file = createOrderFile(path);
    close = file.close;
    const write = (calls: readonly OrderCall[]) => {
      const results = file.write(numbered(calls), PATIENCE_MS);
      if (results === 'locked') throw new Error('nobody else is at work on this file');
      return results.map(({ failure, answer }) => (failure === undefined ? answer : 'failed'));
    };
    return { write, path };
  };

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'order-file-'));
  });
  afterEach(() => {
    close();
    rmSync(directory, { recursive: true });
  });

  it('answers a group as one call after the other, and undoes those that fail and no others', () => {
    const seen = new Set<unknown>();
    const groups = fc.array(fc.array(call, { minLength: 3, maxLength: 8 }), { minLength: 1, maxLength: 3 });
    let runs = 0;
    const property = fc.property(groups, (made) => {
      runs += 1;
      const { write } = open(`${runs}.db`);
      const model = createModel();
      for (const group of [...made, QUESTIONS]) {
        const answers = write(group);
        expect(answers).toStrictEqual(group.map(model));
        for (const answer of answers) seen.add(typeof answer === 'object' ? answer.fullDay : answer);
      }
      close();
    });
    fc.assert(property, { numRuns: 100 });
    for (const result of ['written', 'conflict', ...DAYS, 'failed']) expect(seen).toContain(result);
  });

  it('is flushed to the disk with each transaction, and overwrites what it removes', () => {
    // Nobody but a cut of the power sees whether it is: SQLite is asked for the settings of the very connection.
    const { exec } = DatabaseSync.prototype;
    const connections = new Set<DatabaseSync>();
    DatabaseSync.prototype.exec = function (sql) {
      connections.add(this);
      return exec.call(this, sql);
    };
    try {
      open('orders.db').write([{ ask: 'counted', day: '2026-11-21' }]);
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
    const settings = ['journal_mode', 'synchronous', 'fullfsync', 'checkpoint_fullfsync', 'secure_delete'];
    const inForce = [...connections].map((db) =>
      settings.map((name) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]),
    );
    expect(inForce).toStrictEqual([['wal', 2, 1, 1, 1]]);
  });

  it('writes a group as one transaction, and nothing where nothing of it is done', () => {
    const { write, path } = open('orders.db');
    const create = (key: string): OrderCall => {
      return { ask: 'create', row: { key, record: key, holder: 'x', expiresAt: null }, counts: [] };
    };
    // The first one opens the file too.
    write([create('first')]);
    const answers = write([...KEYS, ...KEYS].map(create));
    expect(answers).toStrictEqual([...KEYS.map(() => 'written'), ...KEYS.map(() => 'conflict')]);
    expect(transactionsIn(path)).toBe(1);
    const state = stateOfLog(path);
    expect(write(KEYS.map(create))).toStrictEqual(KEYS.map(() => 'conflict'));
    expect(stateOfLog(path)).toBe(state);
  });

  it('keeps the sum of a day for a week after it', () => {
    const { write } = open('orders.db');
    const day = '2026-11-21';
    const row = { key: 'a', record: 'a', holder: 'x', expiresAt: null };
    write([{ ask: 'create', row, counts: [{ day, units: 5n }] }]);
    const sumAfter = (time: string) =>
      write([
        { ask: 'clean', beforeMs: Date.parse(time) },
        { ask: 'counted', day },
      ])[1];
    expect(sumAfter('2026-11-28T23:59:59Z')).toBe(5n);
    expect(sumAfter('2026-11-29T00:00:00Z')).toBe(0n);
  });
});
