import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Template } from 'aws-cdk-lib/assertions';
import type { Endpoint } from '../../functions/http.ts';
import { ROUTES } from '../../functions/routes.ts';
import { AppError, refuse } from '../../shared/errors.ts';
import { ORDER_CONTEXT } from '../../tools/support/deployment.ts';
import { deployedApps, propertiesOf } from '../support/deployed-apps.ts';
import { ask } from '../support/service/gateway-event.ts';

const { alarmTopic } = ORDER_CONTEXT;
const { templateOf } = deployedApps();

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** Writes a metric as its namespace, name and dimensions. Of functions and of the API only the names matter. */
function writeMetric({ Namespace, MetricName, Dimensions = [] }: Metric): string {
  const values = Dimensions.map(({ Name, Value }) => (typeof Value === 'string' ? `${Name}=${Value}` : Name));
  return [Namespace, MetricName, ...values.toSorted()].join(' ');
}

/** The alarms of a template by id: their runbooks, topics, periods and metrics. */
function alarmsOf(template: Template) {
  const found = Object.entries(template.findResources('AWS::CloudWatch::Alarm'));
  const alarms = found.map(([logicalId, { Properties }]) => {
    // An alarm is of one metric, or of an expression of several.
    const several = Properties.Metrics?.flatMap(({ MetricStat }: { MetricStat?: object }) => MetricStat ?? []);
    const stats: { Metric: Metric; Period: number }[] = several ?? [{ Metric: Properties, Period: Properties.Period }];
    const alarm = {
      logicalId,
      urgency: /^(?:Page|Mail): /.exec(Properties.AlarmDescription)?.[0],
      runbook: /Runbook: docs\/operations\.md#(\w+)$/.exec(Properties.AlarmDescription)?.[1],
      topics: [...Properties.AlarmActions, ...Properties.OKActions],
      periods: stats.map(({ Period }) => Period),
      evaluated: Properties.EvaluationPeriods,
      metrics: stats.map(({ Metric }) => writeMetric(Metric)),
    };
    return [/^Alarms(\w+)[0-9A-F]{8}$/.exec(logicalId)?.[1] ?? logicalId, alarm] as const;
  });
  return new Map(alarms);
}

/** Reads a line as the metric filters of a template do: the metrics that count it. */
function countedIn(template: Template, line: Readonly<Record<string, unknown>>): string[] {
  const filters = propertiesOf(template, 'AWS::Logs::MetricFilter');
  const counted = filters.flatMap(({ FilterPattern, MetricTransformations: [metric] }) => {
    expect(metric.MetricValue).toBe('1');
    // A wrong clock has an alarm of its own.
    if (FilterPattern.includes('($.reason NOT EXISTS) || ($.reason != "clock")') && line['reason'] === 'clock')
      return [];
    const members = [...FilterPattern.matchAll(/\$\.(\w+) = "\*"/g)].map(([, member = '']) => member);
    if (members.length === 0 || !members.every((member) => typeof line[member] === 'string')) return [];
    const dimension = ({ Key, Value }: Record<'Key' | 'Value', string>) => ({ Name: Key, Value: line[Value.slice(2)] });
    const { MetricNamespace: Namespace, MetricName, Dimensions } = metric;
    return [writeMetric({ Namespace, MetricName, Dimensions: Dimensions.map(dimension) })];
  });
  return [...new Set(counted)];
}

/** Alarms that a bad build can set off: a canary goes back. */
const COUNTED = ['ContradictedRecord', 'FunctionFaults', 'OutcomeUnknown', 'StoreOrKeyFaults', 'VenueRefusesService'];
const STOPPING = [...COUNTED, 'GatewayFaults'].toSorted();
/** Alarms for which nobody has to get up. */
const MAILS = ['DailyCapReached', 'SlowResponses', 'Throttles', 'UnidentifiedCaller'];
const ALL = [...STOPPING, ...MAILS, 'OrderFaults', 'WrongClock'];

