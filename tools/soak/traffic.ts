import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { paperSettings, paperTokens } from '../support/paper-settings.ts';
import { createRandom, type Random } from '../support/random.ts';
import { startWatchedService, type Watched } from '../support/watched.ts';

/** The extent of the traffic. */
export interface TrafficOptions {
  readonly minutes: number;
  readonly perSecond: number;
  readonly seed: number;
}

/** The result of a soak. */
export interface SoakReport {
  readonly lines: readonly string[];
  readonly failures: readonly string[];
}

const PAUSE_MS = 50;
/** A share of the run after which a process is warm: its memory is compared from then on. */
const WARM_SHARE = 1 / 3;
/**
 * Growth of the memory after a collection that is no leak. It varies by 3 MB from run to run, whatever their length;
 * with this slack a leak of 1 KB a request shows within a minute, and one of 20 bytes within an hour.
 */
const MAX_GROWTH = 1.05;
const SLACK_BYTES = 4_000_000;
/** A service that is at rest closes its connections at once; a busy machine may need many looks. */
const MAX_LOOKS = 60;
const LOOK_PAUSE_MS = 500;
/** No answer takes longer; an order may take 25 s. */
const ANSWER_MS = 27_000;

const FAULTS: readonly FaultOrder[] = [
  ...(['reset', 'hang', 'error-500', 'edge-502', 'rate-limit', 'truncated', 'cut', 'oversize'] as const).map(
    (fault): FaultOrder => ({ fault, path: '/book' }),
  ),
  ...(['reset', 'edge-503', 'wrong-type', 'firewall'] as const).map(
    (fault): FaultOrder => ({ fault, path: '/markets' }),
  ),
  ...(['reset-after', 'edge-502-after', 'restart', 'success-with-error', 'refuse-after'] as const).map(
    (fault): FaultOrder => ({ fault, method: 'POST', path: '/order' }),
  ),
];

