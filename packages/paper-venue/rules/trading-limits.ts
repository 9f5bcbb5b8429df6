import { type PaperRequest, parsedBody } from '../http/router.ts';

/** Token buckets of the venue's lowest tier: tokens that come back in a second, and tokens of a full bucket. */
const BUCKETS = { order: { perSecond: 40, burst: 60 }, cancel: { perSecond: 80, burst: 120 } } as const;

const PATHS: ReadonlyMap<string, keyof typeof BUCKETS> = new Map([
  ['POST /order', 'order'],
  ['POST /orders', 'order'],
  ['DELETE /order', 'cancel'],
  ['DELETE /orders', 'cancel'],
  ['DELETE /cancel-all', 'cancel'],
  ['DELETE /cancel-market-orders', 'cancel'],
]);

/** Orders of a request: those of a batch, else one. */
function costOf({ body }: PaperRequest): number {
  const orders = parsedBody(body);
  return Array.isArray(orders) ? Math.max(orders.length, 1) : 1;
}

/**
 * Limits of orders and cancellations by signer address, in warning mode: nothing is refused for them, and an answer says
 * so where it would be (https://docs.polymarket.com/api-reference/trading-rate-limits).
 */
export class TradingLimits {
  readonly #levels = new Map<string, { readonly tokens: number; readonly at: number }>();

  /** Takes the tokens of a request that was processed with this status, and returns the headers that report it. */
  headersOf(request: PaperRequest, status: number): Readonly<Record<string, string>> {
    const { method, path, headers, now } = request;
    const bucket = PATHS.get(`${method} ${path}`);
    const signer = headers['poly_address'];
    // The limiter counts by credentials: a request with wrong ones does not reach it.
    if (!bucket || typeof signer !== 'string' || status === 401) return {};
    const { perSecond, burst } = BUCKETS[bucket];
    const name = `${bucket} ${signer.toLowerCase()}`;
    const { tokens: left, at } = this.#levels.get(name) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, left + (Math.max(now - at, 0) / 1_000) * perSecond);
    const cost = costOf(request);
    const isShort = tokens < cost;
    this.#levels.set(name, { tokens: Math.max(tokens - cost, 0), at: now });
    const waitS = isShort ? (cost - tokens) / perSecond : 0;
    return {
      'poly-ratelimit-remaining': String(Math.floor(Math.max(tokens - cost, 0))),
      'poly-ratelimit-reset': String(Math.ceil(now / 1_000 + waitS)),
      'poly-ratelimit-tier': 'standard',
      ...(isShort && { 'poly-ratelimit-warning': 'true' }),
    };
  }
}
