import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { startDynamoDb } from '../support/dynamodb.ts';
import { paperSettings } from '../support/paper-settings.ts';
import { createRandom, type Random } from '../support/random.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { askOnce, askUntilFinal, type FinalReply, type MortalService, runMortalService } from './chaos-run.ts';
import { findTokens, type SoakReport } from './traffic.ts';

/** How long, and how many. */
export interface SoakOptions {
  readonly orders: number;
  readonly processes: number;
  readonly seed: number;
  readonly flaw: ChaosOptions['flaw'];
}

const POST = { method: 'POST', path: '/order' } as const;
/** Faults of a sending; the order is not taken, taken, taken later, or lied about. */
const FAULTS: readonly FaultOrder[] = [
  ...(['hang', 'reset', 'error-500', 'edge-502', 'edge-503', 'restart', 'rate-limit', 'halted', 'firewall'] as const),
  ...(['hang-after', 'reset-after', 'error-500-after', 'edge-502-after', 'truncated', 'cut', 'wrong-type'] as const),
  ...(['success-with-error', 'refuse-after', 'unauthorized'] as const),
].map((fault): FaultOrder => ({ ...POST, fault }));
const CROSSES = 'invalid post-only order: order crosses book';
const DECEPTIONS: readonly FaultOrder[] = [
  { ...POST, fault: 'late', seconds: 0.3, answer: 'edge-504' },
  { ...POST, fault: 'balance-first', times: 5 },
  { ...POST, fault: 'refuse', text: CROSSES },
  { ...POST, fault: 'refuse', text: 'order crosses book', code: 422 },
  { ...POST, fault: 'success-false', text: 'order crosses book', status: 'live' },
  { fault: 'reset', method: 'GET', path: '/data/' },
  { fault: 'error-500', method: 'GET', path: '/data/' },
];

/** Orders that are held up for longer than they are looked up, and refusals when they are repeated. */
const HELD_UP: FaultOrder = { ...POST, fault: 'late', seconds: 8, answer: 'edge-504', times: 3 };
const LOOKED_UP_MS = 5_000;
const REFUSED_THEN: FaultOrder = { ...POST, fault: 'refuse', text: CROSSES, times: 12 };

/** Requests that are under way at the same time. */
const CLIENTS = 96;
/** The same on a table, which serves one call after the other here. */
const TABLE_CLIENTS = 16;
/** A share of the orders that a fault is armed for. */
const FAULT_SHARE = 0.4;
const DISTURBANCE_PAUSE_MS = 1_200;
/** The share of the disturbances that kill a process. */
const KILL_SHARE = 0.5;
/** Our own clock counts for nothing once the venue has answered. */
const OWN_CLOCK_STEPS_MS = [-20_000, 0, 20_000] as const;
/** The wait for a late order leaves more than two of them together: a venue whose clock jumps further shortens it. */
const VENUE_CLOCK_STEPS_MS = [-1_000, 0, 1_000] as const;
/** Time for one order to be settled by repeats. */
const SETTLE_LIMIT_MS = 120_000;
/** Longer than any late order is held up. */
const LATE_LIMIT_MS = 9_000;

interface Order {
  readonly token_id: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
}

/** Makes orders that are known at the venue by their sizes. Each tenth one is filled at once. */
function orderOf(tokenId: string, index: number): Order {
  const size = String((10_000 + index) / 100);
  return { token_id: tokenId, side: 'buy', price: index % 10 === 0 ? '0.99' : '0.01', size };
}

interface Disturbances {
  kills: number;
  clockSteps: number;
  faults: number;
}

/** Everything that disturbances happen to. */
interface Scene {
  readonly services: readonly MortalService[];
  readonly setVenueClock: (offsetMs: number) => void;
}

/** Sets the clock of one process and that of the venue. */
function setClocks({ services, setVenueClock }: Scene, random: Random, counts: Disturbances): void {
  random.pick(services).setClock(random.pick(OWN_CLOCK_STEPS_MS));
  setVenueClock(random.pick(VENUE_CLOCK_STEPS_MS));
  counts.clockSteps += 1;
}

/** Sets clocks or kills a process, from time to time until told to end. */
async function disturb(scene: Scene, random: Random, counts: Disturbances, ended: () => boolean): Promise<void> {
  while (!ended()) {
    await sleep(DISTURBANCE_PAUSE_MS * (0.5 + random()));
    setClocks(scene, random, counts);
    if (random() < KILL_SHARE) {
      random.pick(scene.services).kill();
      counts.kills += 1;
    }
  }
}

function arm(venue: PaperVenue, random: Random): void {
  const kind = random();
  if (kind < 0.6) venue.arm(random.pick(FAULTS));
  else if (kind < 0.95) venue.arm(random.pick(DECEPTIONS));
  else {
    venue.arm(HELD_UP);
    setTimeout(() => venue.arm(REFUSED_THEN), LOOKED_UP_MS);
  }
}

interface AskedKey {
  readonly key: string;
  readonly order: Order;
  readonly replies: readonly FinalReply[];
}

