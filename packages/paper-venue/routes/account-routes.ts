import * as z from 'zod';
import { type AcceptedOrder, mirrored } from '../exchange/book.ts';
import type { Trade } from '../exchange/exchange.ts';
import { toDecimal } from '../exchange/millionths.ts';
import { json, type PaperRequest, type Reply, type Route, VenueRefusal } from '../http/router.ts';
import { attested, authenticated } from '../rules/auth.ts';
import { parseCancellation, parseCancellations, parseMarketCancellation } from '../rules/order-payload.ts';
import { DOMAINS, fundersOf } from '../rules/signing.ts';
import type { VenueState } from '../state/state.ts';

/** Order as GET /data/order/{id} and /data/orders answer it: decimals in strings, `created_at` in Unix seconds. */
export function wireOrder(state: VenueState, order: AcceptedOrder) {
  const { market } = state.exchange.floor(order.marketId);
  return {
    id: order.id,
    status: state.settings.prefixedStatuses ? `ORDER_STATUS_${order.status}` : order.status,
    owner: order.owner,
    maker_address: order.maker,
    market: market.conditionId,
    asset_id: state.exchange.tokenOf(order),
    side: order.side,
    original_size: toDecimal(order.size),
    size_matched: toDecimal(order.filled),
    price: toDecimal(order.price),
    outcome: market.outcomes[order.outcome],
    expiration: String(order.expiration),
    order_type: order.type,
    associate_trades: order.tradeIds,
    created_at: Math.floor(order.acceptedAt / 1_000),
  };
}

/** Trade as GET /data/trades answers it to the account that asks: decimals in strings, times in Unix seconds. */
function wireTrade(state: VenueState, trade: Trade, account: string) {
  const { market, taker, resting } = trade;
  const restingPrice = mirrored(resting.outcome, mirrored(taker.outcome, trade.price));
  const seconds = String(Math.floor(trade.at / 1_000));
  const settled = !state.hiddenHashes.has(trade.id);
  const status = state.settlements.get(trade.id) ?? (settled ? 'CONFIRMED' : 'MATCHED');
  return {
    id: trade.id,
    taker_order_id: taker.id,
    market: market.conditionId,
    asset_id: state.exchange.tokenOf(taker),
    side: taker.side,
    size: toDecimal(trade.size),
    fee_rate_bps: '0',
    price: toDecimal(trade.price),
    status: state.settings.prefixedStatuses ? `TRADE_STATUS_${status}` : status,
    match_time: seconds,
    last_update: seconds,
    outcome: market.outcomes[taker.outcome],
    bucket_index: 0,
    owner: taker.owner,
    maker_address: taker.maker,
    ...(settled ? { transaction_hash: trade.transactionHash } : {}),
    trader_side: taker.account === account ? 'TAKER' : 'MAKER',
    maker_orders: [
      {
        order_id: resting.id,
        owner: resting.owner,
        maker_address: resting.maker,
        matched_amount: toDecimal(trade.size),
        price: toDecimal(restingPrice),
        fee_rate_bps: '0',
        asset_id: state.exchange.tokenOf(resting),
        outcome: market.outcomes[resting.outcome],
        side: resting.side,
      },
    ],
  };
}

const MAX_CANCELLATIONS = 1_000;
const ORDER_ID = /^0x[0-9a-fA-F]{64}$/;
/** Rows of a page of /data/orders and /data/trades. */
const PAGE_ROWS = 100;
const FIRST_CURSOR = 'MA==';
const LAST_CURSOR = 'LTE=';
const UNLIMITED = (2n ** 256n - 1n).toString();

function fits(filter: string | null | undefined, value: string): boolean {
  return filter === null || filter === undefined || filter === value;
}

/** Cuts a page out of the rows: cursors are base64 of the offset, MA== ("0") first and LTE= ("-1") after the last. */
function page<T>(rows: readonly T[], cursor: string | null, refusal: string) {
  const decoded = Buffer.from(cursor || FIRST_CURSOR, 'base64').toString('utf8');
  if (decoded !== '-1' && !/^\d{1,9}$/.test(decoded)) throw new VenueRefusal(400, refusal);
  const offset = decoded === '-1' ? rows.length : Number(decoded);
  const data = rows.slice(offset, offset + PAGE_ROWS);
  const next = offset + data.length;
  const next_cursor = next >= rows.length ? LAST_CURSOR : Buffer.from(String(next)).toString('base64');
  return { limit: PAGE_ROWS, next_cursor, count: data.length, data };
}

