import { formatUnits, parseUnits } from '../client/client.ts';
import type { LastTrade, OwnOrder } from './book.ts';
import type { Holdings } from './draft.ts';
import { listOf, textOf } from './json.ts';

/** Limit of a request to the server of this page. */
const CONTROL_MS = 5_000;

/** Asks the paper venue through the server of this page. Throws where there is no usable answer. */
async function control(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`paper/${path}`, {
    method,
    signal: AbortSignal.timeout(CONTROL_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`The paper venue answered ${response.status}.`);
  return response.json();
}

/** Lists the orders that the paper venue accepted, newest first. */
export async function listVenueOrders(): Promise<readonly OwnOrder[]> {
  const orders = listOf(await control('GET', 'orders'), 'orders').map((order): OwnOrder => {
    const text = (name: string) => textOf(order, name) ?? '';
    return {
      id: text('id'),
      tokenId: text('asset_id'),
      side: text('side') === 'SELL' ? 'sell' : 'buy',
      outcome: text('outcome'),
      price: text('price'),
      size: text('original_size'),
      filled: text('size_matched'),
      status: text('status').toLowerCase().replace('canceled', 'cancelled'),
    };
  });
  return orders.toReversed();
}

/** Takes an order off the paper venue's book. Throws where it no longer rests, or nothing answers. */
export async function cancelAtVenue(orderId: string): Promise<void> {
  await control('POST', 'cancel', { order_id: orderId });
}

/** Returns the last trades of an outcome, newest first: a trade of the other outcome is one at the complement. */
export async function listTrades(tokenId: string, otherTokenId: string | undefined): Promise<readonly LastTrade[]> {
  return listOf(await control('GET', 'trades'), 'trades').flatMap(({ token_id, side, price, size, at }) => {
    const [text, isBuy] = [String(price), side === 'BUY'];
    const shared = { size: String(size), at: new Date(Number(at)) };
    if (token_id === tokenId) return [{ ...shared, isBuy, price: text }];
    if (token_id !== otherTokenId) return [];
    return [{ ...shared, isBuy: !isBuy, price: formatUnits(parseUnits('1') - parseUnits(text)) }];
  });
}

/** Reads what a wallet holds: collateral, and shares of one token. */
export async function readHoldings(address: string, tokenId: string): Promise<Holdings> {
  const account = await control('GET', `accounts?address=${address}&token_id=${tokenId}`);
  const text = (name: string) => textOf(account, name) ?? '0';
  return { freeCollateral: text('free_collateral'), freeShares: text('free_shares'), shares: text('shares') };
}

/** Lists the faults that are armed at the paper venue, in words. */
export async function listFaults(): Promise<readonly string[]> {
  return listOf(await control('GET', 'faults'), 'armed').map(({ fault, method, path, times }) => {
    const requests = `${method ?? 'requests'} ${path === '/' ? 'of every path' : path}`;
    return `${fault} for ${requests}${times === 1 ? ', once' : ''}`;
  });
}

/** Arms a fault at the paper venue. */
export async function armFault(fault: object): Promise<void> {
  await control('POST', 'faults', fault);
}

/** Disarms all faults of the paper venue. */
export async function disarmFaults(): Promise<void> {
  await control('DELETE', 'faults');
}

/** Disarms all faults while the page is left: the request outlives the page. */
export function disarmFaultsAtEnd(): void {
  void fetch('paper/faults', { method: 'DELETE', keepalive: true });
}
