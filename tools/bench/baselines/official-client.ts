import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Chain, ClobClient, Side } from '@polymarket/clob-client-v2';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { polygon } from 'viem/chains';
import { listenOnLoopback } from '../../support/loopback.ts';
import { CREDENTIALS, PRIVATE_KEY, TOKEN_ID } from '../venue/records.ts';

/**
 * The venue's own client, as its documentation shows it: a viem wallet (its fastest signer), API credentials given, tick
 * size, neg-risk and version asked for once and kept. It writes and flushes a line before and after each order, as a bot must
 * to know after a crash what it sent: the disk then counts on both sides. Orders are placed on demand, without an HTTP server
 * in between: the path is a number of seconds, in which ten are placed at a time. In 0 seconds one is placed.
 */
const CONCURRENCY = 10;

const account = privateKeyToAccount(PRIVATE_KEY);
const client = new ClobClient({
  host: process.argv[2] ?? '',
  chain: Chain.POLYGON,
  signer: createWalletClient({ account, chain: polygon, transport: http('http://127.0.0.1:9') }),
  creds: CREDENTIALS,
});

const records = openSync(`${process.env['SERVICE_STORE']}`, 'a');

let lines = '';
let flushed: Promise<void> | undefined;

async function flush(): Promise<void> {
  // As the service does: the orders of one turn share a flush.
  await setImmediate();
  flushed = undefined;
  writeSync(records, lines);
  lines = '';
  fdatasyncSync(records);
}

async function keep(record: object): Promise<void> {
  lines += `${JSON.stringify(record)}\n`;
  flushed ??= flush();
  await flushed;
}

/** Returns the rate a second. An order that is not placed ends the process. */
async function placeFor(seconds: number): Promise<number> {
  let orders = 0;
  const startedAt = performance.now();
  const placeOn = async () => {
    do {
      const order = { tokenID: TOKEN_ID, price: 0.51, size: 10, side: Side.BUY };
      await keep(order);
      const result = await client.createAndPostOrder(order, {}, undefined, true);
      await keep(result);
      if (!result.success) throw new Error('An order of the official client was not placed.');
      orders += 1;
    } while (performance.now() < startedAt + seconds * 1000);
  };
  await Promise.all(Array.from({ length: seconds === 0 ? 1 : CONCURRENCY }, placeOn));
  return (orders * 1000) / (performance.now() - startedAt);
}

const server = createServer(async ({ url }, response) => {
  response.end(String(await placeFor(Number(url?.slice(1)))));
});
process.stdout.write(`${await listenOnLoopback(server)}\n`);
