import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TypedDataEncoder } from 'ethers';
import { percentilesOf } from '../../../tools/bench/bench.ts';
import { load } from '../../../tools/bench/load.ts';
import { startProcess } from '../../../tools/bench/processes.ts';
import { formatProfile, type Profile, readProfiles, summariseProfiles } from '../../../tools/bench/profile.ts';
import { formatCounts, summariseRow } from '../../../tools/bench/report.ts';
import { costOf } from '../../../tools/bench/rows/cost.ts';
import { countOrders } from '../../../tools/bench/scale/count.ts';
import { median, percentile } from '../../../tools/bench/statistics.ts';
import { sequentialDepth } from '../../../tools/bench/venue/depth.ts';
import { orderIdOf } from '../../../tools/bench/venue/order-id.ts';
import { SIGNED_ORDER } from '../../../tools/bench/venue/signed-order.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { ORDER_TYPE } from '../../../tools/support/order-type.ts';

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

describe('a process of the benchmark', () => {
  it('writes its profile when it is stopped, under the number by which it is known', async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'profile-'));
    const script = `process.on('SIGTERM', () => process.exit());
      setInterval(() => undefined, 1000);
      console.log('http://127.0.0.1:1');`;
    const running = await startProcess({ args: ['-e', script], profileDirectory: directory.path });
    await running[Symbol.asyncDispose]();
    const profiles = await readProfiles(directory.path, new Map([[running.pid, 4711]]));
    expect(profiles.map(({ from }) => from)).toStrictEqual([4711]);
    expect(
      summariseProfiles(
        profiles.map(({ profile }) => ({ profile, from: 0 })),
        ROOT,
      ).busy,
    ).toBeGreaterThan(0);
  });
});

describe('a load', () => {
  /** Answers each request with the status that its path names, and keeps what of it is its own. */
  async function serve() {
    const seen: string[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      seen.push(`${url} ${headers['idempotency-key'] ?? '-'}`);
      response.writeHead(Number(url.slice(1))).end();
    });
    return { url: await listenOnLoopback(server), seen, [Symbol.asyncDispose]: () => shut(server) };
  }

  it('times each answer, and counts those outside 2xx as errors', async () => {
    await using server = await serve();
    const { times, errors, p50, rate } = await load({
      url: server.url,
      pathOf: (connection) => (connection === 0 ? '/201' : '/503'),
      amount: 10,
      connections: 2,
    });
    expect([times.length, errors, percentile(times, 0.5)]).toStrictEqual([10, 5, p50]);
    expect(rate).toBeGreaterThan(0);
  });

  it('gives each request its own headers beside those of all', async () => {
    await using server = await serve();
    let made = 0;
    const headersOf = () => {
      made += 1;
      return { 'idempotency-key': `key-${made}` };
    };
    await load({ url: `${server.url}/200`, headersOf, amount: 3, connections: 1 });
    expect(server.seen).toStrictEqual(['/200 key-1', '/200 key-2', '/200 key-3']);
  });

  it('has a rate of 0 where nobody answers', async () => {
    const silent = createServer(() => undefined);
    const { rate, times } = await load({ url: await listenOnLoopback(silent), seconds: 0.2 });
    expect([rate, times]).toStrictEqual([0, []]);
    await shut(silent);
  });

  it('is put on this machine alone', async () => {
    await expect(load({ url: 'http://192.0.2.1/', amount: 1 })).rejects.toThrow('loopback only');
  });
});

describe('percentiles of several rounds', () => {
  const row = {
    name: 'a',
    figure: 'a',
    baseline: 'b',
    unit: 'ms',
    percentile: 0.99,
    target: { atMost: 2 },
  } as const;
  const answers = (...times: number[]) => ({ rate: 1, p50: 1, times, errors: 1 });
  const hundred = (time: number) => Array.from({ length: 100 }, () => time);

  it('are of all answers together, and the spread is that of the rounds', () => {
    const rounds = [
      percentilesOf(row.percentile, answers(...hundred(11)), answers(...hundred(10))),
      percentilesOf(row.percentile, answers(...hundred(11)), answers(...hundred(10))),
      percentilesOf(row.percentile, answers(15, 15, 15), answers(12, 12, 12)),
    ];
    const result = summariseRow(row, rounds, undefined);
    // Three of 203 answers are slow on each side: the medians of the rounds' p99 would be 11 and 10.
    expect(result).toMatchObject({
      value: { middle: 15, min: 11, max: 15 },
      against: { middle: 12, min: 10, max: 12 },
      ratio: { middle: 1.25, min: 1.1, max: 1.25 },
      verdict: 'ok',
      errors: 6,
      times: 203,
    });
    expect(result.samples).toStrictEqual([
      { value: 11, baseline: 10, errors: 2 },
      { value: 11, baseline: 10, errors: 2 },
      { value: 15, baseline: 12, errors: 2 },
    ]);
  });

  it('are of as many answers as the side with fewer has, and the table says of how many', () => {
    const lone = percentilesOf(row.percentile, answers(1, 2, 3), answers(1));
    const results = [
      summariseRow({ ...row, name: 'few' }, [lone, lone], undefined),
      summariseRow(row, [percentilesOf(row.percentile, answers(1, 2, 3), answers(1, 2, 3, 4))], undefined),
      summariseRow({ name: 'rate', figure: 'a', baseline: 'b', unit: 'req/s' }, [], undefined),
    ];
    expect(formatCounts(results)).toBe('Response times behind the percentiles, on each side: 3 (a); 2 (few).\n');
    expect(formatCounts(results.slice(2))).toBe('');
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

  it('prices a million requests as the table of costs does', () => {
    const book = { memoryMb: 768, responseBytes: 730, logBytes: 270, readUnits: 0, writeUnits: 0 };
    const order = { memoryMb: 1769, responseBytes: 424, logBytes: 1_735, readUnits: 1, writeUnits: 4 };
    expect(costOf('cost-books', book)).toBeCloseTo(2.09, 2);
    expect(costOf('cost-keyed-orders', order)).toBeCloseTo(6.45, 2);
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
