import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, ratesOf, type Sample } from '../bench.ts';
import type { RunningProcess } from '../processes.ts';
import { countOrders } from '../scale/count.ts';
import { openScaleWorld, type Reply, type ScaleWorld } from '../scale/world.ts';

const PROCESSES = 8;
/** The venue's time for an order: a Lambda environment waits for it, and serves nobody else. */
const VENUE_TIME_MS = 200;
/** The time of one load, in a quick run too: a process places five orders a second. */
const LOAD_TIME_MS = 2_000;
/** Requests at the same time, where each process has several. */
const AT_ONCE = 40;
const KEYS = 160;
/** Fewer than the keys, and more than one process sends. */
const REFUSED_SENDINGS = 60;
const STORM = 100;
/** Time for one key to be settled by repeats; a lease of a killed process lasts 30 s. */
const SETTLE_LIMIT_MS = 90_000;
const REPEAT_PAUSE_MS = 500;

function growth(processes: number, atLeast: number) {
  const figure = `keyed orders, ${processes} processes on one table, one order at a time each`;
  const name = processes === 2 ? 'scale' : `scale-${processes}`;
  return { name, figure, baseline: '1 process', unit: 'req/s', target: { atLeast } } as const;
}

function exactly(name: string, figure: string, baseline: string) {
  return { name, figure, baseline, unit: 'orders', target: { exactly: 1 } } as const;
}

let keys = 0;

function newKey(): string {
  keys += 1;
  return `scale-${keys}`;
}

/** Orders a second through the first `count` processes, each of which has one at a time. */
async function rateOf({ services, place }: ScaleWorld, count: number) {
  let [orders, errors] = [0, 0];
  const startedAt = performance.now();
  const end = startedAt + LOAD_TIME_MS;
  const use = async (service: RunningProcess) => {
    while (performance.now() < end) {
      const { status } = await place(service, newKey());
      if (status === 201) orders += 1;
      else errors += 1;
    }
  };
  await Promise.all(services.slice(0, count).map(use));
  return { rate: (orders * 1_000) / (performance.now() - startedAt), errors };
}

/** Remembers what each key was told. */
class Told {
  readonly ids = new Map<string, Set<string>>();

  note(key: string, { status, orderId }: Reply): void {
    const ids = this.ids.get(key) ?? new Set<string>();
    if (status === 201 && orderId !== undefined) ids.add(orderId);
    this.ids.set(key, ids);
  }
}

interface Scene {
  readonly world: ScaleWorld;
  readonly told: Told;
  /** Each answer, the first one to a key included. */
  readonly replies: Reply[];
  /** The processes that live. */
  readonly alive: () => readonly RunningProcess[];
}

/** Asks for a key, each time another process, until it is told of its order; throws when that takes too long. */
async function settle({ world, told, replies, alive }: Scene, key: string, turn: number): Promise<void> {
  const giveUpAt = performance.now() + SETTLE_LIMIT_MS;
  for (let attempt = 0; performance.now() < giveUpAt; attempt += 1) {
    const services = alive();
    const service = services[(turn + attempt) % services.length];
    if (!service) return;
    const reply = await world.place(service, key);
    replies.push(reply);
    told.note(key, reply);
    if (reply.status === 201) return;
    await sleep(REPEAT_PAUSE_MS);
  }
  throw new Error(`${key} was not settled in time: it is not known to be lost, the machine may be too busy`);
}

