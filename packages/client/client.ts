import { type Marks, readAnswer } from './answer.ts';
import type { components } from './api.ts';
import { mayBeLiveAfter, noAnswer, OrderBookError, requirePlatform, serviceUrl } from './error.ts';
import { repeat, walletAnswer } from './repeat.ts';
import { type SignedText, signOrder, timeOf, type Wallet } from './wallet.ts';
import { type PollBook, type WatchOptions, watch } from './watch.ts';

type Schemas = components['schemas'];
/** The answer of `GET /health`. */
export type HealthStatus = Schemas['HealthStatus'];
/** A market on which orders can be placed. */
export type Market = Schemas['Market'];
/** The fees of a market. */
export type MarketFees = Schemas['MarketFees'];
/** The answer of `GET /v1/markets`. */
export type MarketList = Schemas['MarketList'];
/** The answer of `GET /v1/book/{token_id}`. */
export type Book = Schemas['Book'];
/** The body of `POST /v1/orders`. */
export type OrderRequest = Schemas['OrderRequest'];
/** The answer to a placed order. */
export type PlacedOrder = Schemas['PlacedOrder'];
export { formatUnits, parseUnits, roundToTick, takerFee } from './amounts.ts';
export { type ErrorCode, type Facts, OrderBookError } from './error.ts';
export { type OrderEvent, signEvent, verifyEvent, type WebhookHeaders } from './event.ts';
export { type Quote, type QuoteLimits, quote } from './quote.ts';
export type { Wallet } from './wallet.ts';
export type { WatchOptions } from './watch.ts';

/** The service, and how it is reached. */
export interface ClientOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Replaces the platform's `fetch`, for example by one that signs requests. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Where the service runs, for a public page: Chrome then asks the user, and lets an https page call plain http. */
  readonly targetAddressSpace?: 'local' | 'loopback' | undefined;
  /** Signs each order, for a service that verifies its clients. */
  readonly wallet?: Wallet | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, between its attempts too. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a list of markets. */
export interface MarketOptions extends CallOptions {
  readonly limit?: number | undefined;
  readonly tokenIds?: readonly string[] | undefined;
}

/** Options of an order. */
export interface PlaceOptions extends CallOptions {
  /** Key of an earlier attempt, to learn the fate of its order. Without it the client creates a new key. */
  readonly idempotencyKey?: string | undefined;
  /** The `mayBeLive` of the earlier error: set if it left open whether the order is live. */
  readonly mayBeLive?: boolean | undefined;
  /** Public key of the user in the client's own chain, if there is no wallet; the service only logs it. */
  readonly clientAddress?: string | undefined;
  /** Attempts of this call: 4 unless given. */
  readonly attempts?: number | undefined;
}

/** Calls of the service. Every method throws `OrderBookError`. */
export interface Client {
  health(options?: CallOptions): Promise<HealthStatus>;
  /** Lists open markets; with `tokenIds`, of which there may be 20, only those of these tokens. */
  markets(options?: MarketOptions): Promise<MarketList>;
  book(tokenId: string, options?: CallOptions): Promise<Book>;
  /**
   * Hands over the book now and after each change, and resolves when the signal ends it. Asks once a second, unless the page is
   * hidden. After failures that a read is
   * repeated for, it calls `onError` and goes on; after others it rejects.
   */
  watchBook(tokenId: string, onBook: (book: Book) => unknown, options: WatchOptions): Promise<void>;
  /** Places at most one order, however often it has to be sent: every attempt has the same idempotency key. */
  placeOrder(order: OrderRequest, options?: PlaceOptions): Promise<PlacedOrder>;
}

type Send = (path: string, init: RequestInit, limitMs: number) => Promise<Response>;

/** Limits of one attempt: the service answers a read within 10 s and an order within 25 s, and the network adds to it. */
const READ_LIMIT_MS = 15_000;
const ORDER_LIMIT_MS = 30_000;

const BOOK_MARKS = { bids: 'array', asks: 'array', tick_size: 'string' } as const;
const PLACED_MARKS = { order_id: 'string', status: 'string' } as const;

function bookPath(tokenId: string): string {
  return `/v1/book/${encodeURIComponent(tokenId)}`;
}

/** Allows a repeat after most failures, as a read changes nothing; a venue that refuses the service keeps refusing. */
function mayReadAgain({ code, status = 0 }: OrderBookError): boolean {
  return code === 'network_error' || ([429, 502, 503, 504].includes(status) && code !== 'venue_refused_service');
}

/** Allows a repeat unless the service refused the order: with the same key it cannot place a second one. */
function mayPlaceAgain({ code, status = 0 }: OrderBookError): boolean {
  // The gateway gave up, or the answer was lost on its way: the order may have been placed.
  if (code === 'foreign_answer') return status >= 500 || status < 300;
  // A repeat is useless until the operator acts.
  if (code === 'venue_refused_service') return false;
  return code === 'network_error' || [408, 409, 429].includes(status) || status >= 500;
}

