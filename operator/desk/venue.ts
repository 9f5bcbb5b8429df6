import { ApiError, Chain, ClobClient } from '@polymarket/clob-client-v2';
import axios from 'axios';
import * as z from 'zod/mini';
import { compareDecimals, type Decimal, isTokenId, ONE, parseDecimal, ZERO } from '../../shared/decimal.ts';
import { clientSigner } from '../../shared/venue/polymarket/official-client.ts';
import { type Access, DeskError } from './access.ts';

// The venue as the desk asks it: by its official client, whose answers are parsed here and nowhere else.

/** One HTTP call, its answer included. */
const CALL_MS = 10_000;
/** A page has at most a few hundred rows. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** The venue takes no more ids in one call. */
const MAX_IDS = 1_000;
/** The cursors of the CLOB: before its first page, and after its last. */
const FIRST = 'MA==';
const END = 'LTE=';
const PAGED = /\/data\/(?:orders|trades)$/;

const paged = z.object({ data: z.array(z.unknown()), next_cursor: z.string() });

/** Requested pages of the list that is being read: the official client follows a repeated cursor for ever. */
const pagesAsked = new Set<string>();

// The client has no time-outs, sends its headers along with redirects, reads a malformed page as an empty one, and forgets
// the status of an answer without a body.
axios.interceptors.request.use((config) => {
  if (PAGED.test(config.url ?? '')) {
    const page = `${config.url} ${config.params?.next_cursor}`;
    if (pagesAsked.has(page)) throw new TypeError('a page comes twice');
    pagesAsked.add(page);
  }
  const limits = { signal: AbortSignal.timeout(CALL_MS), maxRedirects: 0, maxContentLength: MAX_ANSWER_BYTES };
  return Object.assign(config, limits);
});
axios.interceptors.response.use(
  (response) => {
    if (PAGED.test(response.config.url ?? '') && !paged.safeParse(response.data).success)
      throw new TypeError('no page');
    return response;
  },
  (error: unknown) => {
    if (axios.isAxiosError(error) && error.response) error.response.data ||= 'no body';
    throw error;
  },
);

/** Makes somebody else's text safe to print: drops characters that a terminal obeys. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').slice(0, 200);
}

/** A text that can be read as something else. */
function parsed<T>(read: (text: string) => T | undefined) {
  return z.nonoptional(z.pipe(z.string(), z.transform(read)));
}

const amount = parsed((text) => {
  const decimal = parseDecimal(text);
  return decimal && decimal.coefficient >= 0n ? decimal : undefined;
});
/** Collateral for a share. */
const price = amount.check(z.refine((decimal) => compareDecimals(decimal, ONE) <= 0));
const orderId = parsed((text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined));
/** Condition ids of protocol v2 sometimes have 62 digits, and are padded on the right. */
const conditionId = parsed((text) =>
  /^0x(?:[0-9a-fA-F]{62}|[0-9a-fA-F]{64})$/.test(text) ? text.padEnd(66, '0') : undefined,
);
const tokenId = parsed((text) => (isTokenId(text) ? text : undefined));
const side = parsed((text) => ({ BUY: 'buy' as const, SELL: 'sell' as const })[text.toUpperCase()]);
/** The names of states have been seen with a prefix, and without. */
const status = parsed((text) => printable(text.replace(/^(?:ORDER|TRADE)_STATUS_/i, '').toLowerCase()));
const seconds = z.pipe(
  z.union([
    z.number().check(z.gte(0), z.lte(1e11)),
    z.pipe(z.string().check(z.regex(/^\d{1,11}$/)), z.transform(Number)),
  ]),
  z.transform((value) => value * 1_000),
);
const optional = <T extends z.ZodMiniType>(schema: T) => z.catch(z.nullable(schema), null);
const text = optional(parsed(printable));

const common = { asset_id: tokenId, price, outcome: text };
const order = z.object({
  ...common,
  id: orderId,
  status,
  market: conditionId,
  side,
  original_size: amount,
  size_matched: amount,
  created_at: seconds,
});

/** Names the account of a part of a trade, and the fee where that is told. */
const part = { ...common, owner: text, maker_address: text, fee: optional(amount) };
const makerOrder = z.object({ ...part, order_id: orderId, matched_amount: amount, side: optional(side) });
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
const tradePage = z.object({ trades: z.array(trade), next_cursor: z.string() });

const cancellation = z.object({
  canceled: z.array(orderId),
  not_canceled: z.catch(z.record(z.string(), z.string()), {}),
});
const number = z.pipe(z.number(), z.transform(String));
const feeDetails = z.object({ r: number, e: z.int().check(z.gte(0), z.lte(10)), to: z.boolean() });
// Details that cannot be read have no rate; only where there are none does `tbf` count.
const marketInfo = z.object({
  fd: z.nullish(z.catch(feeDetails, { r: '', e: 0, to: false })),
  tbf: optional(z.number()),
});
const apiKey = z.object({ key: z.string(), secret: z.string(), passphrase: z.string() });

/** An order as the venue has it. */
export type VenueOrder = z.infer<typeof order>;
/** A trade in which an order of the account took part: the taker's view, with the makers' parts in `maker_orders`. */
export type Trade = z.infer<typeof trade>;

/** The venue's word on the orders that it was told to cancel. */
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

