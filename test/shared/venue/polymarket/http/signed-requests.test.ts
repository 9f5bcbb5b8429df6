import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { RENEWAL_PAUSE_MS, SENDING_RESERVE_MS } from '../../../../../shared/limits.ts';
import { Secret } from '../../../../../shared/secret.ts';
import {
  createAccountSender,
  createCredentialSource,
} from '../../../../../shared/venue/polymarket/http/signed-requests.ts';
import { createTransport } from '../../../../../shared/venue/polymarket/http/transport.ts';
import {
  type Answers,
  API_KEY,
  API_SECRET,
  accepted,
  CREDENTIALS,
  derivedKey,
  limitOrder,
  lookedUp,
  openWorld,
  PASSPHRASE,
  place,
  resultOf,
} from '../../../../support/orders/trading-world.ts';
import { collectLog } from '../../../../support/service/collected-log.ts';
import {
  asHttp,
  callWithin,
  type HttpReply,
  type Reply,
  startVenue,
} from '../../../../support/venue/scripted-venue.ts';

const KEYLESS = { credentials: undefined };
const UNAUTHORISED: HttpReply = { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
const refusedCredentials = { code: 'venue_refused_service', facts: { reason: 'credentials' } };
const OTHER_KEY = 'f6c1a7a0-1111-4222-8333-444455556666';

/** The venue knows credentials of this wallet: they are derived, and cannot be created. */
const known: Answers['auth'] = (_id, _index, { method }) =>
  method === 'GET' ? derivedKey(OTHER_KEY) : { status: 400, body: { error: 'Could not create api key' } };
/** It has never seen the wallet: they are created, and cannot be derived. */
const unseen: Answers['auth'] = (_id, _index, { method }) =>
  method === 'POST' ? derivedKey(OTHER_KEY) : { status: 400, body: { error: 'Could not derive api key' } };

const both =
  (get: Reply, post: Reply): NonNullable<Answers['auth']> =>
  (_id, _index, { method }) =>
    method === 'GET' ? get : post;

function posts(world: Awaited<ReturnType<typeof openWorld>>) {
  return world.venue.seen.filter(({ path }) => path === '/order');
}

describe('a request with credentials', () => {
  it('is signed over its time, method, path and body, without its query', async () => {
    const venue = await startVenue(() => ({ body: {} }));
    const credentials = createCredentialSource(CREDENTIALS, async () => undefined);
    const { log } = collectLog();
    const send = createAccountSender({ clob: createTransport(venue.url), walletAddress: '0xA1', credentials, log });
    // Enough of them that each letter of base64 is in one of the signatures.
    const bodies = Array.from({ length: 30 }, (_, index) => JSON.stringify({ order: index }));
    for (const body of bodies) await send(() => ({ name: 'post', method: 'POST', path: '/order', body }), callWithin());
    await send(() => ({ name: 'trades', method: 'GET', path: '/data/trades?maker=0xA1' }), callWithin());
    expect(venue.seen.map(({ body }) => body)).toStrictEqual([...bodies, '']);
    expect(venue.seen.at(-1)?.query.get('maker')).toBe('0xA1');
    for (const { method, path, body, headers } of venue.seen) {
      const time = headers['poly_timestamp'];
      expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60);
      const hmac = createHmac('sha256', Buffer.from(API_SECRET, 'base64')).update(`${time}${method}${path}${body}`);
      expect(headers).toMatchObject({
        poly_address: '0xA1',
        poly_api_key: API_KEY,
        poly_passphrase: PASSPHRASE,
        poly_signature: `${hmac.digest('base64url')}=`,
      });
    }
  });
});

