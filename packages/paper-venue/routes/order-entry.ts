import type { AcceptedOrder, OrderTerms } from '../exchange/book.ts';
import type { Trade } from '../exchange/exchange.ts';
import { hasBook, takesOrders } from '../exchange/market.ts';
import { notional, toDecimal } from '../exchange/millionths.ts';
import { json, type PaperRequest, parsedBody, type Route, VenueRefusal } from '../http/router.ts';
import { amountsOf } from '../rules/amounts.ts';
import { authenticated } from '../rules/auth.ts';
import { checkAccount, checkBook, checkFunds, checkSignature, checkType } from '../rules/order-checks.ts';
import {
  type OrderAnswer,
  type OrderPayload,
  parseBatch,
  parseOrder,
  refusedAnswer,
  signedStruct,
} from '../rules/order-payload.ts';
import { orderId } from '../rules/signing.ts';
import type { Credentials, VenueState } from '../state/state.ts';

const MAX_BATCH = 15;

function answerOf(order: AcceptedOrder, trades: readonly Trade[]): OrderAnswer {
  const shares = trades.reduce((sum, trade) => sum + trade.size, 0n);
  const collateral = trades.reduce((sum, trade) => sum + notional(trade.size, trade.price), 0n);
  const [making, taking] = order.side === 'BUY' ? [collateral, shares] : [shares, collateral];
  const matched = trades.length > 0;
  return {
    errorMsg: '',
    orderID: order.id,
    takingAmount: matched ? toDecimal(taking) : '',
    makingAmount: matched ? toDecimal(making) : '',
    status: matched ? 'matched' : 'live',
    transactionsHashes: trades.map(({ transactionHash }) => transactionHash),
    tradeIDs: trades.map(({ id }) => id),
    success: true,
  };
}

/**
 * Checks an order as the venue does and accepts it. The sequence of the checks: shape, account, token, signature,
 * duplicate (so that a repeat is called one, whatever has changed since), market, type, amounts, book, funds.
 * With `fundsFirst` a repeat of an order that holds the money is called short of it.
 */
function place(
  state: VenueState,
  credentials: Credentials,
  payload: OrderPayload,
  { now, fundsFirst = false }: Pick<PaperRequest, 'now' | 'fundsFirst'>,
): OrderAnswer {
  const { exchange } = state;
  checkAccount(state, payload, credentials);
  const found = exchange.catalogue.byToken(payload.order.tokenId);
  if (!found || !hasBook(found.market)) throw new VenueRefusal(404, 'market not found');
  const { market, outcome } = found;
  const struct = signedStruct(payload);
  const id = orderId(struct, checkSignature(market, struct, payload.order.signature, credentials.address));
  const terms = (): OrderTerms => ({
    id,
    maker: payload.order.maker.toLowerCase(),
    account: credentials.address,
    owner: credentials.apiKey,
    marketId: market.id,
    outcome,
    side: payload.order.side,
    ...amountsOf(payload, market, { tick: exchange.floor(market.id).tick, id }),
    type: payload.orderType,
    postOnly: payload.postOnly ?? false,
    expiration: Number(payload.order.expiration),
  });
  if (fundsFirst) checkFunds(exchange, terms());
  if (exchange.orders.has(id)) throw new VenueRefusal(400, `order ${id} is invalid. Duplicated.`);
  if (!takesOrders(market, now)) throw new VenueRefusal(400, 'the market is not yet ready to process new orders');
  checkType(payload, now);
  const checked = terms();
  checkBook(exchange, checked);
  checkFunds(exchange, checked);
  const { order, trades } = exchange.accept(checked, now);
  return answerOf(order, trades);
}

/** Places an order of a batch. A refusal is an entry with an errorMsg, as at the venue: the batch itself is a 200. */
function placeOne(state: VenueState, credentials: Credentials, body: unknown, request: PaperRequest): OrderAnswer {
  try {
    return place(state, credentials, parseOrder(body), request);
  } catch (error) {
    if (!(error instanceof VenueRefusal)) throw error;
    return refusedAnswer(error.message);
  }
}

/** Routes that take orders: POST /order and POST /orders. */
export function orderEntryRoutes(state: VenueState): readonly Route[] {
  return [
    [
      'POST',
      '/order',
      (request) => {
        const credentials = authenticated(state, request);
        return json(place(state, credentials, parseOrder(parsedBody(request.body)), request));
      },
    ],
    [
      'POST',
      '/orders',
      (request) => {
        const credentials = authenticated(state, request);
        const batch = parseBatch(request.body);
        if (batch.length > MAX_BATCH) {
          throw new VenueRefusal(400, `Too many orders in payload: ${batch.length}, max allowed: ${MAX_BATCH}`);
        }
        return json(batch.map((body) => placeOne(state, credentials, body, request)));
      },
    ],
  ];
}
