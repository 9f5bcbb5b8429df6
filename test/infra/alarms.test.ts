import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Template } from 'aws-cdk-lib/assertions';
import { z } from 'zod';
import type { Endpoint } from '../../functions/http.ts';
import { ROUTES } from '../../functions/routes.ts';
import { AppError } from '../../shared/errors.ts';
import { ORDER_CONTEXT } from '../../tools/support/deployment.ts';
import { deployedApps, propertiesOf } from '../support/deployed-apps.ts';
import { ask } from '../support/service/gateway-event.ts';

const ROOT = join(import.meta.dirname, '..', '..');
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
  Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.object({ Metric: namedMetric })) }))),
  ...namedMetric.partial().shape,
});

const filter = z.object({
  FilterPattern: z.string(),
  MetricTransformations: z.tuple([
    z.object({
      MetricNamespace: z.string(),
      MetricName: z.string(),
      MetricValue: z.literal('1'),
      Dimensions: z.array(z.object({ Key: z.string(), Value: z.string() })),
    }),
  ]),
});

interface FoundAlarm {
  /** The resource's in the template. */
  readonly logicalId: string;
  readonly id: string;
  readonly anchor: string | undefined;
  readonly actions: readonly string[];
  /** Namespace, name and dimensions in one text each. */
  readonly metrics: readonly string[];
}

const { templateOf } = deployedApps();
let found: readonly FoundAlarm[];
let filters: readonly z.output<typeof filter>[];
let template: Template;
let runbooks: readonly string[];
/** The runbooks which say that a canary goes back. */
let goingBack: readonly string[];

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
      actions: [...parsed.AlarmActions, ...parsed.OKActions],
      metrics: (several ?? [namedMetric.parse(parsed)]).map(writeMetric),
    };
  });
}

/** Reads a line as the metric filters do: the metrics that count it. */
function countedIn(line: Readonly<Record<string, unknown>>): string[] {
  const counted = filters.flatMap(({ FilterPattern, MetricTransformations: [metric] }) => {
    const members = [...FilterPattern.matchAll(/\$\.(\w+) = "\*"/g)].map(([, member = '']) => member);
    const dimensions = metric.Dimensions.map(({ Key, Value }) => ({ Name: Key, Value: line[Value.slice(2)] }));
    const holds = members.length > 0 && members.every((member) => typeof line[member] === 'string');
    return holds ? [writeMetric({ ...metric, Namespace: metric.MetricNamespace, Dimensions: dimensions })] : [];
  });
  return [...new Set(counted)];
}

beforeAll(async () => {
  template = templateOf(ORDER_CONTEXT);
  found = alarmsOf(template);
  filters = propertiesOf(template, 'AWS::Logs::MetricFilter').map((found) => filter.parse(found));
  const text = await readFile(join(DOCS, 'operations.md'), 'utf8');
  const [, ...sections] = (text.split('\n## Runbooks\n')[1]?.split('\n## ')[0] ?? '').split('\n### ');
  runbooks = sections.map((text) => text.split('\n')[0] ?? '');
  goingBack = runbooks.filter((_, index) => /\*A canary\s+goes\s+back\.\*/.test(sections[index] ?? ''));
}, 300_000);

