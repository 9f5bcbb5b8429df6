import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { openStore } from '../../../local/service/open-store.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { startProgram } from '../../support/service/program.ts';
import { until } from '../../support/until.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'open-store-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a table that is missing stops the start', async () => {
  const { client, close } = await startDynamoDb();
  const env = { ...process.env };
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL_DYNAMODB: client.endpoint, AWS_REGION: 'eu-west-1' },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  });
  const opening = openStore({ store: 'dynamodb:missing' });
  await expect(opening).rejects.toThrow('SERVICE_STORE cannot be opened at dynamodb:missing');
  process.env = env;
  await close();
});

it('a second process cannot open the store; after a kill the next one finds the key, and the line of the order was logged', async () => {
  const { venue, url } = await startPaper();
  const settings = { ...paperSettings(url, folder), SERVICE_PORT: '0' };
  const start = () =>
    startProgram({
      command: process.execPath,
      args: ['local/start.js', '--settings', devNull],
      cwd: ROOT,
      env: settings,
    });
  const { tokenId: token_id, price, size } = venue.suggestOrder();
  const place = async (service: { readonly url: string }) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'key', 'x-request-id': 'r-1' };
    const body = JSON.stringify({ token_id, side: 'buy', price, size, post_only: true });
    const response = await fetch(`${service.url}/v1/orders`, { method: 'POST', headers, body });
    return { ...JSON.parse(await response.text()), status: response.status };
  };
  const service = await start();
  await expect(start()).rejects.toThrow(
    `SERVICE_STORE cannot be opened at ${settings.SERVICE_STORE}: process ${service.child.pid} has it open; stop that process, or set another SERVICE_STORE.`,
  );
  venue.arm({ method: 'POST', path: '/order', fault: 'hang-after' });
  const cut = place(service).catch(() => undefined);
  await until(() => venue.orders().length > 0);
  await service.kill();
  await cut;
  const order_id = venue.orders()[0]?.id;
  const signed = service.output.map((line) => JSON.parse(line)).find(({ message }) => message === 'order signed');
  expect(signed).toMatchObject({ order_id, request_id: 'r-1' });
  expect(await place(await start())).toMatchObject({ status: 201, order_id });
  expect(venue.orders()).toHaveLength(1);
});