describe('credentials that are derived', () => {
  it.each([
    ['a wallet that has had some', known],
    ['a new wallet', unseen],
  ])('are there for the first order of %s, and kept', async (_what, auth) => {
    const world = await openWorld({ auth }, KEYLESS);
    expect((await place(world)).result).toMatchObject({ status: 'live' });
    expect((await place(world)).result).toMatchObject({ status: 'live' });
    expect(
      world.venue
        .calls()
        .filter((call) => call.includes('/auth/'))
        .sort(),
    ).toStrictEqual(['GET /auth/derive-api-key', 'POST /auth/api-key']);
    expect(posts(world).map(({ headers }) => headers['poly_api_key'])).toStrictEqual([OTHER_KEY, OTHER_KEY]);
    expect(JSON.parse(posts(world)[0]?.body ?? '').owner).toBe(OTHER_KEY);
  });

  it('are waited for as long as the order can still be sent', async () => {
    const { promise: derived, resolve } = Promise.withResolvers<typeof CREDENTIALS>();
    const source = createCredentialSource(undefined, () => derived);
    const patient = source.get(callWithin(24_000));
    // By the order of timers, which a busy machine does not change.
    let isLate = false;
    setTimeout(() => {
      isLate = true;
    }, SENDING_RESERVE_MS / 2).unref();
    await expect(source.get(callWithin(SENDING_RESERVE_MS + 200))).rejects.toMatchObject({
      code: 'venue_timeout',
      message: 'The venue did not answer in time, and no order was sent. Try again.',
    });
    expect(isLate).toBe(false);
    resolve(CREDENTIALS);
    expect(await patient).toBe(CREDENTIALS);
  });

  it('are derived once, however many orders wait for them', async () => {
    const world = await openWorld({ auth: known }, KEYLESS);
    await Promise.all(Array.from({ length: 20 }, () => world.entry.sign(limitOrder(), callWithin(24_000))));
    const count = (wanted: string) => world.venue.calls().filter((call) => call === wanted).length;
    expect(count('GET /auth/derive-api-key')).toBe(1);
  });

  it('are tried again by the next order where the venue was not there', async () => {
    const auth: Answers['auth'] = (id, index, request) => (index < 2 ? { status: 425 } : known(id, index, request));
    const world = await openWorld({ auth }, KEYLESS);
    await expect(world.entry.sign(limitOrder(), callWithin())).rejects.toMatchObject({ code: 'venue_unavailable' });
    expect((await place(world)).result).toMatchObject({ status: 'live' });
  });

  it('are asked for once in a while where they are refused, however many orders come', async () => {
    let [time, asked] = [0, 0];
    const source = createCredentialSource(
      undefined,
      async () => {
        asked += 1;
        return asked > 2 ? CREDENTIALS : undefined;
      },
      () => time,
    );
    const orders = () => Promise.allSettled(Array.from({ length: 20 }, () => source.get(callWithin(24_000))));
    const ends = async () => (await orders()).map((end) => (end.status === 'fulfilled' ? 'had' : end.reason.code));
    for (const later of [0, 1, RENEWAL_PAUSE_MS - 1]) {
      time = later;
      expect(new Set(await ends())).toStrictEqual(new Set(['venue_refused_service']));
      expect(asked).toBe(1);
    }
    time = RENEWAL_PAUSE_MS;
    expect(new Set(await ends())).toStrictEqual(new Set(['venue_refused_service']));
    expect(asked).toBe(2);
    time = 2 * RENEWAL_PAUSE_MS;
    expect(new Set(await ends())).toStrictEqual(new Set(['had']));
    expect(asked).toBe(3);
  });

  const refusal: Reply = { status: 400, body: { error: 'Could not create api key' } };
  const html = { 'content-type': 'text/html' };
  it.each<[string, Reply, Reply, object]>([
    ['both are refused', refusal, refusal, { ...refusedCredentials, cause: new Error('status 400') }],
    [
      'the firewall stops both',
      { status: 403, headers: html },
      { status: 403, headers: html },
      { code: 'venue_refused_service', facts: { reason: 'firewall' } },
    ],
    [
      'the creation meets a limit',
      refusal,
      { status: 429, headers: { 'retry-after': '4' } },
      { code: 'rate_limited', retryAfter: 4 },
    ],
    ['the derivation meets a limit', { status: 429 }, refusal, { code: 'rate_limited', retryAfter: 1 }],
    ['the engine restarts', { status: 425 }, refusal, { code: 'venue_unavailable' }],
    ['the answer cannot be read', { body: '{"apiKey":' }, refusal, { code: 'venue_error' }],
    ['a value fits in no header', derivedKey('a\nb'), refusal, { code: 'venue_error' }],
    ['the venue fails', { status: 500 }, refusal, { code: 'venue_error' }],
  ])('are not to be had, and the order says why: %s', async (_what, get, post, error) => {
    const world = await openWorld({ auth: both(get, post) }, KEYLESS);
    await expect(world.entry.sign(limitOrder(), callWithin())).rejects.toMatchObject({ name: 'AppError', ...error });
  });

  it("are requested again with the venue's time when our clock is wrong", async () => {
    const late = new Date(Date.now() + 600_000).toUTCString();
    const auth: Answers['auth'] = (id, index, request) => {
      const reply =
        Math.abs(Number(request.headers['poly_timestamp']) * 1000 - Date.parse(late)) < 30_000
          ? known(id, index, request)
          : UNAUTHORISED;
      return { ...asHttp(reply), headers: { date: late } };
    };
    const world = await openWorld({ auth }, KEYLESS);
    expect((await place(world)).result).toMatchObject({ status: 'live' });
    expect(world.venue.calls().filter((call) => call.includes('/auth/')).length).toBeLessThanOrEqual(4);
  });
});

