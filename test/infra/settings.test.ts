import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Context, withEnvironmentFile } from '../../infra/settings/environment-file.ts';
import { readSettings } from '../../infra/settings/settings.ts';
import { CONTEXT } from '../../infra/settings/table.ts';
import { ORDER_CONTEXT, PUBLIC, WALLET_ADDRESS } from '../../tools/support/deployment.ts';
import { funderOf } from '../support/venue/signing.ts';

const SAFE = funderOf(WALLET_ADDRESS, 'safe');
/** An address with a letter in the wrong case. */
const MISSPELT = WALLET_ADDRESS.replace('C8', 'c8');
/** An account of nobody that the key knows. */
const STRANGER = `0x${'12'.repeat(20)}`;
/** Orders about which there is nothing to warn of. */
const VERIFIED = { ...ORDER_CONTEXT, clientVerification: undefined, funderAddress: SAFE };
const TOKENS = { orderAccess: 'jwt', jwtIssuer: 'https://id.example', jwtAudience: 'a' };
/** A key that stays in KMS. */
const BY_KMS = { privateKeySecret: undefined, kmsKey: 'alias/orders' };
const REQUIRED = { clientVerification: 'required' };

const [ACCOUNT, OTHER] = ['123456789012', '210987654321'];
const SECRET_ARN = `arn:aws:secretsmanager:eu-west-1:${ACCOUNT}:secret:wallet-AbCdEf`;
const KMS_ARN = `arn:aws:kms:eu-west-1:${ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab`;
const TOPIC = `arn:aws:sns:eu-west-1:${ACCOUNT}:fills`;

/** Returns the sentences at which synth stops; none where it does not. */
function problemsOf(context: () => Context, place: Parameters<typeof readSettings>[1] = {}): readonly string[] {
  try {
    readSettings(context(), place);
    return [];
  } catch (error) {
    return `${error}`.replace(/^ConfigError: /, '').split('\n');
  }
}

/** Settings that give no deployment of orders, with the beginning of each sentence. A malformed one is like any other: of
 * the forms in the table of the service a few stand for all, which test/shared/settings/config.test.ts has. */