/** Returns true if look-ups already show what happened at `at` (epoch milliseconds), also where the clock was set since. */
function isShown(state: VenueState, request: PaperRequest, at: number): boolean {
  return state.lookUpLagMs === 0 || Math.abs(request.now - at) >= state.lookUpLagMs;
}

function order(state: VenueState, request: PaperRequest, id: string): Reply {
  const { address } = authenticated(state, request);
  if (!ORDER_ID.test(id)) throw new VenueRefusal(400, 'Invalid orderID');
  const found = state.exchange.orders.get(id.toLowerCase());
  if (found?.account !== address || !isShown(state, request, found.acceptedAt)) return json(null);
  const forgotten = found.status === 'MATCHED' && state.settings.forgetFilled;
  return json(forgotten ? null : wireOrder(state, found));
}

function openOrders(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  const { query } = request;
  const rows = state.exchange
    .open()
    .filter(({ account, acceptedAt }) => account === address && isShown(state, request, acceptedAt))
    .map((open) => wireOrder(state, open))
    .filter((row) => fits(query.get('id'), row.id))
    .filter((row) => fits(query.get('market'), row.market) && fits(query.get('asset_id'), row.asset_id));
  return json(page(rows, query.get('next_cursor'), 'invalid order params payload'));
}

function trades(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  const { query } = request;
  const [before, after] = [Number(query.get('before') ?? Infinity), Number(query.get('after') ?? 0)];
  const mine = ({ taker, resting }: Trade) => taker.account === address || resting.account === address;
  const rows = state.exchange.trades
    .filter(mine)
    .toReversed()
    .filter(({ at }) => at / 1_000 < before && at / 1_000 >= after && isShown(state, request, at))
    .filter(({ taker, resting }) => {
      const wanted = query.get('maker_address')?.toLowerCase();
      return wanted === undefined || [taker.maker, resting.maker].includes(wanted);
    })
    .map((trade) => wireTrade(state, trade, address))
    .filter((row) => fits(query.get('id'), row.id) && fits(query.get('market'), row.market))
    .filter((row) => fits(query.get('asset_id'), row.asset_id));
  return json(page(rows, query.get('next_cursor'), 'Invalid trade params payload'));
}

/** Cancels the orders that belong to the account; names every other one with the venue's reason. */
function cancel(state: VenueState, address: string, ids: readonly string[], now: number): Reply {
  const canceled: string[] = [];
  const not_canceled: Record<string, string> = {};
  for (const id of ids) {
    if (!ORDER_ID.test(id)) throw new VenueRefusal(400, 'Invalid orderID');
    const found = state.exchange.orders.get(id.toLowerCase());
    if (found?.account !== address) not_canceled[id] = "order can't be found";
    else if (found.status === 'CANCELED') not_canceled[id] = 'order already canceled';
    else if (found.status === 'MATCHED') not_canceled[id] = "matched orders can't be canceled";
    else {
      state.exchange.cancel(found.id, now);
      canceled.push(found.id);
    }
  }
  return json({ canceled, not_canceled });
}

function cancelWhere(state: VenueState, request: PaperRequest, wanted: (open: AcceptedOrder) => boolean): Reply {
  const { address } = authenticated(state, request);
  const ids = state.exchange.open().filter((open) => open.account === address && wanted(open));
  return cancel(
    state,
    address,
    ids.map(({ id }) => id),
    request.now,
  );
}

function cancelMarket(state: VenueState, request: PaperRequest): Reply {
  authenticated(state, request);
  const { market, asset_id } = parseMarketCancellation(request.body);
  return cancelWhere(state, request, (open) => {
    const floor = state.exchange.floor(open.marketId);
    return fits(market, floor.market.conditionId) && fits(asset_id, state.exchange.tokenOf(open));
  });
}

const signatureTypes = z.coerce.number().pipe(z.literal([0, 1, 2, 3]));

