/** What the venue does to an address in test setups: refuses its orders with the venue's own sentence. */
export type Restriction = 'banned' | 'closed-only' | 'deposit-wallet-required';

/** Options of a paper venue; every one may be left out. */
export interface PaperVenueOptions {
  /** Equal seeds give equal markets, ids, credentials and first books. Default 1. */
  readonly seed?: number;
  /** The venue's clock in epoch milliseconds. Default: the system's. */
  readonly now?: () => number;
  /** Keeps the state in this file; default: in memory only. */
  readonly stateFile?: string;
  /** Lets the house refresh its quotes in one market a second. Default false: the books change by orders only. */
  readonly ticking?: boolean;
  /** Answers `null` for wholly filled orders, as the venue does after a while. Default false. */
  readonly forgetFilled?: boolean;
  /** Answers ORDER_STATUS_LIVE and so on, as the venue sometimes does. Default false. */
  readonly prefixedStatuses?: boolean;
  /** Milliseconds after the first start until the one market that is about to close stops taking orders. Default 15 minutes. */
  readonly closingAfterMs?: number;
  /** What an address holds at first sight, in whole units. Default 1000 pUSD and 1000 shares of every token. */
  readonly faucet?: { readonly collateral: number; readonly shares: number };
  /** Refuses every account but deposit wallets, as the venue does to accounts made after May 2026. Default false. */
  readonly depositWalletsOnly?: boolean;
  /** How far POLY_TIMESTAMP may be from the venue's clock, in seconds. Default 30; the venue states no figure. */
  readonly clockToleranceSeconds?: number;
}

/** The options with their defaults. */
export type PaperSettings = Readonly<Required<Omit<PaperVenueOptions, 'stateFile'>>>;

const CLOSING_AFTER_MS = 15 * 60_000;
const CLOCK_TOLERANCE_S = 30;

export function settingsOf(options: PaperVenueOptions): PaperSettings {
  return {
    seed: options.seed ?? 1,
    now: options.now ?? Date.now,
    ticking: options.ticking ?? false,
    forgetFilled: options.forgetFilled ?? false,
    prefixedStatuses: options.prefixedStatuses ?? false,
    closingAfterMs: options.closingAfterMs ?? CLOSING_AFTER_MS,
    faucet: options.faucet ?? { collateral: 1_000, shares: 1_000 },
    depositWalletsOnly: options.depositWalletsOnly ?? false,
    clockToleranceSeconds: options.clockToleranceSeconds ?? CLOCK_TOLERANCE_S,
  };
}
