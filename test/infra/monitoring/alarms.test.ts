import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';
import { eventMetrics, requestMetrics } from '../../../functions/metrics.ts';
import { ROUTES } from '../../../functions/routes.ts';
import { namesOf } from '../../../infra/constructs/names.ts';
import { ORDER_CONTEXT } from '../../../tools/support/deployment.ts';
import { createServiceApp, quietly, writeEmptyAssets } from '../../../tools/support/synthesize.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const DOCS = join(ROOT, 'docs');
const NAMESPACE = 'OrderBookAdapter/order-book-adapter';

const namedMetric = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.optional(z.array(z.object({ Name: z.string(), Value: z.unknown() }))),
});

/** An alarm is of one metric, or of an expression of several. */
const alarm = z.object({
  AlarmDescription: z.string(),
  AlarmActions: z.array(z.string()),
  OKActions: z.array(z.string()),
  ComparisonOperator: z.enum(['GreaterThanOrEqualToThreshold', 'LessThanThreshold']),
  TreatMissingData: z.enum(['notBreaching', 'breaching']),
  Threshold: z.number(),
  Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.object({ Metric: namedMetric })) }))),
  ...namedMetric.partial().shape,
});

interface FoundAlarm {
  /** The resource's in the template. */
  readonly logicalId: string;
  readonly id: string;
  readonly anchor: string | undefined;
  readonly threshold: number;
  readonly actions: readonly string[];
  /** Namespace, name and dimensions in one text each. */
  readonly metrics: readonly string[];
}

let folder: string;
let found: readonly FoundAlarm[];
let template: Template;
let runbooks: readonly string[];
/** The runbooks which say that a canary goes back. */
let goingBack: readonly string[];
/** The document without line breaks, and its chapter of runbooks. */
let operations: string;
let chapter: string;

function writeMetric({ Namespace, MetricName, Dimensions = [] }: z.output<typeof namedMetric>): string {
  // Of functions and of the API only the names matter, which are references.
  const values = Dimensions.map(({ Name, Value }) => (typeof Value === 'string' ? `${Name}=${Value}` : Name));
  return [Namespace, MetricName, ...values.toSorted()].join(' ');
}

