import { AppError, refuse } from '../../../shared/errors.ts';
import { LATE_ARRIVAL_MS, LEASE_MS, ORDER_BUDGET_MS, STORE_CALL_MS } from '../../../shared/limits.ts';
import { createLog } from '../../../shared/log.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import type { OrderRecord, OrderStore, Written } from '../../../shared/orders/record.ts';
import { Secret } from '../../../shared/secret.ts';
import { createOrderEntry } from '../../../shared/venue/polymarket/order-entry.ts';
import { createRandom, type Random } from '../../../tools/support/random.ts';
import { decimal } from './processes.ts';
import { StormVenue } from './storm-venue.ts';
import { type Asked, asking, isFinal, Witness } from './storm-witness.ts';
import { CREDENTIALS, limitOrder, PRIVATE_KEY } from './trading-world.ts';
import { VirtualProcess, VirtualTime, type Ways } from './virtual-time.ts';

const LENGTH_MS = 600_000;
/** Midnight is in the middle. */
const START = Date.parse('2026-09-22T00:00:00Z') - LENGTH_MS / 2;
/** The longest time for which a process stands still. */
const STILL_MS = 150_000;

/** The longest pauses before a request is repeated, and of processes that stand still. */
const PAUSES_MS = [1_000, 10_000, 60_000, STILL_MS];

const CLIENTS = [null, '0x2c7536e3605d9c16a7a3d7b1898e529396a65c23', '7EYnhQoR9YM3N7UoaKRoA44Uy8JeaZV3qyouov87awMs'];
const ORDER = limitOrder();
const OTHER_ORDER = limitOrder({ price: '0.4', side: 'sell' });
const ORDERS = [...Array.from({ length: 9 }, () => ORDER), OTHER_ORDER];
const CAPS = [{}, ...['22', '60', '600'].map((cap) => ({ maxDailyNotional: decimal(cap) }))];
/** The second is below one of the orders. */
const ORDER_CAPS = [{}, { maxOrderNotional: decimal('4.5') }];
const WALLETS = [PRIVATE_KEY, `0x${'4e'.repeat(32)}`].map((key) => new Secret(key));
/** One clock of a storm is wrong, by times that change. */
const WRONG_CLOCKS = ['none', 'venue', 'A', 'B', 'C', 'monotonic'] as const;
const MOST_WRONG_MS = 86_400_000;
const WRONG_BY_MS = [0, 31_000, 150_000, 3_600_000, MOST_WRONG_MS].flatMap((ms) => [ms, -ms]);

/** Answers after which no repeat places an order, though none of them is final. */
const NOT_ORDERED = ['idempotency_key_reused', 'expiry_too_soon'];

const SETTINGS = {
  clobUrl: 'https://venue.example',
  signatureType: 'eoa',
  funderAddress: undefined,
  credentials: CREDENTIALS,
  maxOrderNotional: undefined,
} as const;

function weatherOf({ pick }: Random) {
  return {
    kills: pick([0, 0.003, 0.01, 0.05]),
    stills: pick([0.005, 0.03, 0.1, 0.2]),
    losses: pick([0.003, 0.02, 0.1]),
    wrongByMs: pick([WRONG_BY_MS, WRONG_BY_MS.slice(-2)]),
    storeMs: pick([5, 50, 50, 900]),
    verifies: pick([0, 0.5, 0.5, 1]),
    slotMs: pick([20_000, 60_000, 200_000]),
    caps: pick([CAPS, CAPS.slice(0, 1), CAPS.slice(2, 3), CAPS.slice(3)]),
    orderCaps: pick([ORDER_CAPS, ORDER_CAPS.slice(0, 1)]),
    wallets: pick([WALLETS, WALLETS.slice(0, 1), WALLETS.slice(0, 1)]),
    /** From the slots of keys to the ends of their orders. */
    livesMs: pick([[null], [null, 300_000, 500_000], [150_000, 300_000, 500_000]]),
  };
}

type Settings = Pick<Service, 'verifies' | 'privateKey'>;
type Wish = Pick<Asked, 'key' | 'address' | 'order'>;

interface Service {
  readonly orders: Orders;
  readonly process: VirtualProcess;
  readonly verifies: boolean;
  readonly privateKey: Secret;
}

/** The different requests with a key, and the services that they were for. */
type AskedOfService = Map<string, readonly [Asked, Service]>;

/** A machine on which one process runs at a time. */
interface Host {
  readonly name: string;
  wallError: number;
  service: Service | undefined;
}

/** Returns the request for a wish to a service. */
function requestTo({ orders, verifies }: Service, wish: Wish): Asked {
  return { ...wish, isVerified: verifies, wallet: orders.walletAddress, wroteAt: 0 };
}

