import * as z from 'zod/mini';
import { compareDecimals, formatDecimal, parseDecimal, subtractDecimals } from '../shared/decimal.ts';

const markets = z.object({
  items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })),
});

const book = z.object({
  bids: z.array(z.object({ price: z.string() })),
  tick_size: z.string(),
  min_order_size: z.string(),
});

async function get(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

/** A price at which a buy order rests and shows: a tick below the lowest bid, or that bid where nothing is below it. */
export function restingPrice(lowestBid: string, tickSize: string): string {
  const [bid, tick] = [parseDecimal(lowestBid), parseDecimal(tickSize)];
  if (!bid || !tick) return lowestBid;
  const below = subtractDecimals(bid, tick);
  return compareDecimals(below, tick) < 0 ? lowestBid : formatDecimal(below);
}

/** Four commands that work as they stand on a service that trades on paper. */
export async function whatToTry(url: string): Promise<string> {
  const { items } = markets.parse(await get(`${url}/v1/markets?limit=1`));
  const tokenId = items[0]?.outcomes[0]?.token_id;
  const { bids, tick_size, min_order_size } = book.parse(await get(`${url}/v1/book/${tokenId}`));
  const price = restingPrice(bids.at(-1)?.price ?? tick_size, tick_size);
  const order = `{"token_id":"${tokenId}","side":"buy","price":${price},"size":${min_order_size},"post_only":true}`;
  return `
Trading on paper: invented markets, no real money, a wallet that is forgotten at the end. Try:

# the most traded markets
curl '${url}/v1/markets?limit=3'

# the order book of one outcome
curl '${url}/v1/book/${tokenId}'

# a limit order that rests
curl -X POST '${url}/v1/orders' -H 'Content-Type: application/json' -d '${order}'

# your order is among the bids now, at ${price}
curl '${url}/v1/book/${tokenId}'

`;
}