/** Compares what the clients were told with what the venue has. */
function judge(asked: readonly AskedKey[], venue: PaperVenue) {
  const atVenue = Map.groupBy(venue.orders(), ({ original_size }) => original_size);
  let [placed, refused, lost, wrong] = [0, 0, 0, 0];
  for (const { order, replies } of asked) {
    const [found] = atVenue.get(order.size) ?? [];
    const [first] = replies;
    if (!first) lost += 1;
    else if (first.status === 201) placed += 1;
    else refused += 1;
    const isTrue = ({ status, body }: FinalReply) =>
      status === 201 ? body['order_id'] === found?.id && body['price'] === found?.price : found === undefined;
    const agree = replies.every(
      ({ status, body }) => status === first?.status && body['order_id'] === first.body['order_id'],
    );
    if (!agree || !replies.every(isTrue)) wrong += 1;
  }
  const doubled = [...atVenue.values()].filter((orders) => orders.length > 1).length;
  const unasked = [...atVenue.keys()].filter((size) => !asked.some(({ order }) => order.size === size)).length;
  return { placed, refused, lost, wrong, doubled: doubled + unasked, atVenue: venue.orders().length };
}

function reportOf(
  { orders, processes, seed }: SoakOptions,
  { placed, refused, lost, wrong, doubled, atVenue }: ReturnType<typeof judge>,
  { faults, kills, clockSteps }: Disturbances,
  seconds: number,
): SoakReport {
  return {
    failures: Object.entries({ doubled, lost, wrong }).flatMap(([name, count]) => (count > 0 ? [name] : [])),
    lines: [
      `orders      ${orders} under a key each, ${processes > 1 ? `${processes} processes on a table` : 'one process on a file'}, ${seconds} s`,
      `placed      ${placed}, of ${atVenue} at the venue`,
      `refused     ${refused}`,
      `faults      ${faults} armed, ${kills} kills (seed ${seed})`,
      `clocks      ${clockSteps} times set, of a process and of the venue`,
      `doubled     ${doubled}`,
      `lost        ${lost}`,
      `false       ${wrong}`,
    ],
  };
}

/** Starts the table that several processes share; a file belongs to one. Returns the settings and the AWS environment. */
async function openStore(processes: number) {
  if (processes === 1) return { settings: {}, env: {}, close: async () => undefined };
  const { client, tableName, close } = await startDynamoDb();
  const env = {
    AWS_ENDPOINT_URL_DYNAMODB: String(client.endpoint),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  return { settings: { SERVICE_STORE: `dynamodb:${tableName}` }, env, close };
}

/**
 * Places keyed orders through one process on a file, or several on a table: each attempt through a process chosen at random,
 * some keys twice at once, while faults, deaths (SIGKILL) and set clocks happen, and asks for every key once more at the
 * end. `tell` gets a line of progress every ten seconds.
 */
export async function soakKeyedOrders(options: SoakOptions, tell: (line: string) => void): Promise<SoakReport> {
  const random = createRandom(options.seed);
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  let venueOffsetMs = 0;
  const venue = createPaperVenue({
    now: () => Date.now() + venueOffsetMs,
    still: true,
    forgetFilled: true,
    lookUpLagMs: 400,
    faucet: { collateral: 100_000_000, shares: 0 },
  });
  const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const store = await openStore(options.processes);
  const chaos: ChaosOptions = {
    settings: { ...paperSettings(url, directory), ...store.settings, SERVICE_LOG_LEVEL: 'error' },
    ...(options.flaw && { flaw: options.flaw }),
  };
  const services = await Promise.all(
    Array.from({ length: options.processes }, () => runMortalService(chaos, store.env)),
  );
  const anyService = { url: () => random.pick(services).url() };
  const counts: Disturbances = { kills: 0, clockSteps: 0, faults: 0 };
  const asked: AskedKey[] = [];
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const progress = setInterval(() => tell(`${seconds()} s: ${asked.length} of ${options.orders} orders`), 10_000);
  try {
    const [tokenId = ''] = await findTokens(anyService.url());
    let [next, ended] = [0, false];
    const client = async () => {
      for (let index = next++; index < options.orders; index = next++) {
        const order = orderOf(tokenId, index);
        if (random() < FAULT_SHARE) {
          arm(venue, random);
          counts.faults += 1;
        }
        const copies = random() < 0.1 ? 2 : 1;
        const giveUpAt = performance.now() + SETTLE_LIMIT_MS;
        const goesOn = () => performance.now() < giveUpAt;
        const key = `key-${index}`;
        const replies = await askUntilFinal(anyService, key, order, { copies, goesOn }).catch(() => []);
        asked.push({ key, order, replies });
      }
    };
    const setVenueClock = (offsetMs: number) => {
      venueOffsetMs = offsetMs;
    };
    const disturbing = disturb({ services, setVenueClock }, random, counts, () => ended);
    const clients = options.processes > 1 ? TABLE_CLIENTS : CLIENTS;
    await Promise.all(Array.from({ length: clients }, client));
    ended = true;
    await disturbing;
    await sleep(LATE_LIMIT_MS);
    const repeated = await repeatAll(asked, anyService);
    return reportOf(options, judge(repeated, venue), counts, seconds());
  } finally {
    clearInterval(progress);
    await Promise.all(services.map((service) => service.stop()));
    await venue.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Asks for every key once more, some at a time: each answer must be the one that was given before. */
async function repeatAll(asked: readonly AskedKey[], service: { url(): string }): Promise<readonly AskedKey[]> {
  const repeated: AskedKey[] = [];
  const left = [...asked];
  const client = async () => {
    for (let one = left.pop(); one; one = left.pop()) {
      const { key, order, replies } = one;
      const again = replies.length > 0 ? await askOnce(service, key, order) : undefined;
      repeated.push({ key, order, replies: again ? [...replies, again] : replies });
    }
  };
  await Promise.all(Array.from({ length: TABLE_CLIENTS }, client));
  return repeated;
}
