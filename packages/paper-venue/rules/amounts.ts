import type { Market, Side } from '../exchange/market.ts';
import { decimalsOf, LOT, ONE, toDecimal } from '../exchange/millionths.ts';
import { VenueRefusal } from '../http/router.ts';
import type { OrderPayload } from './order-payload.ts';

/** Decimals that the venue takes for market orders, whatever the tick. */
const MARKET_DECIMALS = { given: 2, wanted: 4 };
const SIZE_DECIMALS = 2;
/** Finest price grid of the venue, in millionths. */
const FINEST_TICK = 100n;

/** Price, size and budget (millionths) as the venue reads them from the two amounts of an order. */
export interface Amounts {
  readonly price: bigint;
  readonly size: bigint;
  readonly budget: bigint | null;
}

function offTick(id: string, price: string, tick: bigint): VenueRefusal {
  return new VenueRefusal(
    400,
    `order ${id} is invalid. Price (${price}) breaks minimum tick size rule: ${toDecimal(tick)}`,
  );
}

function inaccurate(kind: string, maker: number, taker: number): VenueRefusal {
  return new VenueRefusal(
    400,
    `invalid amounts, the ${kind} orders maker amount supports a max accuracy of ${maker} decimals, taker amount a max of ${taker} decimals`,
  );
}

function checkAccuracy(
  side: Side,
  maker: bigint,
  taker: bigint,
  limits: { maker: number; taker: number; kind: string },
) {
  if (decimalsOf(maker) <= limits.maker && decimalsOf(taker) <= limits.taker) return;
  throw inaccurate(`${limits.kind}${side.toLowerCase()}`, limits.maker, limits.taker);
}

function limitAmounts(payload: OrderPayload, tick: bigint, id: string): Amounts {
  const { side, makerAmount, takerAmount } = payload.order;
  const [maker, taker] = [BigInt(makerAmount), BigInt(takerAmount)];
  const [collateral, size] = side === 'BUY' ? [maker, taker] : [taker, maker];
  const price = (collateral * ONE) / size;
  const exact = price * size === collateral * ONE;
  // A genuine price that is off this market's grid is a tick refusal, so that a client with an old tick learns of it;
  // one that comes from rounded amounts is first refused for their decimals.
  if (exact && price % FINEST_TICK === 0n && price % tick !== 0n) throw offTick(id, toDecimal(price), tick);
  const amount = decimalsOf(tick) + SIZE_DECIMALS;
  const limits = side === 'BUY' ? { maker: amount, taker: SIZE_DECIMALS } : { maker: SIZE_DECIMALS, taker: amount };
  checkAccuracy(side, maker, taker, { ...limits, kind: '' });
  if (!exact || price % tick !== 0n) throw offTick(id, String(Number(collateral) / Number(size)), tick);
  return { price, size, budget: null };
}

/** Reads a market order: its price is its worst one, which the rounding of the other amount moves off the grid. */
function marketAmounts(payload: OrderPayload, tick: bigint, id: string): Amounts {
  const { side, makerAmount, takerAmount } = payload.order;
  const [maker, taker] = [BigInt(makerAmount), BigInt(takerAmount)];
  const { given, wanted } = MARKET_DECIMALS;
  checkAccuracy(side, maker, taker, { maker: given, taker: wanted, kind: 'market ' });
  const [collateral, size] = side === 'BUY' ? [maker, taker] : [taker, maker];
  const [whole, cell] = [collateral * ONE, size * tick];
  const price = (side === 'BUY' ? whole / cell : (whole + cell - 1n) / cell) * tick;
  const slack = side === 'BUY' ? whole - price * size : price * size - whole;
  // Four decimals of the rounded amount: less than 100 millionths of shares at this price, or of collateral.
  if (slack > 100n * (side === 'BUY' ? price : ONE)) throw offTick(id, String(Number(collateral) / Number(size)), tick);
  if (side === 'SELL') return { price, size, budget: null };
  return { price, size: price === 0n ? 0n : ((maker * ONE) / (price * LOT)) * LOT, budget: maker };
}

/**
 * Reads price and size out of the amounts of an order; refuses (400, the venue's texts) amounts with too many decimals,
 * prices off the grid or outside tick to 1 - tick, and limit orders under the minimum size.
 */
export function amountsOf(payload: OrderPayload, market: Market, rules: { tick: bigint; id: string }): Amounts {
  const { tick, id } = rules;
  const limit = payload.orderType === 'GTC' || payload.orderType === 'GTD';
  if (payload.order.makerAmount === '0' || payload.order.takerAmount === '0') {
    throw new VenueRefusal(400, 'Invalid order payload');
  }
  const amounts = limit ? limitAmounts(payload, tick, id) : marketAmounts(payload, tick, id);
  if (amounts.price < tick || amounts.price > ONE - tick) throw offTick(id, toDecimal(amounts.price), tick);
  if (limit && amounts.size < market.minSize) {
    const [size, minimum] = [toDecimal(amounts.size), toDecimal(market.minSize)];
    throw new VenueRefusal(400, `order ${id} is invalid. Size (${size}) lower than the minimum: ${minimum}`);
  }
  return amounts;
}