function alarmsOf(template: Template): readonly FoundAlarm[] {
  return Object.entries(template.findResources('AWS::CloudWatch::Alarm')).map(([logicalId, { Properties }]) => {
    const parsed = alarm.parse(Properties);
    const several = parsed.Metrics?.flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
    return {
      logicalId,
      id: /^Alarms(\w+)[0-9A-F]{8}$/.exec(logicalId)?.[1] ?? '',
      anchor: / Runbook: docs\/operations\.md#(\w+)$/.exec(parsed.AlarmDescription)?.[1],
      threshold: parsed.Threshold,
      actions: [...parsed.AlarmActions, ...parsed.OKActions],
      metrics: (several ?? [namedMetric.parse(parsed)]).map(writeMetric),
    };
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alarms-'));
  await writeEmptyAssets(folder);
  const { service } = createServiceApp(folder, { ...ORDER_CONTEXT, healthCheck: 'true' });
  template = quietly(() => Template.fromStack(service));
  found = alarmsOf(template);
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  const [, ...sections] = (text.split('\n## Runbooks\n')[1]?.split('\n## ')[0] ?? '').split('\n### ');
  operations = text.replaceAll(/\s+/g, ' ');
  chapter = sections.join(' ').replaceAll(/\s+/g, ' ');
  runbooks = sections.map((text) => text.split('\n')[0] ?? '');
  goingBack = runbooks.filter((_, index) => /\*A canary\s+goes\s+back\.\*/.test(sections[index] ?? ''));
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the alarms', () => {
  it('all tell the topic, and tell again when all is well', () => {
    for (const { id, actions } of found) {
      expect([id, ...actions]).toStrictEqual([id, ORDER_CONTEXT.alarmTopic, ORDER_CONTEXT.alarmTopic]);
    }
  });

  it('each name their runbook, and each runbook has its alarm', () => {
    for (const { id, anchor } of found) expect([id, anchor]).toStrictEqual([id, id.toLowerCase()]);
    expect(runbooks.toSorted()).toStrictEqual([...new Set(found.map(({ id }) => id))].toSorted());
  });

  it('look at one metric each, or fill the gaps of several, so that none waits for one that was never written', () => {
    const rows = found.map(({ id, threshold, metrics }) => [id, threshold, ...metrics]);
    const of = (name: string, route: string, code?: string) =>
      [`${NAMESPACE} ${name}`, ...(code ? [`code=${code}`] : []), `route=${route}`].join(' ');
    const ours = (name: string, code?: string) => of(name, 'orders', code);
    const asking = ['markets', 'book', 'orders'];
    const lambda = (name: string, count: number) =>
      Array.from({ length: count }, () => `AWS/Lambda ${name} FunctionName`);
    expect(rows.toSorted()).toStrictEqual(
      [
        ['OrderFaults', 3, ours('order_faults')],
        ['OutcomeUnknown', 1, ours('errors', 'outcome_unknown')],
        ['UnidentifiedCaller', 1, ours('errors', 'caller_not_identified')],
        ['UnreadableWalletKey', 1, ours('unreadable_keys')],
        ['ForeignWalletKey', 1, ours('foreign_keys')],
        ['ContradictedRecord', 1, ours('contradicted_records')],
        ['LeaseFaults', 3, ours('lease_faults')],
        ['DailyCapNear', 1, ours('daily_cap_warnings')],
        ['SlowOrders', 20_000, ...lambda('Duration', 1)],
        ['SlowReads', 8_000, ...lambda('Duration', 2)],
        ['RateLimitNearlyUsed', 10, ...asking.map((route) => of('rate_limit_warnings', route))],
        ['VenueRefusesService', 1, ...asking.map((route) => of('errors', route, 'venue_refused_service'))],
        ['FunctionFaults', 1, ...lambda('Errors', 4)],
        ['Throttles', 1, ...lambda('Throttles', 4)],
        ['GatewayFaults', 10, 'AWS/ApiGateway 5xx ApiId'],
        ['GatewayThrottles', 60, `${NAMESPACE} gateway_throttles`],
        // Of Lambda: it has to be counted whatever `logLevel` leaves out.
        ['NobodyAnswers', 1, ...lambda('Invocations', 1)],
      ].toSorted(),
    );
  });

  it('wait for nothing that the functions do not write', () => {
    const call = { venueRequests: [{ name: 'post-order', result: 429, milliseconds: 1 }] };
    const requests = Object.keys(ROUTES).flatMap((route) =>
      ['outcome_unknown', 'venue_refused_service', 'caller_not_identified'].map((code) => ({
        route,
        status: 504,
        call,
        logFields: { code },
      })),
    );
    const events = [
      'unreadable_keys',
      'foreign_keys',
      'contradicted_records',
      'lease_faults',
      'daily_cap_warnings',
    ] as const;
    const members = [
      ...requests.map((request) => ({
        ...request.logFields,
        ...request,
        ...requestMetrics(NAMESPACE)(request).members,
      })),
      ...events.map((event) => eventMetrics(NAMESPACE)(event)),
    ];
    const written = members.flatMap((line) => writtenBy(line));
    const waitedFor = found.flatMap(({ metrics }) => metrics);
    const ours = waitedFor.filter((text) => text.startsWith(NAMESPACE) && !text.includes('gateway_throttles'));
    expect(ours.filter((text) => !written.includes(text))).toStrictEqual([]);
    expect(ours).toHaveLength(14);
  });

  it('hear of what the throttles of the gateway turn away, and not of a 429 of the venue', () => {
    template.hasResourceProperties('AWS::Logs::MetricFilter', {
      FilterPattern: '{ ($.status = "429") && ($.integration_status != "200") }',
      MetricTransformations: [{ MetricNamespace: NAMESPACE, MetricName: 'gateway_throttles', MetricValue: '1' }],
    });
  });

  it('stop a rollout where a bad build can ring them, and there only', () => {
    const [group] = Object.values(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    const watched = new Set(JSON.stringify(group?.['Properties'].AlarmConfiguration.Alarms).match(/Alarms\w+/g));
    const ids = (isWatched: boolean) =>
      found.filter(({ logicalId }) => watched.has(logicalId) === isWatched).map(({ id }) => id);
    expect(ids(false).toSorted()).toStrictEqual([
      'DailyCapNear',
      'GatewayFaults',
      'GatewayThrottles',
      'NobodyAnswers',
      'RateLimitNearlyUsed',
      'SlowOrders',
      'SlowReads',
      'Throttles',
      'UnidentifiedCaller',
    ]);
    expect(goingBack.toSorted()).toStrictEqual(ids(true).toSorted());
    // CodeDeploy takes no more.
    expect(watched.size).toBeLessThanOrEqual(10);
  });
});

const embedded = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** The metrics that CloudWatch reads out of a line, as the alarms' are written. */
function writtenBy(line: object): string[] {
  const { _aws, ...fields } = embedded.parse(line);
  return _aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions: [names = []], Metrics }) => {
    const dimensions = names.map((name) => ({ Name: name, Value: fields[name] }));
    return Metrics.map(({ Name }) => writeMetric({ Namespace, MetricName: Name, Dimensions: dimensions }));
  });
}

