import { createCatalogue } from '../exchange/catalogue.ts';
import { Exchange } from '../exchange/exchange.ts';
import { ONE } from '../exchange/millionths.ts';
import { houseOf, MarketMaker } from '../simulation/market-maker.ts';
import { Simulation } from '../simulation/simulation.ts';
import { Keyring } from './keyring.ts';
import type { PaperSettings, Restriction, Settlement } from './settings.ts';

/** All that a venue remembers between requests. */
export class VenueState {
  readonly settings: PaperSettings;
  readonly restrictions = new Map<string, Restriction>();
  /** Trades that never show a transaction hash (fault `no-hash`). */
  readonly hiddenHashes = new Set<string>();
  /** Settlements that were set to other than confirmed, by trade id. */
  readonly settlements = new Map<string, Settlement>();
  /** Wallets that the website trades with, by the address of the key and by their own. */
  readonly proxyWallets = new Map<string, string>();
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
    this.proxyWallets.clear();
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
