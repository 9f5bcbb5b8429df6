import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { startDynamoDb } from '../support/dynamodb.ts';
import { paperSettings, paperTokens } from '../support/paper-settings.ts';
import { createRandom, type Random } from '../support/random.ts';
import { type FinalReply, type MortalService, type Surroundings, startMortalService } from './mortal-service.ts';
import type { ServiceOptions } from './options.ts';
import type { SoakReport } from './traffic.ts';

/** The extent of a soak. */
export interface SoakOptions {
  readonly orders: number;
  readonly processes: number;
  /** Seconds between the clocks of the first and the last process; the venue's is in the middle. Else they are set. */
  readonly apart: number | undefined;
  readonly seed: number;
  readonly flaw: ServiceOptions['flaw'];
}

const POST = { method: 'POST', path: '/order' } as const;
/** Faults of a sending: the order is not taken, taken, or taken later, and the answer may be untrue. */
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

/** Requests that are under way at the same time: on a file, and on a table, which serves one call after the other here. */
const CLIENTS = { file: 96, table: 16 } as const;
/** The share of the orders that a fault is armed for, and of those that two requests ask for at once. */
const FAULT_SHARE = 0.4;
const TWICE_SHARE = 0.1;
/** The share of the orders after which the venue's clock is set, so that all right clocks stay within 10 s of it. */
const CLOCK_SHARE = 0.02;
const VENUE_CLOCK_STEPS_MS = [-1_000, 0, 1_000] as const;
/** Attempts after which a key counts as lost, and the longest pause between two. */
const MAX_ATTEMPTS = 300;
const MAX_PAUSE_MS = 800;
/** Longer than any late order is held up. */
const LATE_LIMIT_MS = 9_000;

function arm(venue: PaperVenue, random: Random): void {
  const kind = random();
  if (kind < 0.6) venue.arm(random.pick(FAULTS));
  else if (kind < 0.95) venue.arm(random.pick(DECEPTIONS));
  else {
    venue.arm(HELD_UP);
    setTimeout(() => venue.arm(REFUSED_THEN), LOOKED_UP_MS);
  }
}

/** A key, its order, which the venue's journal has by its size, and the final answers to it. */
interface Asked {
  readonly key: string;
  readonly order: { readonly token_id: string; readonly side: string; readonly price: string; readonly size: string };
  readonly replies: FinalReply[];
}

/** Creates the orders. Each tenth one is filled at once. */
function createOrders(count: number, token_id: string): readonly Asked[] {
  return Array.from({ length: count }, (_, index) => {
    const [price, size] = [index % 10 === 0 ? '0.99' : '0.01', String((10_000 + index) / 100)];
    return { key: `key-${index}`, order: { token_id, side: 'buy', price, size }, replies: [] };
  });
}