/** Finds the holder of a balance; of two deposit wallets the one that ordered last, before the first order today's. */
function funderOf(state: VenueState, address: string, asked: string | null): string {
  const signatureType = signatureTypes.safeParse(asked ?? 0);
  if (!signatureType.success) throw new VenueRefusal(400, 'Invalid signature type');
  const funders = fundersOf(address, signatureType.data);
  const placed = [...state.exchange.orders.values()].findLast(({ maker }) => funders.includes(maker));
  return placed?.maker ?? funders[0] ?? address;
}

function balance(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  const { query } = request;
  const holder = funderOf(state, address, query.get('signature_type'));
  const asset = query.get('asset_type') ?? '';
  const allowances = Object.fromEntries(
    Object.values(DOMAINS).map(({ verifyingContract }) => [verifyingContract, UNLIMITED]),
  );
  if (asset === 'COLLATERAL') return json({ balance: String(state.exchange.ledger.collateral(holder)), allowances });
  if (asset !== 'CONDITIONAL' && asset !== 'CONDITIONAL-V2') throw new VenueRefusal(400, 'Invalid asset type');
  const token = query.get('token_id') ?? '';
  if (!state.exchange.catalogue.byToken(token)) throw new VenueRefusal(400, 'Invalid token id');
  return json({ balance: String(state.exchange.ledger.shares(holder, token)), allowances });
}

/** Routes of an account, all behind L2 credentials: orders, trades, cancellation, balances. */
export function accountRoutes(state: VenueState): readonly Route[] {
  return [
    ['GET', '/data/order/*', (request, id) => order(state, request, id)],
    ['GET', '/data/orders', (request) => openOrders(state, request)],
    ['GET', '/data/trades', (request) => trades(state, request)],
    [
      'DELETE',
      '/order',
      (request) => {
        const { address } = authenticated(state, request);
        return cancel(state, address, [parseCancellation(request.body)], request.now);
      },
    ],
    [
      'DELETE',
      '/orders',
      (request) => {
        const { address } = authenticated(state, request);
        const ids = parseCancellations(request.body);
        if (ids.length > MAX_CANCELLATIONS) {
          throw new VenueRefusal(400, `Too many orders in payload, max allowed: ${MAX_CANCELLATIONS}`);
        }
        return cancel(state, address, ids, request.now);
      },
    ],
    ['DELETE', '/cancel-all', (request) => cancelWhere(state, request, () => true)],
    ['DELETE', '/cancel-market-orders', (request) => cancelMarket(state, request)],
    ['GET', '/balance-allowance', (request) => balance(state, request)],
    ['GET', '/balance-allowance/update', (request) => balance(state, request)],
  ];
}

function createKey(state: VenueState, request: PaperRequest): Reply {
  const { address, nonce } = attested(state, request);
  if (state.keyring.of(address, nonce)) throw new VenueRefusal(400, 'Could not create api key');
  state.keyring.create(address, nonce);
  return deriveKey(state, request);
}

function deriveKey(state: VenueState, request: PaperRequest): Reply {
  const { address, nonce } = attested(state, request);
  const credentials = state.keyring.of(address, nonce);
  if (!credentials) throw new VenueRefusal(400, 'Could not derive api key!');
  const { apiKey, secret, passphrase } = credentials;
  return json({ apiKey, secret, passphrase });
}

function listKeys(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  return json({ apiKeys: state.keyring.all(address).map(({ apiKey }) => apiKey) });
}

function deleteKey(state: VenueState, request: PaperRequest): Reply {
  state.keyring.remove(authenticated(state, request).apiKey);
  return json('OK');
}

function banStatus(state: VenueState, request: PaperRequest): Reply {
  const { address } = authenticated(state, request);
  return json({ closed_only: state.restrictions.get(address) === 'closed-only' });
}

/** Routes under /auth: API keys and the ban status. */
export function keyRoutes(state: VenueState): readonly Route[] {
  return [
    ['POST', '/auth/api-key', (request) => createKey(state, request)],
    ['GET', '/auth/derive-api-key', (request) => deriveKey(state, request)],
    ['GET', '/auth/api-keys', (request) => listKeys(state, request)],
    ['DELETE', '/auth/api-key', (request) => deleteKey(state, request)],
    ['GET', '/auth/ban-status/closed-only', (request) => banStatus(state, request)],
  ];
}