const STOPS: readonly (readonly [change: Context, ...sentences: string[]])[] = [
  [{ placeOrder: 'TRUE' }, 'placeOrder must be one of true, false.'],
  [{ walletAddress: undefined }, 'walletAddress is required with orders: the only address to trade with.'],
  [{ privateKeySecret: undefined }, 'privateKeySecret or kmsKey is required with orders: the name of the secret'],
  [{ region: undefined }, 'region is required with orders: eu-west-1 is closest to the venue.'],
  [{ maxOrderNotional: undefined }, 'maxOrderNotional is required with orders: an amount, or none for no cap.'],
  [{ kmsKey: 'alias/orders' }, 'privateKeySecret and kmsKey exclude each other: set one of them.'],
  [{ credentialsSecret: 'api' }, 'credentialsSecret needs kmsKey.'],
  [{ fillsTopic: TOPIC, placeOrder: 'false' }, 'fillsTopic needs placeOrder=true.'],
  [{ walletAddress: MISSPELT }, 'walletAddress has a wrong checksum'],
  [{ walletAddress: WALLET_ADDRESS.slice(2) }, 'walletAddress must be an address'],
  [{ walletAddress: `0x${'1'.repeat(40)}` }, 'walletAddress has the value of the example: set your own.'],
  [{ privateKeySecret: SECRET_ARN.replace('eu-', 'us-') }, 'privateKeySecret must be in eu-west-1'],
  [{ privateKeySecret: SECRET_ARN.replace(/-\w{6}$/, '') }, 'privateKeySecret must be the name of a Secrets Manager'],
  [{ keyArn: KMS_ARN.replace('key/', 'alias/') }, 'keyArn must be the ARN of a KMS key'],
  [{ keyArn: KMS_ARN.replace('eu-', 'us-') }, 'keyArn must be in eu-west-1, where the functions run.'],
  ...['fillsTopic', 'alarmTopic'].flatMap((name) =>
    ['true', `${TOPIC}.fifo`, `${TOPIC}:1234abcd-12ab`].map(
      (topic) => [{ [name]: topic }, `${name} must be the ARN of a standard SNS topic (no FIFO topic, no`] as const,
    ),
  ),
  [{ alarmTopic: ORDER_CONTEXT.alarmTopic.replace('eu-', 'us-') }, 'alarmTopic must be in eu-west-1, where the'],
  [
    { alarmTopic: ORDER_CONTEXT.alarmTopic.replace(ACCOUNT, '1'.repeat(12)) },
    'alarmTopic has the value of the example',
  ],
  [{ domainName: 'api.example.com' }, 'domainName and certificateArn go together: give both, or none.'],
  [{ stackName: 'x'.repeat(51) }, 'stackName must be a letter, then letters, digits and dashes, 50 at most'],
  ...['jwtIssuer', 'jwtAudience'].map(
    (name) => [{ ...TOKENS, orderAccess: 'iam', readAccess: 'jwt', [name]: undefined }, 'jwt needs jwtI'] as const,
  ),
  ...['jwtIssuer', 'jwtAudience', 'jwtScopes'].map(
    (name) => [{ [name]: 'https://id.example' }, 'jwtIssuer, jwtAudience and jwtScopes need order'] as const,
  ),
  ...['http://id.example', 'https://id.example:8443', 'https://id.example?tenant=1'].map(
    (jwtIssuer) =>
      [{ ...TOKENS, maxDailyNotional: '9', jwtIssuer }, 'jwtIssuer must be an https URL without port and'] as const,
  ),
  [{ ...TOKENS, maxDailyNotional: '9', jwtScopes: 'trade;read' }, 'jwtScopes must be 1 to 10 scopes'],
  [{ ...TOKENS, maxDailyNotional: '9', jwtScopes: 'a '.repeat(11) }, 'jwtScopes must be 1 to 10 scopes'],
  [TOKENS, 'orderAccess=jwt needs an amount as maxOrderNotional and as maxDailyNotional.'],
  [{ ...PUBLIC, maxOrderNotional: 'none' }, 'orderAccess=public needs an amount as maxOrderNotional'],
  [{ ...PUBLIC, maxDailyNotional: 'none' }, 'orderAccess=public needs an amount as maxOrderNotional'],
  [{ ...PUBLIC, clientVerification: 'off' }, 'orderAccess=public needs clientVerification=required.'],
  ...['allowedClients', 'corsOrigins'].flatMap((name) =>
    [',', ' '].map((text) => [{ ...REQUIRED, [name]: text }, `${name} must be `] as const),
  ),
  [{ allowedClients: WALLET_ADDRESS }, 'allowedClients needs clientVerification=required: any caller can claim an'],
  [{ ...REQUIRED, allowedClients: `${STRANGER},${MISSPELT}` }, 'allowedClients must be EVM addresses'],
  [{ ...PUBLIC, allowedClients: Array(90).fill(WALLET_ADDRESS).join() }, 'allowedClients and corsOrigins are too'],
  [{ signatureType: 'safe' }, 'funderAddress must be set unless signatureType is eoa: the key has safe 0x'],
  [{ funderAddress: STRANGER }, 'signatureType must be set, or another funderAddress'],
  [{ signatureType: 'deposit-wallet', funderAddress: SAFE }, 'signatureType must be safe, or left out: funderA'],
  [{ signatureType: 'safe', funderAddress: MISSPELT }, 'funderAddress has a wrong checksum'],
  [{ maxDailyNotionl: '5' }, 'maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?'],
  [{ 'client-verification': 'off' }, 'client-verification is not a setting of a deployment: did you mean clientVeri'],
  [{ account: 'prod' }, 'account must be the 12 digits of an AWS account.'],
  // All that is missing or wrong is said in one go.
  [
    { placeOrder: 'x', region: 'eu-west-2', walletAddress: undefined, maxDailyNotionl: '5', logLevel: 'INFO' },
    'alarmTopic must be in eu-west-2, where the functions run.',
    'maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?',
    'placeOrder must be one of true, false.',
    'logLevel must be one of debug, info, warn, error.',
    'The venue refuses orders from eu-west-2; eu-west-1 is closest to it.',
    'walletAddress is required with orders',
  ],
];

const PUBLIC_WARNING = (who: string) => `orderAccess=public: ${who} can trade up to the caps.`;

const [GAMMA, CLOB] = ['https://gamma-api.polymarket.com', 'https://clob.polymarket.com'];
const OTHER_CLOB = "clobUrl is not the venue's, which is https://clob.polymarket.com: it gets signed orders and API";
const OTHER_GAMMA = "gammaUrl is not the venue's, which is https://gamma-api.polymarket.com.";
const BLANK = 'jwtAudience has a blank, which is part of a name: commas separate several.';
const OF_AWS = 'kmsKey is a key of AWS, which signs no order: each one would be 503.';