/** Three processes on one store, in a storm that a seed decides. */
export class Storm {
  readonly #random: Random;
  readonly #venue: StormVenue;
  /** The kinds of answers that were given. */
  readonly answers = new Set<string>();
  readonly #store: OrderStore;
  readonly #time = new VirtualTime(START);
  readonly #witness: Witness;
  readonly #hosts: readonly Host[] = ['A', 'B', 'C'].map((name) => ({ name, wallError: 0, service: undefined }));
  readonly #wrongClock: (typeof WRONG_CLOCKS)[number];
  /** Each storm has a weather of its own: how often what happens, and how close requests meet. */
  readonly #weather: ReturnType<typeof weatherOf>;
  readonly #log = createLog({ level: 'error', write: () => undefined });

  constructor(seed: number, store: OrderStore) {
    this.#random = createRandom(seed);
    this.#store = store;
    this.#witness = new Witness(this.#time, store);
    this.#venue = new StormVenue(this.#time, this.#random, this.#witness);
    this.#wrongClock = this.#random.pick(WRONG_CLOCKS);
    this.#weather = weatherOf(this.#random);
  }

  /** Lets so many requests come, and repeats them when the storm is over. Returns the first promises that are broken. */
  async run(requests: number): Promise<readonly string[]> {
    const asked: AskedOfService = new Map();
    for (const host of this.#hosts) this.#start(host);
    for (let index = 0; index < requests; index += 1) {
      this.#time.after(this.#random() * LENGTH_MS, () => this.#askSomebody(this.#choose(), asked));
    }
    for (let ms = 0; ms < LENGTH_MS; ms += 30_000) {
      this.#time.after(ms, () => this.#setClock());
      this.#time.after(ms, () => this.#witness.checkRecords());
    }
    await this.#pass(LENGTH_MS);
    this.#venue.isCalm = true;
    this.#venue.clockError = 0;
    for (const host of this.#hosts) host.wallError = 0;
    await this.#pass(STILL_MS + LATE_ARRIVAL_MS + LEASE_MS);
    for (const each of asked.values()) await this.#bringToItsEnd(...each);
    await this.#witness.checkRecords();
    return this.#witness.breaches;
  }

  #pass(ms: number): Promise<void> {
    return this.#time.pass(ms, () => this.#witness.breaches.length > 0);
  }

  #chooseSettings(): Settings {
    const { verifies, wallets } = this.#weather;
    return { verifies: this.#random() < verifies, privateKey: this.#random.pick(wallets) };
  }

  #start(host: Host, { verifies, privateKey }: Settings = this.#chooseSettings()): Service {
    const { caps, orderCaps } = this.#weather;
    const cap = this.#venue.isCalm ? {} : this.#random.pick(caps);
    const orderCap = this.#venue.isCalm ? {} : this.#random.pick(orderCaps);
    const process = new VirtualProcess(
      { time: this.#time, venue: this.#venue, random: this.#random },
      () => host.wallError,
      () => this.#befall(host),
    );
    const [log, store] = [this.#log, this.#storeOf(process)];
    const reloadCredentials = async () => this.#reloadCredentials();
    const settings = { ...SETTINGS, privateKey, ...orderCap, reloadCredentials };
    const orders = process.run(() => createOrders({ entry: createOrderEntry(settings, log), store, log, ...cap }));
    host.service = { orders, process, verifies, privateKey };
    return host.service;
  }

  /** Returns other credentials, none, or fails. */
  #reloadCredentials() {
    const chance = this.#random();
    if (chance < 0.2) throw refuse('store_unavailable', { store: 'secret' });
    return chance < 0.4 ? undefined : { ...CREDENTIALS };
  }

  /** Kills a process that could go on, or makes it stand still. */
  #befall(host: Host): void {
    const chance = this.#venue.isCalm ? 1 : this.#random();
    const { kills, stills } = this.#weather;
    if (chance < kills) {
      host.service?.process.kill();
      host.service = undefined;
      this.#time.after(this.#random() * 20_000, () => this.#start(host));
    } else if (chance < kills + stills) {
      host.service?.process.standStill(this.#random() * this.#random.pick(PAUSES_MS), this.#wrongClock === 'monotonic');
    }
  }

  #setClock(): void {
    const error = this.#random.pick(this.#weather.wrongByMs);
    if (this.#wrongClock === 'venue') this.#venue.clockError = error;
    for (const host of this.#hosts) if (host.name === this.#wrongClock) host.wallError = error;
  }

  /** The ways to the store: a call is lost, its answer is, or it comes late. */
  #waysToStore(): Ways {
    const limit = STORE_CALL_MS;
    const { storeMs } = this.#weather;
    const [there, back] = [1 + this.#random() * storeMs, 1 + this.#random() * storeMs];
    const chance = this.#venue.isCalm ? 1 : this.#random();
    if (chance > this.#weather.losses) return { there, back, limit };
    const never = Number.POSITIVE_INFINITY;
    return this.#random.pick([
      { there: never, back, limit },
      { there, back: never, limit },
      { there: this.#random() * 3 * limit, back, limit },
    ]);
  }

  #storeOf(process: VirtualProcess): OrderStore {
    const [store, witness] = [this.#store, this.#witness];
    const late = () => {
      throw new Error('the store does not answer');
    };
    const call = <T>(act: () => Promise<T>) => process.ask(act, this.#waysToStore(), late);
    const write = (key: string, record: OrderRecord, act: () => Promise<Written>) => {
      witness.writes(key, record);
      return call(async () => {
        const written = await act();
        if (written === 'written') witness.written(record);
        // A client of a store repeats a write whose answer was lost, and then finds its own record.
        const isRepeated = !this.#venue.isCalm && this.#random() < this.#weather.losses;
        return written === 'written' && isRepeated ? 'conflict' : written;
      });
    };
    return {
      outlivesAnswers: store.outlivesAnswers,
      read: (key) => call(() => store.read(key)),
      create: (key, record, counts) => write(key, record, () => store.create(key, record, counts)),
      replace: (key, record, ...rest) => write(key, record, () => store.replace(key, record, ...rest)),
      countedOn: (day) => call(() => store.countedOn(day)),
    };
  }

  /** Chooses what is asked for: each key within three slots of time, and mostly with the same order. */
  #choose(): Wish {
    const { pick } = this.#random;
    const { slotMs, livesMs } = this.#weather;
    const slot = Math.floor((this.#time.now - START) / slotMs) + pick([0, 1, 2]);
    const lifeMs = livesMs[slot % livesMs.length] ?? null;
    const expiresAt = lifeMs === null ? null : START + slot * slotMs + lifeMs;
    const order = { ...pick(ORDERS), postOnly: slot % 2 === 0, expiresAt };
    return { key: this.#random() < 0.1 ? undefined : `key-${slot}`, address: pick(CLIENTS), order };
  }

  /** Asks a process, and often another one soon after. */
  #askSomebody(wish: Wish, asked: AskedOfService): void {
    const { service } = this.#random.pick(this.#hosts);
    const again = () => this.#askSomebody(wish, asked);
    if (this.#random() < 0.75) this.#time.after(this.#random() * this.#random.pick(PAUSES_MS), again);
    // A service that verifies clients takes no order without a client and a key.
    if (!service || (service.verifies && (wish.address === null || wish.key === undefined))) return;
    const request = requestTo(service, wish);
    const { key, address, isVerified, wallet } = request;
    if (key !== undefined) asked.set(String([key, address, isVerified, wallet, wish.order.side]), [request, service]);
    void this.#ask(request, service);
  }

  /** Sends a request to a service. Returns the kind of its answer; never where the process is killed. */
  async #ask(asked: Asked, { orders, process }: Service): Promise<string> {
    const { key, address, order, isVerified } = asked;
    const client = address === null ? null : { address, isVerified };
    const request = { order, idempotencyKey: key, client, requestId: null };
    const beganAt = this.#time.now;
    await process.pause(1);
    const place = () => orders.place(request, { deadline: performance.now() + ORDER_BUDGET_MS, venueRequests: [] });
    const end = await process
      .run(() => asking.run(asked, place))
      .then((result) => this.#witness.answered(asked, result))
      .catch((error: unknown) => {
        if (error instanceof AppError) return this.#witness.failed(asked, error, beganAt);
        this.#witness.breach(`the service fails: ${error}`);
        return 'fault';
      });
    this.answers.add(end);
    return end;
  }

  /** Repeats a request after the storm until its key has an end. */
  async #bringToItsEnd(asked: Asked, settings: Settings): Promise<void> {
    const service = this.#start({ name: 'last', wallError: 0, service: undefined }, settings);
    const ends: string[] = [];
    const isOver = () => ends.some((end) => isFinal(end) || NOT_ORDERED.includes(end));
    // A time by a clock that was ahead is over once that time has passed.
    for (const pauseMs of [0, ...Array.from({ length: 6 }, () => LEASE_MS), MOST_WRONG_MS, LEASE_MS]) {
      if (isOver()) break;
      await this.#pass(pauseMs);
      void this.#ask({ ...asked }, service).then((end) => ends.push(end));
      await this.#pass(ORDER_BUDGET_MS);
      if (this.#witness.breaches.length > 0) return;
    }
    if (ends.slice(1).includes('order_in_progress')) this.#witness.breach(`the lease of ${asked.key} does not end`);
    if (!isOver()) this.#witness.breach(`${asked.key} has no end: ${ends.join(', ')}`);
    if (ends.includes('idempotency_key_reused')) await this.#witness.checkReused(asked);
    if (ends.includes('expiry_too_soon')) await this.#witness.checkUnbound(asked);
  }
}