/** Creates an idempotency key: 128 random bits in hex. Pages have `randomUUID` on https and localhost only. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function sender({ baseUrl, fetch: request = fetch, targetAddressSpace }: ClientOptions): Send {
  const root = baseUrl.replace(/\/+$/, '');
  const shared = { targetAddressSpace };
  return async (path, init, limitMs) => {
    const limit = AbortSignal.timeout(limitMs);
    // Node 20 may collect a time-out without a listener, even inside `any`.
    limit.onabort = () => undefined;
    return request(root + path, {
      ...init,
      ...shared,
      signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit,
    });
  };
}

/** Signs an order with the wallet, if there is one, and once more if the clock of this machine is wrong. */
async function withSignature<T>(
  { wallet, baseUrl }: ClientOptions,
  { signal, ...asked }: CallOptions & { readonly order: OrderRequest; readonly idempotencyKey: string },
  placeWith: (signed: SignedText | undefined) => Promise<T>,
): Promise<T> {
  if (!wallet) return placeWith(undefined);
  const url = serviceUrl(baseUrl);
  if (!url) throw noAnswer(baseUrl, undefined);
  const challenge = { authority: url.host, address: wallet.address, ...asked };
  const sign = (validUntil?: string) => walletAnswer(() => signOrder(wallet, challenge, validUntil), signal);
  try {
    return await placeWith(await sign());
  } catch (error) {
    const isInvalid = error instanceof OrderBookError && error.code === 'client_signature_invalid';
    const validUntil = isInvalid ? timeOf(challenge, error.facts.challenge) : undefined;
    if (validUntil === undefined) throw error;
    return placeWith(await sign(validUntil));
  }
}

async function place(
  send: Send,
  client: ClientOptions,
  order: OrderRequest,
  options: PlaceOptions,
): Promise<PlacedOrder> {
  requirePlatform();
  const { baseUrl } = client;
  const { idempotencyKey = newIdempotencyKey(), clientAddress = client.wallet?.address, signal, attempts } = options;
  let { mayBeLive = false } = options;
  const placeWith = (signed: SignedText | undefined): Promise<PlacedOrder> => {
    const init = {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
        ...(clientAddress !== undefined && { 'X-Client-Address': clientAddress }),
        ...(signed && {
          'X-Client-Signature': signed.signature,
          'X-Client-Signature-Expires': signed.validUntil,
        }),
      },
      body: JSON.stringify(order),
      signal: signal ?? null,
    };
    try {
      new Headers(init.headers);
    } catch {
      // `fetch` throws as for a lost answer, which would report the order as possibly live.
      throw new OrderBookError('No header can hold this key, address or signature.', { code: 'invalid_request' });
    }
    const attempt = async () => {
      const before = mayBeLive;
      // Stays true without an answer.
      mayBeLive = true;
      try {
        return await readAnswer<PlacedOrder>(await send('/v1/orders', init, ORDER_LIMIT_MS), PLACED_MARKS, baseUrl);
      } catch (error) {
        if (error instanceof OrderBookError) mayBeLive = mayBeLiveAfter(error, before);
        throw error;
      }
    };
    return repeat(attempt, { baseUrl, repeatable: mayPlaceAgain, signal, attempts });
  };
  try {
    return await withSignature(client, { order, idempotencyKey, signal }, placeWith);
  } catch (error) {
    if (error instanceof OrderBookError) Object.assign(error, { idempotencyKey, mayBeLive });
    throw error;
  }
}

/** Creates the client of the service at `baseUrl`. Sends nothing until one of its methods is called. */
export function createClient(options: ClientOptions): Client {
  const send = sender(options);
  const { baseUrl } = options;

  async function read<T>(path: string, marks: Marks<T>, { signal }: CallOptions = {}): Promise<T> {
    requirePlatform();
    const attempt = async () =>
      readAnswer<T>(await send(path, { signal: signal ?? null }, READ_LIMIT_MS), marks, baseUrl);
    return repeat(attempt, { baseUrl, repeatable: mayReadAgain, signal });
  }

  function pollOf(tokenId: string, signal: AbortSignal): PollBook {
    // A browser would answer 304 itself from its cache, and the page would not learn of it.
    const init = { signal, cache: 'no-store' } as const;
    return async (etag) => {
      const headers: Record<string, string> = etag === null ? {} : { 'If-None-Match': etag };
      const attempt = async () => {
        const response = await send(bookPath(tokenId), { ...init, headers }, READ_LIMIT_MS);
        if (response.status === 304 && etag !== null) return undefined;
        const { headers: answered } = response;
        return { book: await readAnswer<Book>(response, BOOK_MARKS, baseUrl), etag: answered.get('etag') };
      };
      // The watch repeats by itself.
      return repeat(attempt, { baseUrl, repeatable: () => false, signal });
    };
  }

  return {
    health: (call) => read<HealthStatus>('/health', { status: 'string', mode: 'string' }, call),
    markets: async ({ limit, tokenIds, signal } = {}) => {
      // The service would list the markets of all tokens.
      if (tokenIds?.length === 0) return { items: [], has_more: false };
      const tokens = tokenIds?.map((id) => `token_id=${encodeURIComponent(id)}`) ?? [];
      const query = (limit === undefined ? tokens : [`limit=${limit}`, ...tokens]).join('&');
      const path = query === '' ? '/v1/markets' : `/v1/markets?${query}`;
      return read<MarketList>(path, { items: 'array', has_more: 'boolean' }, { signal });
    },
    book: (tokenId, call) => read<Book>(bookPath(tokenId), BOOK_MARKS, call),
    watchBook: async (tokenId, onBook, watching) => {
      requirePlatform();
      return watch(pollOf(tokenId, watching.signal), mayReadAgain, onBook, watching);
    },
    // A copy: the caller's object may change while a wallet asks its user.
    placeOrder: (order, call = {}) => place(send, options, { ...order }, call),
  };
}
