import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWatchedService } from '../support/watched.ts';
import { type Bench, inTurn, median, type Row, type Sample } from './bench.ts';
import { type LoadResult, load, type Request, timeOne } from './load.ts';
import * as processes from './processes.ts';
import { placeFirstOrder, startProxy, startService, startVenue, VENUE_DELAY_MS } from './processes.ts';
import { SIGNED_ORDER, TOKEN_ID, TOKEN_IDS } from './venue/records.ts';

const JSON_BODY = { 'content-type': 'application/json' };
const ORDER_TEXT = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.51, size: 10, post_only: true });
const ORDER = { method: 'POST', headers: JSON_BODY, body: ORDER_TEXT } as const;
const BOOK_PATH = `/v1/book/${TOKEN_ID}`;

/** Compares the rates of two loads. */
function ratesOf(ours: Pick<LoadResult, 'rate' | 'errors'>, theirs: Pick<LoadResult, 'rate' | 'errors'>): Sample {
  return { value: ours.rate, baseline: theirs.rate, errors: ours.errors + theirs.errors };
}

function trips(what: string): Row {
  const figure = `venue round trips in a row, ${what}`;
  return { figure, baseline: 'the fewest that can do', unit: 'trips', target: { atMost: 1 } };
}

/** Requests that wait for one another, counted at the venue. The cold order has to obtain its API credentials too. */
export const roundTrips: Bench = {
  rows: {
    'trips-cold-order': trips('cold order'),
    'trips-warm-order': trips('warm order'),
    'trips-book': trips('book'),
    'trips-markets': trips('markets of one page'),
  },
  async *rounds() {
    await using venue = await startVenue(VENUE_DELAY_MS);
    const count = async (url: string, request: Request, expected: number, baseline: number) => {
      await venue.depth();
      await timeOne(url, request, expected);
      return { value: await venue.depth(), baseline };
    };
    for (;;) {
      await using service = await startService(venue.url, { credentials: false });
      yield {
        'trips-cold-order': await count(`${service.url}/v1/orders`, ORDER, 201, 2),
        'trips-warm-order': await count(`${service.url}/v1/orders`, ORDER, 201, 1),
        'trips-book': await count(service.url + BOOK_PATH, {}, 200, 1),
        'trips-markets': await count(`${service.url}/v1/markets?limit=100`, {}, 200, 1),
      };
    }
  },
};

function latency(name: string, percentile: 0.5 | 0.99, atMost: number): Row {
  const figure = `order ${name}, venue at ${VENUE_DELAY_MS} ms`;
  return { figure, baseline: `bare node:http proxy, ${name}`, unit: 'ms', percentile, target: { atMost } };
}

/** Response times behind a percentile in a full run, all rounds together: 200 of them are above the p99. */
const RESPONSES = 20_000;

/** Orders at a venue that takes its time: the cost of signing and the rest over a bare hop. */
export const orderLatency: Bench = {
  rows: { 'order-p50': latency('p50', 0.5, 1.08), 'order-p99': latency('p99', 0.99, 1.25) },
  async *rounds({ rounds, scale }) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const signed = { ...ORDER, body: SIGNED_ORDER };
    let amount = Math.ceil(1_000 * scale);
    const ours = () => load(`${service.url}/v1/orders`, ORDER, { amount });
    const theirs = () => load(`${proxy.url}/order`, signed, { amount });
    await inTurn(0, ours, theirs);
    amount = Math.ceil((RESPONSES / rounds) * scale);
    for (let round = 0; ; round += 1) {
      // In turn: side by side, the service would take the proxy's processor time and look faster.
      const [own, other] = await inTurn(round, ours, theirs);
      const times = { value: own.times, baseline: other.times };
      const sample = {
        value: median(own.times),
        baseline: median(other.times),
        errors: own.errors + other.errors,
        times,
      };
      yield { 'order-p50': sample, 'order-p99': sample };
    }
  },
};

function books(figure: string, atLeast: number): Row {
  return { figure, baseline: 'bare node:http proxy', unit: 'req/s', target: { atLeast } };
}

/** A shorter load would mostly measure its beginning. */
function secondsOf(scale: number) {
  return { duration: Math.max(1, 2 * scale) };
}

/** Books of a venue that answers at once: the rate of one core. */
export const bookRate: Bench = {
  rows: {
    'book-rate': books('book, 10 connections, venue at 0 ms', 0.4),
    'book-rate-distinct': books('book, each request another one, 10 connections', 0.38),
  },
  async *rounds({ scale }) {
    await using venue = await startVenue(0);
    await using service = await startService(venue.url);
    await using other = await startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const bound = secondsOf(scale);
    // Each connection asks for a book of its own: identical reads in flight share a call.
    const pathOf = (connection: number) => `/v1/book/${TOKEN_IDS[connection]}`;
    const ours = () => load(service.url + BOOK_PATH, {}, bound);
    const theirs = () => load(`${proxy.url}/book?token_id=${TOKEN_ID}`, {}, bound);
    const distinct = () => load(other.url, { pathOf }, bound);
    await inTurn(0, ours, theirs);
    await distinct();
    for (let round = 0; ; round += 1) {
      const [shared, proxied] = await inTurn(round, ours, theirs);
      yield { 'book-rate': ratesOf(shared, proxied), 'book-rate-distinct': ratesOf(await distinct(), proxied) };
    }
  },
};

