import { describe, expect, it } from '@jest/globals';
import { embeddedMetrics } from '../../functions/metrics.ts';

const metrics = embeddedMetrics('Test', () => 1_000);
const venueRequests = [
  { name: 'read-book', result: 200, milliseconds: 10.04 },
  { name: 'post-order', result: 200, milliseconds: 20 },
];

function directive(dimensions: readonly string[], members: readonly (readonly [string, string])[]) {
  return { Namespace: 'Test', Dimensions: [dimensions], Metrics: members.map(([Name, Unit]) => ({ Name, Unit })) };
}

const REQUEST = [
  ['requests', 'Count'],
  ['duration_ms', 'Milliseconds'],
] as const;

describe('the metrics of a request', () => {
  it('are its count and its latency where the venue was not asked', () => {
    expect(metrics({ call: { deadline: 0, venueRequests: [] }, logFields: {} })).toStrictEqual({
      requests: 1,
      _aws: { Timestamp: 1_000, CloudWatchMetrics: [directive(['route'], REQUEST)] },
    });
  });

  it('have the time of the venue, and the status of an order', () => {
    expect(metrics({ call: { deadline: 0, venueRequests }, logFields: { order_status: 'live' } })).toStrictEqual({
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
    });
  });

  it('count an error by route and code', () => {
    expect(metrics({ call: { deadline: 0, venueRequests: [] }, logFields: { code: 'not_found' } })).toStrictEqual({
      requests: 1,
      errors: 1,
      _aws: {
        Timestamp: 1_000,
        CloudWatchMetrics: [directive(['route'], REQUEST), directive(['route', 'code'], [['errors', 'Count']])],
      },
    });
  });
});
