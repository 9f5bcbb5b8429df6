import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';
import { bookEndpoint } from '../../../functions/book/endpoint.ts';
import { healthEndpoint } from '../../../functions/health/endpoint.ts';
import { requestMetrics } from '../../../functions/metrics.ts';
import { disabledOrdersEndpoint, unknownPathEndpoint } from '../../../functions/refusing-endpoints.ts';
import { refuse } from '../../../shared/errors.ts';
import type { MarketData } from '../../../shared/venue/port.ts';
import { createServiceApp, writeEmptyAssets } from '../../../tools/support/synthesize.ts';
import { ask, type EventParts } from '../../support/service/gateway-event.ts';
import { BOOK, fakeMarketData, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const NAMESPACE = 'OrderBookAdapter/order-book-adapter';

type Line = Readonly<Record<string, unknown>>;

const filter = z.object({
  LogGroupName: z.object({ Ref: z.string() }),
  FilterPattern: z.string(),
  MetricTransformations: z.tuple([
    z.object({
      MetricNamespace: z.string(),
      MetricName: z.string(),
      MetricValue: z.string(),
      Unit: z.string(),
      Dimensions: z.array(z.object({ Key: z.string(), Value: z.string() })),
    }),
  ]),
});
type Filter = z.output<typeof filter>;

let folder: string;
/** By the log that they read. */
let filters: ReadonlyMap<string, readonly Filter[]>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'filters-'));
  await writeEmptyAssets(folder);
  const found = Template.fromStack(createServiceApp(folder).service).findResources('AWS::Logs::MetricFilter');
  const ofFunctions = Object.values(found).filter(({ Properties }) => !/Api/.test(Properties.LogGroupName.Ref));
  filters = Map.groupBy(
    ofFunctions.map(({ Properties }) => filter.parse(Properties)),
    ({ LogGroupName }) => /^(?:Health|Markets|Book)/.exec(LogGroupName.Ref)?.[0] ?? LogGroupName.Ref,
  );
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

function valueAt(line: Line, selector: string): unknown {
  return line[selector.replace(/^\$\./, '')];
}

/** A comparison of CloudWatch's language of patterns; no other is used. */
function holds(line: Line, term: string): boolean {
  const [, selector = '', operator, text = ''] = /^\(?(\$\.\w+) (=|>=) ("?(?:\w+|\*)"?)\)?$/.exec(term) ?? [];
  const value = valueAt(line, selector);
  if (operator === '>=') return typeof value === 'number' && value >= Number(text);
  if (text === '"*"') return typeof value === 'string';
  if (operator === '=') return value === JSON.parse(text);
  throw new Error(`no known comparison: ${term}`);
}

/**
 * Reads a line by a filter as CloudWatch does, into name, value, unit and dimensions; nothing where one is missing. It
 * documents values and dimensions for the members alone that the pattern names.
 */
function read(line: Line, { FilterPattern, MetricTransformations: [metric] }: Filter): unknown[] {
  const terms = FilterPattern.replace(/^\{ (.*) \}$/, '$1').split(' && ');
  if (!terms.every((term) => holds(line, term))) return [];
  const { MetricName, MetricNamespace, MetricValue, Unit, Dimensions } = metric;
  const taken = (member: string) => (FilterPattern.includes(`${member} `) ? valueAt(line, member) : undefined);
  const value = MetricValue.startsWith('$.') ? taken(MetricValue) : Number(MetricValue);
  const dimensions = Dimensions.map(({ Key, Value }) => [Key, taken(Value)]);
  if (typeof value !== 'number' || dimensions.some(([, found]) => found === undefined)) return [];
  return [[MetricNamespace, MetricName, value, Unit, Object.fromEntries(dimensions)]];
}

const embedded = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.tuple([z.array(z.string())]),
        Metrics: z.array(z.object({ Name: z.string(), Unit: z.string() })),
      }),
    ),
  }),
});

/** Reads a line that says itself what its metrics are, as above. */
function readEmbedded(line: Line): unknown[] {
  return embedded.parse(line)._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions: [names], Metrics }) => {
    const dimensions = Object.fromEntries(names.map((name) => [name, line[name]]));
    return Metrics.map(({ Name, Unit }) => [Namespace, Name, line[Name], Unit, dimensions]);
  });
}

/** A venue that was asked, answered in 12.5 ms, and did what the test says. */
function answering(result: number, readBook: MarketData['readBook'] = async () => BOOK) {
  const fake = fakeMarketData({
    readBook: async (token, call) => {
      call.venueRequests.push({ name: 'read-book', result, milliseconds: 12.5 });
      return readBook(token, call);
    },
  });
  return bookEndpoint(fake);
}

const failing = (code: 'rate_limited' | 'venue_error') => async () => {
  throw code === 'rate_limited' ? refuse(code, { rateOf: 'requests' }) : refuse(code, { why: 'unusable' });
};
const health = healthEndpoint({ mode: 'read-only', walletAddress: null, funderAddress: undefined });
const onBook: EventParts = { pathParameters: { token_id: TOKEN_ID } };

describe('the metrics of a reader', () => {
  it('are read out of the logs of all three', () => {
    expect([...filters.keys()].toSorted()).toStrictEqual(['Book', 'Health', 'Markets']);
  });

  it.each([
    ['a book', 'Book', answering(200), onBook],
    ['a book that the caller has', 'Book', answering(200), { ...onBook, headers: { 'if-none-match': '*' } }],
    ['no token', 'Book', answering(200), { pathParameters: { token_id: '07' } }],
    ['a venue that limits the rate', 'Book', answering(429, failing('rate_limited')), onBook],
    ['a venue that fails', 'Book', answering(500, failing('venue_error')), onBook],
    ['health', 'Health', health, {}],
    ['an unknown path', 'Health', unknownPathEndpoint(), {}],
    ['orders that are off', 'Health', disabledOrdersEndpoint('read_only'), { method: 'POST' }],
  ] as const)('are those that a line could say itself: %s', async (_what, name, endpoint, parts) => {
    const plain = await ask(endpoint, parts, { metrics: requestMetrics() });
    const saying = await ask(endpoint, parts, { metrics: requestMetrics(NAMESPACE) });
    const [line = {}] = plain.lines.filter(({ message }) => message === 'request');
    const [sayingLine = {}] = saying.lines.filter(({ message }) => message === 'request');
    const { duration_ms } = line;
    const expected = readEmbedded({ ...sayingLine, duration_ms });
    const metrics = (filters.get(name) ?? []).flatMap((each) => read(line, each));
    expect(expected.length).toBeGreaterThan(1);
    expect(metrics.map((each) => JSON.stringify(each)).toSorted()).toStrictEqual(
      expected.map((each) => JSON.stringify(each)).toSorted(),
    );
    expect(JSON.stringify(line)).not.toContain('_aws');
  });

  it('are not read out of other lines', () => {
    const lines = [
      { message: 'started', init_ms: 80 },
      { message: 'request failed', route: 'book', status: 502, request_id: 'x' },
    ];
    expect([...filters.values()].flat().flatMap((each) => lines.flatMap((line) => read(line, each)))).toStrictEqual([]);
  });
});