/** Settings of orders, with the beginning of each warning. */
const WARNINGS: readonly (readonly [change: Context, ...warnings: string[]])[] = [
  [{ gammaUrl: GAMMA, clobUrl: 'https://clob-2.polymarket.com/' }],
  [{ clobUrl: 'https://clob.polymarket.co' }, OTHER_CLOB],
  [{ clobUrl: 'https://clob.polymarket.com.example' }, OTHER_CLOB],
  [{ gammaUrl: CLOB, clobUrl: GAMMA }, OTHER_GAMMA, OTHER_CLOB],
  [{ gammaUrl: 'http://127.0.0.1:8081' }, OTHER_GAMMA],
  [{ corsOrigins: 'https://app.example,http://localhost:5173,capacitor://localhost' }],
  [{ corsOrigins: 'https://app.example,http://app.example' }, 'corsOrigins has an http: origin: anyone on its way can'],
  [{ ...TOKENS, maxDailyNotional: '900', jwtScopes: 'trade', jwtAudience: 'app, phone' }],
  [{ ...TOKENS, maxDailyNotional: '900', jwtScopes: 'trade', jwtAudience: 'app phone' }, BLANK],
  [{ fillsTopic: ORDER_CONTEXT.alarmTopic }, 'fillsTopic is alarmTopic: each event of an order is an alarm.'],
  [{ ...BY_KMS, kmsKey: 'alias/orders-aws/x' }],
  [{ ...BY_KMS, kmsKey: 'alias/aws/sns' }, OF_AWS],
  [{ ...BY_KMS, kmsKey: KMS_ARN.replace(/key\/.*/, 'alias/aws/dynamodb') }, OF_AWS],
  [{}],
  [{ alarmTopic: undefined }, 'alarmTopic is not set, so order alarms notify nobody; give the ARN of an SNS topic.'],
  [{ maxDailyNotional: undefined }, 'maxDailyNotional is not set: nothing bounds what the orders of a day may cost;'],
  [{ clientVerification: 'off' }, 'clientVerification=off: X-Client-Address is an unverified claim. The specification'],
  [PUBLIC, PUBLIC_WARNING('anyone who knows the URL')],
  [{ ...PUBLIC, allowedClients: WALLET_ADDRESS }, PUBLIC_WARNING('the listed clients, from anywhere,')],
  [{ ...TOKENS, maxDailyNotional: '900' }, 'orderAccess=jwt: anyone who gets a token of the issuer can trade up to'],
  [{ ...TOKENS, maxDailyNotional: '900', allowedClients: WALLET_ADDRESS }],
  [{ ...TOKENS, maxDailyNotional: '900', jwtScopes: 'trade' }],
  [
    { maxDailyNotional: '100', maxDailyNotionalPerClient: '100.01' },
    'maxOrderNotional is above maxDailyNotional, which refuses a purchase first.',
    'maxDailyNotionalPerClient is above maxDailyNotional, which refuses a purchase first.',
  ],
  [{ maxDailyNotional: '250', maxDailyNotionalPerClient: '250' }],
  [{ removal: 'destroy' }, 'removal=destroy: deleting the stack deletes the table'],
  [{ logLevel: 'info', fillsTopic: TOPIC }],
  [
    { logLevel: 'error' },
    'logLevel=error: requests that succeed have no line, so the dashboard shows no times by part.',
  ],
  [
    { fillsTopic: TOPIC, ordersTable: 'restored' },
    'fillsTopic with ordersTable: that table needs the indexes by-order and by-signing',
  ],
  [
    { fillsTopic: TOPIC, ...BY_KMS },
    'fillsTopic with kmsKey: without credentialsSecret each run signs, 43,200 times a',
  ],
  [{ fillsTopic: TOPIC, ...BY_KMS, credentialsSecret: 'api' }],
  // The address of nobody's key, of one digit; not that of the example.
  [{ allowedClients: `0x${'0'.repeat(40)}` }],
  [{ funderAddress: undefined }, 'signature type eoa: '],
  [{ signatureType: 'deposit-wallet', funderAddress: STRANGER }, "funderAddress is not one of the key's accounts"],
];

