import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AssetType, Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { createClient } from '../../../packages/client/client.ts';
import { fromDecimal } from '../../../packages/paper-venue/exchange/millionths.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY, paperSettings } from '../../../tools/support/paper-settings.ts';
import { createRandom } from '../../../tools/support/random.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { deskRows } from '../../support/operator/desk.ts';
import { sharedPaperService } from '../../support/service/paper-service.ts';

/** Random orders of 7 clients and of a stranger, in four markets: each seed is another history. */
const SEED = Number(process.env['DESK_SEED'] ?? '1');
const ORDERS = FULL_EXTENT ? 500 : 60;
const CLIENTS = [null, ...Array.from({ length: 6 }, (_, index) => `client-${index + 1}`)];
const GIVEN = 10_000_000;

const text = z.string();
const fill = z.object({
  ...{ client_address: z.nullable(text), order_id: text, trade_id: text, side: z.enum(['buy', 'sell']) },
  ...{ size: text, value: text, fee: text },
});
type Fill = z.infer<typeof fill>;

const folder = await mkdtemp(join(tmpdir(), 'desk-ledger-'));
const store = { SERVICE_STORE: join(folder, 'orders.db') };
const service = sharedPaperService(store, { faucet: { collateral: GIVEN, shares: GIVEN } });
let env: Environment;
let tokens: readonly string[] = [];
/** The orders that the service placed. */
const placed = new Map<string, { readonly token: string; readonly client: string | null }>();

const random = createRandom(SEED);
const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));

/** An order near the middle of the book, of some shares and hundredths. */
function someOrder() {
  const side = random.pick(['buy', 'sell'] as const);
  return { token: random.pick(tokens), side, price: between(44, 58) / 100, size: between(500, 2_500) / 100 };
}

beforeAll(async () => {
  const { url, venueUrl } = service();
  const { SERVICE_PORT: _port, SERVICE_PLACE_ORDER: _optIn, ...own } = paperSettings(venueUrl, folder);
  env = { ...own, ...store };
  const desk = createClient({ baseUrl: url });
  const { items } = await desk.markets({ limit: 500 });
  const middle = items.filter(({ best_bid }) => Number(best_bid) > 0.2 && Number(best_bid) < 0.8);
  const [plain, negRisk] = [middle.filter((one) => !one.neg_risk), middle.filter((one) => one.neg_risk)];
  tokens = [...plain.slice(0, 3), ...negRisk.slice(0, 1)].flatMap(({ outcomes }) =>
    outcomes.map(({ token_id }) => token_id),
  );
  const { client: stranger } = await officialClient({ url: venueUrl }, { wallet: new Wallet(`0x${'3c'.repeat(32)}`) });
  const { client: ours } = await officialClient({ url: venueUrl }, { wallet: new Wallet(PAPER_KEY) });
  const place = async () => {
    const { token, side, price, size } = someOrder();
    const client = random.pick(CLIENTS);
    const order = { token_id: token, side, price: String(price), size: String(size) };
    const options = client === null ? {} : { clientAddress: client };
    // Refused, for example below the dollar of a marketable order.
    const answer = await desk.placeOrder(order, options).catch(() => undefined);
    if (answer) placed.set(answer.order_id, { token, client });
  };
  while (placed.size < ORDERS) {
    await Promise.all(Array.from({ length: 8 }, place));
    const { token: tokenID, side, price, size } = someOrder();
    const order = { tokenID, price, size, side: side === 'buy' ? Side.BUY : Side.SELL };
    await stranger.createAndPostOrder(order).catch(() => undefined);
    await ours.cancelOrder({ orderID: random.pick([...placed.keys()]) });
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function sum<T>(rows: readonly T[], of: (row: T) => bigint): bigint {
  return rows.reduce((total, one) => total + of(one), 0n);
}

const signed = (text: unknown) =>
  fromDecimal(String(text).replace('-', '')) * (String(text).startsWith('-') ? -1n : 1n);
const sizeOf = ({ side, size }: Fill) => signed(size) * (side === 'buy' ? 1n : -1n);
const worthOf = ({ value }: Fill) => signed(value);
const feeOf = ({ fee }: Fill) => signed(fee);

it(`reports ${ORDERS} orders as the ledger of the venue has them, to the millionth (seed ${SEED})`, async () => {
  const report = await deskRows(['fills'], env);
  expect(report.code).toBe(0);
  const fills = z.array(fill).parse(report.rows);
  expect(new Set(fills.map(({ order_id, trade_id }) => `${order_id} ${trade_id}`)).size).toBe(fills.length);
  const { client } = await officialClient({ url: service().venueUrl }, { wallet: new Wallet(PAPER_KEY) });
  const { balance } = await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
  const paid = sum(fills, (one) => (one.side === 'buy' ? worthOf(one) : -worthOf(one)) + feeOf(one));
  expect(BigInt(GIVEN) * 1_000_000n - paid).toBe(BigInt(balance));
  const held = new Map<string, bigint>();
  for (const token_id of tokens) {
    const { balance: shares } = await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id });
    held.set(token_id, BigInt(shares) - BigInt(GIVEN) * 1_000_000n);
    const own = fills.filter(({ order_id }) => placed.get(order_id)?.token === token_id);
    expect(sum(own, sizeOf)).toBe(held.get(token_id));
  }
  for (const args of [['positions'], ['positions', '--by-client']]) {
    const { rows } = await deskRows(args, env);
    for (const [token, net] of held) {
      const own = rows.filter((one) => one['token_id'] === token);
      expect(sum(own, ({ bought, sold }) => signed(bought) - signed(sold))).toBe(net);
      expect(sum(own, (one) => signed(one['net']))).toBe(net);
    }
    const sums = ['value', 'fees'].map((name) => sum(rows, (one) => signed(one[name])));
    expect(sums).toStrictEqual([sum(fills, worthOf), sum(fills, feeOf)]);
  }
  // Both kinds of part are among them, and trades in which two of our own orders met.
  expect(fills.some(({ fee }) => fee === '0') && fills.some(({ fee }) => fee !== '0')).toBe(true);
  expect(new Set(fills.map(({ trade_id }) => trade_id)).size).toBeLessThan(fills.length);
  const { rows } = await deskRows(['fills', '--by-client'], env);
  expect(rows).toHaveLength(CLIENTS.length);
  for (const { client_address: address, shares, value } of rows) {
    const own = fills.filter(({ order_id }) => placed.get(order_id)?.client === address);
    expect([signed(shares), signed(value)]).toStrictEqual([sum(own, ({ size }) => signed(size)), sum(own, worthOf)]);
  }
});
