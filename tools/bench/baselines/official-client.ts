import { createServer } from 'node:http';
import { Chain, ClobClient, Side } from '@polymarket/clob-client-v2';
import { createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { polygon } from 'viem/chains';

/**
 * The venue's own client, as its documentation shows it: a viem wallet (its fastest signer), API credentials given, tick
 * size, neg-risk and version asked for once and kept. `first` places one order and says how long that took; otherwise
 * orders are placed on demand, 10 at a time, without an HTTP server in between.
 */
const { BENCH_VENUE_URL = '', BENCH_TOKEN_ID = '', BENCH_MODE } = process.env;
const [key = '', secret = '', passphrase = ''] = (process.env['BENCH_CREDENTIALS'] ?? '').split(' ');
const CONCURRENCY = 10;

const account = privateKeyToAccount(`0x${process.env['BENCH_PRIVATE_KEY']}`);
const client = new ClobClient({
  host: BENCH_VENUE_URL,
  chain: Chain.POLYGON,
  signer: createWalletClient({ account, chain: polygon, transport: http('http://127.0.0.1:9') }),
  creds: { key, secret, passphrase },
});

async function place(): Promise<boolean> {
  const order = { tokenID: BENCH_TOKEN_ID, price: 0.51, size: 10, side: Side.BUY };
  const { success } = await client.createAndPostOrder(order, {}, undefined, true);
  return success;
}

async function placeFor(seconds: number) {
  let [orders, errors] = [0, 0];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  const placeOn = async () => {
    while (performance.now() < end) {
      if (await place()) orders += 1;
      else errors += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, placeOn));
  return { rate: (orders * 1000) / (performance.now() - startedAt), errors };
}

if (BENCH_MODE === 'first') {
  const loadedAt = performance.now();
  const errors = (await place()) ? 0 : 1;
  const endedAt = performance.now();
  process.stdout.write(JSON.stringify({ order: endedAt - loadedAt, errors }));
} else {
  const server = createServer(async (request, response) => {
    response.end(JSON.stringify(await placeFor(Number(request.url?.slice(1)))));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
  });
}
