import * as z from 'zod';
import { fromDecimal, toDecimal } from '../exchange/millionths.ts';
import { FAULT_NAMES, type FaultBoard, type LateRequests } from '../faults/faults.ts';
import { json, type PaperRequest, parsedBody, type Reply, type Route, VenueRefusal } from '../http/router.ts';
import type { RequestLog } from '../http/transport.ts';
import { SETTLEMENTS, type VenueState } from '../state/state.ts';
import { wireOrder } from './account-routes.ts';

const decimal = z
  .string()
  .regex(/^\d{1,18}(?:\.\d{1,6})?$/)
  .transform(fromDecimal);
const tickBody = z.strictObject({
  token_id: z.string(),
  tick_size: z.enum(['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001']),
});
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const accountBody = z.strictObject({
  address,
  restriction: z.enum(['banned', 'closed-only', 'deposit-wallet-required']).nullable().optional(),
  collateral: decimal.optional(),
  shares: z.strictObject({ token_id: z.string(), amount: decimal }).optional(),
});
const tradeBody = z.strictObject({
  id: z.string().optional(),
  order_id: z.string().optional(),
  status: z.enum(SETTLEMENTS),
});
const cancelBody = z.strictObject({ order_id: z.string() });
const lookUpBody = z.strictObject({ lag_ms: z.number().int().nonnegative() });
const refreshBody = z.strictObject({ steps: z.number().int().min(1).max(1_000).default(1) });

function bodyOf<T>(schema: z.ZodType<T>, request: PaperRequest): T {
  const body = schema.safeParse(parsedBody(request.body));
  if (!body.success) throw mistakeIn(body.error);
  return body.data;
}

/** Creates the refusal of a body: which member is wrong, and how. */
function mistakeIn({ issues }: z.ZodError): VenueRefusal {
  const sentences = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  return new VenueRefusal(400, sentences.join('; '));
}

function done(): Reply {
  return json({ done: true });
}

function changeTick(state: VenueState, request: PaperRequest): Reply {
  const { token_id, tick_size } = bodyOf(tickBody, request);
  const found = state.exchange.catalogue.byToken(token_id);
  if (!found) throw new VenueRefusal(404, 'market not found');
  state.exchange.floor(found.market.id).tick = fromDecimal(tick_size);
  return done();
}

function changeAccount(state: VenueState, request: PaperRequest): Reply {
  const { restriction, collateral, shares, ...body } = bodyOf(accountBody, request);
  if (shares && !state.exchange.catalogue.byToken(shares.token_id)) throw new VenueRefusal(404, 'market not found');
  const address = body.address.toLowerCase();
  if (restriction === null) state.restrictions.delete(address);
  else if (restriction !== undefined) state.restrictions.set(address, restriction);
  const { ledger } = state.exchange;
  if (collateral !== undefined) ledger.set(address, null, collateral);
  if (shares !== undefined) ledger.set(address, shares.token_id, shares.amount);
  return done();
}

/** Answers with an account's collateral and its shares of one token, each with what no open order reserves. */
function showAccount({ exchange }: VenueState, { query }: PaperRequest): Reply {
  const [holder, token] = [query.get('address')?.toLowerCase() ?? '', query.get('token_id') ?? ''];
  if (!exchange.catalogue.byToken(token)) throw new VenueRefusal(404, 'market not found');
  const [collateral, shares] = [exchange.ledger.collateral(holder), exchange.ledger.shares(holder, token)];
  return json({
    collateral: toDecimal(collateral),
    free_collateral: toDecimal(collateral - exchange.reserved(holder, null)),
    shares: toDecimal(shares),
    free_shares: toDecimal(shares - exchange.reserved(holder, token)),
  });
}

/** Changes how a trade, or every trade of an order so far, settled; holdings and books stay as they are. */
function changeTrade(state: VenueState, request: PaperRequest): Reply {
  const { id, order_id, status } = bodyOf(tradeBody, request);
  const found = state.exchange.trades.filter(
    (trade) => trade.id === id || trade.taker.id === order_id || trade.resting.id === order_id,
  );
  if (found.length === 0) throw new VenueRefusal(404, 'trade not found');
  for (const trade of found) state.settlements.set(trade.id, status);
  return done();
}

