import { ApiError, Chain, ClobClient } from '@polymarket/clob-client-v2';
import axios from 'axios';
import * as z from 'zod/mini';
import { compareDecimals, type Decimal, ONE, parseDecimal, ZERO } from '../../shared/decimal.ts';
import { isTokenId } from '../../shared/token-id.ts';
import { clientSigner } from '../../shared/venue/polymarket/official-client.ts';
import { decimalOrNull, lenient, lenientConditionId, readBy } from '../../shared/venue/polymarket/wire.ts';
import { readQuestions } from '../inspection/read-questions.ts';
import { type Access, DeskError } from './access.ts';

// The venue as the desk asks it: by its official client, whose answers are parsed in this file only.

/** Limit of one HTTP call, its answer included. */
const CALL_MS = 10_000;
/** A page has at most a few hundred rows. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** The venue takes at most this many ids in one call. */
const MAX_IDS = 1_000;
/** The cursors of the CLOB: before its first page, and after its last. */
const FIRST = 'MA==';
const END = 'LTE=';
const PAGED = /\/data\/(?:orders|trades)$/;

const paged = z.object({ data: z.array(z.unknown()), next_cursor: z.string() });

/** Requested pages of the current list: the official client follows a repeated cursor for ever. */
const pagesAsked = new Set<string>();

// The client has no time-outs, sends its headers along with redirects, and reads a malformed page as an empty one.
axios.interceptors.request.use((config) => {
  if (PAGED.test(config.url ?? '')) {
    const page = `${config.url} ${config.params?.next_cursor}`;
    if (pagesAsked.has(page)) throw new TypeError('a page comes twice');
    pagesAsked.add(page);
  }
  const limits = { signal: AbortSignal.timeout(CALL_MS), maxRedirects: 0, maxContentLength: MAX_ANSWER_BYTES };
  return Object.assign(config, limits);
});
axios.interceptors.response.use((response) => {
  if (PAGED.test(response.config.url ?? '') && !paged.safeParse(response.data).success) throw new TypeError('no page');
  return response;
});

/** Makes foreign text safe to print: drops the characters that control a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 200);
}

/** Creates the schema of a text that `read` understands. */
function parsed<T>(read: (text: string) => T | undefined) {
  return z.nonoptional(z.pipe(z.string(), z.transform(read)));
}

const amount = z.nonoptional(readBy((value) => parseDecimal(decimalOrNull(value) ?? '')));
/** Collateral for a share. */
const price = amount.check(z.refine((decimal) => compareDecimals(decimal, ONE) <= 0));
const ORDER_ID = /^0x[0-9a-f]{64}$/;
const id = parsed((text) => printable(text).toLowerCase() || undefined);
const orderId = id.check(z.regex(ORDER_ID));
const conditionId = z.pipe(lenientConditionId, z.string());
const tokenId = parsed((text) => (isTokenId(text) ? text : undefined));
const side = parsed((text) => ({ BUY: 'buy' as const, SELL: 'sell' as const })[text.toUpperCase()]);
/** The names of states come with a prefix, or without. */
const status = parsed((text) => printable(text.replace(/^(?:ORDER|TRADE)_STATUS_/i, '').toLowerCase()));
const seconds = z.nonoptional(
  readBy((value) => (/^\d{1,11}$/.test(String(value)) ? Number(value) * 1_000 : undefined)),
);
const text = lenient(parsed(printable));

/** An unreadable part is `null`: an odd row does not hide the others, and can be cancelled by its id. */
const order = z.object({
  id: lenient(id),
  status: lenient(status),
  market: lenient(conditionId),
  asset_id: lenient(tokenId),
  outcome: text,
  side: lenient(side),
  price: lenient(price),
  original_size: lenient(amount),
  size_matched: lenient(amount),
  created_at: lenient(seconds),
});
const orderRow = z.catch(order, order.parse({}));

/** Names the account of a part of a trade, and the fee if the venue states it. */
const part = { asset_id: tokenId, price, outcome: text, owner: text, maker_address: text, fee: lenient(amount) };
const makerOrder = z.object({ ...part, order_id: orderId, matched_amount: amount, side: lenient(side) });
const trade = z.object({
  ...part,
  id: parsed((text) => printable(text) || undefined),
  taker_order_id: orderId,
  market: conditionId,
  side,
  status,
  size: amount,
  match_time: seconds,
  last_update: z.catch(seconds, 0),
  trader_side: text,
  transaction_hash: text,
  maker_orders: z.array(makerOrder),
});
const tradePage = z.object({ trades: z.array(z.unknown()), next_cursor: z.string() });
const oddTrade = z.catch(z.object({ id: z.catch(trade.shape.id, 'without id') }), { id: 'without id' });

