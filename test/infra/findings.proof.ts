import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CfnGuardValidator } from '@cdklabs/cdk-validator-cfnguard';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CloudFormationValidatePlugin, type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { z } from 'zod';
import { ORDER_CONTEXT, PUBLIC, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { createServiceApp, quietly, writeEmptyAssets } from '../../tools/support/synthesize.ts';
import { funderOf } from '../support/venue/funder.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findings-'));
  await writeEmptyAssets(join(folder, 'build'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const report = z.object({
  pluginReports: z.array(
    z.object({
      pluginName: z.string(),
      conclusion: z.enum(['success', 'failure']),
      violations: z.array(
        z.object({ ruleName: z.string(), violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
      ),
    }),
  ),
});

/** Control Tower's rules that this service answers otherwise, each with the reason. */
const ANSWERED_OTHERWISE = [
  // Routes without authorization: as AwsSolutions-APIG4, which is acknowledged route by route.
  'ct-apigateway-pr-5',
  // A year of every log: that of orders is kept so long; 30 days of the others are enough to look into a fault.
  'ct-cloudwatch-pr-2',
  // A KMS key of our own for logs: CloudWatch encrypts them with its own; they hold no key and no credential.
  'ct-cloudwatch-pr-3',
  // It cannot read a SourceArn that refers to the API; the template's test looks at every permission instead.
  'ct-lambda-pr-2',
  // A VPC: the functions call a public service, and nothing that is in one.
  'ct-lambda-pr-3',
] as const;

/** A plugin that is not asked again about a template in which it found nothing: deployments share some to the letter. */
function askedOnce(plugin: Pick<IPolicyValidationPlugin, 'name' | 'validate'>): IPolicyValidationPlugin {
  const clean = new Set<string>();
  const textOf = ({ templatePath }: { readonly templatePath: string }) => readFileSync(templatePath, 'utf8');
  return {
    name: plugin.name,
    validate: (context) => {
      const stackTemplates = context.stackTemplates.filter((template) => !clean.has(textOf(template)));
      if (stackTemplates.length === 0) return { success: true, violations: [] };
      const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
      const found = plugin.validate({ ...context, stackTemplates, templatePaths });
      if (found.violations.length === 0) for (const template of stackTemplates) clean.add(textOf(template));
      return found;
    },
  };
}

/** The rules that the CDK itself adds to an app, and Control Tower's; those of cdk-nag are the app's own. */
const PLUGINS = [
  new CloudFormationValidatePlugin(),
  new CfnGuardValidator({ disabledRules: [...ANSWERED_OTHERWISE] }),
].map(askedOnce);

/** Lists the findings of the CDK, cdk-nag and cfn-guard, by plugin, each with the constructs that it is about. */
async function findingsOf(name: string, context: Readonly<Record<string, unknown>>, addRoute = false) {
  const outdir = join(folder, name);
  const { app, service } = createServiceApp(join(folder, 'build'), context, outdir);
  Validations.of(app).addPlugins(...PLUGINS);
  if (addRoute) new CfnRoute(service, 'Open', { apiId: 'api', routeKey: 'GET /open' });
  try {
    quietly(() => app.synth());
  } catch {
    // It ends so when there are findings; the report has them.
  }
  const { pluginReports } = report.parse(JSON.parse(await readFile(join(outdir, 'validation-report.json'), 'utf8')));
  return pluginReports.flatMap(({ pluginName, conclusion, violations }) => {
    const found = violations.map(({ ruleName, violatingConstructs }) => ({
      rule: `${pluginName} ${ruleName}`,
      about: violatingConstructs.map(({ constructPath }) => constructPath),
    }));
    return found.length === 0 && conclusion === 'failure'
      ? [{ rule: `${pluginName} could not look`, about: [] }]
      : found;
  });
}

const { alarmTopic, region } = ORDER_CONTEXT;
/** Templates without a region, as of this deployment without settings, are those of the one that is broken. */
const READ_ONLY = { alarmTopic, region };

/** Without a warning of our own. */
const { clientVerification: _, ...VERIFIED } = { ...ORDER_CONTEXT, funderAddress: funderOf(WALLET_ADDRESS, 'safe') };
const CLOSED = {
  readAccess: 'jwt',
  jwtIssuer: 'https://id.example',
  jwtAudience: 'readers',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd',
};

/** Of parts that the order-placing or the broken deployment has, too, but for a public route. */
const OTHERS = [
  ['read-only', READ_ONLY, []],
  ['open', VERIFIED, []],
  // Our own warning, which is in the same report.
  ['public', { ...VERIFIED, ...PUBLIC }, ['Construct Annotations Annotation::order-book-adapter:setting']],
  ['closed', { ...READ_ONLY, ...CLOSED }, []],
] as const;

describe('cdk-nag and cfn-guard', () => {
  it.each([
    // First: the CDK loads its rules again for types of resources that it has not seen yet.
    ['order-placing', { ...VERIFIED, ...CLOSED }, []],
    ...OTHERS,
  ])(
    'find nothing in the %s deployment',
    async (name, context, expected) => {
      const findings = await findingsOf(name, context);
      expect(findings.map(({ rule }) => rule)).toStrictEqual(expected);
    },
    300_000,
  );

  it('would find a route that nobody thought about, and alarms that reach nobody, and nothing else', async () => {
    // The read-only deployment without settings, but for the route.
    expect(await findingsOf('broken', {}, true)).toStrictEqual([
      { rule: 'AwsSolutions AwsSolutions-APIG4', about: ['Service/Open'] },
      { rule: 'cdk-validator-cfnguard cloudwatch_alarm_action_check', about: expect.anything() },
    ]);
  }, 300_000);
});
