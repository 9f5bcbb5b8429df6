import type { Call } from '../call.ts';
import type { AppError, FactsOf } from '../errors.ts';

/** The port to a venue, in our words. The Polymarket implementation is in `polymarket/`. */

interface Outcome {
  readonly name: string | null;
  readonly tokenId: string;
  readonly price: string | null;
}

/** The event of a market, which may have several. */
interface MarketEvent {
  readonly id: string;
  readonly slug: string | null;
  readonly title: string | null;
}

/** Fee of a taker: shares x rate x (price x (1 - price)) ^ exponent, in collateral. */
interface MarketFees {
  /** A fraction, "0" where the venue charges nothing. */
  readonly takerRate: string;
  readonly exponent: string | null;
  /** True where makers pay nothing. */
  readonly takerOnly: boolean | null;
}

/**
 * A market on which orders can be placed now. Decimals are strings: prices and ticks in collateral per share, sizes in
 * shares, volume and liquidity in collateral. A member that the venue does not report is `null`.
 */
export interface Market {
  readonly id: string;
  readonly conditionId: string | null;
  readonly slug: string | null;
  readonly question: string | null;
  readonly endDate: string | null;
  readonly tickSize: string | null;
  readonly minOrderSize: string | null;
  readonly negRisk: boolean | null;
  readonly volume24h: string | null;
  readonly liquidity: string | null;
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly event: MarketEvent | null;
  readonly fees: MarketFees | null;
  readonly outcomes: readonly Outcome[];
}

/** A part of the catalogue. */
export interface MarketList {
  readonly markets: readonly Market[];
  /** True where the venue has, or may have, further markets. */
  readonly hasMore: boolean;
}

/** One price of a book and the shares that are offered there. */
export interface PriceLevel {
  /** Collateral per share. */
  readonly price: string;
  /** In shares. */
  readonly size: string;
}

/** An order book, best price first on both sides; prices and ticks in collateral per share, sizes in shares. */
export interface Book {
  readonly tokenId: string;
  readonly conditionId: string | null;
  readonly bids: readonly PriceLevel[];
  readonly asks: readonly PriceLevel[];
  readonly tickSize: string;
  readonly minOrderSize: string;
  readonly negRisk: boolean;
  readonly lastTradePrice: string | null;
  /** ISO 8601; the venue's time of the last change. */
  readonly timestamp: string | null;
  readonly hash: string | null;
}

/** Errors: `unknown_token`, `venue_error`, `venue_timeout`, `venue_unavailable`, `rate_limited`, `venue_refused_service`. */
export interface MarketData {
  /** Lists at most `limit` markets, the most traded ones of the last 24 h first. */
  listMarkets(limit: number, call: Call): Promise<MarketList>;
  readBook(tokenId: string, call: Call): Promise<Book>;
}

/** A limit order in its canonical form: equal orders are equal records. */
export interface LimitOrder {
  readonly tokenId: string;
  readonly side: 'buy' | 'sell';
  /** Collateral per share, as `formatDecimal` writes it: `0.50` and `"0.5"` are one price. */
  readonly price: string;
  /** In shares, as `formatDecimal` writes it. */
  readonly size: string;
  readonly postOnly: boolean;
  /** The end of the order in milliseconds of the Unix epoch, in whole seconds; `null` rests until filled or cancelled. */
  readonly expiresAt: number | null;
}

/** A signed order: everything needed to send the same bytes again. Holds no key and no API credential. */
export interface SignedOrder {
  /** EIP-712 hash of the order; the venue's order id, known before sending. */
  readonly orderId: string;
  readonly tokenId: string;
  /** The venue's id of the market, by which trades are found that name only the other token. */
  readonly conditionId: string | null;
  readonly postOnly: boolean;
  /** In milliseconds of the Unix epoch; `null` for an order without an end. Its bytes are not sent from then on. */
  readonly expiresAt: number | null;
  /** The signed struct with its signature, as JSON text, sent byte for byte. */
  readonly payload: string;
  /** In milliseconds of the Unix epoch. */
  readonly signedAt: number;
}

