import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TypedDataEncoder } from 'ethers';
import { ORDER_TYPE } from '../support/orders/order-type.ts';
import { formatProfile, type Profile, readProfiles, summariseProfiles } from './profile.ts';
import { summariseRow } from './report.ts';
import { countOrders } from './scale/count.ts';
import { median, percentile } from './statistics.ts';
import { sequentialDepth } from './venue/depth.ts';
import { orderIdOf } from './venue/order-id.ts';
import { SIGNED_ORDER } from './venue/signed-order.ts';

const ROOT = '/srv/project';

/** A process that spends these milliseconds, one after the other, in functions of these files. */
function profileOf(...spent: readonly (readonly [functionName: string, url: string, milliseconds: number])[]): Profile {
  return {
    startTime: 1_000,
    nodes: spent.map(([functionName, url], id) => ({ id, callFrame: { functionName, url, lineNumber: 6 } })),
    samples: [...spent.keys(), spent.length - 1],
    // The first says when profiling began.
    timeDeltas: [9_000, ...spent.map(([, , milliseconds]) => milliseconds * 1_000)],
  };
}

describe('what a profile says', () => {
  const spent = [
    ['(idle)', '', 500],
    ['sign', `file://${ROOT}/shared/sign.ts`, 30],
    ['mod', `file://${ROOT}/node_modules/@noble/curves/esm/modular.js`, 40],
    ['', 'node:internal/streams', 20],
    ['(garbage collector)', '', 6],
    ['writev', '', 4],
  ] as const;

  it('names functions and groups by the time in themselves, the dearest first and without the idle time', () => {
    const { busy, idle, functions, groups } = summariseProfiles([{ profile: profileOf(...spent), from: 0 }], ROOT);
    expect([busy, idle]).toStrictEqual([100, 500]);
    expect(functions).toStrictEqual([
      { name: 'mod  node_modules/@noble/curves/esm/modular.js:7', share: 0.4 },
      { name: 'sign  shared/sign.ts:7', share: 0.3 },
      { name: '(anonymous)  node:internal/streams:7', share: 0.2 },
      { name: '(garbage collector)', share: 0.06 },
      { name: 'writev', share: 0.04 },
    ]);
    expect(groups.map(({ name }) => name)).toStrictEqual([
      '@noble/curves',
      'the service',
      'node internals',
      'garbage collection',
      'native code',
    ]);
  });

  it('adds up the processes of a row', () => {
    const url = `file://${ROOT}/shared/sign.ts`;
    const profiles = [profileOf(['sign', url, 10], ['parse', url, 10]), profileOf(['sign', url, 20])];
    const whole = profiles.map((profile) => ({ profile, from: 0 }));
    expect(summariseProfiles(whole, ROOT).functions).toStrictEqual([
      { name: 'sign  shared/sign.ts:7', share: 0.75 },
      { name: 'parse  shared/sign.ts:7', share: 0.25 },
    ]);
  });

  it('counts from a moment on', () => {
    const profile = profileOf(['load', 'node:fs', 30], ['serve', 'node:http', 10]);
    const { busy, functions } = summariseProfiles([{ profile, from: 1_000 + 9_000 + 30_000 }], ROOT);
    expect([busy, functions]).toStrictEqual([10, [{ name: 'serve  node:http:7', share: 1 }]]);
  });

  it('is read from what Node writes, and printed with ten functions at most', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'profile-'));
    const many = Array.from({ length: 12 }, (_, index) => [`f${index}`, 'node:fs', 12 - index] as const);
    const file = join(directory.path, 'CPU.20261122.014747.4711.0.001.cpuprofile');
    await writeFile(file, JSON.stringify(profileOf(['start', 'node:module', 50], ...many)));
    await writeFile(join(directory.path, 'notes.txt'), 'not a profile');
    const text = formatProfile(summariseProfiles(await readProfiles(directory.path, new Map([[4711, 60_000]])), ROOT));
    expect(text).toContain(' 15.4 %  f0  node:fs:7');
    expect(text.split('\n').filter((line) => line.endsWith('node:fs:7'))).toHaveLength(10);
    expect(text).toContain('100.0 %  node internals');
  });
});

describe('what the benchmark computes', () => {
  it('takes the median of even and odd counts', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('takes percentiles, and of nothing none', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([percentile(values, 0), percentile(values, 0.5), percentile(values, 1)]).toStrictEqual([1, 51, 100]);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('counts requests side by side as one round trip, one after the other as two', () => {
    const [a, b, c] = [
      { from: 0, to: 25 },
      { from: 1, to: 26 },
      { from: 27, to: 52 },
    ];
    expect(sequentialDepth([a, b])).toBe(1);
    expect(sequentialDepth([c, b, a])).toBe(2);
    expect(sequentialDepth([])).toBe(0);
  });

  it('gives an order the id that it has at the venue', () => {
    const { order } = JSON.parse(SIGNED_ORDER);
    const domain = {
      name: 'Polymarket CTF Exchange',
      version: '2',
      chainId: 137,
      verifyingContract: '0xE111180000d2663C0091e4f400237545B87B996B',
    };
    const { maker } = order;
    const value = { ...order, maker: maker.toLowerCase(), signer: maker.toLowerCase(), side: 0 };
    expect(orderIdOf(SIGNED_ORDER)).toBe(TypedDataEncoder.hash(domain, { Order: ORDER_TYPE }, value));
  });

  it('judges a count as missed by one more, by one less, and by an error', () => {
    const row = { name: 'a', figure: 'a', baseline: 'b', unit: 'orders', target: { exactly: 1 } } as const;
    const verdictOf = (value: number, errors = 0) => summariseRow(row, [{ value, baseline: 10, errors }], undefined);
    const verdicts = [verdictOf(10), verdictOf(11), verdictOf(9), verdictOf(10, 1)].map(({ verdict }) => verdict);
    expect(verdicts).toStrictEqual(['ok', 'missed', 'missed', 'missed']);
  });

  it.each([
    ['each key has its order', [['a'], ['b']], ['a', 'b'], { placed: 2, lost: 0, doubled: 0 }],
    ['a key was told of none', [['a'], []], ['a'], { placed: 1, lost: 1, doubled: 0 }],
    ['a key was told of one that is not there', [['a'], ['b']], ['a'], { placed: 1, lost: 1, doubled: 0 }],
    ['nobody was told of one', [['a']], ['a', 'b'], { placed: 2, lost: 0, doubled: 1 }],
    ['a key was told of two', [['a', 'b']], ['a', 'b'], { placed: 2, lost: 0, doubled: 1 }],
  ])('counts orders that are lost and doubled: %s', (_what, told, after, count) => {
    const ids = new Map(told.map((of, index) => [String(index), new Set(of)]));
    expect(countOrders(ids, ['before'], ['before', ...after])).toStrictEqual(count);
  });

  it('judges the median of the ratios, and shows what failed', () => {
    const row = { name: 'a', figure: 'a', baseline: 'b', unit: 'ms', target: { atMost: 1.1 } } as const;
    const sample = (value: number, errors = 0) => ({ value, baseline: 10, errors });
    expect(summariseRow(row, [sample(10), sample(11), sample(30, 2)], undefined)).toMatchObject({
      verdict: 'ok',
      ratio: { middle: 1.1, min: 1, max: 3 },
      errors: 2,
    });
    expect(summariseRow(row, [sample(12)], undefined).verdict).toBe('missed');
    expect(summariseRow(row, [sample(10)], 'it broke')).toMatchObject({ verdict: 'failed', failure: 'it broke' });
  });
});
