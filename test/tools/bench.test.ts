import { describe, expect, it } from '@jest/globals';
import { ROWS } from '../../tools/bench/bench.ts';
import { type Run, tableOf, withOpenRun } from '../../tools/bench/runs.ts';

const [DATE, MACHINE] = ['2026-11-28', 'two cores'];

function runOf(p50: number, rate: number): Run {
  return {
    date: DATE,
    machine: MACHINE,
    parts: { orders: { 'order-p50': [27, 25, p50] }, rate: { 'order-rate': [900, 600, rate] } },
  };
}

const [TIME, RATE] = [ROWS['order-p50'][3], ROWS['order-rate'][3]];

describe('the table of the benchmark', () => {
  it.each([
    ['all at the target', [TIME, TIME, TIME], [RATE, RATE, RATE], 'ok', 'ok'],
    ['a time above it', [TIME - 0.1, TIME + 0.01, TIME - 0.1], [RATE, RATE, RATE], 'missed', 'ok'],
    ['a rate below it', [TIME, TIME - 0.1, TIME], [RATE + 1, RATE + 1, RATE - 0.01], 'ok', 'missed'],
  ] as const)('judges a row by its worst run: %s', (_name, times, rates, ...verdicts) => {
    const lines = tableOf(times.map((time, index) => runOf(time, rates[index] ?? 0))).split('\n');
    expect(lines.slice(2, 4).map((line) => line.split(' | ').at(-1))).toStrictEqual(
      verdicts.map((verdict) => `${verdict} |`),
    );
  });

  it('shows the median of the runs, and their spread', () => {
    const [, , line] = tableOf([runOf(1.07, 2), runOf(1.02, 2), runOf(1.5, 2)]).split('\n');
    expect(line).toMatch(/^\| order p50.* \| 27\.0 ms \| .*: 25\.0 ms \| 1\.07x \(1\.02–1\.50\) \|/);
  });

  it('leaves out rows without runs, and separates the runs of each machine', () => {
    const [newest, older] = [
      { date: DATE, machine: MACHINE, parts: {} },
      { ...runOf(1, 2), machine: 'four cores' },
    ];
    const lines = tableOf([newest, newest, older]).split('\n');
    expect(lines).toHaveLength(7);
    expect(lines.at(-2)).toBe('Runs: 2 of two cores; 2026-11-28. 1 of four cores; 2026-11-28.');
  });
});

describe('the runs that are kept', () => {
  const open = { date: DATE, machine: MACHINE };
  const [whole, cut] = [runOf(1, 2), { ...open, parts: { rate: {} } }];

  it.each([
    ['a run cut off today goes on', [cut, whole, whole], open, [cut, whole, whole]],
    ['a whole one does not', [whole, whole, whole], open, [{ ...open, parts: {} }, whole, whole]],
    [
      'nor that of another day',
      [cut, whole],
      { ...open, date: '2026-11-29' },
      [{ ...open, date: '2026-11-29', parts: {} }, cut, whole],
    ],
    [
      'nor that of another machine',
      [cut],
      { ...open, machine: 'four' },
      [{ ...open, machine: 'four', parts: {} }, cut],
    ],
  ])('are the newest three: %s', (_name, runs, now, kept) => {
    expect(withOpenRun(runs, now, ['orders', 'rate'])).toStrictEqual(kept);
  });
});