/** Returns why there is no usable answer. The venue's own words are left out: they might quote anything. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'the venue gave an answer that cannot be used.';
  const { message, status = 0 } = error;
  if (status === 401) {
    return 'the venue refuses the API credentials, or the clock of this machine is wrong: npm run doctor tells which.';
  }
  if (status === 403) return 'the venue refuses this machine or this account: npm run doctor tells why.';
  if (status === 429) return 'the venue limits the rate of requests. Try again in a minute.';
  if (status === 425 || status >= 500) {
    return `the venue is not available (${status}). See https://status.polymarket.com.`;
  }
  // Aborted by our own signal.
  if (message === 'canceled') return `the venue did not answer within ${CALL_MS / 1_000} s.`;
  const isNetwork = status === 0 && /E[A-Z_]{4,}|[Ss]ocket|[Nn]etwork|[Cc]ertificate/.test(message);
  return isNetwork ? 'the venue cannot be reached.' : 'the venue gave an answer that cannot be used.';
}

async function ask<T extends z.ZodMiniType>(
  what: string,
  schema: T,
  call: () => Promise<unknown>,
): Promise<z.infer<T>> {
  // The signal of a call keeps no process alive, and a connection may end without an answer or an error.
  const awake = setInterval(() => undefined, CALL_MS);
  try {
    return schema.parse(await call());
  } catch (error) {
    throw new DeskError(`${what}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearInterval(awake);
  }
}

/** Turns the status by which the venue says that it knows no such thing into `null`. */
function nullFor(unknownStatus: number) {
  return (error: unknown) => {
    // A page of the venue's edge, which the client passes on as the message, says nothing of it.
    const isSaid = error instanceof ApiError && error.status === unknownStatus && !/^\s*</.test(error.message);
    if (isSaid) return null;
    throw error;
  };
}

/** Returns a signer for the client. With API credentials there is nothing to sign. */
function signerOf({ address, wallet }: Access) {
  return clientSigner(wallet ?? { address, sign: () => Promise.reject(new DeskError('There is no wallet key.')) });
}

/** Derives the API credentials from the wallet key; makes none. */
async function derive(client: ClobClient, address: string): Promise<z.infer<typeof apiKey>> {
  const derive = () => client.deriveApiKey().catch(nullFor(400));
  const derived = await ask('The API credentials', z.nullable(apiKey), derive);
  if (derived) return derived;
  throw new DeskError(`${address} has no API credentials at the venue: it has never placed an order.`);
}

/**
 * Lists trades, each once, the oldest first; a repeated trade has its later state. A page at a time, since a long list
 * takes minutes: `progress` is called after each.
 */
async function readTrades(
  client: ClobClient,
  { since, until, conditionId: market }: TradeFilter,
  progress: (count: number) => void,
): Promise<readonly Trade[]> {
  // A second more on both sides: the venue does not say whether its bounds are inclusive.
  const filter = {
    ...(since !== undefined && { after: String(Math.floor(since / 1_000) - 1) }),
    ...(until !== undefined && { before: String(Math.ceil(until / 1_000) + 1) }),
    ...(market && { market }),
  };
  const trades = new Map<string, Trade>();
  pagesAsked.clear();
  for (let cursor = FIRST; cursor !== END; ) {
    const page = await ask('The trades', tradePage, () => client.getTradesPaginated(filter, cursor));
    for (const next of page.trades) {
      const known = trades.get(next.id);
      if (!known || known.last_update <= next.last_update) trades.set(next.id, next);
    }
    progress(trades.size);
    cursor = page.next_cursor;
  }
  const isWithin = ({ match_time: at }: Trade) => at >= (since ?? 0) && at < (until ?? Number.POSITIVE_INFINITY);
  // The newest come first: among those of one second, too.
  return [...trades.values()]
    .filter(isWithin)
    .toReversed()
    .toSorted((a, b) => a.match_time - b.match_time);
}

/**
 * Opens the venue with the API credentials at hand, or else with those that it derives from the wallet key. Each call
 * throws `DeskError` where its answer is not told.
 */
export async function openVenue(access: Access) {
  const { address, clobUrl, credentials } = access;
  const base = { host: clobUrl, chain: Chain.POLYGON, signer: signerOf(access), throwOnError: true };
  const creds = credentials
    ? { key: credentials.key, secret: credentials.secret.reveal(), passphrase: credentials.passphrase.reveal() }
    : await derive(new ClobClient(base), address);
  const client = new ClobClient({ ...base, creds });
  const secrets = [creds.secret, creds.passphrase];
  const withoutSecrets = (reason: string) =>
    printable(secrets.reduce((sentence, secret) => sentence.replaceAll(secret, '[secret]'), reason));

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
    async openOrders(): Promise<readonly VenueOrder[]> {
      pagesAsked.clear();
      const orders = await ask('The open orders', z.array(order), () => client.getOpenOrders());
      return [...new Map(orders.map((open) => [open.id, open])).values()];
    },
    /** Returns `null` for an order that the venue does not know, or has forgotten. */
    order: (id: string): Promise<VenueOrder | null> =>
      ask('The order', z.nullable(order), () => client.getOrder(id).catch(nullFor(404))),
    trades: (filter: TradeFilter, progress: (count: number) => void) => readTrades(client, filter, progress),
    /** Returns `null` where the venue does not say. */
    async fees(market: string): Promise<Fees | null> {
      // The venue removes markets that have closed.
      const read = () => client.getClobMarketInfo(market).catch(nullFor(404));
      const info = await ask('The fees of a market', z.nullable(marketInfo), read);
      if (!info?.fd) return info?.tbf === 0 ? { rate: ZERO, exponent: 1, takerOnly: true } : null;
      const rate = parseDecimal(info.fd.r);
      return rate && rate.coefficient >= 0n ? { rate, exponent: info.fd.e, takerOnly: info.fd.to } : null;
    },
    async cancel(ids: readonly string[]): Promise<Cancellation> {
      const all: Cancellation[] = [];
      for (let from = 0; from < ids.length; from += MAX_IDS) {
        all.push(await cancelBy(() => client.cancelOrders(ids.slice(from, from + MAX_IDS))));
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
