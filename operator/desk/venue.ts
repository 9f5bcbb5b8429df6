import type { ClobClient } from '@polymarket/clob-client-v2';
import * as z from 'zod/mini';
import { type Decimal, parseDecimal, ZERO } from '../../shared/decimal.ts';
import { clientSigner } from '../../shared/venue/polymarket/official-client.ts';
import { CALL_MS, nullFor, openClient, reasonOf } from '../venue/official.ts';
import { readMarkets } from '../venue/read-markets.ts';
import {
  apiKey,
  cancellation,
  marketInfo,
  ORDER_ID,
  oddTrade,
  order,
  orderId,
  orderRow,
  printable,
  type Trade,
  trade,
  tradePage,
  type VenueOrder,
} from '../venue/rows.ts';
import { type Access, DeskError } from './access.ts';

// The venue as the desk asks it: by its official client.

/** The venue takes at most this many ids in one call. */
const MAX_IDS = 1_000;
/** The cursors of the CLOB: before its first page, and after its last. */
const FIRST = 'MA==';
const END = 'LTE=';

/** The venue's answer to a cancellation. */
export interface Cancellation {
  readonly cancelled: ReadonlySet<string>;
  /** Its reasons, by order id. */
  readonly refused: ReadonlyMap<string, string>;
  /** Sentences on calls without a usable answer: their orders may be cancelled or not. */
  readonly failures: readonly string[];
}

/** The fees of a market: size × rate × (price × (1 − price)) ^ exponent. */
export interface Fees {
  readonly rate: Decimal;
  readonly exponent: number;
  readonly takerOnly: boolean;
}

/** The filter of a list of trades; times in milliseconds of the Unix epoch. */
export interface TradeFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly conditionId?: string | null;
}

async function ask<T extends z.ZodMiniType>(
  what: string,
  schema: T,
  call: () => Promise<unknown>,
): Promise<z.infer<T>> {
  try {
    return schema.parse(await call());
  } catch (error) {
    throw new DeskError(`${what}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Derives the API credentials from the wallet key; creates none. */
async function derive(client: ClobClient, address: string): Promise<z.infer<typeof apiKey>> {
  const call = () => client.deriveApiKey().catch(nullFor(400));
  const derived = await ask('The API credentials', z.nullable(apiKey), call);
  if (derived) return derived;
  throw new DeskError(`${address} has no API credentials at the venue: it has never placed an order.`);
}

/** Lists trades, each once, the oldest first, and the ids of unreadable ones; a repeated trade has its later state. */
async function readTrades(
  client: ClobClient,
  { since = 0, until = Number.POSITIVE_INFINITY, conditionId: market }: TradeFilter,
): Promise<{ readonly trades: readonly Trade[]; readonly unreadable: readonly string[] }> {
  // A second more on both sides: it is not documented whether the bounds are inclusive.
  const filter = {
    ...(since > 0 && { after: String(Math.floor(since / 1_000) - 1) }),
    ...(Number.isFinite(until) && { before: String(Math.ceil(until / 1_000) + 1) }),
    ...(market && { market }),
  };
  const trades = new Map<string, Trade>();
  const unreadable: string[] = [];
  for (let cursor = FIRST; cursor !== END; ) {
    const page = await ask('The trades', tradePage, () => client.getTradesPaginated(filter, cursor));
    for (const row of page.trades) {
      const { data: next } = trade.safeParse(row);
      if (!next) unreadable.push(oddTrade.parse(row).id);
      else if ((trades.get(next.id)?.last_update ?? 0) <= next.last_update) trades.set(next.id, next);
    }
    cursor = page.next_cursor;
  }
  const within = [...trades.values()].filter(({ match_time: at }) => at >= since && at < until);
  // The newest come first, also among those of one second.
  return { trades: within.toReversed().toSorted((a, b) => a.match_time - b.match_time), unreadable };
}

/**
 * Opens the venue with the given API credentials, else with those that it derives from the wallet key. Each call throws
 * `DeskError` without a usable answer.
 */
export async function openVenue(access: Access) {
  const { address, clobUrl, proxyEnv, credentials, wallet } = access;
  // With API credentials there is nothing to sign.
  const signer = clientSigner(wallet ?? { address, sign: () => Promise.reject(new DeskError('There is no key.')) });
  const base = { host: clobUrl, proxyEnv, signer };
  const creds = credentials
    ? { key: credentials.key, secret: credentials.secret.reveal(), passphrase: credentials.passphrase.reveal() }
    : await derive(openClient(base), address);
  const open = () => openClient({ ...base, creds });
  const withoutSecrets = (reason: string) =>
    printable([creds.secret, creds.passphrase].reduce((text, secret) => text.replaceAll(secret, '[secret]'), reason));

  async function cancelBy(call: () => Promise<unknown>): Promise<Cancellation> {
    try {
      const { canceled, not_canceled } = await ask('The cancellation', cancellation, call);
      const refused = Object.entries(not_canceled).map(([id, why]) => [id.toLowerCase(), withoutSecrets(why)] as const);
      return { cancelled: new Set(canceled), refused: new Map(refused), failures: [] };
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      return { cancelled: new Set(), refused: new Map(), failures: [error.message] };
    }
  }

  return {
    /** The id of the API key, which the venue calls the owner of an order. */
    owner: creds.key,
    /** Lists the orders that rest, each once. A row without an id has its place in the list instead. */
    async openOrders(): Promise<readonly VenueOrder[]> {
      const rows = await ask('The open orders', z.array(orderRow), () => open().getOpenOrders());
      const orders = rows.map((row, index) => ({ ...row, id: row.id ?? `row ${index + 1}, without id` }));
      return [...new Map(orders.map((open) => [open.id, open])).values()];
    },
    /** Returns `null` for an order that the venue does not know, or has forgotten. */
    order: (id: string): Promise<VenueOrder | null> =>
      ask('The order', z.nullable(z.extend(order, { id: orderId })), () => open().getOrder(id).catch(nullFor(404))),
    trades: (filter: TradeFilter) => readTrades(open(), filter),
    /** Returns `null` if the venue does not state the fees. */
    async fees(market: string): Promise<Fees | null> {
      // The venue removes markets that have closed.
      const read = () => open().getClobMarketInfo(market).catch(nullFor(404));
      const info = await ask('The fees of a market', z.nullable(marketInfo), read);
      if (!info?.fd) return info?.tbf === 0 ? { rate: ZERO, exponent: 1, takerOnly: true } : null;
      const rate = parseDecimal(info.fd.r);
      return rate && rate.coefficient >= 0n ? { rate, exponent: info.fd.e, takerOnly: info.fd.to } : null;
    },
    /** Returns markets by condition id, without those that cannot be looked up. */
    markets: (ids: readonly string[]) => readMarkets(access, ids, CALL_MS),
    async cancel(ids: readonly string[]): Promise<Cancellation> {
      // One malformed id would have the venue refuse all of them.
      const usable = ids.filter((id) => ORDER_ID.test(id));
      const all: Cancellation[] = [];
      for (let from = 0; from < usable.length; from += MAX_IDS) {
        all.push(await cancelBy(() => open().cancelOrders(usable.slice(from, from + MAX_IDS))));
      }
      return {
        cancelled: new Set(all.flatMap(({ cancelled }) => [...cancelled])),
        refused: new Map(all.flatMap(({ refused }) => [...refused])),
        failures: all.flatMap(({ failures }) => failures),
      };
    },
    cancelAll: () => cancelBy(() => open().cancelAll()),
  };
}

/** The venue's side of the desk. */
export type DeskVenue = Awaited<ReturnType<typeof openVenue>>;
