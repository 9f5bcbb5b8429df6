import { type Bench, byThree, inTurn, takePairs } from './bench.ts';
import { load, type Request, timeOne } from './load.ts';
import { askNumber, KEY, ORDERS, startBaseline, startService, startVenue } from './processes.ts';
import { SIGNED_ORDER, TOKEN_ID } from './venue/records.ts';

/** The venue's own answer time in the rows that have one: a server in the same region. */
const VENUE_DELAY_MS = 25;

const JSON_BODY = { 'content-type': 'application/json' };
const ORDER_TEXT = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.51, size: 10, post_only: true });
const ORDER = { method: 'POST', headers: JSON_BODY, body: ORDER_TEXT } as const;
const BOOK_PATH = `/v1/book/${TOKEN_ID}`;

/** Requests that wait for one another, counted at the venue. The cold order has to obtain its API credentials too. */
const trips: Bench = async function* () {
  await using venue = await startVenue(VENUE_DELAY_MS);
  const count = async <R extends string>(row: R, url: string, request: Request, fewest: number) => {
    const depth = () => askNumber(`${venue.url}/bench/depth`);
    const before = await depth();
    await timeOne(url, request);
    return { row, ours: [(await depth()) - before], theirs: [fewest] };
  };
  for (;;) {
    await using service = await startService(venue.url, KEY);
    yield [
      await count('trips-cold-order', `${service.url}/v1/orders`, ORDER, 2),
      await count('trips-warm-order', `${service.url}/v1/orders`, ORDER, 1),
      await count('trips-book', service.url + BOOK_PATH, {}, 1),
      await count('trips-markets', `${service.url}/v1/markets?limit=100`, {}, 1),
    ];
  }
};

/** Orders of a round: 40 of them are above the p99. */
const ROUND_ORDERS = 4_000;
/** After these the rate grows no more. */
const WARM_ORDERS = 1_000;

/** Orders at a venue that takes its time: the cost of signing and the rest over a bare hop. */
const orders: Bench = async function* (scale) {
  await using venue = await startVenue(VENUE_DELAY_MS);
  await using service = await startService(venue.url);
  await using proxy = await startBaseline('proxy', venue.url);
  for (let amount = WARM_ORDERS; ; amount = Math.ceil(ROUND_ORDERS * scale)) {
    // In turn: side by side, the service would take the proxy's processor time and look faster.
    const [ours, theirs] = await inTurn(
      () => load(`${service.url}/v1/orders`, ORDER, { amount }),
      () => load(`${proxy.url}/order`, { ...ORDER, body: SIGNED_ORDER }, { amount }),
    );
    const values = { ours: ours.times, theirs: theirs.times };
    yield [
      { row: 'order-p50', ...values },
      { row: 'order-p99', ...values },
    ];
  }
};

/** A shorter load would mostly measure its beginning. */
function secondsOf(scale: number) {
  return { duration: Math.max(1, 2 * scale) };
}

/** Books of a venue that answers at once: the rate of one core. */
const books: Bench = async function* (scale) {
  await using venue = await startVenue(0);
  await using service = await startService(venue.url);
  await using proxy = await startBaseline('proxy', venue.url, 'json');
  const bound = secondsOf(scale);
  const rateOf = async (url: string) => (await load(url, {}, bound)).rate;
  const proxied = () => rateOf(`${proxy.url}/book?token_id=${TOKEN_ID}`);
  for (;;) yield [await takePairs('book-rate', 1, () => rateOf(service.url + BOOK_PATH), proxied)];
};

/** Orders at a venue that answers at once: the rate of one core. */
const rate: Bench = async function* (scale) {
  await using venue = await startVenue(0);
  await using service = await startService(venue.url);
  await using client = await startBaseline('official-client', venue.url);
  const bound = secondsOf(scale);
  const ours = async () => (await load(`${service.url}/v1/orders`, ORDER, bound)).rate;
  for (;;) yield [await takePairs('order-rate', 1, ours, () => askNumber(`${client.url}/${bound.duration}`))];
};

/** The first order of a process, without its start: from a clone, the service loads the official client once it listens. */
const first: Bench = async function* (scale) {
  await using venue = await startVenue(VENUE_DELAY_MS);
  const ours = async () => {
    await using service = await startService(venue.url);
    await service.settled();
    return await timeOne(`${service.url}/v1/orders`, ORDER);
  };
  const theirs = async () => {
    await using client = await startBaseline('official-client', venue.url);
    await client.settled();
    return 1000 / (await askNumber(`${client.url}/0`));
  };
  for (;;) yield [await takePairs('first-order', Math.ceil(3 * scale), ours, theirs)];
};

/** From the spawn to listening, and the memory then. The service sends no request at the start. */
const start: Bench = async function* (scale) {
  const nowhere = 'http://127.0.0.1:9';
  const startOf = (program: () => ReturnType<typeof startService>) => async () => {
    await using started = await program();
    return started.startTime;
  };
  const memoryOf = (program: () => ReturnType<typeof startService>) => async () => {
    await using started = await program();
    return await started.memory();
  };
  const service = (env: typeof KEY) => () => startService(nowhere, env);
  const proxy = () => startBaseline('proxy', nowhere);
  const client = () => startBaseline('official-client', nowhere);
  const count = Math.ceil(3 * scale);
  for (;;)
    yield [
      await takePairs('start-orders', count, startOf(service(ORDERS)), startOf(client)),
      await takePairs('start-reads', count, startOf(service({})), startOf(client)),
      await takePairs('memory-orders', 1, memoryOf(service(ORDERS)), memoryOf(proxy)),
      await takePairs('memory-reads', 1, memoryOf(service({})), memoryOf(proxy)),
    ];
};

/** The rows of this machine's own processes. */
export const LOCAL_BENCHES = {
  trips,
  orders: byThree(orders),
  books: byThree(books),
  rate: byThree(rate),
  first,
  start,
};
