import { readAnswer } from './answer.ts';
import type { components } from './api.ts';
import { OrderBookError } from './error.ts';
import { repeat } from './repeat.ts';

type Schemas = components['schemas'];
export type HealthStatus = Schemas['HealthStatus'];
export type Market = Schemas['Market'];
export type MarketList = Schemas['MarketList'];
export type Book = Schemas['Book'];
export type OrderRequest = Schemas['OrderRequest'];
export type PlacedOrder = Schemas['PlacedOrder'];
export { type ErrorCode, type Facts, OrderBookError } from './error.ts';

export interface ClientOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** Instead of the platform's `fetch`: one that signs requests, say. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface PlaceOptions extends CallOptions {
  /** Of an earlier attempt, to find out what became of it. Without it the client makes one. */
  readonly idempotencyKey?: string | undefined;
  /** The user's public key in the client's own chain; the service only logs it. */
  readonly clientAddress?: string | undefined;
}

/** Every method throws `OrderBookError`. */
export interface Client {
  health(options?: CallOptions): Promise<HealthStatus>;
  markets(options?: CallOptions & { readonly limit?: number | undefined }): Promise<MarketList>;
  book(tokenId: string, options?: CallOptions): Promise<Book>;
  /** Places one order, at most, however often it has to be sent. */
  placeOrder(order: OrderRequest, options?: PlaceOptions): Promise<PlacedOrder>;
}

/** Milliseconds of one attempt. The service answers a read within 10 s and an order within 25 s. */
const READ_LIMIT = 15_000;
const ORDER_LIMIT = 30_000;

/** A read changes nothing; a venue that refuses the service will go on refusing. */
function readAgain({ code, status }: OrderBookError): boolean {
  if (code === 'network_error') return true;
  return status !== undefined && [429, 502, 503, 504].includes(status) && code !== 'venue_refused_service';
}

/** With the same key a repeat places no second order; a refusal stays one. */
function orderAgain({ code, status = 0 }: OrderBookError): boolean {
  if (code === 'network_error' || code === 'order_in_progress') return true;
  // The gateway gave up, or the answer got lost on its way: what the service did is not known.
  if (code === 'foreign_answer') return status >= 500 || status < 300;
  return [429, 503, 504].includes(status);
}

/** 128 bits in hex. Not `randomUUID`, which pages have on https and localhost only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function createClient({ baseUrl, fetch = globalThis.fetch }: ClientOptions): Client {
  const root = baseUrl.replace(/\/+$/, '');

  async function send(path: string, init: RequestInit, limit: number): Promise<Response> {
    const time = AbortSignal.timeout(limit);
    return fetch(root + path, { ...init, signal: init.signal ? AbortSignal.any([init.signal, time]) : time });
  }

  function read<T>(path: string, members: readonly (keyof T & string)[], { signal }: CallOptions = {}): Promise<T> {
    const attempt = async () => readAnswer<T>(await send(path, { signal: signal ?? null }, READ_LIMIT), members);
    return repeat(attempt, readAgain, signal);
  }

  return {
    health: (options) => read<HealthStatus>('/health', ['status', 'mode'], options),

    markets: ({ limit, signal } = {}) => {
      const query = limit === undefined ? '' : `?limit=${limit}`;
      return read<MarketList>(`/v1/markets${query}`, ['items', 'has_more'], { signal });
    },

    book: (tokenId, options) =>
      read<Book>(`/v1/book/${encodeURIComponent(tokenId)}`, ['bids', 'asks', 'tick_size'], options),

    placeOrder: async (order, { idempotencyKey = newKey(), clientAddress, signal } = {}) => {
      const init = {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
          ...(clientAddress !== undefined && { 'X-Client-Address': clientAddress }),
        },
        body: JSON.stringify(order),
        signal: signal ?? null,
      };
      const attempt = async () =>
        readAnswer<PlacedOrder>(await send('/v1/orders', init, ORDER_LIMIT), ['order_id', 'status']);
      try {
        return await repeat(attempt, orderAgain, signal);
      } catch (error) {
        if (error instanceof OrderBookError) error.idempotencyKey = idempotencyKey;
        throw error;
      }
    },
  };
}
