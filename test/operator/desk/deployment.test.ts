import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { readConfig } from '../../../operator/account/access.ts';
import { runDoctor } from '../../../operator/doctor/doctor.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { INDEXES } from '../../../shared/orders/table-layout.ts';
import { createOrdersTable, startDynamoDb, type TestDynamoDb } from '../../../tools/support/dynamodb.ts';
import { type FakeKms, startKms } from '../../../tools/support/kms.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { type SecretStore, startSecretStore } from '../../../tools/support/secret-store.ts';
import { collect, desk as runDesk, runProgram } from '../../support/operator/desk.ts';
import { finishedOrder, PLACED } from '../../support/orders/order-records.ts';
import { WITH_THIS_NODE } from '../../support/service/program.ts';
import { plainMarket, type RunningPaper, sharedPaper } from '../../support/venue/paper-venue.ts';
import { startVenue } from '../../support/venue/scripted-venue.ts';

const OWN = new Wallet(PAPER_KEY);
const OTHER = new Wallet(`0x${'5e'.repeat(32)}`);
const [STACK, SECRET] = ['trading', 'trading/key'];
const OUTPUTS = { OrdersTable: 'orders', WalletSecret: SECRET, WalletAddress: OWN.address };
const OF_DEPLOYMENT = ['--stack', STACK, '--format', 'json'] as const;
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:operators';
/** A closed port. */
const NOWHERE = 'http://127.0.0.1:9';

let paper: RunningPaper;
let db: TestDynamoDb;
let secrets: SecretStore;
let outputs: Readonly<Record<string, string>>;
let status: string;
let region: string;
let described: string[];
let creds: { key: string; secret: string; passphrase: string };
/** Variables of the AWS SDK, which takes its endpoints from the environment of the process. */
let aws: Readonly<Record<string, string>>;

