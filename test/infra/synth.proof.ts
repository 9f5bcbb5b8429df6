import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CfnGuardValidator } from '@cdklabs/cdk-validator-cfnguard';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CloudFormationValidatePlugin, type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { z } from 'zod';
import { ORDER_CONTEXT, PUBLIC, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { createServiceApp, quietly, writeEmptyAssets } from '../../tools/support/synthesize.ts';
import { funderOf } from '../support/venue/signing.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CDK = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');

let folder: string;

/** `cdk synth` on a machine without AWS configuration and without a network; gives its output folder and what it said. */
async function synth(context: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const outdir = join(folder, 'out');
  const settings = Object.entries(context).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const env = {
    // As under npx: the project's own Node first.
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'no-network.mjs'))}`,
  };
  // Templates are held against the rules below, in this process.
  const args = [CDK, 'synth', '--quiet', '--no-validation', '--output', outdir, ...settings, ...more];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  return { outdir, stderr };
}

/** A file of settings, whose stack is no other's. */
const FILE = join(ROOT, 'deploy', 'test-of-synth.json');

/** Settings of orders without a warning of our own. */
const { clientVerification: _, ...VERIFIED } = { ...ORDER_CONTEXT, funderAddress: funderOf(WALLET_ADDRESS, 'safe') };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synth-'));
  await writeEmptyAssets(join(folder, 'build'));
  const settings = { ...VERIFIED, stackName: 'test-of-synth', maxDailyNotional: '1000' };
  // As the formatter wants it, which may look at the same time.
  await writeFile(FILE, `${JSON.stringify({ ...settings, corsOrigins: 'https://app.example' }, null, 2)}\n`);
});

afterAll(async () => {
  await rm(FILE, { force: true });
  await rm(folder, { recursive: true, force: true });
});

it('cdk synth reads the settings of an environment from its file, and prints nothing without a warning', async () => {
  const { outdir, stderr } = await synth({ env: 'test-of-synth' });
  expect(stderr.trim()).toBe('');
  const template = await readFile(join(outdir, 'Service.template.json'), 'utf8');
  expect(template).toContain('"FunctionName": "test-of-synth-orders"');
  expect(template).toContain('"SERVICE_MAX_DAILY_NOTIONAL": "1000"');
});

it('cdk synth stops with a sentence for each mistake, and no stack', async () => {
  // A stack that no file in deploy/ names, whatever files an operator has there.
  const { walletAddress, ...context } = { ...ORDER_CONTEXT, stackName: 'test-of-synth-alone' };
  const failed = synth(context, ['--build', 'true']);
  const stderr = expect.stringMatching(/^walletAddress is required with orders: the only address .*\.$/m);
  await expect(failed).rejects.toMatchObject({ code: 1, stderr });
});

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
  // Routes without authorization: test/infra/template.test.ts lists the routes with their guards.
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

/** The rules that the CDK itself adds to an app, and Control Tower's. */
const PLUGINS: readonly Pick<IPolicyValidationPlugin, 'name' | 'validate'>[] = [
  new CloudFormationValidatePlugin(),
  new CfnGuardValidator({ disabledRules: [...ANSWERED_OTHERWISE] }),
];

/** Lists the findings of the CDK and of cfn-guard, by plugin, each with the constructs that it is about. */
async function findingsOf(context: Readonly<Record<string, unknown>>) {
  const outdir = join(folder, 'checked');
  const { app } = createServiceApp(join(folder, 'build'), context, outdir);
  Validations.of(app).addPlugins(...PLUGINS);
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

/** A deployment with every kind of route, and with all that has settings of its own. */
const WHOLE = {
  ...{ ...VERIFIED, ...PUBLIC, fillsTopic: `${ORDER_CONTEXT.alarmTopic}-fills` },
  ...{ readAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'readers' },
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd',
};

it('cfn-guard finds alarms that reach nobody, and nothing else', async () => {
  const findings = await findingsOf({ ...WHOLE, alarmTopic: undefined });
  // Our own warnings are in the same report.
  const others = findings.filter(({ rule }) => !rule.startsWith('Construct Annotations '));
  expect(others).toStrictEqual([
    { rule: 'cdk-validator-cfnguard cloudwatch_alarm_action_check', about: expect.anything() },
  ]);
});
