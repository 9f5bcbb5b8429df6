import { STOP_MS } from '../shared/limits.ts';

/** What the local server grants a client. Times are milliseconds; tests shorten them. */
export interface ServerLimits {
  /** Until the headers are there; a slower client gets 408. */
  readonly headersTimeout: number;
  /** Until the body is there, counted from the first byte of the request. */
  readonly requestTimeout: number;
  /** How often the two above are looked at. */
  readonly connectionsCheckingInterval: number;
  /** How long an idle connection stays open for the next request. */
  readonly keepAliveTimeout: number;
  /** A connection on which nothing moves is dropped. */
  readonly silenceTimeout: number;
  readonly maxConnections: number;
  readonly maxRequestsPerSocket: number;
  /** How long a body that nobody wants is taken in and dropped, so that the client gets to read its answer. */
  readonly drainTime: number;
  /** How long a stop waits for requests in flight. */
  readonly stopTime: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headersTimeout: 10_000,
  // At most 16 KiB come in.
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Longer than clients and proxies commonly keep a connection (60 s), so that it is they who close it, not we while
  // an order is on its way.
  keepAliveTimeout: 65_000,
  // An order takes up to 25 s in silence.
  silenceTimeout: 60_000,
  maxConnections: 512,
  maxRequestsPerSocket: 10_000,
  drainTime: 5_000,
  stopTime: STOP_MS,
};

/** Where Node itself stops reading: above the sum of MAX_TARGET_BYTES and MAX_HEADER_BYTES, so that what is only a little too large gets an exact answer. */
export const PARSER_HEADER_BYTES = 32_768;
