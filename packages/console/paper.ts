import type { Holdings, OwnOrder } from './holdings.ts';
import { isRecord, textOf } from './json.ts';

/** Shown while the paper venue gives no usable answer. */
export const NO_VENUE = 'The paper venue does not answer.';
/** Limit of a request to the server of this page. */
const CONTROL_MS = 5_000;

/** Asks the paper venue through the server of this page. Throws where there is no usable answer. */
async function control(method: string, path: string, change?: unknown): Promise<unknown> {
  const init = { method, body: JSON.stringify(change), signal: AbortSignal.timeout(CONTROL_MS) };
  const response = await fetch(`paper/${path}`, init);
  if (!response.ok) throw new Error(`The paper venue answered ${response.status}.`);
  return response.json();
}

/** Lists the orders that the paper venue accepted, newest first. */
export async function listVenueOrders(): Promise<readonly OwnOrder[]> {
  const answer = await control('GET', 'orders');
  const rows = isRecord(answer) && Array.isArray(answer['orders']) ? answer['orders'].filter(isRecord) : [];
  return rows.toReversed().map((order): OwnOrder => {
    const text = (name: string) => textOf(order, name) ?? '';
    return {
      id: text('id'),
      tokenId: text('asset_id'),
      side: text('side') === 'SELL' ? 'sell' : 'buy',
      outcome: text('outcome'),
      price: text('price'),
      size: text('original_size'),
      filled: text('size_matched'),
      value: textOf(order, 'value_matched') ?? null,
      fee: textOf(order, 'fee') ?? '0',
      acceptedAt: Number(order['accepted_at']),
      status: text('status').toLowerCase().replace('canceled', 'cancelled'),
    };
  });
}

/** Takes an order off the paper venue's book. Throws where it no longer rests, or nothing answers. */
export async function cancelAtVenue(orderId: string): Promise<void> {
  await control('POST', 'cancel', { order_id: orderId });
}

/** Reads what a wallet holds: collateral, and shares of one token. */
export async function readHoldings(address: string, tokenId: string): Promise<Holdings> {
  const account = await control('GET', `accounts?address=${address}&token_id=${tokenId}`);
  const text = (name: string) => textOf(account, name) ?? '0';
  return { freeCollateral: text('free_collateral'), freeShares: text('free_shares'), shares: text('shares') };
}