/** Settles many keys, some at a time; `onAnswer` hears how many are settled. */
async function settleAll(scene: Scene, onAnswer: (settled: number) => void = () => undefined): Promise<void> {
  let [next, settled] = [0, 0];
  const client = async () => {
    for (let turn = next++; turn < KEYS; turn = next++) {
      await settle(scene, newKey(), turn);
      settled += 1;
      onAnswer(settled);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

async function sampleOf(
  world: ScaleWorld,
  act: (scene: Scene) => Promise<number>,
  alive = () => world.services,
): Promise<Sample> {
  const before = await world.orderIds();
  const told = new Told();
  const falseAnswers = await act({ world, told, replies: [], alive });
  const { placed, lost, doubled } = countOrders(told.ids, before, await world.orderIds());
  return { value: placed, baseline: told.ids.size, errors: lost + doubled + falseAnswers };
}

/**
 * Answers that neither name the order nor say when to ask again, and 429 that does not say when. The store of a busy
 * machine may be late: its 503 says when.
 */
function silentAnswers({ replies }: Scene): number {
  const isSilent = ({ status, orderId, saysWhen }: Reply) => !saysWhen && (status === 429 || orderId === undefined);
  return replies.filter((reply) => reply.status !== 201 && isSilent(reply)).length;
}

/** Many requests with one key at the same time, on all processes: one is told that it placed the order. */
function storm(world: ScaleWorld): Promise<Sample> {
  return sampleOf(world, async (scene) => {
    const key = newKey();
    const ask = async (index: number) => {
      const service = world.services[index % PROCESSES];
      const reply = service && (await world.place(service, key));
      if (!reply) return;
      scene.replies.push(reply);
      scene.told.note(key, reply);
    };
    await Promise.all(Array.from({ length: STORM }, (_, index) => ask(index)));
    await settle(scene, key, 0);
    const first = scene.replies.filter(({ status, replayed }) => status === 201 && !replayed);
    return Math.abs(first.length - 1) + silentAnswers(scene);
  });
}

/** The venue's bucket is empty for a while: each of its refusals reaches the caller with a time, and no order is lost. */
async function limited(world: ScaleWorld): Promise<Sample> {
  await world.emptyBucket(REFUSED_SENDINGS);
  return sampleOf(world, async (scene) => {
    await settleAll(scene);
    // Where nobody was refused, nothing was proven.
    const isProof = scene.replies.some(({ status }) => status === 429);
    return silentAnswers(scene) + (isProof ? 0 : 1);
  });
}

/** Half of the processes are killed once a quarter of the orders is placed. */
async function killed(world: ScaleWorld): Promise<Sample> {
  await world.delayOrders(VENUE_TIME_MS);
  const [dying, living] = [world.services.slice(0, PROCESSES / 2), world.services.slice(PROCESSES / 2)];
  let alive = world.services;
  const kill = (settled: number) => {
    if (settled !== KEYS / 4) return;
    alive = living;
    for (const { pid } of dying) process.kill(pid, 'SIGKILL');
  };
  return sampleOf(
    world,
    async (scene) => {
      await settleAll(scene, kill);
      // Where nobody was cut off, nothing was proven.
      return scene.replies.some(({ status }) => status === 0) ? 0 : 1;
    },
    () => alive,
  );
}

/** Plays each scene once: they count, and nothing in them is measured. */
async function playScenes() {
  await using world = await openScaleWorld(PROCESSES);
  return {
    'scale-storm': await storm(world),
    'scale-limited': await limited(world),
    'scale-killed': await killed(world),
  };
}

/** More processes on one table: what they place together, and that it stays one order for a key whatever happens to them. */
export const scale: Bench = {
  rows: [
    growth(2, 1.6),
    growth(4, 2.8),
    growth(8, 4),
    exactly('scale-storm', `orders of ${STORM} requests at once with one key, 8 processes`, 'one key'),
    exactly('scale-limited', `orders, the venue answers ${REFUSED_SENDINGS} sendings 429 with Retry-After`, 'keys'),
    exactly('scale-killed', 'orders, 4 of 8 processes killed (SIGKILL) meanwhile', 'keys'),
  ],
  async *rounds() {
    const scenes = await playScenes();
    await using world = await openScaleWorld(PROCESSES);
    await world.delayOrders(VENUE_TIME_MS);
    await rateOf(world, PROCESSES);
    for (let round = 0; ; round += 1) {
      const one = await rateOf(world, 1);
      const compare = async (count: number) => ratesOf(await rateOf(world, count), one);
      const rates = { scale: await compare(2), 'scale-4': await compare(4), 'scale-8': await compare(8) };
      yield { ...rates, ...(round === 0 && scenes) };
    }
  },
};
