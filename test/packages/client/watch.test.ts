import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Book, createClient, OrderBookError, type WatchOptions } from '../../../packages/client/client.ts';
import { startPaperService } from '../../support/service/paper-service.ts';
import { skipPauses } from '../../support/service/pauses.ts';
import { problem, type Step, startScriptedService } from '../../support/service/scripted-service.ts';
import { until } from '../../support/until.ts';

/** The shortest interval. */
const QUICK = { intervalMs: 200 } as const;

let end: AbortController;

beforeEach(() => {
  end = new AbortController();
});
afterEach(() => {
  end.abort();
  jest.useRealTimers();
});

function book(hash: string, etag: string | null = `"${hash}"`): Step {
  const body = { bids: [], asks: [], tick_size: '0.01', hash };
  return { status: 200, body, headers: etag === null ? {} : { etag } };
}

const UNCHANGED: Step = { status: 304, body: '' };

it('hands over the book of a service on paper, and again when an order has changed it', async () => {
  const { url } = await startPaperService();
  const client = createClient({ baseUrl: url });
  const { items } = await client.markets({ limit: 1 });
  const token_id = items[0]?.outcomes[0]?.token_id ?? '';
  const lowest: (string | undefined)[] = [];
  const onBook = async ({ bids }: Book) => {
    lowest.push(bids.at(-1)?.price);
    if (lowest.length === 2) end.abort();
    else await client.placeOrder({ token_id, side: 'buy', price: '0.01', size: '5', post_only: true });
  };
  await client.watchBook(token_id, onBook, { ...QUICK, signal: end.signal });
  expect([lowest.length, lowest[1]]).toStrictEqual([2, '0.01']);
});