/** Runs `act` on all items, some at a time. */
async function forAll<T>(items: readonly T[], clients: number, act: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const client = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Repeats a request until one has a final answer; some are sent twice at once. */
async function settle({ key, order, replies }: Asked, pickService: () => MortalService, random: Random) {
  const copies = random() < TWICE_SHARE ? 2 : 1;
  let pause = 50;
  for (let attempt = 0; attempt < MAX_ATTEMPTS && replies.length === 0; attempt += 1) {
    const answers = await Promise.all(Array.from({ length: copies }, () => pickService().ask(key, order)));
    replies.push(...answers.filter((reply) => reply !== undefined));
    if (replies.length > 0) return;
    await sleep(pause);
    pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
  }
}

/** Compares the answers with the venue's journal. */
function judge(asked: readonly Asked[], venue: PaperVenue) {
  const journal = Map.groupBy(venue.orders(), ({ original_size }) => original_size);
  const counts = { placed: 0, refused: 0, lost: 0, false: 0, doubled: 0 };
  for (const { order, replies } of asked) {
    const [found, ...others] = journal.get(order.size) ?? [];
    const [first] = replies;
    counts[!first ? 'lost' : first.status === 201 ? 'placed' : 'refused'] += 1;
    const isTrue = ({ status, body }: FinalReply) =>
      status === 201 ? body['order_id'] === found?.id && body['price'] === found?.price : found === undefined;
    const isSame = ({ status, body }: FinalReply) =>
      status === first?.status && body['order_id'] === first.body['order_id'];
    if (!replies.every((reply) => isTrue(reply) && isSame(reply))) counts.false += 1;
    if (others.length > 0) counts.doubled += 1;
    journal.delete(order.size);
  }
  // Orders that no client asked for.
  counts.doubled += journal.size;
  return counts;
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

/** Starts the processes, with their clocks as far apart as the options say. */
function startServices(
  { processes, apart, flaw }: SoakOptions,
  settings: ServiceOptions['settings'],
  around: Omit<Surroundings, 'setsClock'>,
) {
  return Promise.all(
    Array.from({ length: processes }, (_, index) => {
      const clockOffsetMs = 1_000 * (apart ?? 0) * (index / Math.max(processes - 1, 1) - 0.5);
      const service = { settings, clockOffsetMs, ...(flaw && { flaw }) };
      return startMortalService(service, { ...around, setsClock: apart === undefined });
    }),
  );
}

/**
 * Places keyed orders through one process on a file, or several on a table: each attempt through a process chosen at
 * random, some keys twice at once, while the venue fails, processes are killed (SIGKILL) and their clocks are set or differ;
 * then asks for every key once more. `tell` gets a line of progress every ten seconds.
 */
export async function soakKeyedOrders(options: SoakOptions, tell: (line: string) => void): Promise<SoakReport> {
  const random = createRandom(options.seed);
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  const faucet = { collateral: 100_000_000, shares: 0 };
  let venueOffsetMs = 0;
  const now = () => Date.now() + venueOffsetMs;
  const venue = createPaperVenue({ now, still: true, forgetFilled: true, lookUpLagMs: 400, faucet });
  const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const store = await openStore(options.processes);
  const settings = { ...paperSettings(url, directory), ...store.settings, SERVICE_LOG_LEVEL: 'error' };
  const services = await startServices(options, settings, { env: store.env, random });
  const pickService = () => random.pick(services);
  const clients = CLIENTS[options.processes > 1 ? 'table' : 'file'];
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  let [faults, settled, venueClockSteps] = [0, 0, 0];
  const progress = setInterval(() => tell(`${seconds()} s: ${settled} of ${options.orders} orders`), 10_000);
  try {
    const [tokenId = ''] = await paperTokens(url);
    const asked = createOrders(options.orders, tokenId);
    await forAll(asked, clients, async (one) => {
      if (random() < FAULT_SHARE) {
        arm(venue, random);
        faults += 1;
      }
      await settle(one, pickService, random);
      settled += 1;
      if (options.apart === undefined && random() < CLOCK_SHARE) {
        venueOffsetMs = random.pick(VENUE_CLOCK_STEPS_MS);
        venueClockSteps += 1;
      }
    });
    await sleep(LATE_LIMIT_MS);
    await forAll(asked, CLIENTS.table, async ({ key, order, replies }) => {
      const again = replies.length > 0 ? await pickService().ask(key, order) : undefined;
      if (again) replies.push(again);
    });
    const counts = judge(asked, venue);
    const sum = (name: 'kills' | 'clockSteps') => services.reduce((total, { counts }) => total + counts[name], 0);
    return {
      failures: (['doubled', 'lost', 'false'] as const).filter((name) => counts[name] > 0),
      lines: [
        `orders   ${options.orders} under a key each, ${options.processes > 1 ? `${options.processes} processes on a table` : 'one process on a file'}${options.apart === undefined ? '' : `, clocks ${options.apart} s apart`}, ${seconds()} s`,
        `faults   ${faults} armed, ${sum('kills')} kills, ${sum('clockSteps') + venueClockSteps} clocks set (seed ${options.seed})`,
        ...Object.entries(counts).map(([name, count]) => `${name.padEnd(8)} ${count}`),
        `at the venue: ${venue.orders().length}`,
      ],
    };
  } finally {
    clearInterval(progress);
    await Promise.all(services.map(({ stop }) => stop()));
    await venue.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}