describe('the alarms', () => {
  let template: Template;
  let alarms: ReturnType<typeof alarmsOf>;
  beforeAll(() => {
    template = templateOf(ORDER_CONTEXT);
    alarms = alarmsOf(template);
  });

  it('are twelve, and each has its urgency and its runbook, which says where a canary goes back', () => {
    expect([...alarms.keys()].toSorted()).toStrictEqual(ALL.toSorted());
    for (const [id, { runbook }] of alarms) expect(runbook).toBe(id.toLowerCase());
    const mails = [...alarms].filter(([, { urgency }]) => urgency === 'Mail: ');
    expect(mails.map(([id]) => id).toSorted()).toStrictEqual(MAILS);
    const text = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const [, ...runbooks] = (text.split('\n## Runbooks\n')[1]?.split('\n## ')[0] ?? '').split('\n### ');
    const titles = (sections: readonly string[]) => sections.map((section) => section.split('\n')[0]).toSorted();
    // That of events stands in a template of its own.
    expect(titles(runbooks)).toStrictEqual([...ALL, 'EventsLate'].toSorted());
    expect(titles(runbooks.filter((section) => /\*A canary\s+goes\s+back\.\*/.test(section)))).toStrictEqual(STOPPING);
    const [group] = propertiesOf(template, 'AWS::CodeDeploy::DeploymentGroup');
    const watched = JSON.stringify(group.AlarmConfiguration.Alarms);
    const stopping = [...alarms].filter(([, { logicalId }]) => watched.includes(logicalId));
    expect(stopping.map(([id]) => id).toSorted()).toStrictEqual(STOPPING);
  });

  it('notify the topic on ALARM and on OK, within a minute of a line where that stops a rollout', () => {
    for (const [id, { topics, periods, evaluated }] of alarms) {
      expect([topics, evaluated]).toStrictEqual([[alarmTopic, alarmTopic], 3]);
      if (COUNTED.includes(id)) expect(new Set(periods)).toStrictEqual(new Set([60]));
    }
  });

  it('fire when runs of events fail or stop beginning, but not before the first run', () => {
    const context = { ...ORDER_CONTEXT, fillsTopic: `${alarmTopic}-fills` };
    const found = templateOf(context).findResources('AWS::CloudWatch::Alarm');
    const silent = Object.values(found).filter(({ Properties }) => Properties.InsufficientDataActions);
    expect(silent.map(({ Properties }) => Properties)).toMatchObject([
      {
        AlarmDescription: expect.stringMatching(/^Mail: .* Runbook: docs\/operations.md#eventslate$/),
        ...{ AlarmActions: [alarmTopic], OKActions: [alarmTopic], InsufficientDataActions: [alarmTopic] },
        ...{ TreatMissingData: 'missing', EvaluationPeriods: 3, DatapointsToAlarm: 2, Threshold: 1 },
        Metrics: [
          { Expression: 'IF(runs - FILL(errors, 0) < 1, 1, 0)' },
          { Id: 'runs', MetricStat: { Metric: { MetricName: 'Invocations' }, Period: 300 } },
          { Id: 'errors', MetricStat: { Metric: { MetricName: 'Errors' }, Period: 300 } },
        ],
      },
    ]);
  });

  it('use only lines that are written at every level of the log', async () => {
    const own = ['internal_error', 'venue_refused_service', 'outcome_unknown', 'store_unavailable'] as const;
    const codes = [...own, 'venue_error', 'venue_timeout', 'venue_unavailable'] as const;
    const counted: string[] = [];
    for (const route of Object.values(ROUTES)) {
      for (const code of [...codes, 'caller_not_identified'] as const) {
        const handler = () => {
          throw new AppError('x', { code });
        };
        const endpoint: Endpoint = { route, origins: 'any', budgetMs: 1_000, handler };
        const { lines } = await ask(endpoint, { method: route.method }, { level: 'error' });
        counted.push(...lines.flatMap((line) => countedIn(template, line)));
      }
    }
    const events = ['unreadable_keys', 'foreign_keys', 'contradicted_records', 'lease_faults', 'wrong_clocks'];
    counted.push(...[...events, 'daily_cap_warnings'].flatMap((metric) => countedIn(template, { metric })));
    const waitedFor = [...alarms.values()].flatMap(({ metrics }) => metrics).filter((text) => !text.startsWith('AWS/'));
    expect(waitedFor.filter((text) => !counted.includes(text))).toStrictEqual([]);
    expect(waitedFor).toHaveLength(19);
    expect(countedIn(template, { message: 'started', init_ms: 80 })).toStrictEqual([]);
  });

  it('fire once for a wrong clock, and for any other refusal of this operator', async () => {
    for (const [reason, alarm] of [
      ['clock', []],
      ['region', ['VenueRefusesService']],
    ] as const) {
      const handler = () => {
        throw refuse('venue_refused_service', { reason });
      };
      const endpoint: Endpoint = { route: ROUTES.orders, origins: 'any', budgetMs: 1_000, handler };
      const { lines } = await ask(endpoint, { method: 'POST' }, { level: 'error' });
      const counted = lines.flatMap((line) => countedIn(template, line));
      const ringing = [...alarms].filter(([, { metrics }]) => metrics.some((metric) => counted.includes(metric)));
      expect(ringing.map(([id]) => id)).toStrictEqual(alarm);
    }
  });

  it('fire when most of a few orders fail', () => {
    const [found] = Object.values(template.findResources('AWS::CloudWatch::Alarm')).filter(
      ({ Properties }) => Properties.Threshold === 50,
    );
    expect(found?.['Properties'].Metrics).toMatchObject([
      { Expression: 'IF(faults >= 3, 100 * faults / orders, 0)' },
      { Id: 'faults', Expression: 'FILL(m0, 0) + FILL(m1, 0) + FILL(m2, 0)' },
      ...Array(3).fill({ MetricStat: { Metric: { MetricName: 'errors' }, Period: 3_600 } }),
      { Id: 'orders', MetricStat: { Metric: { MetricName: 'Invocations' }, Period: 3_600 } },
    ]);
  });

  it.each([
    ['GatewayFaults', ['AWS/ApiGateway 5xx ApiId', 'AWS/ApiGateway Count ApiId']],
    ['FunctionFaults', Array(4).fill('AWS/Lambda Errors FunctionName')],
    ['Throttles', Array(4).fill('AWS/Lambda Throttles FunctionName')],
    ['SlowResponses', Array(3).fill('AWS/Lambda Duration FunctionName')],
  ])('use the metrics of AWS where functions cannot count: %s', (id, metrics) => {
    expect(alarms.get(id)?.metrics.filter((text) => text.startsWith('AWS/'))).toStrictEqual(metrics);
  });

  it('add up counts, and use the slowest hundredth of times', () => {
    const found = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) =>
      [...JSON.stringify(Properties).matchAll(/"MetricName":"(\w+)".*?"Stat(?:istic)?":"(\w+)"/g)].map(
        ([, name, statistic]) => `${name} ${statistic}`,
      ),
    );
    const odd = found.flat().filter((text) => !text.endsWith(' Sum'));
    expect(new Set(odd)).toStrictEqual(new Set(['Duration p99', 'Count SampleCount']));
  });
});
