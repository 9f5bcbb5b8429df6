import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { paperSettings } from '../support/paper-settings.ts';
import { createRandom, type Random } from '../support/random.ts';
import { startWatchedService, type Watched } from '../support/watched.ts';

/** How long, and how much. */
export interface TrafficOptions {
  readonly minutes: number;
  readonly perSecond: number;
  readonly seed: number;
}

/** What a soak found. */
export interface SoakReport {
  readonly lines: readonly string[];
  readonly failures: readonly string[];
}

const PAUSE_MS = 50;
/** A share of the run after which a process is warm: its memory is compared from then on. */
const WARM_SHARE = 1 / 3;
/**
 * Growth of what is left after a collection that is no leak. It varies by 3 MB from run to run, whatever their length; with
 * this slack a leak of 1 KB a request shows within a minute, and one of 20 bytes within an hour.
 */
const MAX_GROWTH = 1.05;
const SLACK_BYTES = 4_000_000;
/** Idle connections to the venue and from clients are too old to be used by then. */
const SETTLE_MS = 8_000;
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

interface Asked {
  readonly kind: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function order(token_id: string, price: string, key?: string): Asked {
  return {
    kind: key === undefined ? 'order' : 'keyed order',
    method: 'POST',
    path: '/v1/orders',
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
    body: JSON.stringify({ token_id, side: 'buy', price, size: '5', post_only: true }),
  };
}

function book(tokenId: string): Asked {
  return { kind: 'book', method: 'GET', path: `/v1/book/${tokenId}` };
}

/** Chooses the next request: books above all, lists, orders of which most are refused by a rule, and nonsense. */
function choose(random: Random, tokens: readonly string[]): Asked {
  const token = random.pick(tokens);
  const share = random();
  if (share < 0.55) return book(token);
  if (share < 0.65) return { kind: 'markets', method: 'GET', path: '/v1/markets?limit=20' };
  if (share < 0.75) return { kind: 'health', method: 'GET', path: '/health' };
  if (share < 0.78) return order(token, '0.01', randomUUID());
  if (share < 0.79) return order(token, '0.01');
  if (share < 0.95) return order(token, '0.99', randomUUID());
  if (share < 0.98) return order(token, '0.12345', randomUUID());
  return { kind: 'nonsense', method: 'GET', path: `/v1/${'x'.repeat(Math.floor(random() * 2_000))}` };
}

interface Ended {
  readonly kind: string;
  /** `0` where there was no answer. */
  readonly status: number;
  readonly isOurs: boolean;
  readonly ms: number;
}

function send(url: string, agent: Agent, { kind, method, path, headers, body }: Asked): Promise<Ended> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, isOurs: boolean) =>
      resolve({ kind, status, isOurs, ms: performance.now() - startedAt });
    const sent = request(url + path, { method, agent, ...(headers && { headers }), timeout: ANSWER_MS }, (answer) => {
      answer.resume();
      answer.once('end', () => end(answer.statusCode ?? 0, answer.headers['x-request-id'] !== undefined));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => end(0, false));
    sent.end(body);
  });
}

const list = z.object({ items: z.array(z.object({ outcomes: z.array(z.object({ token_id: z.string() })) })) });

/** Lists the tokens of the markets that a service has. */
export async function findTokens(url: string): Promise<readonly string[]> {
  const { items } = list.parse(await (await fetch(`${url}/v1/markets?limit=50`)).json());
  return items.flatMap(({ outcomes }) => outcomes.map(({ token_id }) => token_id));
}

