import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { runDoctor } from '../../../operator/doctor/command.ts';
import { createDynamoDbStore } from '../../../shared/orders/dynamodb-store.ts';
import { startDynamoDb, type TestDynamoDb } from '../../../tools/support/dynamodb.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { type SecretStore, startSecretStore } from '../../../tools/support/secret-store.ts';
import { desk as runDesk } from '../../support/operator/desk.ts';
import { finishedOrder, PLACED } from '../../support/orders/order-records.ts';
import { plainMarket, type RunningPaper, startPaper } from '../../support/venue/paper-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OWN = new Wallet(PAPER_KEY);
const [STACK, SECRET] = ['trading', 'trading/key'];

let paper: RunningPaper;
let db: TestDynamoDb;
let secrets: SecretStore;
let formation: Server;
let formationUrl: string;
let outputs: Record<string, string>;
let described: string[];
let creds: { key: string; secret: string; passphrase: string };

/** CloudFormation on loopback: one stack, and an error for any other name. */
beforeEach(async () => {
  outputs = { OrdersTable: 'orders', WalletSecret: SECRET, WalletAddress: OWN.address };
  described = [];
  formation = createServer(async (request, response) => {
    const asked = new URLSearchParams(await text(request));
    described.push(`${asked.get('Action')} ${asked.get('StackName')}`);
    const members = Object.entries(outputs).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    const found = asked.get('StackName') === STACK;
    const stack = `<StackName>${STACK}</StackName><CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>UPDATE_COMPLETE</StackStatus>`;
    response.writeHead(found ? 200 : 400, { 'content-type': 'text/xml' });
    response.end(
      found
        ? `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>${stack}<Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
        : '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>no such stack</Message></Error></ErrorResponse>',
    );
  });
  formationUrl = await listenOnLoopback(formation);
  db = await startDynamoDb();
  secrets = await startSecretStore(SECRET);
  paper = await startPaper();
  ({ creds } = await officialClient(paper, { wallet: OWN }));
});

afterEach(async () => {
  await shut(formation);
  await db.close();
  secrets.close();
});

/** Variables of the AWS SDK, which takes its endpoints from the environment of the process. */
function awsVariables(): Record<string, string> {
  return {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'invented',
    AWS_ENDPOINT_URL_CLOUDFORMATION: formationUrl,
    AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
  };
}

const OF_DEPLOYMENT = ['--stack', STACK, '--format', 'json'] as const;

/** Runs a command on the deployment, in this process. */
function desk(args: readonly string[], env: Record<string, string> = {}) {
  Object.assign(process.env, awsVariables(), env);
  const settings = { SERVICE_CLOB_URL: paper.url, ...env };
  const never = [PAPER_KEY, creds.secret, creds.passphrase];
  return runDesk([...args, ...OF_DEPLOYMENT], settings, { secrets: never });
}

/** Runs the program as `npm run orders` does. */
async function deskProcess(args: readonly string[]) {
  const env = { PATH: process.env['PATH'], SERVICE_CLOB_URL: paper.url, ...awsVariables() };
  const command = ['operator/start.js', 'orders', ...args, ...OF_DEPLOYMENT];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: ROOT, env });
  return { out: stdout, err: stderr };
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

/** Runs the doctor on the deployment; returns its exit code and its checks by id. */
async function doctor(...args: readonly string[]) {
  Object.assign(process.env, awsVariables());
  let out = '';
  const terminal = { out: (text: string) => (out += text), err: (text: string) => (out += text), args };
  const env = { SERVICE_CLOB_URL: paper.url, SERVICE_GAMMA_URL: paper.url };
  return { code: await runDoctor(env, terminal), out };
}

describe('the doctor of a deployment', () => {
  it('checks key, credentials and table of the stack', async () => {
    secrets.set(deskSecret({ privateKey: PAPER_KEY }));
    const { out } = await doctor('--stack', STACK, '--region', 'eu-west-1');
    expect(out).toMatch(new RegExp(`^ok +key +The wallet key signs for ${OWN.address}`, 'm'));
    expect(out).toMatch(/^ok +runtime +Node .*dynamodb:orders/m);
    expect(out).toMatch(/^ok +credentials /m);
    expect(out).not.toContain(PAPER_KEY);
  });

  it('fails for the key of another wallet, and without the stack', async () => {
    secrets.set(JSON.stringify({ privateKey: `0x${'7'.repeat(64)}` }));
    const { code, out } = await doctor('--stack', STACK);
    expect([code, out]).toStrictEqual([1, expect.stringContaining(`and the deployment trades with ${OWN.address}.`)]);
    expect((await doctor('--stack', 'other')).out).toMatch(/^fail +config +The stack other cannot be read/m);
    expect((await doctor('--region', 'eu-west-1')).out).toContain('--region needs --stack.');
  });
});

describe('the desk of a deployment', () => {
  it('finds table, secret and address in the outputs of the stack, also of a secret without a wallet key', async () => {
    secrets.set(deskSecret());
    const ids = [await placed('alice'), await placed('bob')];
    const open = await deskProcess(['open']);
    expect(open.err).toBe('2 orders on the book.\n');
    const known = { client_address_verified: true, recorded: true };
    expect(JSON.parse(open.out)).toMatchObject([
      { order_id: ids[0], client_address: 'alice', ...known },
      { order_id: ids[1], client_address: 'bob', ...known },
    ]);
    expect(described).toStrictEqual([`DescribeStacks ${STACK}`]);
    const { code, out } = await desk(['cancel', '--client', 'bob', '--yes']);
    expect([code, JSON.parse(out)]).toMatchObject([0, [{ order_id: ids[1], result: 'cancelled', rests: false }]]);
  }, 60_000);

  it('reports fills by client', async () => {
    secrets.set(deskSecret());
    await placed('alice', 0.53);
    await placed('bob');
    const { code, out } = await desk(['fills', '--since', '2026-01-01', '--by-client']);
    const sums = { orders: 1, fills: 1, shares: '5', value: '2.65', fees: '0.04982' };
    expect([code, JSON.parse(out)]).toMatchObject([0, [{ client_address: 'alice', recorded: true, ...sums }]]);
  });

  it('reads no secret if the API credentials are in the environment', async () => {
    const credentials = {
      SERVICE_WALLET_ADDRESS: OWN.address,
      SERVICE_CLOB_API_KEY: creds.key,
      SERVICE_CLOB_API_SECRET: creds.secret,
      SERVICE_CLOB_API_PASSPHRASE: creds.passphrase,
    };
    expect(await desk(['open'], credentials)).toMatchObject({ code: 0, out: '[]\n' });
    expect(secrets.reads()).toBe(0);
  });

  it('refuses the credentials of another wallet than that of the deployment', async () => {
    const others = new Wallet(`0x${'5e'.repeat(32)}`);
    const { creds: own } = await officialClient(paper, { wallet: others });
    const { code, out, err } = await desk(['cancel', '--all', '--yes'], {
      SERVICE_WALLET_ADDRESS: others.address.toLowerCase(),
      SERVICE_CLOB_API_KEY: own.key,
      SERVICE_CLOB_API_SECRET: own.secret,
      SERVICE_CLOB_API_PASSPHRASE: own.passphrase,
    });
    expect([code, out, err]).toStrictEqual([
      1,
      '',
      `SERVICE_WALLET_ADDRESS is not the wallet of the stack ${STACK}, which is ${OWN.address}: leave it out.\n`,
    ]);
  });

  it('names both wallets if the secret holds the key of another one', async () => {
    const { address, privateKey } = new Wallet(`0x${'5e'.repeat(32)}`);
    secrets.set(privateKey);
    expect((await desk(['open'])).err).toBe(`The wallet key is that of ${address}, not of ${OWN.address}.\n`);
  });

  it('takes a secret with a key, with or without API credentials', async () => {
    secrets.set(PAPER_KEY);
    expect(await desk(['open'])).toMatchObject({ code: 0, out: '[]\n' });
    secrets.set(deskSecret({ privateKey: PAPER_KEY }));
    expect(await desk(['open'])).toMatchObject({ code: 0 });
    outputs = { OrdersTable: 'orders' };
    expect((await desk(['open'])).err).toMatch(
      /^The stack trading places no orders and names no secret: set SERVICE_WALLET_ADDRESS with SERVICE_CLOB_API_KEY, /,
    );
  }, 60_000);

  it('names the stack, the secret or the table that cannot be read', async () => {
    expect(
      await desk(['open', '--stack', 'other'].slice(0, 1), { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:9' }),
    ).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The stack trading cannot be read \(\w+\): check its name, --region/),
    });
    secrets.set(undefined);
    expect((await desk(['open'])).err).toMatch(/^The secret trading\/key cannot be read \(InternalServiceError\): /);
    secrets.set('{"apiKey":7}');
    expect((await desk(['open'])).err).toMatch(/^The secret must be JSON/);
    secrets.set(deskSecret());
    outputs = { ...outputs, OrdersTable: 'nowhere' };
    const unread = await desk(['fills']);
    expect([unread.code, unread.out]).toStrictEqual([1, '']);
    expect(unread.err).toMatch(
      /^The records of orders \(table nowhere\) cannot be read: ResourceNotFoundException\.\n$/,
    );
    outputs = {};
    expect((await desk(['open'])).err).toMatch(/^The stack trading has no output OrdersTable/);
  }, 60_000);

  it('reads a table of several pages', async () => {
    secrets.set(deskSecret());
    const store = createDynamoDbStore(db);
    const order = finishedOrder(PLACED);
    // A page of a scan ends at a megabyte.
    const long = { ...order, client: { address: 'c'.repeat(90_000), isVerified: false } };
    for (let index = 0; index < 60; index += 1)
      await store.write(`key-${index}`, { ...long, orderId: `0x${index}` }, 'nothing', undefined);
    const id = await placed('alice');
    expect(JSON.parse((await desk(['open'])).out)).toMatchObject([{ order_id: id, client_address: 'alice' }]);
  }, 60_000);
});