/** Takes a client's order off the book without the client's credentials, which the console has not. */
function cancelOrder(state: VenueState, request: PaperRequest): Reply {
  const { order_id } = bodyOf(cancelBody, request);
  const found = state.exchange.orders.get(order_id.toLowerCase());
  const isCancelled = found && state.exchange.isClients(found) && state.exchange.cancel(found.id, request.now);
  if (!isCancelled) throw new VenueRefusal(404, 'no such order rests');
  return done();
}

function lastTrades(state: VenueState): Reply {
  const trades = state.exchange.tape.map(({ tokenId: token_id, side, price, size, at }) => ({
    token_id,
    side,
    price: toDecimal(price),
    size: toDecimal(size),
    at,
  }));
  return json({ trades });
}

function changeLookUps(state: VenueState, request: PaperRequest): Reply {
  state.lookUpLagMs = bodyOf(lookUpBody, request).lag_ms;
  return done();
}

function refresh(state: VenueState, request: PaperRequest): Reply {
  const { steps } = bodyOf(refreshBody, request);
  for (let step = 0; step < steps; step += 1) state.step(request.now);
  return done();
}

/** Lists the accepted orders of clients, oldest first; those of the house are left out. */
export function clientOrders(state: VenueState) {
  // As before every request to the venue's own paths: an order that is due has ended even without one.
  state.exchange.expire(state.settings.now());
  const clients = [...state.exchange.orders.values()].filter((order) => state.exchange.isClients(order));
  return clients.map((order) => ({
    ...wireOrder(state, order),
    value_matched: toDecimal(order.value),
    fee: toDecimal(order.fee),
    post_only: order.postOnly,
    accepted_at: order.acceptedAt,
  }));
}

function armFaults(faults: FaultBoard, request: PaperRequest): Reply {
  try {
    faults.arm(parsedBody(request.body));
  } catch (error) {
    if (error instanceof z.ZodError) throw mistakeIn(error);
    throw error;
  }
  return json({ armed: faults.list() });
}

/** Parts of a venue that its own paths can look at and change. */
export interface Parts {
  readonly state: VenueState;
  readonly faults: FaultBoard;
  readonly late: LateRequests;
  readonly log: RequestLog;
}

const ABOUT =
  "A paper venue: Polymarket's own HTTP protocol (Gamma, CLOB, Data API) with invented markets and no real money.";

/** Routes that the real venue does not have: what this is, faults, received requests, and the state itself. */
export function controlRoutes({ state, faults, late, log }: Parts): readonly Route[] {
  const forget = (clear: () => void) => () => {
    clear();
    return done();
  };
  const { seed, still } = state.settings;
  const own: readonly Route[] = [
    ['GET', '/paper/faults', () => json({ armed: faults.list() })],
    ['POST', '/paper/faults', (request) => armFaults(faults, request)],
    ['DELETE', '/paper/faults', forget(() => faults.clear())],
    ['GET', '/paper/requests', () => json({ requests: log.list() })],
    ['DELETE', '/paper/requests', forget(() => log.clear())],
    ['GET', '/paper/orders', () => json({ orders: clientOrders(state) })],
    ['POST', '/paper/cancel', (request) => cancelOrder(state, request)],
    ['GET', '/paper/trades', () => lastTrades(state)],
    ['POST', '/paper/tick-size', (request) => changeTick(state, request)],
    ['GET', '/paper/accounts', (request) => showAccount(state, request)],
    ['POST', '/paper/accounts', (request) => changeAccount(state, request)],
    ['POST', '/paper/trades', (request) => changeTrade(state, request)],
    ['POST', '/paper/look-ups', (request) => changeLookUps(state, request)],
    ['POST', '/paper/refresh', (request) => refresh(state, request)],
    [
      'POST',
      '/paper/reset',
      forget(() => {
        state.reset();
        faults.clear();
        late.clear();
        log.clear();
      }),
    ],
  ];
  const paths = own.map(([method, path]) => `${method} ${path}`);
  return [...own, ['GET', '/', () => json({ about: ABOUT, seed, still, paths, faults: FAULT_NAMES })]];
}