function percentile(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

function describe(ended: readonly Ended[]): readonly string[] {
  const kinds = Map.groupBy(ended, ({ kind }) => kind);
  return [...kinds].map(([kind, all]) => {
    const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
    const statuses = [...Map.groupBy(all, ({ status }) => status)].sort(([a], [b]) => a - b);
    const counts = statuses.map(([status, some]) => `${some.length} × ${status}`).join(', ');
    return `| ${kind} | ${all.length} | ${percentile(times, 0.5)} | ${percentile(times, 0.99)} | ${counts} |`;
  });
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Finds what grew: memory after it was warm, and files, sockets and timers since the start. */
function findLeaks(before: Watched, warm: Watched, after: Watched): readonly string[] {
  const leaks: string[] = [];
  if (after.heapBytes > warm.heapBytes * MAX_GROWTH + SLACK_BYTES) {
    leaks.push(`memory grew from ${megabytes(warm.heapBytes)} to ${megabytes(after.heapBytes)}`);
  }
  if (after.files > before.files) leaks.push(`files grew from ${before.files} to ${after.files}`);
  for (const [kind, count] of Object.entries(after.resources)) {
    const had = before.resources[kind] ?? 0;
    if (count > had) leaks.push(`${kind} grew from ${had} to ${count}`);
  }
  return leaks;
}

/** Lets a service come to rest: connections that are too old are closed with the next request to the same host. */
async function settle(url: string): Promise<void> {
  const agent = new Agent();
  for (const pauseMs of [SETTLE_MS, 0]) {
    const [token = ''] = await findTokens(url);
    await send(url, agent, book(token));
    await send(url, agent, order(token, '0.01', randomUUID()));
    await sleep(pauseMs);
  }
}

async function drive(
  { minutes, perSecond, seed }: TrafficOptions,
  { url, venue, onWarm }: { readonly url: string; readonly venue: PaperVenue; readonly onWarm: () => Promise<void> },
  tell: (line: string) => void,
): Promise<readonly Ended[]> {
  const random = createRandom(seed);
  const tokens = await findTokens(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const durationMs = minutes * 60_000;
  const startedAt = performance.now();
  const running = new Set<Promise<unknown>>();
  const ended: Ended[] = [];
  let [sent, toldAt, isWarm] = [0, 0, false];
  for (let elapsed = 0; elapsed < durationMs; elapsed = performance.now() - startedAt) {
    for (const due = (elapsed / 1_000) * perSecond; sent < due; sent += 1) {
      const answered = send(url, agent, choose(random, tokens)).then((end) => ended.push(end));
      running.add(answered);
      void answered.then(() => running.delete(answered));
    }
    if (random() < 0.2) venue.arm(random.pick(FAULTS));
    if (!isWarm && elapsed > durationMs * WARM_SHARE) {
      isWarm = true;
      await onWarm();
    }
    if (elapsed - toldAt > 10_000) {
      toldAt = elapsed;
      tell(`${Math.round(elapsed / 1_000)} s: ${ended.length} requests answered`);
    }
    await sleep(PAUSE_MS);
  }
  await Promise.all(running);
  agent.destroy();
  return ended;
}

/**
 * Sends mixed traffic to the service at a paper venue that fails now and then: reads, orders of which most are refused,
 * nonsense. Fails on an answer that is not the service's own, on a 500, and on what is left over when all is quiet.
 */
export async function soakTraffic(options: TrafficOptions, tell: (line: string) => void): Promise<SoakReport> {
  const directory = await mkdtemp(join(tmpdir(), 'soak-'));
  const venue = createPaperVenue({ faucet: { collateral: 100_000_000, shares: 0 } });
  const { url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 });
  using service = await startWatchedService(paperSettings(venueUrl, directory));
  const { url } = service;
  try {
    await settle(url);
    const before = await service.look();
    let warm = before;
    const onWarm = async () => {
      warm = await service.look();
    };
    const ended = await drive(options, { url, venue, onWarm }, tell);
    await fetch(`${venueUrl}/paper/faults`, { method: 'DELETE' });
    await settle(url);
    const after = await service.look();
    const foreign = ended.filter(({ status, isOurs }) => status === 500 || !isOurs).length;
    const failures = [
      ...findLeaks(before, warm, after),
      ...(foreign > 0 ? [`${foreign} answers were missing, not the service's own, or a 500`] : []),
    ];
    const rate = (ended.length / (options.minutes * 60)).toFixed(0);
    const row = (name: string, pick: (state: Watched) => string | number) =>
      `| ${name} | ${pick(before)} | ${pick(warm)} | ${pick(after)} |`;
    return {
      failures,
      lines: [
        `${ended.length} requests in ${options.minutes} minutes (${rate} a second), seed ${options.seed}`,
        '',
        '| request | count | p50 ms | p99 ms | answers |',
        '| --- | --- | --- | --- | --- |',
        ...describe(ended),
        '',
        '| at rest | at the start | warm | at the end |',
        '| --- | --- | --- | --- |',
        row('memory after a collection', ({ heapBytes }) => megabytes(heapBytes)),
        row('resident memory', ({ rssBytes }) => megabytes(rssBytes)),
        row('open files and sockets', ({ files }) => files),
        row('what keeps the loop busy', ({ resources }) =>
          Object.entries(resources)
            .map((all) => all.join(' '))
            .join(', '),
        ),
        '',
        ...(failures.length > 0 ? failures.map((failure) => `FAILED: ${failure}`) : ['nothing leaked, nothing failed']),
      ],
    };
  } finally {
    await venue.close();
    await rm(directory, { recursive: true, force: true });
  }
}
