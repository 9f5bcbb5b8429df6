import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AssetType, Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { type Service, startService } from '../../../local/service/service.ts';
import { fromDecimal, notional, toDecimal } from '../../../packages/paper-venue/exchange/millionths.ts';
import { createPaperVenue, type PaperVenue } from '../../../packages/paper-venue/venue.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY, paperSettings } from '../../../tools/support/paper-settings.ts';
import { createRandom } from '../../../tools/support/random.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { deskRows } from '../../support/operator/desk.ts';

/** Random orders of 7 clients and of a stranger, in four markets: each seed is another history. */
const SEED = Number(process.env['DESK_SEED'] ?? '1');
const ORDERS = FULL_EXTENT ? 2_000 : 150;
const CLIENTS = Array.from({ length: 7 }, (_, index) => (index === 0 ? null : `client-${index}`));
const GIVEN = 10_000_000;

const answer = z.object({ order_id: z.string(), filled_size: z.string(), filled_value: z.string() });
const markets = z.object({
  items: z.array(
    z.object({
      neg_risk: z.boolean(),
      best_bid: z.string().nullable(),
      outcomes: z.array(z.object({ token_id: z.string() })),
    }),
  ),
});
const fill = z.object({
  client_address: z.string().nullable(),
  order_id: z.string(),
  trade_id: z.string(),
  side: z.enum(['buy', 'sell']),
  size: z.string(),
  value: z.string(),
  fee: z.string().nullable(),
  status: z.string(),
});
type Fill = z.infer<typeof fill>;
let folder = '';
let venue: PaperVenue;
let service: Service;
let env: Environment;
let venueUrl = '';
let tokens: readonly string[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
/** The answer of the service to each order, with its client and its price. */
const placed = new Map<
  string,
  { client: string | null; price: bigint; atOnce: bigint; valueAtOnce: bigint; token: string; side: string }
>();

async function post(body: object, client: string | null): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...(client !== null && { 'x-client-address': client }) };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const sent = request(`${service.url}/v1/orders`, { method: 'POST', agent, headers }, (response) => {
    text(response).then((body) => resolve(JSON.parse(body)), reject);
  });
  sent.on('error', reject).end(JSON.stringify(body));
  return promise;
}

const random = createRandom(SEED);
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));

/** An order near the middle of the book, of some shares and hundredths. */
function someOrder() {
  return {
    token: random.pick(tokens),
    side: random.pick(['buy', 'sell'] as const),
    cents: between(44, 58),
    lots: between(500, 2_500),
  };
}

async function place(): Promise<void> {
  const { token, side, cents, lots } = someOrder();
  const [price, size] = [toDecimal(BigInt(cents) * 10_000n), toDecimal(BigInt(lots) * 10_000n)];
  const client = random.pick(CLIENTS);
  const { success, data } = answer.safeParse(await post({ token_id: token, side, price, size }, client));
  // Refused, for example below the dollar of a marketable order.
  if (!success) return;
  const [atOnce, valueAtOnce] = [fromDecimal(data.filled_size), fromDecimal(data.filled_value)];
  placed.set(data.order_id, { client, price: fromDecimal(price), atOnce, valueAtOnce, token, side });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'desk-ledger-'));
  venue = createPaperVenue({ still: true, faucet: { collateral: GIVEN, shares: GIVEN } });
  ({ url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 }));
  const settings = paperSettings(venueUrl, folder);
  service = await startService({ ...settings, SERVICE_LOG_LEVEL: 'error' }, { write: () => undefined });
  const { SERVICE_PORT: _port, SERVICE_PLACE_ORDER: _optIn, ...own } = settings;
  env = own;
  const { items } = markets.parse(await (await fetch(`${service.url}/v1/markets?limit=500`)).json());
  const middle = items.filter(({ best_bid }) => Number(best_bid) > 0.2 && Number(best_bid) < 0.8);
  const [plain, negRisk] = [middle.filter((one) => !one.neg_risk), middle.filter((one) => one.neg_risk)];
  tokens = [...plain.slice(0, 3), ...negRisk.slice(0, 1)].flatMap(({ outcomes }) =>
    outcomes.map(({ token_id }) => token_id),
  );
  const { client: stranger } = await officialClient({ url: venueUrl }, { wallet: new Wallet(`0x${'3c'.repeat(32)}`) });
  const { client: ours } = await officialClient({ url: venueUrl }, { wallet: new Wallet(PAPER_KEY) });
  while (placed.size < ORDERS) {
    await Promise.all(Array.from({ length: 8 }, place));
    const { token, side, cents, lots } = someOrder();
    const order = { tokenID: token, price: cents / 100, size: lots / 100, side: side === 'buy' ? Side.BUY : Side.SELL };
    await stranger.createAndPostOrder(order).catch(() => undefined);
    await ours.cancelOrder({ orderID: random.pick([...placed.keys()]) });
  }
}, 300_000);

afterAll(async () => {
  agent.destroy();
  await service.stop();
  await venue.close();
  await rm(folder, { recursive: true, force: true });
});

