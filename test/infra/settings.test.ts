import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withEnvironmentFile } from '../../infra/settings/environment-file.ts';
import { readSettings } from '../../infra/settings/settings.ts';
import { CONTEXT } from '../../infra/settings/table.ts';
import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { ORDER_CONTEXT, PUBLIC, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { funderOf } from '../support/venue/signing.ts';

const SAFE = funderOf(WALLET_ADDRESS, 'safe');

/** An account of nobody that the key knows. */
const STRANGER = `0x${'12'.repeat(20)}`;

/** Orders about which there is nothing to warn of. */
const VERIFIED = { ...ORDER_CONTEXT, clientVerification: undefined, funderAddress: SAFE };

const SECRET_ARN = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:wallet-AbCdEf';
const KMS_ARN = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

function problemOf(context: Readonly<Record<string, unknown>>, region?: string): string {
  try {
    readSettings(context, { region });
  } catch (error) {
    return `${error}`;
  }
  return 'none';
}

function without(name: keyof typeof ORDER_CONTEXT): Readonly<Record<string, unknown>> {
  return { ...ORDER_CONTEXT, [name]: undefined };
}

describe('placeOrder', () => {
  it.each(['true', true])('is on for %p', (placeOrder) => {
    expect(readSettings({ ...ORDER_CONTEXT, placeOrder }).orders?.walletAddress).toBe(WALLET_ADDRESS);
  });

  it('is off without it, and says which settings then have no effect', () => {
    const { orders, warnings } = readSettings({ walletAddress: WALLET_ADDRESS, maxOrderNotional: '5' });
    expect(orders).toBeUndefined();
    const sentence = (name: string) => `${name} is not used without placeOrder=true: this deployment takes no orders.`;
    expect(warnings).toStrictEqual(['walletAddress', 'maxOrderNotional'].map(sentence));
  });

  it.each(['false', false])('is off for %p', (placeOrder) => {
    expect(readSettings({ placeOrder }).orders).toBeUndefined();
  });

  it.each(['0', '1', 'yes', 'TRUE', 1])('is refused for %p', (placeOrder) => {
    expect(problemOf({ ...ORDER_CONTEXT, placeOrder })).toBe('ConfigError: placeOrder must be one of true, false.');
  });

  it.each([
    ['walletAddress', 'walletAddress is required with orders: the only address to trade with.'],
    [
      'privateKeySecret',
      'privateKeySecret or kmsKey is required with orders: the name of the secret that holds the key, or a key of KMS.',
    ],
    ['region', 'region is required with orders: eu-west-1 is closest to the venue.'],
    ['maxOrderNotional', 'maxOrderNotional is required with orders: an amount, or none for no cap.'],
  ] as const)('says what to do without %s', (name, sentence) => {
    expect(problemOf(without(name))).toBe(`ConfigError: ${sentence}`);
  });
});

describe('the region of orders', () => {
  it.each([
    'us-east-1',
    'us-gov-west-1',
    'eu-west-2',
    'eu-west-3',
    'eu-central-1',
    'eu-south-1',
    'ca-central-1',
    'ca-west-1',
    'ap-southeast-1',
    'ap-southeast-2',
    'ap-southeast-4',
    'ap-southeast-6',
    'ap-southeast-7',
    'ap-east-2',
    'sa-east-1',
  ])('is not %s', (region) => {
    const sentence = `The venue refuses orders from ${region}; `;
    expect(problemOf({ ...ORDER_CONTEXT, region })).toContain(sentence);
    expect(problemOf(without('region'), region)).toContain(sentence);
    expect(problemOf({}, region)).toBe('none');
  });
});

describe('what moves money', () => {
  it('has no cap only where that is said', () => {
    const { orders } = readSettings({ ...ORDER_CONTEXT, maxOrderNotional: 'none' });
    expect(orders?.variables).not.toHaveProperty('SERVICE_MAX_ORDER_NOTIONAL');
    expect(readSettings(VERIFIED).warnings).toStrictEqual([]);
  });

  it('is warned of where its alarms notify nobody, and where the day has no cap', () => {
    expect(readSettings({ ...VERIFIED, alarmTopic: undefined }).warnings).toStrictEqual([
      'alarmTopic is not set, so order alarms notify nobody; give the ARN of an SNS topic.',
    ]);
    expect(readSettings({ ...VERIFIED, maxDailyNotional: undefined }).warnings).toStrictEqual([
      'maxDailyNotional is not set: nothing bounds what the orders of a day may cost; give a number, or none.',
    ]);
    expect(readSettings({}).warnings).toStrictEqual([]);
  });

  const TOKENS = { orderAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'a', maxDailyNotional: '900' };
  const allowedClients = WALLET_ADDRESS;

  it.each([
    [{ ...PUBLIC }, ['orderAccess=public: anyone who knows the URL can trade up to the caps.']],
    [
      { ...PUBLIC, allowedClients },
      ['orderAccess=public: the listed clients, from anywhere, can trade up to the caps.'],
    ],
    [TOKENS, ['orderAccess=jwt: anyone who gets a token of the issuer can trade up to the caps.']],
    [{ ...TOKENS, allowedClients }, []],
    [{ ...TOKENS, jwtScopes: 'trade' }, []],
    [
      { maxDailyNotional: '100', maxDailyNotionalPerClient: '100.01' },
      [
        'maxOrderNotional is above maxDailyNotional, which a purchase meets first.',
        'maxDailyNotionalPerClient is above maxDailyNotional, which a client meets first.',
      ],
    ],
    [{ removal: 'destroy' }, [expect.stringMatching(/^removal=destroy: the table goes with the stack/)]],
    [
      { funderAddress: undefined },
      [expect.stringMatching(/^signature type eoa: .*; set funderAddress to its address$/)],
    ],
  ])('is warned of with %j', (change, warnings) => {
    expect(readSettings({ ...VERIFIED, ...change }).warnings).toStrictEqual(warnings);
  });

  it('wants the signature of each client unless the settings say otherwise, and then says why it should', () => {
    const variables = (context: object) =>
      readSettings({ ...context }).orders?.variables['SERVICE_CLIENT_VERIFICATION'];
    expect([variables(VERIFIED), variables(ORDER_CONTEXT)]).toStrictEqual(['required', 'off']);
    expect(readSettings({ ...VERIFIED, clientVerification: 'off' }).warnings).toStrictEqual([
      expect.stringContaining('asks a production deployment to verify a wallet signature'),
    ]);
  });
});

describe('a deployment that cannot be made', () => {
  it('is told all that is missing or wrong at once', () => {
    const problem = problemOf({ placeOrder: 'true', region: 'eu-west-2', maxDailyNotionl: '5', logLevel: 'INFO' });
    expect(problem.split('\n')).toStrictEqual([
      'ConfigError: maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?',
      'logLevel must be one of debug, info, warn, error.',
      expect.stringContaining('The venue refuses orders from eu-west-2'),
      expect.stringContaining('walletAddress is required with orders'),
      expect.stringContaining('privateKeySecret or kmsKey is required with orders'),
      expect.stringContaining('maxOrderNotional is required with orders'),
    ]);
  });
});

describe('the account of a deployment', () => {
  const OTHER = '210987654321';

  it.each([
    ['account', { account: OTHER }, 'account is not that of your AWS credentials: check AWS_PROFILE.'],
    ['account', { account: 'prod' }, 'account must be the 12 digits of an AWS account.'],
    ['alarmTopic', { alarmTopic: `arn:aws:sns:eu-west-1:${OTHER}:operators` }, ''],
    ['privateKeySecret', { privateKeySecret: SECRET_ARN.replace('123456789012', OTHER) }, ''],
  ])('is the one that settings and credentials name: %s', (name, change, sentence) => {
    const said = sentence || `${name} must be of the account to which the stack is deployed.`;
    const read = () => readSettings({ ...ORDER_CONTEXT, ...change }, { account: '123456789012' });
    expect(read).toThrow(said);
  });

  it('is what its own topics, secrets and certificates are held against; keys may be of another one', () => {
    const secretKeyArn = KMS_ARN.replace('123456789012', OTHER);
    expect(readSettings({ ...ORDER_CONTEXT, secretKeyArn }, { account: '123456789012' }).account).toBe('123456789012');
    const certificate = {
      domainName: 'api.example.com',
      certificateArn: `arn:aws:acm:eu-west-1:${OTHER}:certificate/1`,
    };
    expect(problemOf({ ...certificate, account: '123456789012' })).toContain('certificateArn must be of the account');
  });
});

/** A letter in the wrong case. */
const WRONG_CLIENT = `${STRANGER},${WALLET_ADDRESS.replace('C8', 'c8')}`;

describe('settings', () => {
  // The table of settings is one: test/shared/settings/config.test.ts has every form, and some stand for them here.
  const key = 'a'.repeat(64);

  it.each([
    ['walletAddress has a wrong checksum', { walletAddress: WALLET_ADDRESS.replace('C8', 'c8') }],
    ['walletAddress must be an address', { walletAddress: WALLET_ADDRESS.slice(2) }],
    ['if you pasted a private key here, replace that key: it is exposed', { privateKeySecret: `0x${key}` }],
    [
      'privateKeySecret must be in eu-west-1, where the functions run.',
      { privateKeySecret: SECRET_ARN.replace('eu-west-1', 'us-east-1') },
    ],
    ['its whole ARN with the six characters at its end', { privateKeySecret: SECRET_ARN.replace(/-\w{6}$/, '') }],
    ['secretKeyArn must be the ARN of a KMS key', { secretKeyArn: KMS_ARN.replace('key/', 'alias/') }],
    ['secretKeyArn must be in eu-west-1, where the functions run.', { secretKeyArn: KMS_ARN.replace('eu-', 'us-') }],
    [
      'alarmTopic must be in eu-west-1, where the functions run.',
      { alarmTopic: 'arn:aws:sns:us-east-1:123456789012:t' },
    ],
    ['rollout must be one of canary, all-at-once', { rollout: 'linear' }],
    ['stackName must be a letter, then letters, digits and dashes, 50 at most', { stackName: 'x'.repeat(51) }],
    ['jwt needs jwtIssuer and jwtAudience', { orderAccess: 'jwt' }],
    ['jwt needs jwtIssuer and jwtAudience', { readAccess: 'jwt', jwtIssuer: 'https://id.example' }],
    [
      'orderAccess=jwt needs an amount as maxOrderNotional and as maxDailyNotional.',
      { orderAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'a', jwtScopes: 'trade' },
    ],
    ['ticketTopic and monthlyBudget go with alarmTopic.', { monthlyBudget: 20, alarmTopic: undefined }],
    ['domainName and certificateArn go together', { domainName: 'api.example.com' }],
    ['walletAddress is that of the example', { walletAddress: `0x${'1'.repeat(40)}` }],
    [
      'alarmTopic is that of the example: give your own.',
      { alarmTopic: 'arn:aws:sns:eu-west-1:111111111111:operators' },
    ],
    ['jwtIssuer must be', { orderAccess: 'jwt', jwtIssuer: 'http://id.example', jwtAudience: 'a' }],
    ['go with orderAccess=jwt or readAccess=jwt', { jwtIssuer: 'https://id.example' }],
    ['orderAccess=public needs', { orderAccess: 'public' }],
    ['orderAccess=public needs clientVerification=required.', { ...PUBLIC, clientVerification: 'off' }],
    [
      'jwtScopes must be 1 to 10 scopes',
      { jwtScopes: Array.from({ length: 11 }, (_, index) => `scope-${index}`).join(' ') },
    ],
    ...['allowedClients', 'corsOrigins', 'jwtAudience'].flatMap((name) =>
      [',', ' ', ' , '].map((text) => [`${name} must be `, { [name]: text }] as const),
    ),
    [
      'orderAccess=public needs an amount as maxOrderNotional and as maxDailyNotional.',
      { ...PUBLIC, maxOrderNotional: 'none' },
    ],
    [
      'orderAccess=public needs an amount as maxOrderNotional and as maxDailyNotional.',
      { ...PUBLIC, maxDailyNotional: 'none' },
    ],
    ['maxOrderNotional must be a decimal above zero', { maxOrderNotional: '0.00' }],
    ['funderAddress must be set unless signatureType is eoa: the Safe of the key is 0x', { signatureType: 'safe' }],
    ['signatureType must be set, or another funderAddress', { funderAddress: STRANGER }],
    [
      'signatureType must be safe, or left out: funderAddress is the Safe of the key.',
      { signatureType: 'deposit-wallet', funderAddress: SAFE },
    ],
    ['allowedClients must be EVM addresses', { allowedClients: WRONG_CLIENT }],
    [
      'allowedClients and corsOrigins are too long: Lambda takes 4096 bytes',
      { ...PUBLIC, allowedClients: Array.from({ length: 90 }, () => WALLET_ADDRESS).join() },
    ],
    ['booksPerSecond must be a whole number from 1 to 10000', { booksPerSecond: 0 }],
    ['corsOrigins must be exact origins', { corsOrigins: '*' }],
    ['gammaUrl must be an https URL', { gammaUrl: 'http://10.0.0.1' }],
    ['alarmTopic must be the ARN of a topic', { alarmTopic: 'operators' }],
    ['maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?', { maxDailyNotionl: '5' }],
    ['tags is not a setting of a deployment: see docs/settings.md.', { monthlyBudgt: '5', tags: 'a' }],
    [
      'client-verification is not a setting of a deployment: did you mean clientVerification?',
      { 'client-verification': 'required' },
    ],
  ])('stop with: %s', (sentence, change) => {
    const checked = 'allowedClients' in change && { clientVerification: 'required' };
    const problem = problemOf({ ...ORDER_CONTEXT, ...checked, ...change }, 'eu-west-1');
    expect(problem).toMatch(/^ConfigError: /);
    expect(problem).toContain(sentence);
    expect(problem).not.toContain(key);
  });

  it.each(Object.keys(CONTEXT))('refuse an empty %s, with orders and without', (name) => {
    const sentence = `ConfigError: ${name} is empty: leave it out, or give it a value.`;
    for (const empty of ['', null]) {
      expect(problemOf({ ...ORDER_CONTEXT, [name]: empty }).split('\n')[0]).toBe(sentence);
      expect(problemOf({ [name]: empty }).split('\n')[0]).toBe(sentence);
    }
  });

  it('take the kind of account from its address, and warn of one that the key does not control', () => {
    const derived = readSettings(VERIFIED);
    expect(derived.orders).toMatchObject({ funderAddress: SAFE, variables: { SERVICE_SIGNATURE_TYPE: 'safe' } });
    expect(derived.warnings).toStrictEqual([]);
    const foreign = { signatureType: 'deposit-wallet', funderAddress: STRANGER };
    const { orders, warnings } = readSettings({ ...VERIFIED, ...foreign });
    expect(orders?.variables).toMatchObject({ SERVICE_SIGNATURE_TYPE: 'deposit-wallet' });
    expect(warnings).toStrictEqual([
      expect.stringMatching(/^funderAddress is none of the accounts of the key, which are eoa 0x7099.*, proxy 0x/),
    ]);
  });

  it('are left out for the word none where they are caps, and nowhere else', () => {
    const tokens = {
      orderAccess: 'jwt',
      jwtIssuer: 'https://id.example',
      jwtAudience: 'orders',
      jwtScopes: 'none',
    };
    const { orders } = readSettings({ ...ORDER_CONTEXT, ...tokens, privateKeySecret: 'none', maxDailyNotional: '5' });
    expect(orders?.variables).toMatchObject({
      SERVICE_PRIVATE_KEY_SECRET: 'none',
      SERVICE_MAX_DAILY_NOTIONAL: '5',
    });
    expect(readSettings(ORDER_CONTEXT).orders?.variables).not.toHaveProperty('SERVICE_MAX_DAILY_NOTIONAL');
  });

  it('are all handed to the function of orders, which starts with them', () => {
    const context = {
      ...ORDER_CONTEXT,
      signatureType: 'safe',
      funderAddress: SAFE.toLowerCase(),
      builderCode: 'AB'.repeat(32),
      maxOrderNotional: 99.5,
      maxDailyNotional: 1000,
      clientVerification: 'required',
      publicAuthority: 'API.example.com',
      corsOrigins: 'https://app.example, https://b.example',
      logLevel: 'debug',
      gammaUrl: 'https://gamma.example/',
      clobUrl: 'https://clob.example',
      orderAccess: 'jwt',
      jwtScopes: 'trade',
      jwtIssuer: 'https://id.example',
      jwtAudience: 'orders',
    };
    const { orders } = readSettings(context);
    expect(parseDeployedConfig({ ...orders?.variables, SERVICE_ORDERS_TABLE: 'table' })).toMatchObject({
      signatureType: 'safe',
      funderAddress: SAFE,
      builderCode: `0x${'ab'.repeat(32)}`,
      maxOrderNotional: { coefficient: 995n, scale: 1 },
      maxDailyNotional: { coefficient: 1000n, scale: 0 },
      clientVerification: 'required',
      publicAuthority: 'api.example.com',
      corsOrigins: ['https://app.example', 'https://b.example'],
      logLevel: 'debug',
      gammaUrl: 'https://gamma.example',
      clobUrl: 'https://clob.example',
      walletAddress: WALLET_ADDRESS,
      orderAccess: 'jwt',
      orders: {
        kind: 'on',
        walletAddress: WALLET_ADDRESS,
        key: { secret: ORDER_CONTEXT.privateKeySecret },
        ordersTable: 'table',
      },
      warnings: [],
    });
  });
});

describe('the file of an environment', () => {
  const DEPLOY = join(import.meta.dirname, '..', '..', 'deploy');

  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'environments-'));
    const files = {
      prod: { stackName: 'prod', region: 'eu-west-1', corsOrigins: 'https://app.example' },
      misspelt: { stackName: 'misspelt', maxDailyNotionl: 5 },
      deep: { stackName: 'deep', corsOrigins: ['https://app.example'] },
    };
    const broken = {
      nameless: '{"region":"eu-west-1"}',
      list: '[{"stackName":"list"}]',
      broken: '{"privateKeySecret":"0xsecret",}',
      twice: '{"stackName":"twice","maxOrderNotional":"5","maxOrderNotional" : "0xsecret"}',
    };
    await writeFile(join(folder, 'long.json'), '{"stackName":"long","jwtAudience":179834912834912834}');
    for (const [name, text] of Object.entries(broken)) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, `${name}.json`), text);
    }
    for (const [name, settings] of Object.entries(files)) {
      await writeFile(join(folder, `${name}.json`), JSON.stringify(settings));
    }
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

  it.each([
    [
      { stackName: 'prod' },
      /^ConfigError: deploy\/prod\.json has the settings of the stack prod: deploy it with -c env=prod\.$/,
    ],
    [
      { env: 'deep', stackName: 'prod' },
      /^ConfigError: deploy\/prod\.json .* prod: give deploy\/deep\.json another stackName\.$/,
    ],
  ])('has its stack for itself: %j', (context, sentence) => {
    expect(problemOf(context)).toMatch(sentence);
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
    [
      'is not there',
      { env: 'prd' },
      /^ConfigError: deploy\/prd\.json must be readable \(ENOENT\); there are: .*prod.*\.$/,
    ],
    ['lies elsewhere', { env: '../prod' }, /^ConfigError: env must be the name of a file in deploy\//],
    ['is asked for without a name', { env: '' }, /^ConfigError: env must be the name of a file/],
    ['is no JSON', { env: 'broken' }, /^ConfigError: deploy\/broken\.json must be JSON: one object/],
    ['is no object', { env: 'list' }, /^ConfigError: deploy\/list\.json must be JSON: one object/],
    ['has a number that JSON changes', { env: 'long' }, /^ConfigError: jwtAudience must be a text in quotes\./],
    ['holds more than texts', { env: 'deep' }, /^ConfigError: corsOrigins must be a text in quotes\.$/],
    ['misspells a name', { env: 'misspelt' }, /^ConfigError: maxDailyNotionl .* did you mean maxDailyNotional\?$/],
    ['names no stack', { env: 'nameless' }, /^ConfigError: deploy\/nameless\.json must be .* with a stackName\.$/],
    ['has a setting twice', { env: 'twice' }, /^ConfigError: deploy\/twice\.json must have each setting once\.$/],
  ])('stops synth where it %s, asked for or beside others', (_, context, sentence) => {
    const isBroken = existsSync(join(folder, context.env, `${context.env}.json`));
    const from = isBroken ? join(folder, context.env) : folder;
    for (const each of isBroken ? [context, {}] : [context]) {
      expect(problemOf(each, from)).toMatch(sentence);
      expect(problemOf(each, from)).not.toContain('0xsecret');
    }
  });
});