describe('the document about operations', () => {
  it('names stacks, functions, tables and logs as they are called', () => {
    const { function: nameOf, metrics: _, ...names } = namesOf('order-book-adapter');
    const functions = Object.values(ROUTES).map(({ name }) => nameOf(name));
    const restored = `${names.ordersTable}-2`;
    const known = new Set([...Object.values(names), ...functions, restored]);
    const named = operations.match(/(?:\/aws\/vendedlogs\/)?order-book-adapter[\w/-]*/g) ?? [];
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !known.has(name))).toStrictEqual([]);
  });

  it('names saved queries that there are, and all of them', () => {
    const definitions = Object.values(template.findResources('AWS::Logs::QueryDefinition'));
    const titles = new Set(definitions.map(({ Properties }) => Properties.Name.split('/')[1]));
    const named = [...operations.matchAll(/(?<!\*)\*(\w[\w ]*)\*/g)].map(([, title = '']) => title.toLowerCase());
    expect(new Set(named.filter((title) => title !== 'a canary goes back'))).toStrictEqual(titles);
    for (const [, member = '', title = ''] of operations.matchAll(/`(\w+)` (?:in|of) \*(\w[\w ]*)\*/g)) {
      const query = definitions.find(({ Properties }) => Properties.Name.endsWith(`/${title}`));
      expect(query?.['Properties'].QueryString).toContain(member);
    }
  });

  it('names lines of the log that are written', () => {
    const files = globSync('{functions,shared}/**/*.ts', { cwd: ROOT });
    const sources = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
    const named = [...chapter.matchAll(/`([a-z]+(?: [a-z]+)+)`/g)].map(([, line = '']) => line);
    expect(named).toContain('a placed order contradicts its record');
    expect(named.filter((line) => !line.startsWith('npx ') && !sources.includes(`'${line}'`))).toStrictEqual([]);
  });
});

describe('the cost a month in the document about deploying', () => {
  it('counts the metrics of the alarms that there are, and adds up', async () => {
    const text = await readFile(join(DOCS, 'deploying.md'), 'utf8');
    const [, chapter = ''] = /\n## Cost a month\n(.*?)\n## /s.exec(text) ?? [];
    const countOf = (context: object) => {
      const { service } = createServiceApp(folder, { ...context });
      return alarmsOf(quietly(() => Template.fromStack(service))).flatMap(({ metrics }) => metrics).length;
    };
    const { alarmTopic, region } = ORDER_CONTEXT;
    expect([...chapter.matchAll(/(\d+) × 0\.10/g)].map(([, count]) => Number(count))).toStrictEqual([
      countOf({ alarmTopic, region }),
      countOf(ORDER_CONTEXT),
    ]);
    const sums = [...chapter.matchAll(/([\d.]+(?: [×+] [\d.]+)+) = (\d+)(\.\d+)?/g)];
    const multiply = (term: string) => term.split(' × ').reduce((product, factor) => product * Number(factor), 1);
    const add = (sum: string) => sum.split(' + ').reduce((total, term) => total + multiply(term), 0);
    for (const [, sum = '', whole, cents = ''] of sums) {
      expect(add(sum).toFixed(cents === '' ? 0 : 2)).toBe(`${whole}${cents}`);
    }
    expect(sums).toHaveLength(6);
  });
});
