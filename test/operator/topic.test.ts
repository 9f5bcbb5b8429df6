import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { createHandler } from '../../operator/topic/handler.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import { SIGNED_INDEX } from '../../shared/settings/formats.ts';
import { startDynamoDb, type TestDynamoDb } from '../../tools/support/dynamodb.ts';
import { listenOnLoopback, shut } from '../../tools/support/loopback.ts';
import { officialClient } from '../../tools/support/paper-client.ts';
import { PAPER_KEY } from '../../tools/support/paper-settings.ts';
import { type SecretStore, startSecretStore } from '../../tools/support/secret-store.ts';
import { finishedOrder, PLACED } from '../support/orders/order-records.ts';
import { plainMarket, type RunningPaper, startPaper } from '../support/venue/paper-venue.ts';

const OWN = new Wallet(PAPER_KEY);
const TABLE = 'orders-with-index';

let db: TestDynamoDb;
let paper: RunningPaper;
let secrets: SecretStore;
let topic: Server;
let isDown = false;
const published: { readonly event: { id: string; type: string; data: object }; readonly attributes: object }[] = [];

/** SNS on loopback, which takes batches. */
async function takeBatch(body: URLSearchParams): Promise<void> {
  for (let entry = 1; ; entry += 1) {
    const name = `PublishBatchRequestEntries.member.${entry}`;
    const message = body.get(`${name}.Message`);
    if (message === null) return;
    const attributes: Record<string, string> = {};
    for (let index = 1; body.has(`${name}.MessageAttributes.entry.${index}.Name`); index += 1) {
      const at = `${name}.MessageAttributes.entry.${index}`;
      attributes[body.get(`${at}.Name`) ?? ''] = body.get(`${at}.Value.StringValue`) ?? '';
    }
    published.push({ event: JSON.parse(message), attributes });
  }
}

beforeAll(async () => {
  topic = createServer(async (request, response) => {
    const body = new URLSearchParams(await text(request));
    if (!isDown) await takeBatch(body);
    response.writeHead(isDown ? 503 : 200, { 'content-type': 'text/xml' });
    response.end(
      '<PublishBatchResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishBatchResult></PublishBatchResult></PublishBatchResponse>',
    );
  });
  db = await startDynamoDb();
  secrets = await startSecretStore('trading/key');
  paper = await startPaper();
  const attributes = { idempotency_key: 'S', [SIGNED_INDEX.day]: 'S', [SIGNED_INDEX.time]: 'N' } as const;
  const index = {
    IndexName: SIGNED_INDEX.name,
    KeySchema: [
      { AttributeName: SIGNED_INDEX.day, KeyType: 'HASH' as const },
      { AttributeName: SIGNED_INDEX.time, KeyType: 'RANGE' as const },
    ],
    Projection: { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: ['record'] },
  };
  await new DynamoDBClient(db.client).send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries(attributes).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: [{ AttributeName: 'idempotency_key', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [index],
    }),
  );
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'invented',
    AWS_ENDPOINT_URL_SNS: await listenOnLoopback(topic),
    AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
  });
});

afterAll(async () => {
  await shut(topic);
  await db.close();
  secrets.close();
});

describe('the function of the topic of fills', () => {
  it('publishes what becomes of the orders once it is told, and repeats what the topic did not take', async () => {
    const { client: official } = await officialClient(paper, { wallet: OWN });
    secrets.set(PAPER_KEY);
    const env = {
      SERVICE_CLOB_URL: paper.url,
      SERVICE_GAMMA_URL: paper.url,
      SERVICE_PLACE_ORDER: '1',
      SERVICE_WALLET_ADDRESS: OWN.address,
      SERVICE_PRIVATE_KEY_SECRET: 'trading/key',
      SERVICE_ORDERS_TABLE: TABLE,
      SERVICE_LOG_LEVEL: 'error',
      FILLS_TOPIC: 'arn:aws:sns:eu-west-1:123456789012:fills',
    };
    // The index follows its table within seconds: the clock of the function is ahead of the trades.
    const run = createHandler(env, () => Date.now() + 10_000);
    await run();
    expect(published).toStrictEqual([]);
    // A table that is marked by nothing but the follower would be refused by the store.
    const store = createDynamoDbStore({ ...db, tableName: TABLE });
    const { yes } = await plainMarket(paper);
    const { orderID } = await official.createAndPostOrder({ tokenID: yes, price: 0.53, size: 5, side: Side.BUY });
    const record = { ...finishedOrder(PLACED, Date.now() + 9e9), signedAt: Date.now(), orderId: orderID };
    expect(await store.write('key', { ...record, client: { address: 'alice', isVerified: true } }, 'nothing')).toBe(
      'written',
    );
    isDown = true;
    await expect(run()).rejects.toThrow();
    isDown = false;
    await run();
    const attributes = { client_address: 'alice', client_address_verified: 'true' };
    expect(published).toMatchObject([
      {
        event: { type: 'order.filled', data: { order_id: orderID, size: '5', trade_id: expect.any(String) } },
        attributes: { type: 'order.filled', ...attributes },
      },
      { event: { type: 'order.settled' }, attributes: { type: 'order.settled', ...attributes } },
    ]);
    await run();
    expect(published).toHaveLength(2);
  }, 60_000);
});
