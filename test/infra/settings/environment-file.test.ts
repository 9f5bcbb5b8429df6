import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withEnvironmentFile } from '../../../infra/settings/environment-file.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { ORDER_CONTEXT } from '../../../tools/support/deployment.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'environments-'));
  const files = {
    prod: { stackName: 'prod', region: 'eu-west-1', corsOrigins: 'https://app.example' },
    misspelt: { stackName: 'misspelt', maxDailyNotionl: 5 },
    nameless: { region: 'eu-west-1' },
    deep: { stackName: 'deep', corsOrigins: ['https://app.example'] },
    list: [{ stackName: 'list' }],
  };
  for (const [name, settings] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(settings));
  }
  await writeFile(join(folder, 'broken.json'), '{"privateKeySecret":"0xsecret",}');
  await writeFile(join(folder, 'long.json'), '{"stackName":"long","jwtAudience":179834912834912834}');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function problemOf(context: Readonly<Record<string, unknown>>, from = folder): string {
  try {
    readSettings(withEnvironmentFile(context, from));
  } catch (error) {
    return `${error}`;
  }
  return 'none';
}

describe('the file of an environment', () => {
  it('adds its settings to those of the command line, which win', () => {
    const context = { env: 'prod', logLevel: 'debug', region: 'eu-north-1' };
    const { stackName, region, environment } = readSettings(withEnvironmentFile(context, folder));
    expect([stackName, region]).toStrictEqual(['prod', 'eu-north-1']);
    expect(environment).toStrictEqual({ SERVICE_CORS_ORIGINS: 'https://app.example', SERVICE_LOG_LEVEL: 'debug' });
  });

  it('is read where -c env names it', () => {
    const context = { logLevel: 'debug' };
    expect(withEnvironmentFile(context, folder)).toStrictEqual(context);
  });

  it('has an example of the stack that is deployed without one, refused until its values are replaced', () => {
    const context = withEnvironmentFile({ env: 'example' }, DEPLOY);
    expect(() => readSettings(context)).toThrow(
      /^alarmTopic is that of the example.*\n(?:.*\n)*walletAddress is that of/,
    );
    const { walletAddress, funderAddress, alarmTopic } = { funderAddress: undefined, ...ORDER_CONTEXT };
    const replaced = { ...context, walletAddress, funderAddress, alarmTopic };
    expect(readSettings(replaced).stackName).toBe('order-book-adapter');
  });

  it.each([
    ['is not there', { env: 'prd' }, /^ConfigError: deploy\/prd\.json cannot be read \(ENOENT\)\.$/],
    ['lies elsewhere', { env: '../prod' }, /^ConfigError: env must be the name of a file in deploy\//],
    ['is asked for without a name', { env: '' }, /^ConfigError: env must be the name of a file/],
    ['is no JSON', { env: 'broken' }, /^ConfigError: deploy\/broken\.json must be JSON: one object/],
    ['is no object', { env: 'list' }, /^ConfigError: deploy\/list\.json must be JSON: one object/],
    ['has a number that JSON changes', { env: 'long' }, /^ConfigError: jwtAudience must be a text in quotes\./],
    ['holds more than texts', { env: 'deep' }, /^ConfigError: corsOrigins must be a text in quotes\.$/],
    ['misspells a name', { env: 'misspelt' }, /^ConfigError: maxDailyNotionl .* did you mean maxDailyNotional\?$/],
    ['names no stack', { env: 'nameless' }, /^ConfigError: deploy\/nameless\.json must be .* with a stackName\.$/],
  ])('stops synth where it %s', (_, context, sentence) => {
    expect(problemOf(context)).toMatch(sentence);
    expect(problemOf(context)).not.toContain('0xsecret');
  });
});