async function fillsNow(args: readonly string[] = []): Promise<readonly Fill[]> {
  const { code, rows } = await deskRows(['fills', ...args], env);
  expect(code).toBe(0);
  return z.array(fill).parse(rows);
}

function sum(fills: readonly Fill[], of: (fill: Fill) => bigint): bigint {
  return fills.reduce((total, one) => total + of(one), 0n);
}

const sizeOf = ({ size }: Fill) => fromDecimal(size);
const worthOf = ({ value }: Fill) => fromDecimal(value);
const feeOf = ({ fee }: Fill) => fromDecimal(fee ?? 'no fee');
const signed = (text: string) => (text.startsWith('-') ? -fromDecimal(text.slice(1)) : fromDecimal(text));
const sign = ({ side }: Fill) => (side === 'buy' ? 1n : -1n);

describe(`the report of ${ORDERS} orders of ${CLIENTS.length} clients (seed ${SEED})`, () => {
  it('is the ledger of the venue, to the millionth', async () => {
    const fills = await fillsNow();
    expect(new Set(fills.map(({ order_id, trade_id }) => `${order_id} ${trade_id}`)).size).toBe(fills.length);
    const { client } = await officialClient({ url: venueUrl }, { wallet: new Wallet(PAPER_KEY) });
    const { balance } = await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
    const paid = sum(fills, (one) => sign(one) * worthOf(one) + feeOf(one));
    expect(BigInt(GIVEN) * 1_000_000n - paid).toBe(BigInt(balance));
    for (const token_id of tokens) {
      const held = await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id });
      const own = fills.filter(({ order_id }) => placed.get(order_id)?.token === token_id);
      expect(BigInt(held.balance) - BigInt(GIVEN) * 1_000_000n).toBe(sum(own, (one) => sign(one) * sizeOf(one)));
    }
    for (const args of [['positions'], ['positions', '--by-client']]) {
      const { rows } = await deskRows(args, env);
      const total = (name: string, own = rows) => own.reduce((all, row) => all + signed(String(row[name])), 0n);
      for (const token_id of tokens) {
        const held = await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id });
        const own = rows.filter((one) => one['token_id'] === token_id);
        const net = BigInt(held.balance) - BigInt(GIVEN) * 1_000_000n;
        expect([total('bought', own) - total('sold', own), total('net', own)]).toStrictEqual([net, net]);
      }
      expect([total('value'), total('fees')]).toStrictEqual([sum(fills, worthOf), sum(fills, feeOf)]);
    }
    // Both kinds of part are among them, and trades in which two of our own orders met.
    expect(fills.some(({ fee }) => fee === '0') && fills.some(({ fee }) => fee !== '0')).toBe(true);
    expect(new Set(fills.map(({ trade_id }) => trade_id)).size).toBeLessThan(fills.length);
  }, 60_000);

  it('has for each client the shares and the value of its orders at the service and the venue', async () => {
    const { rows } = await deskRows(['fills', '--by-client'], env);
    const expected = new Map<string | null, readonly [shares: bigint, value: bigint]>();
    for (const { id, size_matched } of venue.orders()) {
      const order = placed.get(id);
      if (!order || size_matched === '0') continue;
      const [shares, value] = expected.get(order.client) ?? [0n, 0n];
      const matched = fromDecimal(size_matched);
      // The rest of an order is filled later, at its own price.
      const worth = order.valueAtOnce + notional(matched - order.atOnce, order.price);
      expected.set(order.client, [shares + matched, value + worth]);
    }
    const told = rows.map(({ client_address: client, shares, value }) => [
      client,
      [shares, value].map(String).map(fromDecimal),
    ]);
    expect(told.toSorted()).toStrictEqual([...expected].toSorted());
    expect(expected.size).toBe(CLIENTS.length);
  }, 60_000);

  it('counts no failed trade', async () => {
    const before = await fillsNow();
    const failed = new Set(before.filter(() => random() < 0.1).map(({ trade_id }) => trade_id));
    for (const id of failed) {
      const body = JSON.stringify({ id, status: 'FAILED' });
      expect((await fetch(`${venueUrl}/paper/trades`, { method: 'POST', body })).status).toBe(200);
    }
    const kept = before.filter(({ trade_id }) => !failed.has(trade_id));
    const bought = kept.filter(({ side }) => side === 'buy');
    const sums = [
      sum(kept, (one) => sign(one) * sizeOf(one)),
      sum(bought, sizeOf),
      sum(kept, worthOf),
      sum(kept, feeOf),
    ];
    for (const args of [['fills', '--by-client'], ['positions']]) {
      const { rows } = await deskRows(args, env);
      const total = (name: string) => rows.reduce((all, row) => all + signed(String(row[name])), 0n);
      expect(['net', 'bought', 'value', 'fees'].map(total)).toStrictEqual(sums);
    }
    const ofClient = before.filter(({ client_address }) => client_address === 'client-3');
    const after = await fillsNow(['--client', 'client-3']);
    expect(after.map(({ trade_id, status }) => [trade_id, status])).toStrictEqual(
      ofClient.map(({ trade_id }) => [trade_id, failed.has(trade_id) ? 'failed' : 'confirmed']),
    );
  }, 60_000);
});