const cancellation = z.object({
  canceled: z.array(id),
  not_canceled: z.catch(z.record(z.string(), z.string()), {}),
});
const number = z.pipe(z.number(), z.transform(String));
const feeDetails = z.object({ r: number, e: z.int().check(z.gte(0), z.lte(10)), to: z.boolean() });
// Unreadable details have no rate. `tbf` counts only without details.
const marketInfo = z.object({
  fd: z.nullish(z.catch(feeDetails, { r: '', e: 0, to: false })),
  tbf: lenient(z.number()),
});
const apiKey = z.object({ key: z.string(), secret: z.string(), passphrase: z.string() });

/** An order as the venue has it; times in milliseconds of the Unix epoch. */
export interface VenueOrder extends z.infer<typeof order> {
  readonly id: string;
}
/** A trade in which an order of the account took part. */
export type Trade = z.infer<typeof trade>;

/** Returns true if every part of an order that decides about money was read. */
export function isReadable({ outcome: _, ...order }: VenueOrder): boolean {
  return !Object.values(order).includes(null);
}

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
interface TradeFilter {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly conditionId?: string | null;
}

const UNUSABLE = 'the venue gave an answer that cannot be used.';

/** Returns why there is no usable answer, without the venue's message, which might quote a secret. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return UNUSABLE;
  const { message, status = 0 } = error;
  if (status === 401) return 'the venue refuses the API credentials, or the clock is wrong. Run npm run doctor.';
  if (status === 403) return 'the venue refuses this machine or this account. Run npm run doctor.';
  if (status === 429) return 'the venue limits the rate of requests. Try again in a minute.';
  if (status === 425 || status >= 500) return `the venue is not available (${status}).`;
  // Aborted by our own signal.
  if (message === 'canceled') return `the venue did not answer within ${CALL_MS / 1_000} s.`;
  const isNetwork = status === 0 && /E[A-Z_]{4,}|[Ss]ocket|[Nn]etwork|[Cc]ertificate/.test(message);
  return isNetwork ? 'the venue cannot be reached.' : UNUSABLE;
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

/** Turns the status of an unknown thing into `null`, but not that of a page of the venue's edge. */
function nullFor(unknownStatus: number) {
  return (error: unknown) => {
    if (error instanceof ApiError && error.status === unknownStatus && !/^\s*</.test(error.message)) return null;
    throw error;
  };
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
  pagesAsked.clear();
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
  const { address, clobUrl, credentials, wallet } = access;
  // With API credentials there is nothing to sign.
  const signer = clientSigner(wallet ?? { address, sign: () => Promise.reject(new DeskError('There is no key.')) });
  const base = { host: clobUrl, chain: Chain.POLYGON, signer, throwOnError: true };
  const creds = credentials
    ? { key: credentials.key, secret: credentials.secret.reveal(), passphrase: credentials.passphrase.reveal() }
    : await derive(new ClobClient(base), address);
  const client = new ClobClient({ ...base, creds });
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
      pagesAsked.clear();
      const rows = await ask('The open orders', z.array(orderRow), () => client.getOpenOrders());
      const orders = rows.map((row, index) => ({ ...row, id: row.id ?? `row ${index + 1}, without id` }));
      return [...new Map(orders.map((open) => [open.id, open])).values()];
    },
    /** Returns `null` for an order that the venue does not know, or has forgotten. */
    order: (id: string): Promise<VenueOrder | null> =>
      ask('The order', z.nullable(z.extend(order, { id: orderId })), () => client.getOrder(id).catch(nullFor(404))),
    trades: (filter: TradeFilter) => readTrades(client, filter),
    /** Returns `null` if the venue does not state the fees. */
    async fees(market: string): Promise<Fees | null> {
      // The venue removes markets that have closed.
      const read = () => client.getClobMarketInfo(market).catch(nullFor(404));
      const info = await ask('The fees of a market', z.nullable(marketInfo), read);
      if (!info?.fd) return info?.tbf === 0 ? { rate: ZERO, exponent: 1, takerOnly: true } : null;
      const rate = parseDecimal(info.fd.r);
      return rate && rate.coefficient >= 0n ? { rate, exponent: info.fd.e, takerOnly: info.fd.to } : null;
    },
    /** Returns the questions of markets by condition id, without those that cannot be looked up. */
    questions: (markets: readonly string[]) => readQuestions(access, markets, CALL_MS),
    async cancel(ids: readonly string[]): Promise<Cancellation> {
      // One malformed id would have the venue refuse all of them.
      const usable = ids.filter((id) => ORDER_ID.test(id));
      const all: Cancellation[] = [];
      for (let from = 0; from < usable.length; from += MAX_IDS) {
        all.push(await cancelBy(() => client.cancelOrders(usable.slice(from, from + MAX_IDS))));
      }
      return {
        cancelled: new Set(all.flatMap(({ cancelled }) => [...cancelled])),
        refused: new Map(all.flatMap(({ refused }) => [...refused])),
        failures: all.flatMap(({ failures }) => failures),
      };
    },
    cancelAll: () => cancelBy(() => client.cancelAll()),
  };
}

/** The venue's side of the desk. */
export type DeskVenue = Awaited<ReturnType<typeof openVenue>>;
