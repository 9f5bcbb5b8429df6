/** Restriction of an address: its orders are refused with the venue's own sentence. */
export type Restriction = 'banned' | 'closed-only' | 'deposit-wallet-required';

/** Stages of a trade's settlement; a failed one is no fill. */
export const SETTLEMENTS = ['MATCHED', 'MINED', 'CONFIRMED', 'RETRYING', 'FAILED'] as const;
/** What becomes of trades on the chain. */
export type Settlement = (typeof SETTLEMENTS)[number];

/** Options of a paper venue; every one may be left out. */
export interface PaperVenueOptions {
  /** Seed of all that is invented: equal seeds give equal markets, ids, credentials and first books. Default 1. */
  readonly seed?: number;
  /** Clock of the venue, in epoch milliseconds. Default: the system's. */
  readonly now?: () => number;
  /** Set for books that change by clients' orders only. Default false: mids drift and the house trades, a step a second. */
  readonly still?: boolean;
  /** Answers `null` for wholly filled orders, as the venue does after a while. Default false. */
  readonly forgetFilled?: boolean;
  /** Answers ORDER_STATUS_LIVE, TRADE_STATUS_FAILED and so on, as the venue sometimes does. Default false. */
  readonly prefixedStatuses?: boolean;
  /** Age at which look-ups begin to show an order or a trade: they read another store than the engine's. Default 0. */
  readonly lookUpLagMs?: number;
  /** Time from the first start until the one market that is about to close stops taking orders. Default 15 minutes. */
  readonly closingAfterMs?: number;
  /** Holdings of an address at first sight, in whole units. Default 1000 pUSD and 1000 shares of every token. */
  readonly faucet?: { readonly collateral: number; readonly shares: number };
  /** Tolerance of POLY_TIMESTAMP against the venue's clock. Default 30 s; the venue states no figure. */
  readonly clockToleranceSeconds?: number;
}

/** Options with their defaults. */
export type PaperSettings = Readonly<Required<PaperVenueOptions>>;

const CLOSING_AFTER_MS = 15 * 60_000;
const CLOCK_TOLERANCE_S = 30;

/** Fills in the defaults. */
export function settingsOf(options: PaperVenueOptions): PaperSettings {
  return {
    seed: options.seed ?? 1,
    now: options.now ?? Date.now,
    still: options.still ?? false,
    forgetFilled: options.forgetFilled ?? false,
    prefixedStatuses: options.prefixedStatuses ?? false,
    lookUpLagMs: options.lookUpLagMs ?? 0,
    closingAfterMs: options.closingAfterMs ?? CLOSING_AFTER_MS,
    faucet: options.faucet ?? { collateral: 1_000, shares: 1_000 },
    clockToleranceSeconds: options.clockToleranceSeconds ?? CLOCK_TOLERANCE_S,
  };
}
