import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withEnvironmentFile } from '../../../infra/settings/environment-file.ts';
import { readSettings } from '../../../infra/settings/settings.ts';
import { ORDER_CONTEXT } from '../../../tools/support/deployment.ts';

const DEPLOY = join(import.meta.dirname, '..', '..', '..', 'deploy');

let folder: string;
/** A folder without a malformed file. */
let sound: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'environments-'));
  const files = {
    prod: { stackName: 'prod', region: 'eu-west-1', corsOrigins: 'https://app.example' },
    misspelt: { stackName: 'misspelt', maxDailyNotionl: 5 },
    nameless: { region: 'eu-west-1' },
    deep: { stackName: 'deep', corsOrigins: ['https://app.example'] },
    list: [{ stackName: 'list' }],
    hasty: {
      placeOrder: true,
      region: 'eu-west-2',
      logLevel: 'warn',
      corsOrigins: 'https://app.example',
      maxDailyNotionl: 5,
    },
  };
  for (const [name, settings] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(settings));
  }
  sound = await mkdtemp(join(folder, 'sound-'));
  await copyFile(join(folder, 'prod.json'), join(sound, 'prod.json'));
  await writeFile(join(folder, 'broken.json'), '{"privateKeySecret":"0xsecret",}');
  await writeFile(join(folder, 'long.json'), '{"stackName":"long","jwtAudience":179834912834912834}');
  await writeFile(
    join(folder, 'escaped.json'),
    '{"stackName":"a","maxDailyNotional":"5","maxDailyNotiona\\u006c":"500"}',
  );
  await writeFile(join(folder, 'twice.json'), '{"stackName":"a","maxDailyNotional":"5","maxDailyNotional":"500"}');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function problemOf(context: Readonly<Record<string, unknown>>, from = folder): string {
  try {
    const read = withEnvironmentFile(context, from);
    readSettings(read.context, {}, read.problems);
  } catch (error) {
    return `${error}`;
  }
  return 'none';
}

describe('the file of an environment', () => {
  it('adds its settings to those of the command line', () => {
    const { context, problems } = withEnvironmentFile({ env: 'prod', logLevel: 'debug', region: 'eu-west-1' }, folder);
    expect(problems.filter((problem) => problem)).toStrictEqual([]);
    const { stackName, region, environment } = readSettings(context);
    expect([stackName, region]).toStrictEqual(['prod', 'eu-west-1']);
    expect(environment).toStrictEqual({ SERVICE_CORS_ORIGINS: 'https://app.example', SERVICE_LOG_LEVEL: 'debug' });
  });

  it('is asked for by name alone', () => {
    const context = { logLevel: 'debug' };
    expect(withEnvironmentFile(context, sound)).toStrictEqual({ context, problems: [] });
  });

  it('cannot be forgotten: without it, its stack is not deployed', () => {
    expect(problemOf({ stackName: 'prod' }, sound)).toBe(
      'ConfigError: deploy/prod.json has the settings of the stack prod: deploy it with -c env=prod.',
    );
    expect(problemOf({ stackName: 'other' }, sound)).toBe('none');
  });

  it('cannot be forgotten while it is malformed either: nobody knows whose stack it is', async () => {
    const spoilt = await mkdtemp(join(folder, 'spoilt-'));
    await writeFile(join(spoilt, 'prod.json'), '{"stackName":"order-book-adapter","placeOrder":true,}');
    expect(problemOf({}, spoilt)).toMatch(/^ConfigError: deploy\/prod\.json must be JSON: one object/);
  });

  it.each([
    ['says the same', { stackName: 'prod', region: 'eu-west-1' }, true],
    ['does not say where it is', { stackName: 'prod' }, true],
    [
      'has another topic of the account',
      { stackName: 'prod', alarmTopic: 'arn:aws:sns:eu-west-1:123456789012:b' },
      true,
    ],
    ['has another name', { stackName: 'staging', region: 'eu-west-1' }, false],
    ['is in another region', { stackName: 'prod', region: 'eu-north-1' }, false],
    ['is in another account', { stackName: 'prod', alarmTopic: 'arn:aws:sns:eu-west-1:210987654321:a' }, false],
  ])('is the only one of its stack, where the other one %s', async (_, other, isSame) => {
    const two = await mkdtemp(join(folder, 'two-'));
    const prod = { stackName: 'prod', region: 'eu-west-1', alarmTopic: 'arn:aws:sns:eu-west-1:123456789012:a' };
    await writeFile(join(two, 'prod.json'), JSON.stringify(prod));
    await writeFile(join(two, 'staging.json'), JSON.stringify(other));
    for (const [env, rival] of [
      ['prod', 'staging'],
      ['staging', 'prod'],
    ] as const) {
      const sentence = `ConfigError: deploy/${rival}.json is of this stack too: change stackName, or give both a region and a topic.`;
      expect(problemOf({ env }, two)).toBe(isSame ? sentence : 'none');
    }
  });

  it('is told all that is wrong with it, with the command line, and in its settings at once', () => {
    const context = { env: 'hasty', region: 'eu-west-3', logLevel: 'debug', maxOrderNotionl: '5' };
    const [problems, suggestion = ''] = problemOf(context).split(/\n\n.*\n/);
    expect(problems?.split('\n')).toStrictEqual([
      'ConfigError: maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?',
      'deploy/hasty.json must say stackName: two environments of one name overwrite each other.',
      'deploy/hasty.json and -c region=… say different things: change the file, so that the next deploy keeps it.',
      'deploy/hasty.json and -c logLevel=… say different things: change the file, so that the next deploy keeps it.',
      'maxOrderNotionl is not a setting of a deployment: did you mean maxOrderNotional?',
      expect.stringContaining('The venue refuses orders from eu-west-2'),
      expect.stringContaining('placeOrder needs the address that the key belongs to'),
      expect.stringContaining('placeOrder needs the name or ARN of a Secrets Manager secret'),
      expect.stringContaining('placeOrder needs the largest price times size of an order'),
    ]);
    expect(JSON.parse(suggestion)).toStrictEqual({
      stackName: '…',
      placeOrder: 'true',
      region: '…',
      walletAddress: '0x…',
      privateKeySecret: 'NAME',
      maxOrderNotional: '250',
      maxDailyNotional: '1000',
      alarmTopic: 'arn:aws:sns:…',
      logLevel: '…',
      corsOrigins: 'https://app.example',
    });
  });

  it('has an example of the stack that is deployed without one, refused until its values are replaced', () => {
    const { context } = withEnvironmentFile({ env: 'example' }, DEPLOY);
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
      /^ConfigError: deploy\/prod\.json and -c region=… say different things/,
    ],
  ])('stops synth where it %s', (_, context, sentence) => {
    expect(problemOf(context)).toMatch(sentence);
    expect(problemOf(context)).not.toContain('0xsecret');
  });
});
