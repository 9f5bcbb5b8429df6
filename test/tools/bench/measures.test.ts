import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { TypedDataEncoder } from 'ethers';
import { percentilesOf } from '../../../tools/bench/bench.ts';
import { load } from '../../../tools/bench/load.ts';
import { summariseRow } from '../../../tools/bench/report.ts';
import { costOf } from '../../../tools/bench/rows/cost.ts';
import { median, percentile } from '../../../tools/bench/statistics.ts';
import { sequentialDepth } from '../../../tools/bench/venue/depth.ts';
import { orderIdOf } from '../../../tools/bench/venue/order-id.ts';
import { SIGNED_ORDER } from '../../../tools/bench/venue/signed-order.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { ORDER_TYPE } from '../../../tools/support/order-type.ts';

describe('a load', () => {
  /** Answers each request with the status that its path names. */
  async function serve() {
    const server = createServer(({ url = '' }, response) => {
      response.writeHead(Number(url.slice(1))).end();
    });
    return { url: await listenOnLoopback(server), [Symbol.asyncDispose]: () => shut(server) };
  }

  it('times each answer, and counts those outside 2xx as errors', async () => {
    await using server = await serve();
    const { times, errors, rate } = await load({
      url: server.url,
      pathOf: (connection) => (connection === 0 ? '/201' : '/503'),
      amount: 10,
      connections: 2,
    });
    expect([times.length, errors]).toStrictEqual([10, 5]);
    expect(rate).toBeGreaterThan(0);
  });

  it('has a rate of 0 without an answer', async () => {
    const silent = createServer(() => undefined);
    const { rate, times } = await load({ url: await listenOnLoopback(silent), seconds: 0.2 });
    expect([rate, times]).toStrictEqual([0, []]);
    await shut(silent);
  });

  it('is refused beyond this machine', async () => {
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
  const answers = (...times: number[]) => ({ rate: 1, times, errors: 1 });
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
      value: 15,
      against: 12,
      ratio: 1.25,
      spread: [1.1, 1.25],
      verdict: 'ok',
      errors: 6,
    });
    expect(result.samples).toStrictEqual([
      { value: 11, baseline: 10, errors: 2 },
      { value: 11, baseline: 10, errors: 2 },
      { value: 15, baseline: 12, errors: 2 },
    ]);
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

  it('judges the median of the ratios, and shows what failed', () => {
    const row = { name: 'a', figure: 'a', baseline: 'b', unit: 'ms', target: { atMost: 1.1 } } as const;
    const sample = (value: number, errors = 0) => ({ value, baseline: 10, errors });
    expect(summariseRow(row, [sample(10), sample(11), sample(30, 2)], undefined)).toMatchObject({
      verdict: 'ok',
      ratio: 1.1,
      spread: [1, 3],
      errors: 2,
    });
    expect(summariseRow(row, [sample(12)], undefined).verdict).toBe('missed');
    expect(summariseRow(row, [sample(10)], 'it broke')).toMatchObject({ verdict: 'failed', failure: 'it broke' });
  });
});