describe('the settings of a deployment', () => {
  it.each(STOPS)('stop synth: %j', (change, ...sentences) => {
    const problems = problemsOf(() => ({ ...ORDER_CONTEXT, ...change }));
    expect(problems).toStrictEqual(sentences.map((sentence) => expect.stringContaining(sentence)));
  });

  it('never show a private key that was pasted in place of the name of its secret', () => {
    const privateKeySecret = `0x${'a'.repeat(64)}`;
    const [problem] = problemsOf(() => ({ ...ORDER_CONTEXT, privateKeySecret }));
    expect(problem).toContain('if you pasted a private key here, replace that key: it is exposed');
    expect(problem).not.toContain('a'.repeat(64));
  });

  it.each(WARNINGS)('are warned about by synth: %j', (change, ...warnings) => {
    const found = readSettings({ ...VERIFIED, ...change }).warnings;
    expect(found).toStrictEqual(warnings.map((warning) => expect.stringContaining(warning)));
  });

  it('stop synth if one is empty, with and without orders', () => {
    for (const name of Object.keys(CONTEXT)) {
      for (const context of [{ ...ORDER_CONTEXT, [name]: '' }, { [name]: '' }, { [name]: null }]) {
        expect(problemsOf(() => context)[0]).toBe(`${name} is empty: leave it out, or give it a value.`);
      }
    }
  });

  it('enable orders only by true, and warn of settings that need orders', () => {
    for (const placeOrder of ['true', true]) {
      expect(readSettings({ ...ORDER_CONTEXT, placeOrder }).orders?.walletAddress).toBe(WALLET_ADDRESS);
    }
    const { orders, warnings } = readSettings({ placeOrder: false, walletAddress: WALLET_ADDRESS });
    const sentence = 'walletAddress is not used without placeOrder=true: this deployment takes no orders.';
    expect([orders, warnings]).toStrictEqual([undefined, [expect.any(String), sentence]]);
    const swapped = readSettings({ gammaUrl: CLOB }).warnings;
    expect(swapped).toStrictEqual([OTHER_GAMMA]);
  });

  it('allow reads from any region, and orders only from a region that the venue accepts', () => {
    const refused = ['us-east-1', 'us-gov-west-1', 'ca-west-1', 'sa-east-1', 'ap-east-2', 'eusc-de-east-1'].concat(
      ['eu-west-2', 'eu-west-3', 'eu-central-1', 'eu-south-1'],
      [1, 2, 4, 5, 6, 7].map((each) => `ap-southeast-${each}`),
    );
    const taken = ['eu-west-1', 'eu-north-1', 'eu-central-2', 'eu-south-2', 'ap-southeast-3', 'ap-east-1'];
    const here = { ...ORDER_CONTEXT, alarmTopic: undefined };
    const isRefused = (region: string) =>
      problemsOf(() => ({ ...here, region })).some((text) => text.includes('The venue'));
    expect([...refused, ...taken].filter(isRefused)).toStrictEqual(refused);
    const machine = problemsOf(() => ({ ...here, region: undefined }), { region: 'us-east-1' });
    expect(machine).toStrictEqual([expect.stringContaining('The venue refuses orders from us-east-1; ')]);
    expect(problemsOf(() => ({}), { region: 'us-east-1' })).toStrictEqual([]);
  });

  it.each([
    [
      { account: OTHER, alarmTopic: undefined },
      'account differs from the account of your AWS credentials: check AWS_PROFILE.',
    ],
    [
      { alarmTopic: ORDER_CONTEXT.alarmTopic.replace(ACCOUNT, OTHER) },
      'alarmTopic must be in the account of the stack',
    ],
    [{ privateKeySecret: SECRET_ARN.replace(ACCOUNT, OTHER) }, 'privateKeySecret must be in the account of the stack'],
  ])('stop synth if they name another account, except for a key: %j', (change, sentence) => {
    const problems = problemsOf(() => ({ ...ORDER_CONTEXT, ...change }), { account: ACCOUNT });
    expect(problems).toStrictEqual([expect.stringContaining(sentence)]);
    const keyArn = KMS_ARN.replace(ACCOUNT, OTHER);
    expect(readSettings({ ...ORDER_CONTEXT, keyArn }, { account: ACCOUNT }).account).toBe(ACCOUNT);
    expect(problemsOf(() => ({ ...ORDER_CONTEXT, ...change, account: ACCOUNT }))).toHaveLength(
      'account' in change ? 0 : 1,
    );
  });

  it('switch a cap off by the word none, which is an ordinary text elsewhere', () => {
    const none = { privateKeySecret: 'none', maxOrderNotional: 'none', maxDailyNotional: '5' };
    const { orders } = readSettings({ ...ORDER_CONTEXT, ...none });
    expect(orders?.variables).toMatchObject({
      SERVICE_PRIVATE_KEY_SECRET: 'none',
      SERVICE_MAX_DAILY_NOTIONAL: '5',
      SERVICE_CLIENT_VERIFICATION: 'off',
    });
    expect(orders?.variables).not.toHaveProperty('SERVICE_MAX_ORDER_NOTIONAL');
  });
});

