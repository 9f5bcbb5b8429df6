import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { CfnGuardValidator } from '@cdklabs/cdk-validator-cfnguard';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CloudFormationValidatePlugin, type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { z } from 'zod';
import { ORDER_CONTEXT, PUBLIC, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { createServiceApp, quietly, writeEmptyAssets } from '../../tools/support/synthesize.ts';
import { funderOf } from '../support/venue/signing.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CDK = join(ROOT, 'node_modules', 'aws-cdk', 'bin', 'cdk');

const ended = z.object({ code: z.number(), stderr: z.string() });

let folder: string;

/** `cdk synth` on a machine without AWS configuration and without a network; gives its output folder and what it said. */
async function synth(name: string, context: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const outdir = join(folder, name);
  // A stack that no file in deploy/ names, whatever files an operator has there.
  const named = 'env' in context ? context : { stackName: 'test-of-synth-alone', ...context };
  const settings = Object.entries(named).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const env = {
    // As under npx: the project's own Node first.
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: folder,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'no-network.mjs'))}`,
  };
  const options = { cwd: ROOT, env };
  const args = [CDK, 'synth', '--quiet', '--output', outdir, ...settings, ...more];
  const { stderr } = await promisify(execFile)(process.execPath, args, options);
  return { outdir, stderr };
}

function read(folderOfRun: string, file: string): Promise<string> {
  return readFile(join(folderOfRun, file), 'utf8');
}

/** Templates are not held against the CDK's own rules again, which takes most of a synthesis. */
const UNCHECKED = ['--no-validation'] as const;
/** Nor are the same sources built again. */
const BUILT = [...UNCHECKED, '--build', 'true'] as const;

/** A file of settings, whose stack is no other's. */
const FILE = join(ROOT, 'deploy', 'test-of-synth.json');
const FROM_FILE = { env: 'test-of-synth' } as const;

let example: Awaited<ReturnType<typeof synth>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'synth-'));
  await writeEmptyAssets(join(folder, 'build'));
  const { clientVerification: _, ...context } = ORDER_CONTEXT;
  const settings = { ...context, stackName: 'test-of-synth', funderAddress: funderOf(WALLET_ADDRESS, 'safe') };
  await writeFile(FILE, JSON.stringify({ ...settings, maxDailyNotional: '1000', corsOrigins: 'https://app.example' }));
  example = await synth('example', FROM_FILE);
}, 400_000);

afterAll(async () => {
  await rm(FILE, { force: true });
  await rm(folder, { recursive: true, force: true });
});

it('an app of a test is not stopped by a file of settings in deploy/', () => {
  const { service } = createServiceApp(join(folder, 'build'), { stackName: 'test-of-synth' });
  expect(service.stackName).toBe('test-of-synth');
});

describe('cdk synth', () => {
  it('prints nothing where there is nothing to say', () => {
    expect(example.stderr.trim()).toBe('');
  });

  it('reads the settings of an environment from its file', async () => {
    const template = await read(example.outdir, 'Service.template.json');
    expect(template).toContain('"FunctionName": "test-of-synth-orders"');
    expect(template).toContain('"SERVICE_MAX_DAILY_NOTIONAL": "1000"');
    expect(template).toContain('"SERVICE_CORS_ORIGINS": "https://app.example"');
  });

  it('stops with a sentence for each mistake, and no stack', async () => {
    const { walletAddress: _, ...context } = ORDER_CONTEXT;
    const { code, stderr } = ended.parse(await synth('refused', context, BUILT).catch((failed: unknown) => failed));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^walletAddress is required with orders: the only address .*\.$/m);
    expect(stderr).not.toContain(' at ');
  }, 400_000);

  it('gives the same template and the same assets each time', async () => {
    const second = await synth('second', FROM_FILE, UNCHECKED);
    for (const file of ['Service.template.json', 'Service.assets.json']) {
      expect(await read(second.outdir, file)).toBe(await read(example.outdir, file));
    }
  }, 400_000);
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