describe('a watch', () => {
  beforeEach(skipPauses);

  /** Watches a service that gives these answers, until a book with the hash `last` came. */
  async function watchUntilLast(steps: readonly Step[], options: Partial<WatchOptions> = {}) {
    const { url, requests } = await startScriptedService(steps);
    const hashes: (string | null)[] = [];
    const errors: string[] = [];
    const onBook = ({ hash }: Book) => {
      hashes.push(hash);
      if (hash === 'last') end.abort();
    };
    const onError = ({ code }: OrderBookError) => errors.push(code);
    const startedAt = jest.now();
    await createClient({ baseUrl: url }).watchBook('1', onBook, { ...QUICK, signal: end.signal, onError, ...options });
    const tags = requests.map(({ headers }) => headers['if-none-match']);
    return { hashes, errors, tags, waitedMs: jest.now() - startedAt };
  }

  it('sends the tag of the last book, and hands over nothing while it is current', async () => {
    const { hashes, tags, waitedMs } = await watchUntilLast([book('a'), UNCHANGED, UNCHANGED, book('last')]);
    expect(hashes).toStrictEqual(['a', 'last']);
    expect(tags).toStrictEqual([undefined, '"a"', '"a"', '"a"']);
    expect(waitedMs).toBe(600);
  });

  it('compares books itself if a gateway drops or changes the tag', async () => {
    const steps = [book('a', 'W/"x"'), book('a', null), book('a', 'W/"y"'), book('last')];
    const { hashes, tags } = await watchUntilLast(steps);
    expect(hashes).toStrictEqual(['a', 'last']);
    expect(tags).toStrictEqual([undefined, 'W/"x"', undefined, 'W/"y"']);
  });

  // Which failures a read is repeated after stands in client.test.ts.
  it.each<[string, Step]>([
    ['network_error', 'reset'],
    ['foreign_answer', { status: 503, body: '<html>' }],
  ])('continues after %s, and reports it', async (code, step) => {
    const { hashes, errors } = await watchUntilLast([step, book('a'), step, book('last')]);
    expect(hashes).toStrictEqual(['a', 'last']);
    expect(errors).toStrictEqual([code, code]);
  });

  it.each<[string, Step]>([
    ['unknown_token', problem(404, 'unknown_token')],
    ['foreign_answer', UNCHANGED],
  ])('throws %s and ends', async (code, step) => {
    const error = await watchUntilLast([step]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OrderBookError);
    expect(error).toMatchObject({ code });
  });

  it.each([
    ['as long as Retry-After says', 60, 60_000],
    // A timer that overflows would let the next request follow at once.
    ['for a day where Retry-After is longer than a timer can be', 999_999_999, 86_400_000],
  ])('waits %s', async (_what, retryAfter, ms) => {
    for (const random of [0, 0.5]) {
      end = new AbortController();
      jest.spyOn(Math, 'random').mockReturnValue(random);
      const { waitedMs } = await watchUntilLast([problem(503, 'venue_unavailable', retryAfter), book('last')]);
      expect(waitedMs).toBe(ms + 400 * random);
    }
    jest.restoreAllMocks();
  });

  it('doubles its wait after each failure up to half a minute, and resets it after an answer', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(1);
    const { waitedMs } = await watchUntilLast([...Array(8).fill('reset'), book('a'), 'reset', book('last')]);
    jest.restoreAllMocks();
    const failures = 400 + 800 + 1_600 + 3_200 + 6_400 + 12_800 + 25_600 + 30_000;
    expect(waitedMs).toBe(failures + 8 * 200 + 200 + (200 + 400));
  });

  it('asks nothing while the page is hidden, and again once it is shown or the signal ends it', async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    const show = (visibilityState: string) => {
      page.visibilityState = visibilityState;
      page.dispatchEvent(new Event('visibilitychange'));
    };
    Object.assign(globalThis, { document: page });
    const aMinute = () => new Promise((resolve) => setTimeout(resolve, 60_000));
    try {
      const { url } = await startScriptedService([book('a'), book('b')]);
      const asked: string[] = [];
      const noting = (...request: Parameters<typeof fetch>) => {
        asked.push(page.visibilityState);
        return fetch(...request);
      };
      const second = Promise.withResolvers<void>();
      const onBook = ({ hash }: Book) => {
        show('hidden');
        if (hash === 'b') second.resolve();
      };
      const client = createClient({ baseUrl: url, fetch: noting });
      const watching = client.watchBook('1', onBook, { ...QUICK, signal: end.signal });
      await until(() => page.visibilityState === 'hidden');
      await aMinute();
      show('hidden');
      await aMinute();
      show('visible');
      await second.promise;
      await aMinute();
      end.abort();
      await watching;
      expect(asked).toStrictEqual(['visible', 'visible']);
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
  });

  it('asks again only when onBook is done', async () => {
    const { url, requests } = await startScriptedService([book('a'), book('b')]);
    const asked: number[] = [];
    const onBook = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3 * QUICK.intervalMs));
      asked.push(requests.length);
      if (asked.length === 2) end.abort();
    };
    await createClient({ baseUrl: url }).watchBook('1', onBook, { ...QUICK, signal: end.signal });
    expect(asked).toStrictEqual([1, 2]);
  });

  it.each([
    ['a caller', new Error('not ours')],
    ['another call', new OrderBookError('Again.', { code: 'network_error' })],
  ])('throws what onBook throws: an error of %s', async (_whose, error) => {
    const { url } = await startScriptedService([book('a')]);
    const failing = () => Promise.reject(error);
    const watching = createClient({ baseUrl: url }).watchBook('1', failing, { ...QUICK, signal: end.signal });
    await expect(watching).rejects.toBe(error);
  });

  it('ends while it waits for an answer, and sends no further request', async () => {
    const { url, requests, asked } = await startScriptedService(['silence']);
    const watch = () => createClient({ baseUrl: url }).watchBook('1', () => {}, { ...QUICK, signal: end.signal });
    const watching = watch();
    await asked;
    end.abort();
    await watching;
    await watch();
    expect(requests).toHaveLength(1);
  });

  it.each([199, 60_001, Number.NaN])('refuses an interval of %d ms', async (intervalMs) => {
    const watching = createClient({ baseUrl: 'http://127.0.0.1:1' }).watchBook('1', () => {}, {
      intervalMs,
      signal: end.signal,
    });
    await expect(watching).rejects.toThrow('intervalMs must be from 200 to 60000, not');
  });
});
