import type { Call } from '../../shared/call.ts';
import {
  type Cancellation as Cancelled,
  type CatalogueMarket,
  type Fees,
  MAX_CANCELLED,
  ORDER_ID,
  openOperatorVenue,
  type TradeFilter,
  type TradeList,
  type VenueOrder,
} from '../../shared/venue/polymarket/operator-venue.ts';
import { explain } from '../explain.ts';
import { type Access, DeskError } from './access.ts';

export interface Cancellation extends Cancelled {
  /** Sentences on calls without a usable answer: their orders may be cancelled or not. */
  readonly failures: readonly string[];
}

/** Time limits of one call, and of a list with many pages. */
const [CALL_MS, LIST_MS] = [10_000, 3_600_000];

function callWithin(limitMs: number): Call {
  return { deadline: performance.now() + limitMs, venueRequests: [] };
}

/** Makes a call of the venue; throws `DeskError` without a usable answer. */
async function ask<T>(what: string, make: (call: Call) => Promise<T>, limitMs = CALL_MS): Promise<T> {
  try {
    return await make(callWithin(limitMs));
  } catch (error) {
    const found = explain(error, 'the venue');
    if (!found) throw error;
    throw new DeskError(`${what}: ${found.join('. ')}`, { cause: error });
  }
}

/** Returns the given API credentials, else those that the venue has for the wallet. */
async function credentialsOf({ address, credentials, wallet }: Access, venue: ReturnType<typeof openOperatorVenue>) {
  const found = credentials ?? (wallet && (await ask('The API credentials', (call) => venue.findApiKey(wallet, call))));
  if (found) return found;
  throw new DeskError(`${address} has no API credentials at the venue: it has never placed an order.`);
}

/**
 * Opens the venue with the given API credentials, else with those that it derives from the wallet key. Each call throws
 * `DeskError` without a usable answer.
 */
export async function openVenue(access: Access) {
  const venue = openOperatorVenue(access);
  const credentials = await credentialsOf(access, venue);
  const account = venue.account(access.address, credentials);
  const maker = access.funderAddress ?? access.address;

  async function cancel(ids: readonly string[] | 'all'): Promise<Cancellation> {
    try {
      return { ...(await ask('The cancellation', (call) => account.cancel(ids, call))), failures: [] };
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      return { cancelled: new Set(), refused: new Map(), failures: [error.message] };
    }
  }

  return {
    /** How the account's orders are recognised in trades. */
    own: { owner: credentials.key, makers: new Set([access.address, maker].map((one) => one.toLowerCase())) },
    /** Lists the orders that rest, each once. A row without an id has its place in the list instead. */
    restingOrders: (): Promise<readonly VenueOrder[]> => ask('The open orders', account.restingOrders, LIST_MS),
    /** Returns `null` for an order that the venue does not know, or has forgotten. */
    order: (id: string): Promise<VenueOrder | null> => ask('The order', (call) => account.order(id, call)),
    trades: (filter: TradeFilter): Promise<TradeList> =>
      ask('The trades', (call) => account.trades({ ...filter, maker }, call), LIST_MS),
    /** Returns `null` if the venue does not state the fees, or has removed the market. */
    fees: async (market: string): Promise<Fees | null> =>
      (await ask('The fees of a market', (call) => venue.marketInfo(market, call)))?.fees ?? null,
    /** Returns markets by condition id, without those that cannot be looked up. */
    markets: (ids: readonly string[]): Promise<ReadonlyMap<string, CatalogueMarket>> =>
      venue.markets(ids, callWithin(CALL_MS)),
    async cancel(ids: readonly string[]): Promise<Cancellation> {
      // One malformed id would make the venue refuse all ids.
      const usable = ids.filter((id) => ORDER_ID.test(id));
      const all: Cancellation[] = [];
      for (let from = 0; from < usable.length; from += MAX_CANCELLED) {
        all.push(await cancel(usable.slice(from, from + MAX_CANCELLED)));
      }
      return {
        cancelled: new Set(all.flatMap(({ cancelled }) => [...cancelled])),
        refused: new Map(all.flatMap(({ refused }) => [...refused])),
        failures: all.flatMap(({ failures }) => failures),
      };
    },
    cancelAll: () => cancel('all'),
  };
}

export type AccountVenue = Awaited<ReturnType<typeof openVenue>>;
