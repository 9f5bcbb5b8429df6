import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { type OrderEvent, orderEvent } from '../../operator/follow/event.ts';
import { createHandler } from '../../operator/topic/handler.ts';
import { openKeptState } from '../../operator/topic/kept-state.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { createOrdersTable, startDynamoDb, type TestDynamoDb } from '../../tools/support/dynamodb.ts';
import { listenOnLoopback, shut } from '../../tools/support/loopback.ts';
import { officialClient } from '../../tools/support/paper-client.ts';
import { type SecretStore, startSecretStore } from '../../tools/support/secret-store.ts';
import { finishedOrder, PLACED } from '../support/orders/order-records.ts';
import { plainMarket, type RunningPaper, sharedPaper } from '../support/venue/paper-venue.ts';

const TABLE = 'orders-with-index';

let db: TestDynamoDb;
let paper: RunningPaper;
let secrets: SecretStore;
let topic: Server;
/** The status of the next answers, and how often entries are refused. */
let [status, refusals] = [200, 0];
let published: { readonly event: OrderEvent; readonly attributes: object }[] = [];

/** SNS on loopback, which takes batches, and may refuse the first entry of one. Returns the refused ids. */
function takeBatch(body: URLSearchParams): readonly string[] {
  const refused: string[] = [];
  for (let entry = 1; ; entry += 1) {
    const name = `PublishBatchRequestEntries.member.${entry}`;
    const message = body.get(`${name}.Message`);
    if (message === null) return refused;
    const attributes: Record<string, string> = {};
    for (let index = 1; body.has(`${name}.MessageAttributes.entry.${index}.Name`); index += 1) {
      const at = `${name}.MessageAttributes.entry.${index}`;
      attributes[body.get(`${at}.Name`) ?? ''] = body.get(`${at}.Value.StringValue`) ?? '';
    }
    if (entry === 1 && refusals > 0) {
      refusals -= 1;
      refused.push(body.get(`${name}.Id`) ?? '');
    } else published.push({ event: orderEvent.parse(JSON.parse(message)), attributes });
  }
}

beforeAll(async () => {
  topic = createServer(async (request, response) => {
    const body = new URLSearchParams(await text(request));
    const refused = status === 200 ? takeBatch(body) : [];
    const failed = refused.map(
      (id) => `<member><Id>${id}</Id><Code>InternalError</Code><SenderFault>false</SenderFault></member>`,
    );
    response.writeHead(status, { 'content-type': 'text/xml' });
    response.end(
      `<PublishBatchResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishBatchResult><Failed>${failed.join('')}</Failed></PublishBatchResult></PublishBatchResponse>`,
    );
  });
  db = await startDynamoDb();
  secrets = await startSecretStore('trading/key');
  paper = await sharedPaper();
  await createOrdersTable(db.client, TABLE);
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'invented',
    AWS_ENDPOINT_URL_SNS: await listenOnLoopback(topic),
    AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    // There is none: a signature of KMS would fail.
    AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:9',
  });
  table = createDynamoDbStore({ ...db, tableName: TABLE });
});

afterAll(async () => {
  await shut(topic);
  await db.close();
  secrets.close();
});

const ALICE = { address: 'alice', isVerified: true };
const NAMES = { client_address: 'alice', client_address_verified: 'true' };
let table: ReturnType<typeof createDynamoDbStore>;

interface Placing {
  readonly client?: OrderRecord['client'];
  readonly signedAt?: number;
  readonly isRecorded?: boolean;
}

/** Places an order of five shares that is filled at once, by default with a record of a verified client. */
async function buy(wallet: Wallet, { client = ALICE, signedAt = Date.now(), isRecorded = true }: Placing = {}) {
  const { client: official } = await officialClient(paper, { wallet });
  const { yes, conditionId } = await plainMarket(paper);
  const { orderID } = await official.createAndPostOrder({ tokenID: yes, price: 0.53, size: 5, side: Side.BUY });
  const record = { ...finishedOrder(PLACED, Date.now() + 9e9), client, signedAt, orderId: orderID, conditionId };
  if (isRecorded) await table.write(orderID, record, 'nothing');
  return orderID;
}

let wallets = 0;

/** Makes a wallet with its function. Each has a state of its own. */
function deploy(more: Environment = {}, now: () => number = Date.now) {
  wallets += 1;
  const wallet = new Wallet(`0x${String(wallets).padStart(64, 'a')}`);
  secrets.set(wallet.privateKey);
  const env = {
    SERVICE_CLOB_URL: paper.url,
    SERVICE_GAMMA_URL: paper.url,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: wallet.address,
    SERVICE_PRIVATE_KEY_SECRET: 'trading/key',
    SERVICE_STORE: `dynamodb:${TABLE}`,
    SERVICE_LOG_LEVEL: 'error',
    FILLS_TOPIC: 'arn:aws:sns:eu-west-1:123456789012:fills',
    ...more,
  };
  const run = createHandler(env, now);
  const types = () => published.map(({ event: { type, data } }) => `${type} ${data.order_id}`);
  return { wallet, run, types, fresh: () => createHandler(env, now) };
}

/** The clock of a function whose index has caught up with its table. */
const later = () => Date.now() + 10_000;

