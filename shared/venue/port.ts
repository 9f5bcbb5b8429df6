import type { Call } from '../call.ts';
import type { Book } from '../contract/book.ts';
import type { MarketList } from '../contract/markets.ts';
import type { AppError, FactsOf } from '../errors.ts';

/** The port to a venue, in our words. The Polymarket implementation is in `polymarket/`. */

/** Which markets to list: at most `limit`, and where `tokenIds` are given, only those of these tokens. */
export interface MarketQuery {
  readonly limit: number;
  readonly tokenIds?: readonly string[];
}

/** Errors: `unknown_token`, `venue_error`, `venue_timeout`, `venue_unavailable`, `rate_limited`, `venue_refused_service`. */
export interface MarketData {
  /** Lists open markets, the most traded ones of the last 24 h first. A token of no open market is left out. */
  listMarkets(query: MarketQuery, call: Call): Promise<MarketList>;
  readBook(tokenId: string, call: Call): Promise<Book>;
}

/** A limit order. Its decimals are as `formatDecimal` writes them, so that equal orders are equal records. */
export interface LimitOrder {
  readonly tokenId: string;
  readonly side: 'buy' | 'sell';
  /** Collateral per share. */
  readonly price: string;
  /** In shares. */
  readonly size: string;
  readonly postOnly: boolean;
  /** The end of the order in milliseconds of the Unix epoch, in whole seconds; `null` rests until filled or cancelled. */
  readonly expiresAt: number | null;
}

/** A signed order: all that sending the same bytes again takes. Times are in milliseconds of the Unix epoch. */
export interface SignedOrder {
  /** EIP-712 hash of the order, which is the venue's id of it. */
  readonly orderId: string;
  readonly tokenId: string;
  /** The venue's id of the market, by which trades are found that name only the other token. */
  readonly conditionId: string | null;
  readonly postOnly: boolean;
  /** Its bytes are not sent from then on; `null` for an order without an end. */
  readonly expiresAt: number | null;
  /** The signed struct with its signature, as JSON text, sent byte for byte. */
  readonly payload: string;
  readonly signedAt: number;
}

/** The account and the venue that orders are signed for; signatures are valid only there. */
export interface SignedFor {
  /** Base URL of the venue: one host may have several behind different paths. */
  readonly venue: string;
  readonly chainId: number;
  readonly maker: string;
  /** The kind of that account, as the settings name it. */
  readonly signatureType: string;
}

/** `live`: rests. `matched`: wholly or partly executed. `delayed`: held by the venue. `cancelled`: accepted, and off the book. */
export const PLACEMENT_STATUSES = ['live', 'matched', 'delayed', 'cancelled'] as const;

/**
 * The executed part of an order at the time of the answer, in decimals: shares, the rest of the shares, and their value in
 * collateral before fees. `null` where the venue reports none, or one that cannot be true.
 */
export interface Fills {
  readonly filledSize: string | null;
  readonly remainingSize: string | null;
  readonly filledValue: string | null;
}

/** The state of an accepted order at the time of the answer. */
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

/** A call that may send an order. */
export interface SendingCall extends Call {
  /** Checked right before bytes leave, by the wall clock: the lease may have ended while the process stood still. */
  readonly leaseUntil?: number;
}

/** The capability to trade. Absent in read-only mode. */
export interface OrderEntry {
  /** EIP-55 address of the wallet key. */
  readonly walletAddress: string;
  readonly signedFor: SignedFor;
  /** Throws `venue_refused_service` with the reason `clock` where our clock is wrong, and the errors of `MarketData`. */
  checkClock(call: Call): Promise<void>;
  /**
   * Checks the order against the market's rules and the operator's cap, and signs it. Errors: those of `checkClock`, and 422
   * `price_out_of_range`, `price_off_tick`, `size_precision`, `size_below_minimum`, `expiry_too_soon`, `order_above_cap`.
   */
  sign(order: LimitOrder, call: Call): Promise<SignedOrder>;
  /** Sends a signed order that was never sent. Throws nothing but faults of ours, after which the order may be live. */
  submit(order: SignedOrder, call: SendingCall): Promise<Fate>;
  /** Settles an order that may have been sent: looks it up, else sends the same bytes. Throws as `submit`. */
  settle(order: SignedOrder, call: SendingCall): Promise<Fate>;
  /**
   * Looks an order and its trades up and sends nothing: `placed` where they are found, else `unknown`. Where no look-up of
   * several shows an order, it is `refused` if it has expired, or if the venue refused it by `venueReason` long enough ago.
   */
  lookUp(order: SignedOrder, call: Call, venueReason?: string | null): Promise<Fate>;
}
