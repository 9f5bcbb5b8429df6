import type { AcceptedOrder, OrderTerms } from '../exchange/book.ts';
import { createCatalogue } from '../exchange/catalogue.ts';
import { Exchange, type Trade } from '../exchange/exchange.ts';
import { ONE } from '../exchange/units.ts';
import { houseOf, MarketMaker } from '../simulation/market-maker.ts';
import { Simulation } from '../simulation/simulation.ts';
import { type Command, Journal, type JournalHeader } from './journal.ts';
import { Keyring } from './keyring.ts';
import type { PaperSettings, Restriction, Settlement } from './settings.ts';

/** Memory of the venue. Each change is a command: written to the journal first, then applied. */
export class VenueState {
  readonly settings: PaperSettings;
  readonly restrictions = new Map<string, Restriction>();
  /** Trades that never show a transaction hash (fault `no-hash`). */
  readonly hiddenHashes = new Set<string>();
  /** Settlements that were told to be other than confirmed, by trade id. */
  readonly settlements = new Map<string, Settlement>();
  /** Wallets that the website trades with, by the address of the key and by their own. */
  readonly proxyWallets = new Map<string, string>();
  /** Age at which look-ups begin to show an order or a trade. */
  lookUpLagMs: number;
  exchange: Exchange;
  keyring: Keyring;
  #marketMaker: MarketMaker;
  #simulation: Simulation;
  readonly #journal: Journal | undefined;
  readonly #header: JournalHeader;
  #step = 0;

  constructor(settings: PaperSettings, stateFile: string | undefined) {
    this.settings = settings;
    this.lookUpLagMs = settings.lookUpLagMs;
    const header = { seed: settings.seed, startedAt: settings.now() };
    const kept = stateFile === undefined ? undefined : Journal.open(stateFile, header);
    this.#journal = kept?.journal;
    this.#header = kept?.journal.header ?? header;
    const fresh = this.#fresh();
    this.exchange = fresh.exchange;
    this.keyring = fresh.keyring;
    this.#marketMaker = fresh.marketMaker;
    this.#simulation = fresh.simulation;
    for (const command of kept?.commands ?? []) this.#apply(command);
  }

  createKey(address: string, nonce: string, at: number): void {
    this.#perform({ do: 'create key', at, address, nonce });
  }

  deleteKey(key: string, at: number): void {
    this.#perform({ do: 'delete key', at, key });
  }

  /** Accepts an order that passed every check; with a state file it is on the disk when this returns. */
  accept(terms: OrderTerms, at: number): { readonly order: AcceptedOrder; readonly trades: readonly Trade[] } {
    const command: Command = { do: 'order', at, terms };
    this.#journal?.append(command);
    this.exchange.expire(at);
    return this.exchange.accept(terms, at);
  }

  cancel(ids: readonly string[], at: number): void {
    this.#perform({ do: 'cancel', at, ids: [...ids] });
  }

  /** Lets the markets go one step on; in a still venue the market maker renews its quotes in one of them, no more. */
  step(at: number): void {
    this.#perform({ do: this.settings.still ? 'refresh' : 'advance', at, step: this.#step + 1 });
  }

  changeTick(marketId: string, tick: bigint, at: number): void {
    this.#perform({ do: 'tick', at, marketId, tick });
  }

  setHolding(address: string, tokenId: string | null, amount: bigint, at: number): void {
    this.#perform({ do: 'holding', at, address, tokenId, amount });
  }

  /** Goes back to the first minute: no keys, no orders, the first books. */
  reset(): void {
    this.#journal?.clear();
    const fresh = this.#fresh();
    this.exchange = fresh.exchange;
    this.keyring = fresh.keyring;
    this.#marketMaker = fresh.marketMaker;
    this.#simulation = fresh.simulation;
    this.#step = 0;
    this.restrictions.clear();
    this.hiddenHashes.clear();
    this.settlements.clear();
    this.proxyWallets.clear();
    this.lookUpLagMs = this.settings.lookUpLagMs;
  }

  close(): void {
    this.#journal?.close();
  }

  #fresh() {
    const { seed, faucet, closingAfterMs } = this.settings;
    const holdings = { collateral: BigInt(faucet.collateral) * ONE, shares: BigInt(faucet.shares) * ONE };
    const { startedAt } = this.#header;
    const catalogue = createCatalogue(seed, { startedAt, stopsAt: startedAt + closingAfterMs });
    const exchange = new Exchange(catalogue, holdings, houseOf(seed));
    const marketMaker = new MarketMaker(exchange, seed);
    marketMaker.open();
    const simulation = new Simulation(exchange, marketMaker, seed);
    return { exchange, marketMaker, simulation, keyring: new Keyring(seed) };
  }

  #perform(command: Command): void {
    this.#journal?.append(command);
    this.#apply(command);
  }

  #apply(command: Command): void {
    this.exchange.expire(command.at);
    switch (command.do) {
      case 'create key':
        this.keyring.create(command.address, command.nonce);
        break;
      case 'delete key':
        this.keyring.remove(command.key);
        break;
      case 'order':
        this.exchange.accept(command.terms, command.at);
        break;
      case 'cancel':
        for (const id of command.ids) this.exchange.cancel(id, command.at);
        break;
      case 'refresh':
        this.#step = command.step;
        this.#marketMaker.refresh(command.step, command.at);
        break;
      case 'advance':
        this.#step = command.step;
        this.#simulation.advance(command.step, command.at);
        break;
      case 'tick':
        this.exchange.floor(command.marketId).tick = command.tick;
        break;
      case 'holding':
        this.exchange.ledger.set(command.address, command.tokenId, command.amount);
        break;
    }
  }
}