/** Files of settings, by folder: a broken one stops every synthesis beside it. */
const FILES: Readonly<Record<string, string>> = {
  'sound/prod.json': '{"stackName":"prod","region":"eu-west-1","corsOrigins":"https://app.example"}',
  'sound/misspelt.json': '{"stackName":"misspelt","maxDailyNotionl":5}',
  'sound/deep.json': '{"stackName":"deep","corsOrigins":["https://app.example"]}',
  'sound/long.json': '{"stackName":"long","account":179834912834912834}',
  'nameless/nameless.json': '{"region":"eu-west-1"}',
  'list/list.json': '[{"stackName":"list"}]',
  'broken/broken.json': '{"privateKeySecret":"0xsecret",}',
  'twice/twice.json': '{"stackName":"twice","maxOrderNotional":"5","maxOrderNotional" : "0xsecret"}',
};

/** What is asked for, and what synth says. */
const OF_FILES: readonly (readonly [folder: string, context: Context, sentence: string])[] = [
  ['sound', { env: 'prd' }, 'deploy/prd.json must be readable (ENOENT); there are: deep, long, misspelt, prod.'],
  ['sound', { env: '../prod' }, 'env must be the name of a file in deploy/, without .json.'],
  ['sound', { env: '' }, 'env must be the name of a file in deploy/, without .json.'],
  ['sound', { env: 'long' }, 'account must be a text in quotes.'],
  ['sound', { env: 'deep' }, 'corsOrigins must be a text in quotes.'],
  ['sound', { env: 'misspelt' }, 'maxDailyNotionl is not a setting of a deployment: did you mean maxDailyNotional?'],
  ['sound', { stackName: 'prod' }, 'deploy/prod.json has the settings of the stack prod: deploy it with -c env=prod.'],
  [
    'sound',
    { env: 'deep', stackName: 'prod' },
    'deploy/prod.json has the settings of the stack prod: give deploy/deep.json another stackName.',
  ],
  ...['nameless', 'list', 'broken', 'twice'].flatMap((name) => {
    const form = 'be JSON: one object of settings and their values, with a stackName';
    const sentence = `deploy/${name}.json must ${name === 'twice' ? 'have each setting once' : form}.`;
    return [{ env: name }, {}].map((context) => [name, context, sentence] as const);
  }),
];

describe('the file of an environment', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'environments-'));
    for (const [path, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('adds its settings if -c env names it, and the command line wins', () => {
    const sound = join(folder, 'sound');
    const context = { logLevel: 'debug', region: 'eu-north-1' };
    const { stackName, region, environment } = readSettings(withEnvironmentFile({ ...context, env: 'prod' }, sound));
    expect([stackName, region]).toStrictEqual(['prod', 'eu-north-1']);
    expect(environment).toStrictEqual({ SERVICE_CORS_ORIGINS: 'https://app.example', SERVICE_LOG_LEVEL: 'debug' });
    expect(withEnvironmentFile(context, sound)).toStrictEqual(context);
  });

  it('has an example for the default stack, which is refused until its values are replaced', () => {
    const context = withEnvironmentFile({ env: 'example' }, join(import.meta.dirname, '../../deploy'));
    const own = ['alarmTopic', 'walletAddress'].map((name) =>
      expect.stringMatching(`^${name} has the value of the example`),
    );
    expect(problemsOf(() => context)).toStrictEqual(expect.arrayContaining(own));
    const { walletAddress, alarmTopic } = ORDER_CONTEXT;
    const replaced = { ...context, walletAddress, alarmTopic, funderAddress: undefined };
    expect(readSettings(replaced).stackName).toBe('order-book-adapter');
  });

  it.each(OF_FILES)('a wrong file of settings stops synth: %s, %j', (name, context, sentence) => {
    expect(problemsOf(() => withEnvironmentFile(context, join(folder, name)))).toStrictEqual([sentence]);
  });
});