describe('an order that the venue refuses for its credentials', () => {
  it('is sent once more, the same signed bytes, with renewed credentials', async () => {
    let derivations = 0;
    const auth: Answers['auth'] = (_id, _index, { method }) => {
      if (method === 'POST') return { status: 400, body: { error: 'Could not create api key' } };
      derivations += 1;
      return derivedKey(`key-${derivations}`);
    };
    const post: Answers['post'] = (id, index) => (index === 0 ? UNAUTHORISED : accepted(id));
    const world = await openWorld({ auth, post }, KEYLESS);
    const { signed, result } = await place(world);
    expect(result).toMatchObject({ orderId: signed.orderId, status: 'live' });
    const bodies = posts(world).map(({ body }) => body);
    expect(bodies.map((body) => JSON.parse(body).owner)).toStrictEqual(['key-1', 'key-2']);
    expect(bodies.every((body) => body.includes(`"order":${signed.payload},`))).toBe(true);
  });

  it('is sent twice at most', async () => {
    const world = await openWorld({ auth: known, post: () => UNAUTHORISED }, KEYLESS);
    expect((await place(world)).result).toMatchObject(refusedCredentials);
    expect(posts(world).length).toBe(2);
  });

  it('is sent once when configured credentials are refused', async () => {
    const world = await openWorld({ post: () => UNAUTHORISED });
    const signed = await world.sign();
    const call = { ...callWithin(24_000), trace: { request_id: 'r-1' } };
    expect(await resultOf(world.entry.submit(signed, call), signed.orderId)).toMatchObject(refusedCredentials);
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order']);
    expect(world.lines).toMatchObject([
      {
        level: 'warn',
        message: 'API credentials refused by the venue',
        venue_request: 'post-order',
        clock_was_wrong: false,
        request_id: 'r-1',
      },
    ]);
  });

  it('takes the credentials of a rotation, which are read once however many orders need them', async () => {
    let reads = 0;
    const rotated = { key: OTHER_KEY, secret: new Secret(API_SECRET), passphrase: new Secret(PASSPHRASE) };
    const reloadCredentials = async () => {
      reads += 1;
      return rotated;
    };
    const post: Answers['post'] = (_id, _index, { headers, body }) =>
      headers['poly_api_key'] === API_KEY
        ? UNAUTHORISED
        : { status: 400, body: { error: `order crosses book ${body.length}` } };
    const world = await openWorld({ post }, { reloadCredentials });
    const orders = await Promise.all(
      Array.from({ length: 5 }, () => world.entry.sign(limitOrder(), callWithin(24_000))),
    );
    const results = await Promise.all(
      orders.map((order) => resultOf(world.entry.submit(order, callWithin(24_000)), order.orderId)),
    );
    expect(results).toMatchObject(orders.map(() => ({ code: 'post_only_would_cross' })));
    expect(reads).toBe(1);
  });

  it('is settled after a rotation: a look-up renews the credentials too', async () => {
    const rotated = { ...CREDENTIALS, key: OTHER_KEY };
    const order: Answers['order'] = (id, _index, { headers }) =>
      headers['poly_api_key'] === API_KEY ? UNAUTHORISED : lookedUp(id, 'LIVE');
    const world = await openWorld({ order }, { reloadCredentials: async () => rotated });
    const signed = await world.sign();
    expect(await resultOf(world.entry.settle(signed, callWithin(24_000)), signed.orderId)).toMatchObject({
      status: 'live',
    });
  });

  it('is sent with the right time when the clock has jumped, and keeps its credentials', async () => {
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const post: Answers['post'] = (id, index) => ({
      ...(index === 0 ? UNAUTHORISED : accepted(id)),
      headers: { date: later },
    });
    const world = await openWorld({ post, order: () => ({ status: 404, headers: { date: later } }) });
    expect((await place(world)).result).toMatchObject({ status: 'live' });
    const times = posts(world).map(({ headers }) => Number(headers['poly_timestamp']));
    expect(Math.abs((times[1] ?? 0) - (times[0] ?? 0) - 3_600)).toBeLessThanOrEqual(3);
    expect(world.venue.calls().filter((call) => call.includes('/auth/'))).toStrictEqual([]);
    expect(world.lines).toMatchObject([{ venue_ahead_s: expect.any(Number) }, { clock_was_wrong: true }]);
  });
});
