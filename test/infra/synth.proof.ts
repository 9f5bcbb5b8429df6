import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ORDER_CONTEXT, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { createServiceApp, writeEmptyAssets } from '../../tools/support/synthesize.ts';
import { funderOf } from '../support/venue/funder.ts';

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
  const { clientVerification: _, ...context } = ORDER_CONTEXT;
  const settings = { ...context, stackName: 'test-of-synth', funderAddress: funderOf(WALLET_ADDRESS, 'safe') };
  await writeFile(FILE, JSON.stringify({ ...settings, maxDailyNotional: '1000', corsOrigins: 'https://app.example' }));
  example = await synth('example', FROM_FILE);
}, 400_000);

afterAll(async () => {
  await rm(FILE, { force: true });
  await rm(folder, { recursive: true, force: true });
});

it('an app of a test is not stopped by a file of settings in deploy/', async () => {
  const assets = join(folder, 'empty');
  await writeEmptyAssets(assets);
  const { service } = createServiceApp(assets, { stackName: 'test-of-synth' });
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