describe('the function of events', () => {
  beforeEach(() => {
    [published, status, refusals] = [[], 200, 0];
  });

  it('publishes what becomes of the orders, with the attributes that subscribers filter by', async () => {
    const { wallet, run } = deploy({}, later);
    const id = await buy(wallet);
    await run();
    const data = { order_id: id, size: '5', question: 'Will the Copper Lake ferry run on Founders Day?' };
    expect(published).toMatchObject([
      { event: { type: 'order.filled', data }, attributes: { type: 'order.filled', ...NAMES } },
      { event: { type: 'order.settled', data }, attributes: { type: 'order.settled', ...NAMES } },
    ]);
    await run();
    expect(published).toHaveLength(2);
  });

  it.each<[string, Placing, object]>([
    ['a claim', { client: { address: 'alice', isVerified: false } }, { ...NAMES, client_address_verified: 'false' }],
    ['no client', { client: null }, {}],
    ['no record', { isRecorded: false }, {}],
  ])('publishes no unproven attribute of an order with %s', async (_, placing, attributes) => {
    const { wallet, run } = deploy({}, later);
    await buy(wallet, placing);
    await run();
    expect(published.map((entry) => entry.attributes)).toStrictEqual([
      { type: 'order.filled', ...attributes },
      { type: 'order.settled', ...attributes },
    ]);
  });

  it('fails where the venue or the table cannot be read, so that its alarm rings', async () => {
    for (const more of [{ SERVICE_CLOB_URL: 'http://127.0.0.1:9' }, { SERVICE_STORE: 'dynamodb:no-such-table' }])
      await expect(deploy(more).run()).rejects.toThrow();
  });

  it('publishes again what the topic did not take', async () => {
    const { wallet, run, types } = deploy({}, later);
    const id = await buy(wallet);
    status = 503;
    await expect(run()).rejects.toThrow();
    [status, refusals] = [200, 2];
    await run();
    expect(types()).toStrictEqual([`order.settled ${id}`, `order.filled ${id}`]);
    published = [];
    const second = await buy(wallet);
    refusals = 3;
    await expect(run()).rejects.toThrow('The topic did not take 1 events.');
    await run();
    expect(types()).toStrictEqual([`order.settled ${second}`, `order.filled ${second}`, `order.settled ${second}`]);
  });

  it('reports what happened since its last run, and at its first run the last two minutes', async () => {
    let now = Date.now() - 3_600_000;
    const { wallet, run, types } = deploy({}, () => now);
    // The first call creates the API credentials.
    await officialClient(paper, { wallet });
    await run();
    const id = await buy(wallet);
    now = Date.now() + 3_600_000;
    await run();
    expect(types()).toStrictEqual([`order.filled ${id}`, `order.settled ${id}`]);
    const late = deploy({}, () => Date.now() + 60_000);
    const second = await buy(late.wallet);
    published = [];
    await late.run();
    expect(types()).toStrictEqual([`order.filled ${second}`, `order.settled ${second}`]);
  });

  it('waits for the record of a young trade', async () => {
    const { wallet, run } = deploy();
    await buy(wallet);
    await run();
    expect(published).toStrictEqual([]);
  });

  it('finds a record that a machine with a clock ahead has dated tomorrow', async () => {
    const { wallet, run } = deploy({}, later);
    await buy(wallet, { signedAt: Math.ceil(Date.now() / 86_400_000) * 86_400_000 + 1_000 });
    await run();
    expect(published[0]?.attributes).toMatchObject(NAMES);
  });

  it('loses and repeats no event if two runs overlap', async () => {
    const { wallet, run, fresh, types } = deploy({}, later);
    await officialClient(paper, { wallet });
    await run();
    const id = await buy(wallet);
    await Promise.all([run(), fresh()()]);
    expect(new Set(types())).toStrictEqual(new Set([`order.filled ${id}`, `order.settled ${id}`]));
    published = [];
    await run();
    expect(published).toStrictEqual([]);
  });

  it('saves a state only over the one that it has loaded, and refuses one that is too large', async () => {
    const kept = openKeptState(TABLE, 'account', {});
    const [one, two] = [1, 2].map((revision) => ({ revision, text: `state ${revision}` }));
    if (!one || !two) throw new Error('no states');
    expect([await kept.load(), await kept.save(one, undefined), await kept.save(two, undefined)]).toStrictEqual([
      undefined,
      true,
      false,
    ]);
    expect([await kept.save(two, one), await kept.save(two, one), await kept.load()]).toStrictEqual([true, false, two]);
    const text = randomBytes(400_000).toString('base64');
    await expect(kept.save({ revision: 3, text }, two)).rejects.toThrow(/^The follower's state does not fit/);
  });

  it('resumes at the time of its last save if its state is damaged', async () => {
    const { wallet, run, types } = deploy({}, later);
    await officialClient(paper, { wallet });
    await run();
    // A state is of one wallet at one venue.
    const kept = openKeptState(TABLE, `${wallet.address.toLowerCase()} ${new URL(paper.url).host}`, {});
    const saved = await kept.load();
    if (!saved) throw new Error('the run has saved no state');
    expect(await kept.save({ ...saved, text: '{"version":2}' }, saved)).toBe(true);
    const id = await buy(wallet);
    await run();
    expect(types()).toStrictEqual([`order.filled ${id}`, `order.settled ${id}`]);
  });

  it('signs nothing where the secret has API credentials', async () => {
    const { wallet, run, types } = deploy(
      {
        SERVICE_PRIVATE_KEY_SECRET: undefined,
        SERVICE_KMS_KEY: 'alias/none',
        SERVICE_CREDENTIALS_SECRET: 'trading/key',
      },
      later,
    );
    const { creds } = await officialClient(paper, { wallet });
    const id = await buy(wallet);
    secrets.set(JSON.stringify({ apiKey: creds.key, apiSecret: creds.secret, apiPassphrase: creds.passphrase }));
    await run();
    expect(types()).toStrictEqual([`order.filled ${id}`, `order.settled ${id}`]);
  });
});
