import { expect, it } from '@jest/globals';
import { AssetType, OrderType, Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { findMarket, plainMarket, startPaper } from '../../support/venue/paper-venue.ts';

const OTHER = new Wallet(`0x${'3c'.repeat(32)}`);

/** A paper venue with its plain market and two accounts. */
async function start() {
  const paper = await startPaper();
  const [{ client }, { client: other }] = [await officialClient(paper), await officialClient(paper, { wallet: OTHER })];
  return { paper, client, other, ...(await plainMarket(paper)) };
}

it('the official client reads a book, rests an order, is matched, cancels and sees its trades', async () => {
  const { client, other: taker, yes, conditionId } = await start();
  const before = await client.getOrderBook(yes);
  expect([before.bids.at(-1), before.asks.at(-1)]).toMatchObject([{ price: '0.51' }, { price: '0.53' }]);

  const rested = await client.createAndPostOrder({ tokenID: yes, price: 0.52, size: 30, side: Side.BUY });
  expect(rested).toMatchObject({ success: true, errorMsg: '', status: 'live', makingAmount: '', takingAmount: '' });
  const book = await client.getOrderBook(yes);
  expect(book.bids.at(-1)).toStrictEqual({ price: '0.52', size: '30' });
  expect(Number(book.timestamp)).toBeGreaterThan(Number(before.timestamp));

  const sold = await taker.createAndPostOrder({ tokenID: yes, price: 0.52, size: 10, side: Side.SELL });
  expect(sold).toMatchObject({ status: 'matched', makingAmount: '10', takingAmount: '5.2' });
  expect(sold.transactionsHashes).toHaveLength(1);

  const rest = { id: rested.orderID, status: 'LIVE', size_matched: '10', original_size: '30' };
  expect(await client.getOpenOrders()).toMatchObject([rest]);
  const [trade] = await client.getTrades({ market: conditionId });
  const sale = { price: '0.52', size: '10', trader_side: 'MAKER', side: 'SELL' };
  expect(trade).toMatchObject({ id: sold.tradeIDs?.[0], ...sale });
  expect(trade?.maker_orders[0]).toMatchObject({ order_id: rested.orderID, matched_amount: '10' });
  expect(await taker.getTrades()).toMatchObject([{ trader_side: 'TAKER', taker_order_id: sold.orderID }]);

  const cancelled = { canceled: [rested.orderID], not_canceled: {} };
  expect(await client.cancelOrder({ orderID: rested.orderID })).toStrictEqual(cancelled);
  expect(await client.getOrder(rested.orderID)).toMatchObject({ status: 'CANCELED' });
  expect((await client.getOrderBook(yes)).bids).toStrictEqual(before.bids);
});

it('the official client trades on neg-risk markets and on protocol v2', async () => {
  const { paper, client } = await start();
  for (const [negRisk, version, protocol] of [
    [true, 'v1', undefined],
    [false, 'v2', 3],
    [true, 'v2', 3],
  ] as const) {
    const fits = { negRisk, version, orderPriceMinTickSize: 0.01 };
    const { yes } = await findMarket(paper, (market) =>
      Object.entries(fits).every(([name, value]) => Reflect.get(market, name) === value),
    );
    const order = { tokenID: yes, price: 0.01, size: 100, side: Side.BUY };
    const posted = await client.createAndPostOrder(order, protocol && { tickSize: '0.01', version: protocol });
    expect(posted.status).toBe('live');
  }
});

it('the venue charges the taker, on top of a purchase and off a sale, and the maker nothing', async () => {
  const { client, other: maker, yes } = await start();
  const held = async (who: typeof client) =>
    (await who.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).balance;
  // 10 × 0.04 × 0.52 × 0.48 = 0.09984
  for (const [side, other, ...left] of [
    [Side.BUY, Side.SELL, '994700160', '1005200000'],
    [Side.SELL, Side.BUY, '999800320', '1000000000'],
  ] as const) {
    await maker.createAndPostOrder({ tokenID: yes, price: 0.52, size: 10, side: other });
    await client.createAndPostOrder({ tokenID: yes, price: 0.52, size: 10, side });
    expect([await held(client), await held(maker)]).toStrictEqual(left);
  }
  // As at the venue, the trades do not say what the fee was.
  expect((await client.getTrades()).map(({ fee_rate_bps }) => fee_rate_bps)).toStrictEqual(['0', '0']);
});

it('the official client posts a batch in which one order is refused, and cancels by market and altogether', async () => {
  const { client, yes, conditionId } = await start();
  const wanted = [0.3, 0.31, 0.99].map((price) =>
    client.createOrder({ tokenID: yes, price, size: 10, side: Side.BUY }),
  );
  const orders = (await Promise.all(wanted)).map((order) => ({ order, orderType: OrderType.GTC }));
  expect(await client.postOrders(orders, true)).toMatchObject([
    { status: 'live', errorMsg: '' },
    { status: 'live', errorMsg: '' },
    { orderID: '', errorMsg: 'invalid post-only order: order crosses book' },
  ]);
  const byMarket = await client.cancelMarketOrders({ market: conditionId, asset_id: yes });
  expect(byMarket.canceled).toHaveLength(2);
  expect(await client.cancelAll()).toStrictEqual({ canceled: [], not_canceled: {} });
});

it('a purchase matched with a purchase of the other outcome has its own price in each report', async () => {
  const { client, other: taker, yes, no } = await start();
  const rested = await client.createAndPostOrder({ tokenID: yes, price: 0.52, size: 10, side: Side.BUY });
  const posted = await taker.createAndPostOrder({ tokenID: no, price: 0.48, size: 10, side: Side.BUY });
  expect(posted).toMatchObject({ status: 'matched', makingAmount: '4.8', takingAmount: '10' });
  const [trade] = await client.getTrades();
  expect(trade).toMatchObject({ asset_id: no, price: '0.48', outcome: 'No', side: 'BUY' });
  const own = { order_id: rested.orderID, asset_id: yes, price: '0.52', outcome: 'Yes' };
  expect(trade?.maker_orders).toMatchObject([own]);
  expect((await client.getOrderBook(no)).last_trade_price).toBe('0.48');
});