/** Orders at a venue that answers at once: the rate of one core. */
export const orderRate: Bench = {
  rows: {
    'order-rate': {
      figure: 'orders, 10 connections, venue at 0 ms',
      baseline: 'official client in process',
      unit: 'req/s',
      target: { atLeast: 1.4 },
    },
  },
  async *rounds({ scale }) {
    await using venue = await startVenue(0);
    await using service = await startService(venue.url);
    await using client = await processes.startOfficialClient(venue.url);
    const bound = secondsOf(scale);
    const ours = () => load(`${service.url}/v1/orders`, ORDER, bound);
    const theirs = () => client.place(bound.duration);
    await inTurn(0, ours, theirs);
    for (let round = 0; ; round += 1) yield { 'order-rate': ratesOf(...(await inTurn(round, ours, theirs))) };
  },
};

/** Takes pairs in turn, and returns the medians of both sides. */
async function medians(round: number, repeats: number, ours: () => Promise<number>, theirs: () => Promise<number>) {
  const pairs: (readonly [number, number])[] = [];
  while (pairs.length < repeats) pairs.push(await inTurn(round + pairs.length, ours, theirs));
  return { value: median(pairs.map(([own]) => own)), baseline: median(pairs.map(([, other]) => other)) };
}

/** From a clone, the service loads the venue's official client once it listens. */
const LOADED_MS = 1_500;

/** The first order of a process, without the start of the process. */
export const firstOrder: Bench = {
  rows: {
    'first-order': {
      figure: `first order of a fresh process, venue at ${VENUE_DELAY_MS} ms`,
      baseline: 'official client, fresh process',
      unit: 'ms',
      target: { atMost: 0.7 },
    },
  },
  async *rounds({ scale }) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    const ours = async () => {
      await using service = await startService(venue.url);
      await sleep(LOADED_MS);
      return await timeOne(`${service.url}/v1/orders`, ORDER, 201);
    };
    const theirs = async () => (await placeFirstOrder(venue.url)).order;
    // Warms up the venue and the load generator.
    await theirs();
    for (let round = 0; ; round += 1) yield { 'first-order': await medians(round, Math.ceil(3 * scale), ours, theirs) };
  },
};

function starting(what: string, atMost: number): Row {
  return { figure: `start to listening, ${what}`, baseline: 'node -e 0', unit: 'ms', target: { atMost } };
}

/** From the spawn to listening. The service sends no request at the start. */
export const start: Bench = {
  rows: { 'start-orders': starting('order-placing', 7.5), 'start-reads': starting('read-only', 6.5) },
  async *rounds({ scale }) {
    const startOf = (orders: boolean) => async () => {
      await using service = await startService('http://127.0.0.1:9', { orders });
      return service.startTime;
    };
    const nothing = async () => (await processes.runProcess(['-e', '0'])).time;
    const repeats = Math.ceil(5 * scale);
    await startOf(true)();
    for (let round = 0; ; round += 1)
      yield {
        'start-orders': await medians(round, repeats, startOf(true), nothing),
        'start-reads': await medians(round, repeats, startOf(false), nothing),
      };
  },
};

/** The growth of memory in a long run: books mostly, one order in ten. */
export const memory: Bench = {
  rows: {
    memory: {
      figure: 'heap after 50 000 requests and a collection',
      baseline: 'after 5 000',
      unit: 'MB',
      target: { atMost: 1.02 },
    },
  },
  async *rounds({ scale }) {
    await using venue = await startVenue(0);
    for (;;) {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-memory-'));
      const store = { SERVICE_STORE: join(folder.path, 'orders.db'), SERVICE_LOG_LEVEL: 'error' };
      using service = await startWatchedService({ ...processes.serviceEnv(venue.url), ...store });
      const heapAfter = async (amount: number) => {
        const read = await load(service.url + BOOK_PATH, {}, { amount: amount * 0.9 });
        const placed = await load(`${service.url}/v1/orders`, ORDER, { amount: amount * 0.1 });
        return { heap: (await service.look()).heapBytes / 1e6, errors: read.errors + placed.errors };
      };
      const first = await heapAfter(Math.ceil(5_000 * scale));
      const second = await heapAfter(Math.ceil(45_000 * scale));
      yield { memory: { value: second.heap, baseline: first.heap, errors: first.errors + second.errors } };
    }
  },
};
