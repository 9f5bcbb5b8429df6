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
    list: [{ stackName: 'prod' }],
  };
  for (const [name, settings] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(settings));
  }
  await writeFile(join(folder, 'broken.json'), '{"privateKeySecret":"0xsecret",}');
  await writeFile(join(folder, 'long.json'), '{"stackName":"a","jwtAudience":179834912834912834}');
  await writeFile(
    join(folder, 'escaped.json'),
    '{"stackName":"a","maxDailyNotional":"5","maxDailyNotiona\\u006c":"500"}',
  );
  await writeFile(join(folder, 'twice.json'), '{"stackName":"a","maxDailyNotional":"5","maxDailyNotional":"500"}');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function problemOf(context: Readonly<Record<string, unknown>>): string {
  try {
    readSettings(withEnvironmentFile(context, folder));
  } catch (error) {
    return `${error}`;
  }
  return 'none';
}

describe('the file of an environment', () => {
  it('adds its settings to those of the command line', () => {
    const context = withEnvironmentFile({ env: 'prod', logLevel: 'debug', region: 'eu-west-1' }, folder);
    const { stackName, region, environment } = readSettings(context);
    expect([stackName, region]).toStrictEqual(['prod', 'eu-west-1']);
    expect(environment).toStrictEqual({ SERVICE_CORS_ORIGINS: 'https://app.example', SERVICE_LOG_LEVEL: 'debug' });
  });

  it('is asked for by name alone', () => {
    const context = { logLevel: 'debug' };
    expect(withEnvironmentFile(context, folder)).toBe(context);
  });

  it('cannot be forgotten: without it, its stack is not deployed', () => {
    expect(problemOf({ stackName: 'prod' })).toBe(
      'ConfigError: deploy/prod.json has the settings of the stack prod: deploy it with -c env=prod.',
    );
    expect(problemOf({ stackName: 'other' })).toBe('none');
  });

  it('has an example of the stack that is deployed without one, refused until its values are replaced', () => {
    const context = withEnvironmentFile({ env: 'example' }, DEPLOY);
    const problem = (changed: object) => {
      try {
        return readSettings({ ...context, ...changed }).stackName;
      } catch (error) {
        return `${error}`.split('\n');
      }
    };
    expect(problem({})).toStrictEqual(
      expect.arrayContaining([
        expect.stringContaining('walletAddress is that of an example'),
        'alarmTopic is that of the example: give your own.',
      ]),
    );
    const { walletAddress, alarmTopic } = ORDER_CONTEXT;
    expect(problem({ walletAddress, alarmTopic })).toBe('order-book-adapter');
  });

  it.each([
    ['is not there', { env: 'prd' }, /^ConfigError: deploy\/prd\.json cannot be read; there are .*\bprod\b/],
    ['lies elsewhere', { env: '../prod' }, /^ConfigError: env must be the name of a file in deploy\//],
    ['is asked for without a name', { env: '' }, /^ConfigError: env is empty: leave it out, or say what it is\.$/],
    ['is no JSON', { env: 'broken' }, /^ConfigError: deploy\/broken\.json must be JSON: one object/],
    ['is no object', { env: 'list' }, /^ConfigError: deploy\/list\.json must be JSON: one object/],
    ['says a thing twice', { env: 'twice' }, /^ConfigError: deploy\/twice\.json has maxDailyNotional twice/],
    ['says a thing twice in other letters', { env: 'escaped' }, /escaped\.json has maxDailyNotional twice/],
    [
      'has a number that JSON changes',
      { env: 'long' },
      /^ConfigError: jwtAudience has more digits .* put it in quotes/,
    ],
    ['holds more than texts', { env: 'deep' }, /^ConfigError: corsOrigins must be a text/],
    ['misspells a name', { env: 'misspelt' }, /^ConfigError: maxDailyNotionl .* did you mean maxDailyNotional\?$/],
    ['names no stack', { env: 'nameless' }, /^ConfigError: deploy\/nameless\.json must say stackName/],
    [
      'contradicts the command line',
      { env: 'prod', region: 'eu-north-1' },
      /^ConfigError: region is one thing in deploy\/prod\.json and another in -c/,
    ],
  ])('stops synth where it %s', (_, context, sentence) => {
    expect(problemOf(context)).toMatch(sentence);
    expect(problemOf(context)).not.toContain('0xsecret');
  });
});
