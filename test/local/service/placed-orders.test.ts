import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { formatTime } from '../../../shared/time.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

const POST = { method: 'POST', path: '/order' } as const;
const SKEW_MS = 30_000;

const asJson = async (asked: Promise<Response>) => JSON.parse(await (await asked).text());

/** The time that a test lets pass, by all clocks. */
let passedMs = 0;

beforeEach(() => {
  passedMs = 0;
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
  const uptime = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => uptime() + passedMs);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Starts a service on a venue whose clock is ahead of ours. */
async function open() {
  const venueNow = () => Date.now() + SKEW_MS;
  const service = await startPaperService({}, { now: venueNow, forgetFilled: true });
  const { items } = await asJson(fetch(`${service.url}/v1/markets?limit=1`));
  const token: string = items[0].outcomes[0].token_id;
  const readBook = () => asJson(fetch(`${service.url}/v1/book/${token}`));
  return {
    service,
    venueNow,
    /** A time by the venue's clock, `seconds` ahead. */
    inSeconds: (seconds: number) => formatTime(Math.ceil(venueNow() / 1_000) * 1_000 + seconds * 1_000),
    pass: (milliseconds: number) => {
      passedMs += milliseconds;
    },
    place: async (change: object = {}, key?: string) => {
      const response = await fetch(`${service.url}/v1/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
        body: JSON.stringify({ token_id: token, side: 'buy', price: '0.02', size: '10', ...change }),
      });
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    },
    readBook,
    bookPrices: async (): Promise<readonly string[]> => {
      const { bids } = await readBook();
      return bids.map(({ price }: { price: string }) => price);
    },
    sendings: () => service.venue.requests().filter(({ method, path }) => method === 'POST' && path === '/order'),
  };
}

describe('an order with an end', () => {
  it("is off the book from its end on, by the venue's clock, and not a second before", async () => {
    const { service, venueNow, inSeconds, pass, place, bookPrices } = await open();
    const expiresAt = inSeconds(200);
    const { status, body } = await place({ expires_at: expiresAt });
    expect([status, body.expires_at, body.status]).toStrictEqual([201, expiresAt, 'live']);
    pass(Date.parse(expiresAt) - 1_000 - venueNow());
    expect(await bookPrices()).toContain('0.02');
    pass(Date.parse(expiresAt) - venueNow());
    expect(await bookPrices()).not.toContain('0.02');
    expect(service.venue.orders()).toMatchObject([{ id: body.order_id, status: 'CANCELED' }]);
  });

  it('is refused before anything is sent where it would end too soon, with the earliest end', async () => {
    const { venueNow, inSeconds, place, sendings } = await open();
    const { status, body } = await place({ expires_at: inSeconds(110) });
    expect([status, body.code]).toStrictEqual([422, 'expiry_too_soon']);
    const earliest = Date.parse(body.earliest) - venueNow();
    expect([earliest > 117_000, earliest <= 121_000, sendings()]).toStrictEqual([true, true, []]);
    expect(await place({ expires_at: formatTime(Date.parse(body.earliest) + 5_000) })).toMatchObject({ status: 201 });
  });

  it('is never sent once it has ended, and refused where no look-up and no trade knows it', async () => {
    const { service, inSeconds, pass, place, sendings } = await open();
    service.venue.arm({ ...POST, fault: 'reset' });
    const order = { expires_at: inSeconds(200) };
    const first = await place(order, 'key');
    expect([first.status, first.body.code]).toStrictEqual([504, 'outcome_unknown']);
    pass(201_000 + SKEW_MS);
    const { status, body } = await place(order, 'key');
    expect([status, body.code, body.order_id, body.venue_reason]).toStrictEqual([
      422,
      'order_rejected',
      first.body.order_id,
      undefined,
    ]);
    expect(body.detail).toContain('expired');
    expect([sendings().length, service.venue.orders()]).toStrictEqual([1, []]);
    const again = await place(order, 'key');
    expect([again.body, again.headers.get('idempotency-replayed')]).toStrictEqual([
      { ...body, request_id: again.body.request_id },
      'true',
    ]);
  }, 30_000);

  it('stays unknown after its end while its bytes may still arrive, and while the venue cannot be asked', async () => {
    const { service, inSeconds, pass, place, sendings } = await open();
    const order = { expires_at: inSeconds(150) };
    service.venue.arm({ ...POST, fault: 'reset', times: 2 });
    await place(order, 'key');
    pass(100_000);
    expect(await place(order, 'key')).toMatchObject({ status: 504 });
    pass(60_000 + SKEW_MS);
    const early = await place(order, 'key');
    expect([early.status, Number(early.headers.get('retry-after')) > 0]).toStrictEqual([504, true]);
    pass(120_000);
    service.venue.arm({ fault: 'error-500', path: '/data/order/', times: 9 });
    expect(await place(order, 'key')).toMatchObject({ status: 504, body: { code: 'outcome_unknown' } });
    expect(sendings()).toHaveLength(2);
  }, 60_000);

  it('is found after its end where it was filled before', async () => {
    const { service, inSeconds, pass, place, sendings } = await open();
    service.venue.arm([
      { ...POST, fault: 'reset-after' },
      { fault: 'error-500', path: '/data/', times: 30 },
    ]);
    const order = { price: '0.99', expires_at: inSeconds(200) };
    expect(await place(order, 'key')).toMatchObject({ status: 504 });
    await fetch(`${service.venueUrl}/paper/faults`, { method: 'DELETE' });
    pass(400_000);
    const { status, body } = await place(order, 'key');
    expect([status, body.status, sendings().length]).toStrictEqual([201, 'matched', 1]);
  }, 30_000);
});

describe('an order that the venue refuses for its credentials', () => {
  it.each([
    ['error-500', 502, 'venue_error'],
    ['reset', 502, 'venue_error'],
    ['restart', 503, 'venue_unavailable'],
    ['rate-limit', 429, 'rate_limited'],
    ['refuse', 502, 'venue_refused_service'],
  ] as const)('is named in the response where others are answered by %s', async (fault, status, code) => {
    const { service, place } = await open();
    expect(await place()).toMatchObject({ status: 201 });
    service.venue.arm([
      { ...POST, fault: 'unauthorized' },
      { fault, path: '/auth/', times: 9 },
    ]);
    const orderId = expect.stringMatching(/^0x[0-9a-f]{64}$/);
    expect(await place({}, 'key')).toMatchObject({ status, body: { code, order_id: orderId } });
  });
});
