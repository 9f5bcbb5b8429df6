import { describe, expect, it } from '@jest/globals';
import { type AnsweredRequest, eventMetrics, requestMetrics } from '../../functions/metrics.ts';

const metrics = requestMetrics('Test', () => 1_000);
const venueRequests = [
  { name: 'read-book', result: 200, milliseconds: 10.04 },
  { name: 'post-order', result: 200, milliseconds: 20 },
];
const read: AnsweredRequest = { route: 'book', status: 200, call: { venueRequests: [] }, logFields: {} };
const order: AnsweredRequest = { ...read, route: 'orders', status: 201 };

function directive(dimensions: readonly string[], members: readonly (readonly [string, string])[]) {
  return { Namespace: 'Test', Dimensions: [dimensions], Metrics: members.map(([Name, Unit]) => ({ Name, Unit })) };
}

const REQUEST = [
  ['requests', 'Count'],
  ['duration_ms', 'Milliseconds'],
] as const;

describe('the metrics of a request', () => {
  it('are its count and its latency where the venue was not asked', () => {
    expect(metrics(read)).toStrictEqual({
      urgent: false,
      members: {
        requests: 1,
        _aws: { Timestamp: 1_000, CloudWatchMetrics: [directive(['route'], REQUEST)] },
      },
    });
  });

  it('have the time of the venue, and the status of an order', () => {
    expect(
      metrics({ ...order, call: { venueRequests }, logFields: { order_status: 'live', replayed: false } }),
    ).toStrictEqual({
      urgent: false,
      members: {
        requests: 1,
        venue_ms: 30,
        orders: 1,
        _aws: {
          Timestamp: 1_000,
          CloudWatchMetrics: [
            directive(['route'], [...REQUEST, ['venue_ms', 'Milliseconds']]),
            directive(['order_status'], [['orders', 'Count']]),
          ],
        },
      },
    });
  });

  it('do not count a replay as another order', () => {
    const { members } = metrics({ ...order, logFields: { order_status: 'live', replayed: true } });
    expect(members).not.toHaveProperty('orders');
    expect(JSON.stringify(members)).not.toContain('order_status');
  });

  it('count an error by route and code', () => {
    expect(metrics({ ...read, status: 404, logFields: { code: 'not_found' } })).toStrictEqual({
      urgent: false,
      members: {
        requests: 1,
        errors: 1,
        _aws: {
          Timestamp: 1_000,
          CloudWatchMetrics: [directive(['route'], REQUEST), directive(['route', 'code'], [['errors', 'Count']])],
        },
      },
    });
  });

  it('count an order that is answered 5xx in one metric, whatever its code', () => {
    const { urgent, members } = metrics({ ...order, status: 504, logFields: { code: 'outcome_unknown' } });
    expect([urgent, members['order_faults']]).toStrictEqual([true, 1]);
    expect(members).toMatchObject({
      _aws: { CloudWatchMetrics: [directive(['route'], [...REQUEST, ['order_faults', 'Count']]), {}] },
    });
    expect(metrics({ ...order, status: 422 }).members).not.toHaveProperty('order_faults');
    expect(metrics({ ...read, status: 504 }).members).not.toHaveProperty('order_faults');
  });

  it.each([
    [{ result: 429 }, true],
    [{ result: 200, rateLimit: { remaining: 11, reset: null, tier: null } }, true],
    [{ result: 200, rateLimit: { remaining: -2, reset: null, tier: null } }, true],
    [{ result: 200, rateLimit: { remaining: 12, reset: null, tier: null } }, false],
    [{ result: 200, rateLimit: { remaining: null, reset: null, tier: null } }, false],
    [{ result: 'timeout' }, false],
  ])('warn of a rate limit that is nearly used up: %j', (answered, warned) => {
    const call = { venueRequests: [...venueRequests, { name: 'post-order', milliseconds: 1, ...answered }] };
    const { urgent, members } = metrics({ ...order, call });
    expect([urgent, members['rate_limit_warnings']]).toStrictEqual([warned, warned ? 1 : undefined]);
  });
});

describe('what an alarm waits for', () => {
  it.each([undefined, 'Test'])('is written whatever the threshold of the log, with namespace %s', (namespace) => {
    const { urgent, members } = requestMetrics(namespace)({
      ...order,
      status: 504,
      logFields: { code: 'venue_timeout' },
    });
    expect([urgent, members['order_faults'], '_aws' in members]).toStrictEqual([true, 1, namespace !== undefined]);
    expect(requestMetrics(namespace)(order).urgent).toBe(false);
    const unidentified = { ...order, status: 403, logFields: { code: 'caller_not_identified' } };
    expect(requestMetrics(namespace)(unidentified).urgent).toBe(true);
  });
});

describe('the metric of an event', () => {
  it('has the dimension of the other metrics of orders', () => {
    expect(eventMetrics('Test', () => 1_000)('lease_faults')).toStrictEqual({
      route: 'orders',
      lease_faults: 1,
      _aws: { Timestamp: 1_000, CloudWatchMetrics: [directive(['route'], [['lease_faults', 'Count']])] },
    });
  });
});