/** The account and the venue that orders are signed for; signatures are valid only there. */
export interface SignedFor {
  /** Base URL of the venue: one host may have several behind different paths. */
  readonly venue: string;
  readonly chainId: number;
  /** EIP-55 address of the account that holds the funds. */
  readonly maker: string;
  /** The kind of that account, as the settings name it. */
  readonly signatureType: string;
}

/**
 * `live` rests on the book, `matched` was wholly or partly executed, `delayed` is held by the venue, `cancelled` was
 * accepted and is off the book.
 */
export const PLACEMENT_STATUSES = ['live', 'matched', 'delayed', 'cancelled'] as const;

/**
 * The executed part of an order at the time of the answer, in decimal strings; `null` where the venue reports none, or
 * one that cannot be true.
 */
export interface Fills {
  /** In shares. */
  readonly filledSize: string | null;
  /** The rest, in shares: it rests on the book, or was not executed. */
  readonly remainingSize: string | null;
  /** The collateral paid or received for the filled shares, before fees. */
  readonly filledValue: string | null;
}

/** The state of an accepted order, by the time of the answer. */
export interface Placement extends Fills {
  readonly orderId: string;
  readonly status: (typeof PLACEMENT_STATUSES)[number];
  readonly transactionHashes: readonly string[];
  readonly tradeIds: readonly string[];
}

/** The fate of an order that was handed to the venue. */
export type Fate =
  | { readonly kind: 'placed'; readonly placement: Placement }
  /** The venue itself did not take it, provably and for good. */
  | { readonly kind: 'refused'; readonly error: AppError }
  /** The venue did not take it this time; the same bytes may be sent again. */
  | {
      readonly kind: 'not_taken';
      readonly error: AppError;
      /** True where a sentence of the venue refuses the operator or the token: the order may be signed anew. */
      readonly freesKey: boolean;
    }
  /** It may be live. */
  | {
      readonly kind: 'unknown';
      /** `firewall`: a page of the venue's edge answered the order, and look-ups do not show it. */
      readonly why: FactsOf<'outcome_unknown'>['why'] | 'firewall';
      /** The time at which bytes left without an answer that proves anything; `null` for none. */
      readonly sentAt: number | null;
      /** The venue's message, if it is an unknown one. The order is not sent again then. */
      readonly venueReason?: string | undefined;
      /** Time in seconds until a repeat may learn more. */
      readonly retryAfter?: number;
      /** For the log. */
      readonly cause: unknown;
    };

/** A call in which an order may leave. */
export interface SendingCall extends Call {
  /** Checked right before bytes leave, by the wall clock: the lease may have ended while the process stood still. */
  readonly leaseUntil?: number;
}

/** The capability to trade. Absent in read-only mode. */
export interface OrderEntry {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  readonly signedFor: SignedFor;
  /**
   * Asks the venue for its time while its last answer differs from our clock. Throws `venue_refused_service` with the reason
   * `clock` where our clock is wrong, and the errors of `MarketData` where the venue cannot be asked.
   */
  checkClock(call: Call): Promise<void>;
  /**
   * Checks the order against the market's rules and the operator's cap, and signs it. Sends only reads. Errors: those of
   * `MarketData` and `checkClock`, and 422 `price_out_of_range`, `price_off_tick`, `size_precision`, `size_below_minimum`,
   * `expiry_too_soon`, `order_above_cap`.
   */
  sign(order: LimitOrder, call: Call): Promise<SignedOrder>;
  /** Sends a signed order that was never sent. Throws nothing but faults of ours, after which the order may be live. */
  submit(order: SignedOrder, call: SendingCall): Promise<Fate>;
  /**
   * Settles an order that may have been sent: looks it up, else sends the same bytes before its expiry. Throws as
   * `submit`.
   */
  settle(order: SignedOrder, call: SendingCall): Promise<Fate>;
  /**
   * Looks an order and its trades up and sends nothing: `placed` where they are found, else `unknown`. Where no look-up
   * of several shows it, `refused` if it has expired, or with `venueReason`, the message by which the venue
   * refused it long enough ago.
   */
  lookUp(order: SignedOrder, call: Call, venueReason?: string | null): Promise<Fate>;
}