describe('the alarms', () => {
  it('notify the topic on ALARM and on OK', () => {
    for (const { id, actions } of found) {
      expect([id, ...actions]).toStrictEqual([id, ORDER_CONTEXT.alarmTopic, ORDER_CONTEXT.alarmTopic]);
    }
  });

  it('are ten, and each has its runbook', () => {
    for (const { id, anchor } of found) expect([id, anchor]).toStrictEqual([id, id.toLowerCase()]);
    // That of the topic of fills stands in its own template.
    expect(runbooks.toSorted()).toStrictEqual(['FillsLate', ...found.map(({ id }) => id)].toSorted());
    expect(found).toHaveLength(10);
  });

  it('look at what a function counts at every level of its log', async () => {
    const counted: string[] = [];
    const codes = ['internal_error', 'venue_refused_service', 'outcome_unknown', 'store_unavailable'] as const;
    for (const route of Object.values(ROUTES)) {
      for (const code of [...codes, 'caller_not_identified'] as const) {
        const handler = () => {
          throw new AppError('x', { code });
        };
        const endpoint: Endpoint = { route, origins: 'any', budgetMs: 1_000, handler };
        const { lines } = await ask(endpoint, { method: route.method }, { level: 'error' });
        counted.push(...lines.flatMap((line) => countedIn(line)));
      }
    }
    const events = ['unreadable_keys', 'foreign_keys', 'contradicted_records', 'lease_faults', 'daily_cap_warnings'];
    const known = [...counted, ...events.flatMap((metric) => countedIn({ metric }))];
    const waitedFor = found.flatMap(({ metrics }) => metrics).filter((text) => text.startsWith(NAMESPACE));
    expect(waitedFor.filter((text) => !known.includes(text))).toStrictEqual([]);
    expect(waitedFor).toHaveLength(15);
    expect(countedIn({ message: 'started', init_ms: 80 })).toStrictEqual([]);
  });

  it('look at AWS for what no function can count', () => {
    const of = (id: string) =>
      found.find((alarm) => alarm.id === id)?.metrics.filter((text) => text.startsWith('AWS/'));
    const each = (name: string, count: number) =>
      Array.from({ length: count }, () => `AWS/Lambda ${name} FunctionName`);
    expect(of('GatewayFaults')).toStrictEqual(['AWS/ApiGateway 5xx ApiId', 'AWS/ApiGateway Count ApiId']);
    expect(of('FunctionFaults')).toStrictEqual(each('Errors', 4));
    expect(of('Throttles')).toStrictEqual(each('Throttles', 4));
    expect(of('SlowResponses')).toStrictEqual(each('Duration', 3));
  });

  it('ring within a minute of a line where they stop a rollout', () => {
    const rings = propertiesOf(template, 'AWS::CloudWatch::Alarm');
    const periodsOf = (wanted: RegExp) => {
      const alarms = rings.filter(({ AlarmDescription }) => wanted.test(AlarmDescription));
      return alarms.map(({ Period, Metrics = [] }) => [Period, ...Metrics.map((one: object) => one)]);
    };
    const stopping = periodsOf(/#(?:outcomeunknown|contradictedrecord|storeorkeyfaults|venuerefuses|functionfaults)/);
    expect(stopping).toHaveLength(5);
    for (const texts of stopping.map((period) => JSON.stringify(period))) {
      const periods = [...texts.matchAll(/(?:"Period":|^\[)(\d+)/g)].map(([, seconds]) => seconds);
      expect(new Set(periods)).toStrictEqual(new Set(['60']));
    }
    for (const { EvaluationPeriods } of rings) expect(EvaluationPeriods).toBe(3);
  });

  it('tell a topic of its own what can wait, where there is one', () => {
    const ticketTopic = `${ORDER_CONTEXT.alarmTopic}-tickets`;
    const alarms = alarmsOf(templateOf({ ...ORDER_CONTEXT, ticketTopic }));
    const waiting = alarms.filter(({ actions }) => actions.every((topic) => topic === ticketTopic)).map(({ id }) => id);
    expect(waiting.toSorted()).toStrictEqual(['DailyCapReached', 'SlowResponses']);
    expect(alarms.filter(({ actions }) => actions.includes(ORDER_CONTEXT.alarmTopic))).toHaveLength(8);
  });

  it('stop a rollout where a bad build can ring them, and there only', () => {
    const [group] = Object.values(template.findResources('AWS::CodeDeploy::DeploymentGroup'));
    const watched = new Set(JSON.stringify(group?.['Properties'].AlarmConfiguration.Alarms).match(/Alarms\w+/g));
    const ids = (isWatched: boolean) =>
      found.filter(({ logicalId }) => watched.has(logicalId) === isWatched).map(({ id }) => id);
    expect(ids(false).toSorted()).toStrictEqual([
      'DailyCapReached',
      'GatewayFaults',
      'SlowResponses',
      'Throttles',
      'UnidentifiedCaller',
    ]);
    expect(goingBack.toSorted()).toStrictEqual(ids(true).toSorted());
  });
});
