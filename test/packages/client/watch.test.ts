import { afterEach, describe, expect, it } from '@jest/globals';
import { type Book, createClient, OrderBookError, type WatchOptions } from '../../../packages/client/client.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { problem, type Step, startScriptedService } from '../../support/service/scripted-service.ts';

/** Not to wait for in a test more often than needed. */
const QUICK = { intervalMs: 200 } as const;

let ends: AbortController[] = [];

afterEach(() => {
  for (const end of ends) end.abort();
  ends = [];
});

function newEnd(): AbortController {
  const end = new AbortController();
  ends.push(end);
  return end;
}

function book(hash: string, etag: string | null = `"${hash}"`): Step {
  const body = { bids: [], asks: [], tick_size: '0.01', hash };
  return { status: 200, body, headers: etag === null ? {} : { etag } };
}

const UNCHANGED: Step = { status: 304, body: '' };

/** Watches a service that gives these answers, until a book with the hash `last` came. */
async function watchUntilLast(steps: readonly Step[], options: Partial<WatchOptions> = {}) {
  const { url, requests } = await startScriptedService(steps);
  const end = newEnd();
  const hashes: (string | null)[] = [];
  const errors: string[] = [];
  const onBook = ({ hash }: Book) => {
    hashes.push(hash);
    if (hash === 'last') end.abort();
  };
  const onError = ({ code }: OrderBookError) => errors.push(code);
  await createClient({ baseUrl: url }).watchBook('1', onBook, { ...QUICK, signal: end.signal, onError, ...options });
  return { hashes, errors, tags: requests.map(({ headers }) => headers['if-none-match']) };
}

describe('a watch on a service on paper', () => {
  it('hands over the book, and again when an order has changed it, and asks with the tag', async () => {
    const { url } = await startPaperService();
    const statuses: number[] = [];
    const changed = Promise.withResolvers<void>();
    const counted = async (address: string, init: RequestInit) => {
      const response = await fetch(address, init);
      if (address.includes('/book/')) statuses.push(response.status);
      if (statuses.length === 3) changed.resolve();
      return response;
    };
    const client = createClient({ baseUrl: url, fetch: counted });
    const { items } = await client.markets({ limit: 1 });
    const token_id = items[0]?.outcomes[0]?.token_id ?? '';
    const end = newEnd();
    const lowest: (string | undefined)[] = [];
    const onBook = ({ bids }: Book) => {
      lowest.push(bids.at(-1)?.price);
      if (lowest.length === 2) end.abort();
    };
    const watching = client.watchBook(token_id, onBook, { ...QUICK, signal: end.signal });
    await changed.promise;
    await client.placeOrder({ token_id, side: 'buy', price: '0.01', size: '5', post_only: true });
    await watching;
    expect(statuses.slice(0, 3)).toStrictEqual([200, 304, 304]);
    expect([lowest.length, lowest[1]]).toStrictEqual([2, '0.01']);
  });
});

describe('a watch', () => {
  it('sends the tag of the last book, and is silent while it is current', async () => {
    const { hashes, tags } = await watchUntilLast([book('a'), UNCHANGED, UNCHANGED, book('last')]);
    expect(hashes).toStrictEqual(['a', 'last']);
    expect(tags).toStrictEqual([undefined, '"a"', '"a"', '"a"']);
  });

  it('tells a book by itself where a gateway drops or changes its tag', async () => {
    const steps = [book('a', null), book('a', 'W/"x"'), book('a', 'W/"y"'), book('last')];
    const { hashes, tags } = await watchUntilLast(steps);
    expect(hashes).toStrictEqual(['a', 'last']);
    expect(tags).toStrictEqual([undefined, undefined, 'W/"x"', 'W/"y"']);
  });

  it.concurrent.each<[string, Step]>([
    ['network_error', 'reset'],
    ['rate_limited', problem(429, 'rate_limited', 0)],
    ['venue_unavailable', problem(503, 'venue_unavailable', 0)],
    ['venue_error', problem(502, 'venue_error')],
    ['venue_timeout', problem(504, 'venue_timeout')],
    ['foreign_answer', { status: 503, body: '<html>' }],
  ])('goes on after %s, and tells of it', async (code, step) => {
    const { hashes, errors } = await watchUntilLast([step, book('a'), step, book('last')]);
    expect(hashes).toStrictEqual(['a', 'last']);
    expect(errors).toStrictEqual([code, code]);
  });

  it.each<[string, Step]>([
    ['invalid_request', problem(400, 'invalid_request')],
    ['unknown_token', problem(404, 'unknown_token')],
    ['internal_error', problem(500, 'internal_error')],
    ['venue_refused_service', problem(502, 'venue_refused_service')],
    ['foreign_answer', { status: 404, body: '<html>' }],
    ['foreign_answer', UNCHANGED],
  ])('ends after %s, which it throws', async (code, step) => {
    const error = await watchUntilLast([step]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OrderBookError);
    expect(error).toMatchObject({ code });
  });

  it.concurrent('waits as long as Retry-After says', async () => {
    const startedAt = performance.now();
    await watchUntilLast([problem(503, 'venue_unavailable', 2), book('last')]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_990);
  });

  it('does not ask in a row where Retry-After is longer than a timer can be', async () => {
    const { url, requests } = await startScriptedService([problem(503, 'venue_unavailable', 999_999_999)]);
    const end = newEnd();
    // A timer that overflows would let the next request follow at once.
    const onError = () => setTimeout(() => end.abort(), 500);
    await createClient({ baseUrl: url }).watchBook('1', () => {}, { ...QUICK, signal: end.signal, onError });
    expect(requests).toHaveLength(1);
  });

  it('asks again only when onBook is done', async () => {
    const { url, requests } = await startScriptedService([book('a'), book('b')]);
    const end = newEnd();
    const asked: number[] = [];
    const onBook = async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, 3 * QUICK.intervalMs);
      await promise;
      asked.push(requests.length);
      if (asked.length === 2) end.abort();
    };
    await createClient({ baseUrl: url }).watchBook('1', onBook, { ...QUICK, signal: end.signal });
    expect(asked).toStrictEqual([1, 2]);
  });

  it.each([
    ['a caller', new Error('not ours')],
    ['another call', new OrderBookError('Again.', { code: 'network_error' })],
  ])('ends with what onBook throws: an error of %s', async (_whose, error) => {
    const { url } = await startScriptedService([book('a')]);
    const failing = () => Promise.reject(error);
    const watching = createClient({ baseUrl: url }).watchBook('1', failing, { ...QUICK, signal: newEnd().signal });
    await expect(watching).rejects.toBe(error);
  });

  it('ends while it waits for an answer', async () => {
    const { url, requests, asked } = await startScriptedService(['silence']);
    const caller = new AbortController();
    const watching = createClient({ baseUrl: url }).watchBook('1', () => {}, { ...QUICK, signal: caller.signal });
    await asked;
    caller.abort();
    await watching;
    expect(requests).toHaveLength(1);
  });

  it('does not begin where it was ended before', async () => {
    const { url, requests } = await startScriptedService([book('a')]);
    await createClient({ baseUrl: url }).watchBook('1', () => {}, { signal: AbortSignal.abort() });
    expect(requests).toHaveLength(0);
  });

  it.each([0, 199, 60_001, Number.NaN])('refuses an interval of %d ms', async (intervalMs) => {
    const watching = createClient({ baseUrl: 'http://127.0.0.1:1' }).watchBook('1', () => {}, {
      intervalMs,
      signal: newEnd().signal,
    });
    await expect(watching).rejects.toThrow('intervalMs must be from 200 to 60000, not');
  });
});
