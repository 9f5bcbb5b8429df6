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
  const key = 'a'.repeat(64);

  it.each([
    ['a wrong checksum', { walletAddress: WALLET_ADDRESS.replace('C8', 'c8') }, 'walletAddress has a wrong checksum'],
    ['an address without 0x', { walletAddress: WALLET_ADDRESS.slice(2) }, 'walletAddress must be an address'],
    [
      'the key for its name',
      { privateKeySecret: `0x${key}` },
      'if you pasted a private key here, replace that key: it is exposed',
    ],
    [
      'a secret elsewhere',
      { privateKeySecret: SECRET_ARN.replace('eu-west-1', 'us-east-1') },
      'privateKeySecret must be in eu-west-1, where the functions run.',
    ],
    [
      'an ARN without its end',
      { privateKeySecret: SECRET_ARN.replace(/-\w{6}$/, '') },
      'its whole ARN with the six characters at its end',
    ],
    [
      'a key by its alias',
      { secretKeyArn: KMS_ARN.replace('key/', 'alias/') },
      'secretKeyArn must be the ARN of a KMS key',
    ],
    [
      'a key elsewhere',
      { secretKeyArn: KMS_ARN.replace('eu-', 'us-') },
      'secretKeyArn must be in eu-west-1, where the functions run.',
    ],
    [
      'a topic elsewhere',
      { alarmTopic: 'arn:aws:sns:us-east-1:123456789012:t' },
      'alarmTopic must be in eu-west-1, where the functions run.',
    ],
    [
      'a table by its ARN',
      { ordersTable: 'arn:aws:dynamodb:table/t' },
      'ordersTable must be the name of a DynamoDB table',
    ],
    ['a rollout of its own', { rollout: 'linear' }, 'rollout must be one of canary, all-at-once'],
    [
      'a long name',
      { stackName: 'x'.repeat(51) },
      'stackName must be a letter, then letters, digits and dashes, 50 at most',
    ],
    ['another access', { orderAccess: 'everyone' }, 'orderAccess must be one of iam, jwt, public'],
    ['tokens of nobody', { orderAccess: 'jwt' }, 'jwt needs jwtIssuer and jwtAudience'],
    [
      'tokens for nobody',
      { readAccess: 'jwt', jwtIssuer: 'https://id.example' },
      'jwt needs jwtIssuer and jwtAudience',
    ],
    [
      'tokens without a cap for the day',
      { orderAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'a', jwtScopes: 'trade' },
      'orderAccess=jwt needs an amount as maxOrderNotional and as maxDailyNotional.',
    ],
    [
      'a budget that notifies nobody',
      { monthlyBudget: 20, alarmTopic: undefined },
      'ticketTopic and monthlyBudget go with alarmTopic.',
    ],
    ['half a domain', { domainName: 'api.example.com' }, 'domainName and certificateArn go together'],
    ['the wallet of the example', { walletAddress: `0x${'1'.repeat(40)}` }, 'walletAddress is that of the example'],
    [
      'the topic of the example',
      { alarmTopic: 'arn:aws:sns:eu-west-1:111111111111:operators' },
      'alarmTopic is that of the example: give your own.',
    ],
    [
      'an issuer without TLS',
      { orderAccess: 'jwt', jwtIssuer: 'http://id.example', jwtAudience: 'a' },
      'jwtIssuer must be',
    ],
    ['an issuer that nobody asks', { jwtIssuer: 'https://id.example' }, 'go with orderAccess=jwt or readAccess=jwt'],
    ['orders of everybody', { orderAccess: 'public' }, 'orderAccess=public needs'],
    [
      'orders of everybody whom nobody checks',
      { ...PUBLIC, clientVerification: 'off' },
      'orderAccess=public needs clientVerification=required.',
    ],
    [
      'more scopes than a route of the gateway takes',
      { jwtScopes: Array.from({ length: 11 }, (_, index) => `scope-${index}`).join(' ') },
      'jwtScopes must be 1 to 10 scopes',
    ],
    ...['allowedClients', 'corsOrigins', 'jwtAudience'].flatMap((name) =>
      [',', ' ', ' , '].map((text) => [`a ${name} without an entry`, { [name]: text }, `${name} must be `] as const),
    ),
    ['a builder by name', { builderCode: 'my-builder' }, 'builderCode must be 32 bytes as 64 hex digits'],
    [
      'orders of everybody without a cap',
      { ...PUBLIC, maxOrderNotional: 'none' },
      'orderAccess=public needs an amount as maxOrderNotional and as maxDailyNotional.',
    ],
    [
      'orders of everybody without a cap for the day',
      { ...PUBLIC, maxDailyNotional: 'none' },
      'orderAccess=public needs an amount as maxOrderNotional and as maxDailyNotional.',
    ],
    ['a cap of 0', { maxOrderNotional: '0.00' }, 'maxOrderNotional must be a decimal above zero'],
    ['a cap of -1', { maxOrderNotional: -1 }, 'maxOrderNotional must be a decimal above zero'],
    ['a cap of 007', { maxOrderNotional: '007' }, 'maxOrderNotional must be a decimal above zero'],
    ['an unknown account', { signatureType: 'magic' }, 'signatureType must be one of'],
    [
      'a safe without funder',
      { signatureType: 'safe' },
      'funderAddress must be set unless signatureType is eoa: the Safe of the key is 0x',
    ],
    ['a funder of no kind', { funderAddress: STRANGER }, 'signatureType must be set, or another funderAddress'],
    [
      'a kind that the funder is not of',
      { signatureType: 'deposit-wallet', funderAddress: SAFE },
      'signatureType must be safe, or left out: funderAddress is the Safe of the key.',
    ],
    ['a client with a wrong checksum', { allowedClients: WRONG_CLIENT }, 'allowedClients must be EVM addresses'],
    ['a client that is no key', { allowedClients: '1'.repeat(32) }, 'allowedClients must be EVM addresses'],
    [
      'more than the variables of a function hold',
      { ...PUBLIC, allowedClients: Array.from({ length: 90 }, () => WALLET_ADDRESS).join() },
      'allowedClients and corsOrigins are too long: Lambda takes 4096 bytes',
    ],
    ['no reads', { booksPerSecond: 0 }, 'booksPerSecond must be a whole number from 1 to 10000'],
    ['any origin', { corsOrigins: '*' }, 'corsOrigins must be exact origins'],
    ['a path', { corsOrigins: 'https://app.example/' }, 'corsOrigins must be exact origins'],
    ['a pattern of origins', { corsOrigins: 'https://*.example' }, 'corsOrigins must be exact origins'],
    ['a password for the venue', { clobUrl: 'https://a:b@venue.example' }, 'clobUrl must be an https URL'],
    ['a query for the venue', { clobUrl: 'https://venue.example/?a=b' }, 'clobUrl must be an https URL'],
    ['a venue without encryption', { clobUrl: 'http://venue.example' }, 'clobUrl must be an https URL'],
    ['a catalogue without encryption', { gammaUrl: 'http://10.0.0.1' }, 'gammaUrl must be an https URL'],
    ['a broken URL', { gammaUrl: 'https://venue.example /' }, 'gammaUrl must be an https URL'],
    ['a topic by name', { alarmTopic: 'operators' }, 'alarmTopic must be the ARN of a topic'],
    [
      'a misspelt name',
      { maxDailyNotionl: '5' },
      'maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?',
    ],
    [
      'a setting of another program, without a guess',
      { monthlyBudgt: '5', tags: 'a' },
      'tags is not a setting of a deployment: see docs/settings.md.',
    ],
    [
      'a name as commands write options',
      { 'client-verification': 'required' },
      'client-verification is not a setting of a deployment: did you mean clientVerification?',
    ],
  ])('refuse %s', (_, change, sentence) => {
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
