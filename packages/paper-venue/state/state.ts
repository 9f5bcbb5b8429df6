import { createCatalogue } from '../exchange/catalogue.ts';
import { Exchange } from '../exchange/exchange.ts';
import { ONE } from '../exchange/millionths.ts';
import { digest, uuidOf } from '../exchange/seeded.ts';
import { houseOf, MarketMaker } from '../simulation/market-maker.ts';
import { Simulation } from '../simulation/simulation.ts';

/** API credentials; `address` is the EOA they belong to, in lower case. */
export interface Credentials {
  readonly address: string;
  readonly apiKey: string;
  /** URL-safe base64 of the 32 bytes that key the HMAC. */
  readonly secret: string;
  readonly passphrase: string;
}

/** API keys that exist. The triple of an address and a nonce is always the same, as at the venue. */
export class Keyring {
  readonly #seed: number;
  readonly #byKey = new Map<string, Credentials>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  find(apiKey: string): Credentials | undefined {
    return this.#byKey.get(apiKey);
  }

  /** Returns the credentials of an address and nonce; undefined before they are created. */
  of(address: string, nonce: string): Credentials | undefined {
    return this.#byKey.get(this.#triple(address, nonce).apiKey);
  }

  all(address: string): readonly Credentials[] {
    return [...this.#byKey.values()].filter((credentials) => credentials.address === address);
  }

  create(address: string, nonce: string): void {
    const credentials = this.#triple(address, nonce);
    this.#byKey.set(credentials.apiKey, credentials);
  }

  remove(apiKey: string): void {
    this.#byKey.delete(apiKey);
  }

  #triple(address: string, nonce: string): Credentials {
    return {
      address,
      apiKey: uuidOf('api key', this.#seed, address, nonce),
      // Standard base64 made URL-safe with its padding kept, as the venue writes secrets.
      secret: digest('secret', this.#seed, address, nonce).toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
      passphrase: digest('passphrase', this.#seed, address, nonce).toString('hex'),
    };
  }
}

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

/** All that a venue remembers between requests. */
export class VenueState {
  readonly settings: PaperSettings;
  readonly restrictions = new Map<string, Restriction>();
  /** Trades that never show a transaction hash (fault `no-hash`). */
  readonly hiddenHashes = new Set<string>();
  /** Settlements that were set to other than confirmed, by trade id. */
  readonly settlements = new Map<string, Settlement>();
  /** Age at which look-ups begin to show an order or a trade. */
  lookUpLagMs: number;
  #markets: Markets;
  #step = 0;

  constructor(settings: PaperSettings) {
    this.settings = settings;
    this.lookUpLagMs = settings.lookUpLagMs;
    this.#markets = openMarkets(settings);
  }

  get exchange(): Exchange {
    return this.#markets.exchange;
  }

  get keyring(): Keyring {
    return this.#markets.keyring;
  }

  /** Moves the markets one step on; in a still venue the market maker only renews its quotes in one of them. */
  step(at: number): void {
    const { exchange, marketMaker, simulation } = this.#markets;
    exchange.expire(at);
    this.#step += 1;
    if (this.settings.still) marketMaker.refresh(this.#step, at);
    else simulation.advance(this.#step, at);
  }

  /** Goes back to the first minute, which is now: no keys, no orders, the first books, all markets open again. */
  reset(): void {
    this.#markets = openMarkets(this.settings);
    this.#step = 0;
    this.restrictions.clear();
    this.hiddenHashes.clear();
    this.settlements.clear();
    this.lookUpLagMs = this.settings.lookUpLagMs;
  }
}

type Markets = ReturnType<typeof openMarkets>;

/** Creates the markets with their first books; their dates count from now. */
function openMarkets({ seed, faucet, closingAfterMs, now }: PaperSettings) {
  const startedAt = now();
  const holdings = { collateral: BigInt(faucet.collateral) * ONE, shares: BigInt(faucet.shares) * ONE };
  const catalogue = createCatalogue(seed, { startedAt, stopsAt: startedAt + closingAfterMs });
  const exchange = new Exchange(catalogue, holdings, houseOf(seed));
  const marketMaker = new MarketMaker(exchange, seed);
  marketMaker.open();
  return { exchange, marketMaker, simulation: new Simulation(exchange, marketMaker, seed), keyring: new Keyring(seed) };
}