/** CloudFormation on loopback: one stack, and an error for any other name. */
const formation: Server = createServer(async (request, response) => {
  const asked = new URLSearchParams(await text(request));
  described.push(`${asked.get('Action')} ${asked.get('StackName')}`);
  const found = asked.get('StackName') === STACK;
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const id = `arn:aws:cloudformation:${region}:123456789012:stack/${STACK}/1`;
  const stack = `<StackId>${id}</StackId><StackName>${STACK}</StackName><CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>${status}</StackStatus>`;
  response.writeHead(found ? 200 : 400, { 'content-type': 'text/xml' });
  response.end(
    found
      ? `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>${stack}<Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
      : '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>no such stack</Message></Error></ErrorResponse>',
  );
});

/** The attributes of the one topic of SNS on loopback; `undefined`: AWS denies them. */
let topic: Readonly<Record<string, string>> | undefined;

const sns: Server = createServer(async (request, response) => {
  const asked = new URLSearchParams(await text(request));
  expect([asked.get('Action'), asked.get('TopicArn')]).toStrictEqual(['GetTopicAttributes', TOPIC]);
  const entries = Object.entries(topic ?? {}).map(
    ([key, value]) => `<entry><key>${key}</key><value>${value}</value></entry>`,
  );
  response.writeHead(topic ? 200 : 403, { 'content-type': 'text/xml' });
  response.end(
    topic
      ? `<GetTopicAttributesResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><GetTopicAttributesResult><Attributes>${entries.join('')}</Attributes></GetTopicAttributesResult></GetTopicAttributesResponse>`
      : '<ErrorResponse><Error><Type>Sender</Type><Code>AuthorizationError</Code><Message>no</Message></Error></ErrorResponse>',
  );
});

/** Denies whatever it is asked. */
const denying: Server = createServer(async (request, response) => {
  await text(request);
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'not authorized' }));
});
let denyingUrl: string;

/** Has AWS deny the calls of a service. */
function denied(service: string): void {
  Object.assign(process.env, { [`AWS_ENDPOINT_URL_${service}`]: denyingUrl });
}

const KMS_KEY = 'alias/orders';
let kms: FakeKms;

beforeAll(async () => {
  denyingUrl = await listenOnLoopback(denying);
  kms = await startKms(KMS_KEY, OWN.privateKey.slice(2));
  db = await startDynamoDb();
  await createOrdersTable(db.client, 'bare', []);
  await createOrdersTable(db.client, 'half', [INDEXES.signing]);
  secrets = await startSecretStore(SECRET);
  paper = await sharedPaper();
  ({ creds } = await officialClient(paper, { wallet: OWN }));
  aws = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'invented',
    AWS_ENDPOINT_URL_CLOUDFORMATION: await listenOnLoopback(formation),
    AWS_ENDPOINT_URL_SNS: await listenOnLoopback(sns),
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
  };
});

beforeEach(() => {
  [outputs, described, status, region] = [OUTPUTS, [], 'UPDATE_COMPLETE', 'eu-west-1'];
  topic = { SubscriptionsConfirmed: '1' };
  secrets.set(deskSecret());
  kms.behave({});
});

afterAll(async () => {
  for (const server of [formation, sns, denying]) await shut(server);
  kms.close();
  await db.close();
  secrets.close();
});

/** Runs a command on the deployment, in this process. */
function desk(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  Object.assign(process.env, aws, env);
  const settings = { SERVICE_CLOB_URL: paper.url, ...env };
  return runDesk([...args, ...OF_DEPLOYMENT], settings, { secrets: [PAPER_KEY, creds.secret, creds.passphrase] });
}

/** Runs the doctor on the deployment. */
function doctor(...args: readonly string[]) {
  Object.assign(process.env, aws);
  return collect((terminal) => runDoctor({}, { ...terminal, args }));
}

/** Places an order with the account, and records it with a client. */
async function placed(client: string, price = 0.4) {
  const { yes } = await plainMarket(paper);
  const { client: official } = await officialClient(paper, { wallet: OWN });
  const { orderID } = await official.createAndPostOrder({ tokenID: yes, price, size: 5, side: Side.BUY });
  const record = { ...finishedOrder(PLACED), orderId: orderID, client: { address: client, isVerified: true } };
  await createDynamoDbStore(db).write(client, record, 'nothing', undefined);
  return orderID;
}

function deskSecret(more: object = {}): string {
  return JSON.stringify({ apiKey: creds.key, apiSecret: creds.secret, apiPassphrase: creds.passphrase, ...more });
}

function credentialsOf({ address }: Wallet, { key, secret, passphrase }: typeof creds) {
  return {
    SERVICE_WALLET_ADDRESS: address,
    SERVICE_CLOB_API_KEY: key,
    SERVICE_CLOB_API_SECRET: secret,
    SERVICE_CLOB_API_PASSPHRASE: passphrase,
  };
}

it('reaches the venue and AWS through the proxy of the settings file', async () => {
  Object.assign(process.env, aws);
  await using folder = await mkdtempDisposable(join(tmpdir(), 'deployment-test-'));
  const settings = join(folder.path, '.env');
  await writeFile(settings, 'HTTPS_PROXY=http://proxy.example:3128\nSERVICE_WALLET_ADDRESS=0x1\n');
  const { proxyEnv } = await readConfig({ stack: STACK, settings }, {});
  expect(proxyEnv.HTTPS_PROXY?.reveal()).toBe('http://proxy.example:3128/');
});

it('the doctor reports the state of a deployment', async () => {
  secrets.set(deskSecret({ privateKey: PAPER_KEY }));
  outputs = { ...OUTPUTS, ClobUrl: paper.url, GammaUrl: paper.url, AlarmTopic: TOPIC };
  const { code, out } = await doctor('--stack', STACK, '--region', 'eu-west-1');
  expect(out.split('\n').map((line) => line.split(/ +/, 2).join(' '))).toStrictEqual([
    ...[
      'warn start',
      'ok stack',
      'ok alarms',
      'ok indexes',
      'ok credentials',
      'ok funds',
      'ok restrictions',
      'ok region',
      'ok books',
    ],
    ...['', '8 ok,', ''],
  ]);
  expect(code).toBe(0);
  for (const said of [
    `start +${OWN.address} signs for ${OWN.address} \\(eoa\\)\\. Orders are kept in dynamodb:orders\\. Signature type .* set funderAddress .* \\(deployed: in deploy/NAME\\.json`,
    `stack +The stack trading is UPDATE_COMPLETE, and places orders with ${OWN.address}\\. Key and table were tried with your`,
    `alarms +${TOPIC} has 1 confirmed subscriptions\\.`,
    'region +The functions run in eu-west-1, from where',
  ]) {
    expect(out).toMatch(new RegExp(`^\\w+ +${said}`, 'm'));
  }
  for (const absent of [PAPER_KEY, 'without a cap']) expect(out).not.toContain(absent);
});

it('the doctor skips the account of a deployment without orders', async () => {
  outputs = { OrdersTable: 'orders', ClobUrl: paper.url, GammaUrl: paper.url };
  const { code, out } = await doctor('--stack', STACK);
  expect([code, out]).toStrictEqual([
    0,
    expect.stringMatching(/^ok +stack +.* is UPDATE_COMPLETE, and takes no orders\.$/m),
  ]);
  expect(out).toMatch(/^skip +alarms +The stack has no alarmTopic: its alarms notify nobody\.$/m);
  expect(out).toMatch(/\n5 ok, 0 to look at, 0 failed, 4 skipped\.\n$/);
});

const NO_KEY_FIX = 'See "StoreOrKeyFaults" in docs/operations\\.md\\.';
const PERMISSIONS = 'See "Permissions" in docs/deployment\\.md\\.';

it.each<readonly [what: string, arrange: () => unknown, line: string]>([
  [
    'a secret of another wallet',
    () => secrets.set(OTHER.privateKey),
    `fail +start +The wallet key is that of ${OTHER.address}: walletAddress names another wallet\\. See "Rotating keys"`,
  ],
  [
    'a secret without a key',
    () => secrets.set(deskSecret()),
    `fail +start +The secret trading/key must hold the privateKey\\. ${NO_KEY_FIX}`,
  ],
  ['a secret that fails', () => secrets.set(undefined), `fail +start +The secret .* cannot be read .* ${NO_KEY_FIX}`],
  [
    'a secret that AWS denies',
    () => denied('SECRETS_MANAGER'),
    `fail +start +The secret .*\\(AccessDenied.* ${PERMISSIONS}`,
  ],
  [
    "an account that is not the key's",
    () => (outputs = { ...outputs, FunderAddress: '0x00000000000000000000000000000000000f00D5' }),
    'fail +start +signatureType must be set, .* Set funderAddress and signatureType \\(deployed: in deploy/NAME\\.json',
  ],
  [
    'a key of KMS that is disabled',
    () => {
      kms.behave({ error: 'KMSInvalidStateException', message: 'key is disabled.', errorOf: 'Sign' });
      outputs = { ...outputs, WalletKmsKey: KMS_KEY, WalletSecret: '' };
    },
    'fail +start +kms:Sign on the key of kmsKey failed: KMSInvalidStateException, key is disabled\\. See "A key in AWS KMS"',
  ],
  [
    'a key of KMS that AWS denies',
    () => {
      kms.behave({ error: 'AccessDeniedException', errorOf: 'GetPublicKey' });
      outputs = { ...outputs, WalletKmsKey: KMS_KEY, WalletSecret: '' };
    },
    `fail +start +AWS denies kms:GetPublicKey on .* ${PERMISSIONS}`,
  ],
  [
    'credentials in the secret that are of another wallet',
    async () => {
      const { key, secret, passphrase } = (await officialClient(paper, { wallet: OTHER })).creds;
      const others = { apiKey: key, apiSecret: secret, apiPassphrase: passphrase, privateKey: PAPER_KEY };
      secrets.set(JSON.stringify(others));
    },
    "fail +credentials +The venue refuses .* of the key's own address, not .* Write new ones into the secret",
  ],
  [
    'a table that is gone',
    () => (outputs = { ...outputs, OrdersTable: 'nowhere' }),
    'fail +start +store cannot be opened at dynamodb:nowhere: .*\\. See "Restoring the table" in [^\n]*\nok +stack ',
  ],
  [
    'a table that AWS denies',
    () => denied('DYNAMODB'),
    `fail +start +store cannot be opened at dynamodb:orders: .*\\. ${PERMISSIONS}`,
  ],
  [
    'a table that does not answer',
    () => Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: NOWHERE }),
    `fail +start +store cannot be opened at dynamodb:orders: .*\\. ${NO_KEY_FIX}`,
  ],
  [
    'a table without indexes',
    () => (outputs = { ...outputs, OrdersTable: 'bare' }),
    'fail +indexes +The table bare lacks by-order and by-signing, or .* update-table --table-name bare --region eu-west-1 --attribute-definitions AttributeName=order_id,AttributeType=S --global-.*"by-order".*KEYS_ONLY.* and, once that one is ACTIVE, aws .* AttributeName=signed_on,AttributeType=S AttributeName=signed_at,AttributeType=N .*"by-signing".*"RANGE"',
  ],
  [
    'a table without one of the indexes',
    () => (outputs = { ...outputs, OrdersTable: 'half' }),
    'fail +indexes +The table half lacks by-order, or [^\n]* run aws [^\n]*"by-order"[^\n]*}]\'$',
  ],
  ['an unfinished stack', () => (status = 'UPDATE_ROLLBACK_FAILED'), 'fail +stack +The stack trading is UPDATE_ROLL'],
  ['a refused region', () => (region = 'eu-central-1'), 'fail +region +The functions run in eu-central-1, from where'],
  [
    'alarms without a subscription',
    () => (topic = { SubscriptionsConfirmed: '0' }),
    `fail +alarms +${TOPIC} has no confirmed subscription\\. Subscribe, and confirm`,
  ],
  [
    "alarms that AWS's key of SNS keeps out",
    () => (topic = { SubscriptionsConfirmed: '2', KmsMasterKeyId: 'arn:aws:kms:eu-west-1:123456789012:alias/aws/sns' }),
    `fail +alarms +${TOPIC} is encrypted by arn:.*alias/aws/sns: no alarm gets in\\. Encrypt it with a key of your own`,
  ],
  [
    "a topic with a key of one's own",
    () => (topic = { SubscriptionsConfirmed: '2', KmsMasterKeyId: 'alias/topics' }),
    `warn +alarms +${TOPIC} is encrypted by alias/topics\\. Its key's policy has to let cloudwatch.amazonaws.com `,
  ],
  [
    'a topic that AWS denies',
    () => (topic = undefined),
    `warn +alarms +${TOPIC} cannot be read \\(Authorization\\w+\\)\\. ${PERMISSIONS}`,
  ],
])('the doctor reports %s, and what to do', async (_what, arrange, line) => {
  secrets.set(deskSecret({ privateKey: PAPER_KEY }));
  outputs = { ...OUTPUTS, ClobUrl: paper.url, GammaUrl: paper.url, AlarmTopic: TOPIC };
  Object.assign(process.env, aws);
  await arrange();
  const { code, out } = await collect((terminal) => runDoctor({}, { ...terminal, args: ['--stack', STACK] }));
  expect(out).toMatch(new RegExp(`^${line}`, 'm'));
  expect(out).not.toMatch(/SERVICE_(?!CLOB_URL)|\.\./);
  expect(code).toBe(line.startsWith('fail') ? 1 : 0);
});

it('the doctor tells a stack that it cannot read, and whose settings are wrong beside a key of KMS', async () => {
  const other = await doctor('--stack', 'other');
  expect(other).toMatchObject({
    code: 1,
    out: expect.stringMatching(`^fail +start +The stack other .* ${PERMISSIONS}`),
  });
  const chain = await startVenue(() => ({ body: { jsonrpc: '2.0', id: 1, result: '0x2105' } }));
  const settings = {
    ...{ SERVICE_KMS_KEY: KMS_KEY, SERVICE_PLACE_ORDER: '1', SERVICE_CLIENT_VERIFICATION: 'required' },
    ...{ SERVICE_CLIENT_RPC_URL: chain.url, SERVICE_CLIENT_CHAIN_ID: '137' },
  };
  const { out } = await collect((terminal) => runDoctor(settings, { ...terminal, args: ['--settings', devNull] }));
  expect(out).toMatch(/^fail +start +SERVICE_CLIENT_CHAIN_ID must be .* npm start -- --help lists the settings\.$/m);
});

type Arrange = () => Readonly<Record<string, string>> | undefined | Promise<Readonly<Record<string, string>>>;

/** A secret in place of that with the API credentials alone. */
function withSecret(value: () => string | undefined): Arrange {
  return () => {
    secrets.set(value());
    return undefined;
  };
}

function withOutputs(changed: Readonly<Record<string, string>>): Arrange {
  return () => {
    outputs = changed;
    return undefined;
  };
}

it.each<readonly [what: string, Arrange, words: string | RegExp, command?: readonly string[]]>([
  ['takes a secret that is a key', withSecret(() => PAPER_KEY), 'No open orders.\n'],
  ['takes a key with API credentials', withSecret(() => deskSecret({ privateKey: PAPER_KEY })), 'No open orders.\n'],
  [
    'names an unreadable secret',
    withSecret(() => undefined),
    /^The secret trading\/key cannot be read \(InternalServiceError\): /,
  ],
  ['names a malformed secret', withSecret(() => '{"apiKey":7}'), /^The secret must be JSON/],
  [
    'refuses the API credentials of another wallet',
    async () => credentialsOf(OTHER, (await officialClient(paper, { wallet: OTHER })).creds),
    `SERVICE_WALLET_ADDRESS is not the wallet of the stack ${STACK}, which is ${OWN.address}: unset it.\n`,
    ['cancel', '--all', '--yes'],
  ],
  [
    'needs a secret without API credentials',
    withOutputs({ OrdersTable: 'orders' }),
    /^The stack trading places no orders and names no secret: set SERVICE_WALLET_ADDRESS with SERVICE_CLOB_API_KEY, /,
  ],
  ['needs a table', withOutputs({}), /^The stack trading \(UPDATE_COMPLETE\) has no output OrdersTable/],
  [
    'names an unreadable table',
    withOutputs({ ...OUTPUTS, OrdersTable: 'nowhere' }),
    'The records of orders (table nowhere) cannot be read: ResourceNotFoundException.\n',
    ['show', `0x${'0'.repeat(64)}`],
  ],
  [
    'names a missing index',
    withOutputs({ ...OUTPUTS, OrdersTable: 'bare' }),
    'The records of orders (table bare) cannot be read: its index by-order is missing or not ready: npm run doctor tells how to add it.\n',
    ['show', `0x${'0'.repeat(64)}`],
  ],
  [
    'names an unreadable stack',
    () => ({ AWS_ENDPOINT_URL_CLOUDFORMATION: NOWHERE }),
    /^The stack trading cannot be read \(\w+\): check its name, --region/,
  ],
])('%s', async (_what, arrange, words, command = ['open']) => {
  const { code, out, err } = await desk(command, await arrange());
  expect([code, out]).toStrictEqual(words === 'No open orders.\n' ? [0, '[]\n'] : [1, '']);
  expect(err).toStrictEqual(typeof words === 'string' ? words : expect.stringMatching(words));
});

it('reads no secret if the API credentials are in the environment', async () => {
  const before = secrets.reads();
  expect(await desk(['open'], credentialsOf(OWN, creds))).toMatchObject({ code: 0, out: '[]\n' });
  expect(secrets.reads()).toBe(before);
});

it('asks again for the record of a young order, and never calls it unrecorded by its absence', async () => {
  const order_id = await placed('dave', 0.31);
  const none = [{ order_id, client_address: null, recorded: null }];
  db.hideIndexes(1);
  const late = await desk(['open']);
  const known = [{ order_id, client_address: 'dave', recorded: true }];
  expect([late.code, JSON.parse(late.out)]).toMatchObject([0, known]);
  db.hideIndexes(2);
  const later = await desk(['open']);
  expect([later.code, JSON.parse(later.out)]).toMatchObject([1, none]);
  db.hideIndexes(2);
  const ofDave = await desk(['cancel', '--client', 'dave', '--yes']);
  expect(ofDave).toMatchObject({ code: 1, out: '' });
  expect(ofDave.err).toMatch(/The clients of the open orders are unknown\.\n$/);
  const { out } = await desk(['cancel', '--client', 'dave', '--yes']);
  expect(JSON.parse(out)).toMatchObject([{ order_id, client_address: 'dave', rests: false }]);
});

it('cancels the orders of a client beside one whose record may be late, and exits with 1', async () => {
  const { yes } = await plainMarket(paper);
  const { client: official } = await officialClient(paper, { wallet: OWN });
  const { orderID } = await official.createAndPostOrder({ tokenID: yes, price: 0.3, size: 5, side: Side.BUY });
  const order_id = await placed('erin', 0.31);
  const { code, out, err } = await desk(['cancel', '--client', 'erin', '--yes']);
  expect([code, JSON.parse(out)]).toMatchObject([1, [{ order_id, result: 'cancelled', rests: false }]]);
  expect(err).toContain('The clients of 1 open order are unknown.\n');
  expect(JSON.parse((await desk(['open'])).out)).toMatchObject([{ order_id: orderID, recorded: null }]);
  await desk(['cancel', '--all', '--yes']);
});

it('finds table, secret and address in the outputs of the stack, and a record on any page of the table', async () => {
  // A page of a scan ends at a megabyte.
  const long = { ...finishedOrder(PLACED), client: { address: 'c'.repeat(90_000), isVerified: false } };
  const store = createDynamoDbStore(db);
  for (let index = 0; index < 24; index += 1)
    await store.write(`key-${index}`, { ...long, orderId: `0x${index}` }, 'nothing', undefined);
  const ids = [await placed('alice'), await placed('bob')];
  await placed('carol', 0.53);
  const command = ['operator/start.js', 'orders', 'open', ...OF_DEPLOYMENT];
  const env = { ...WITH_THIS_NODE, SERVICE_CLOB_URL: paper.url, ...aws };
  const open = await runProgram(process.execPath, command, env);
  expect(open.err).toBe('2 orders on the book.\n');
  const known = { client_address_verified: true, recorded: true };
  expect(JSON.parse(open.out)).toMatchObject([
    { order_id: ids[0], client_address: 'alice', ...known },
    { order_id: ids[1], client_address: 'bob', ...known },
  ]);
  expect(described).toStrictEqual([`DescribeStacks ${STACK}`]);
  const { out } = await desk(['cancel', '--client', 'bob', '--yes']);
  expect(JSON.parse(out)).toMatchObject([{ order_id: ids[1], result: 'cancelled', rests: false }]);
  const fills = await desk(['fills', '--since', '2026-01-01', '--by-client']);
  const sums = { orders: 1, fills: 1, shares: '5', value: '2.65', fees: '0.04982' };
  expect(JSON.parse(fills.out)).toMatchObject([{ client_address: 'carol', recorded: true, ...sums }]);
});