/** A request, and its kind in the report. */
interface Asked {
  readonly kind: string;
  readonly path: string;
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function order(token_id: string, price: string, key?: string): Asked {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  const body = JSON.stringify({ token_id, side: 'buy', price, size: '5', post_only: true });
  return { kind: key === undefined ? 'order' : 'keyed order', method: 'POST', path: '/v1/orders', headers, body };
}

function book(tokenId: string): Asked {
  return { kind: 'book', path: `/v1/book/${tokenId}` };
}

/** Chooses the next request: books above all, lists, orders of which most are refused by a rule, and nonsense. */
function choose(random: Random, tokens: readonly string[]): Asked {
  const token = random.pick(tokens);
  const share = random();
  if (share < 0.55) return book(token);
  if (share < 0.65) return { kind: 'markets', path: '/v1/markets?limit=20' };
  if (share < 0.75) return { kind: 'health', path: '/health' };
  if (share < 0.78) return order(token, '0.01', randomUUID());
  if (share < 0.79) return order(token, '0.01');
  if (share < 0.95) return order(token, '0.99', randomUUID());
  if (share < 0.98) return order(token, '0.12345', randomUUID());
  return { kind: 'nonsense', path: `/v1/${'x'.repeat(Math.floor(random() * 2_000))}` };
}

interface Ended {
  readonly kind: string;
  /** `0` where there was no answer. */
  readonly status: number;
  readonly isOurs: boolean;
  readonly ms: number;
}

function send(url: string, agent: Agent, { kind, path, body, ...options }: Asked): Promise<Ended> {
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<Omit<Ended, 'kind' | 'ms'>>();
  const sent = request(url + path, { ...options, agent, timeout: ANSWER_MS }, (answer) => {
    const [status, isOurs] = [answer.statusCode ?? 0, answer.headers['x-request-id'] !== undefined];
    answer.resume().once('end', () => resolve({ status, isOurs }));
  });
  sent.once('timeout', () => sent.destroy());
  sent.once('error', () => resolve({ status: 0, isOurs: false }));
  sent.end(body);
  return promise.then((end) => ({ ...end, kind, ms: performance.now() - startedAt }));
}

/** Counts the answers of each kind by status, with the slowest one: the contract gives `/health` a second. */
function describe(ended: readonly Ended[]): readonly string[] {
  return [...Map.groupBy(ended, ({ kind }) => kind)].map(([kind, all]) => {
    const statuses = [...Map.groupBy(all, ({ status }) => status)].sort(([a], [b]) => a - b);
    const counts = statuses.map(([status, some]) => `${some.length} × ${status}`).join(', ');
    return `${kind.padEnd(12)} ${counts}; slowest ${Math.max(...all.map(({ ms }) => Math.round(ms)))} ms`;
  });
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Finds files, sockets and timers that the service opened since the start and has not closed. */
function findOpened(before: Watched, after: Watched): readonly string[] {
  const closed = [...before.files];
  const opened = after.files.filter((file) => {
    const at = closed.indexOf(file);
    if (at >= 0) closed.splice(at, 1);
    return at < 0;
  });
  const names = [...Map.groupBy(opened, (file) => file)].map(([file, all]) => `${all.length} × ${file}`);
  const grown = Object.entries(after.resources).filter(([kind, count]) => count > (before.resources[kind] ?? 0));
  return [...names, ...grown.map(([kind, count]) => `${kind} grew from ${before.resources[kind] ?? 0} to ${count}`)];
}

/** Looks at the service until it has closed all that it opened, or for as long as a leak is worth waiting for. */
async function lookAtRest(look: () => Promise<Watched>, before: Watched): Promise<Watched> {
  for (let looks = 1; ; looks += 1) {
    const state = await look();
    if (looks === MAX_LOOKS || findOpened(before, state).length === 0) return state;
    await sleep(LOOK_PAUSE_MS);
  }
}

interface Scene {
  readonly url: string;
  readonly venue: PaperVenue;
  readonly tokens: readonly string[];
  readonly onWarm: () => Promise<void>;
  readonly tell: (line: string) => void;
}

/** Sends requests at a steady pace, whether or not the ones before are answered. */
async function drive({ minutes, perSecond, seed }: TrafficOptions, scene: Scene): Promise<readonly Ended[]> {
  const random = createRandom(seed);
  const durationMs = minutes * 60_000;
  const startedAt = performance.now();
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const requests: Promise<unknown>[] = [];
  const ended: Ended[] = [];
  let [toldAt, isWarm] = [0, false];
  for (let elapsed = 0; elapsed < durationMs; elapsed = performance.now() - startedAt) {
    while (requests.length < (elapsed / 1_000) * perSecond) {
      requests.push(send(scene.url, agent, choose(random, scene.tokens)).then((end) => ended.push(end)));
    }
    if (random() < 0.2) scene.venue.arm(random.pick(FAULTS));
    if (!isWarm && elapsed > durationMs * WARM_SHARE) {
      isWarm = true;
      await scene.onWarm();
    }
    if (elapsed - toldAt > 10_000) {
      toldAt = elapsed;
      scene.tell(`${Math.round(elapsed / 1_000)} s: ${ended.length} requests answered`);
    }
    await sleep(PAUSE_MS);
  }
  await Promise.all(requests);
  agent.destroy();
  return ended;
}

/**
 * Sends mixed traffic to the service at a paper venue that fails now and then: reads, orders of which most are refused,
 * nonsense. Fails on an answer that is not the service's own, on a 500, and on growth.
 */
export async function soakTraffic(options: TrafficOptions, tell: (line: string) => void): Promise<SoakReport> {
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  const venue = createPaperVenue({ faucet: { collateral: 100_000_000, shares: 0 } });
  const { url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 });
  using service = await startWatchedService(paperSettings(venueUrl, directory));
  const { url, look } = service;
  try {
    const tokens = await paperTokens(venueUrl);
    const before = await look();
    let warm = before;
    const onWarm = async () => {
      warm = await look();
    };
    const ended = await drive(options, { url, venue, tokens, onWarm, tell });
    // The number of idle connections to the venue depends on how many requests overlapped: without it there are none.
    await venue.close();
    const after = await lookAtRest(look, before);
    const opened = findOpened(before, after);
    const foreign = ended.filter(({ status, isOurs }) => status === 500 || !isOurs).length;
    const failures = [
      ...(after.heapBytes > warm.heapBytes * MAX_GROWTH + SLACK_BYTES ? ['the memory grew'] : []),
      ...(opened.length > 0 ? [`left open: ${opened.join(', ')}`] : []),
      ...(foreign > 0 ? [`${foreign} answers were missing, not the service's own, or a 500`] : []),
    ];
    const states = [before, warm, after].map(
      ({ heapBytes, files }) => `${megabytes(heapBytes)} and ${files.length} files`,
    );
    return {
      failures,
      lines: [
        `${ended.length} requests in ${options.minutes} minutes, seed ${options.seed}`,
        ...describe(ended),
        `after a collection, at the start, warm and at the end: ${states.join(', ')}`,
        ...(failures.length > 0 ? failures.map((failure) => `FAILED: ${failure}`) : ['nothing leaked, nothing failed']),
      ],
    };
  } finally {
    await venue.close();
    await rm(directory, { recursive: true, force: true });
  }
}
