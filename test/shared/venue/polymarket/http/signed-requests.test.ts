import { describe, expect, it, jest } from '@jest/globals';
import { READ_BUDGET_MS, SENDING_RESERVE_MS } from '../../../../../shared/limits.ts';
import { createCredentialSource } from '../../../../../shared/venue/polymarket/http/signed-requests.ts';
import { fakeOnly } from '../../../../support/jest.ts';
import {
  type Answers,
  CREDENTIALS,
  derivedKey,
  limitOrder,
  openWorld,
  place,
  type TradingWorld,
} from '../../../../support/orders/trading-world.ts';
import { callWithin, type HttpReply, type Reply } from '../../../../support/venue/scripted-venue.ts';

type Auth = NonNullable<Answers['auth']>;
const KEYLESS = { credentials: undefined };
const OTHER_KEY = 'f6c1a7a0-1111-4222-8333-444455556666';
const REFUSAL: HttpReply = { status: 400, body: { error: 'Could not create api key' } };
const refusedCredentials = { code: 'venue_refused_service', facts: { reason: 'credentials' } };

/** How the venue answers the derivation of credentials and their creation. */
const both =
  (get: Reply, post: Reply): Auth =>
  (_id, _index, { method }) =>
    method === 'GET' ? get : post;
const KNOWN = both(derivedKey(OTHER_KEY), REFUSAL);
const UNSEEN = both(REFUSAL, derivedKey(OTHER_KEY));

/** The API keys of the orders that reached the venue. */
function keysOf({ venue }: TradingWorld) {
  return venue.seen.filter(({ path }) => path === '/order').map(({ headers }) => headers['poly_api_key']);
}

const authCalls = ({ venue }: TradingWorld) => venue.calls().filter((call) => call.includes('/auth/'));

describe('credentials that are derived', () => {
  it.each([
    ['that already has some', KNOWN],
    ['that is new', UNSEEN],
  ])('are obtained once for the first orders of a wallet %s, and kept', async (_what, auth) => {
    const world = await openWorld({ auth }, KEYLESS);
    await Promise.all([1, 2, 3].map(() => world.entry.sign(limitOrder(), callWithin())));
    for (const _ of [1, 2]) expect((await place(world)).result).toMatchObject({ status: 'live' });
    expect(authCalls(world).toSorted()).toStrictEqual(['GET /auth/derive-api-key', 'POST /auth/api-key']);
    expect(keysOf(world)).toStrictEqual([OTHER_KEY, OTHER_KEY]);
    expect(JSON.parse(world.venue.seen.at(-1)?.body ?? '').owner).toBe(OTHER_KEY);
  });

  it('are awaited only while the order can still be sent', async () => {
    fakeOnly(['setTimeout', 'clearTimeout', 'performance']);
    const { promise: derived, resolve } = Promise.withResolvers<typeof CREDENTIALS>();
    let deadline = 0;
    const source = createCredentialSource((call) => {
      ({ deadline } = call);
      return derived;
    });
    let isOver = false;
    const hasty = source.get(callWithin(SENDING_RESERVE_MS + 200)).finally(() => {
      isOver = true;
    });
    // It may have less time than those that join it.
    expect(deadline).toBe(performance.now() + READ_BUDGET_MS);
    const patient = source.get(callWithin(24_000));
    const ended = expect(hasty).rejects.toMatchObject({ code: 'venue_timeout' });
    await jest.advanceTimersByTimeAsync(199);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    await ended;
    resolve(CREDENTIALS);
    expect(await patient).toBe(CREDENTIALS);
    jest.useRealTimers();
  });

  it('are derived by the next order if the venue was unreachable', async () => {
    const world = await openWorld({ auth: (...of) => (of[1] < 2 ? { status: 425 } : KNOWN(...of)) }, KEYLESS);
    await expect(world.entry.sign(limitOrder(), callWithin())).rejects.toMatchObject({ code: 'venue_unavailable' });
    expect((await place(world)).result).toMatchObject({ status: 'live' });
  });

  const page = { status: 403, headers: { 'content-type': 'text/html' } };
  const limited = { status: 429, headers: { 'retry-after': '4' } };
  it.each<[string, Reply, Reply, object]>([
    ['both are refused', REFUSAL, REFUSAL, { ...refusedCredentials, cause: new Error('status 400') }],
    ['the firewall stops both', page, page, { code: 'venue_refused_service', facts: { reason: 'firewall' } }],
    ['the creation meets a limit', REFUSAL, limited, { code: 'rate_limited', retryAfter: 4 }],
    ['the derivation meets a limit', { status: 429 }, REFUSAL, { code: 'rate_limited', retryAfter: 1 }],
    ['the engine restarts', { status: 425 }, REFUSAL, { code: 'venue_unavailable' }],
    ['the answer cannot be read', { body: '{"apiKey":' }, REFUSAL, { code: 'venue_error' }],
    ['a value fits in no header', derivedKey('a\nb'), REFUSAL, { code: 'venue_error' }],
    ['the venue fails', { status: 500 }, REFUSAL, { code: 'venue_error' }],
  ])('cannot be derived, and the order says why: %s', async (_what, get, post, error) => {
    const world = await openWorld({ auth: both(get, post) }, KEYLESS);
    await expect(world.entry.sign(limitOrder(), callWithin())).rejects.toMatchObject({ name: 'AppError', ...error });
  });

  it('that the venue refused to another order leave an order unsent where no others can be had', async () => {
    const auth: Auth = (_id, index) => (index < 2 ? derivedKey('key-1') : { status: 429 });
    const refusal = { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
    const world = await openWorld({ auth, post: () => refusal }, KEYLESS);
    const signed = await world.sign();
    await place(world);
    const fate = await world.entry.submit(signed, callWithin(24_000));
    expect(fate).toMatchObject({ kind: 'not_taken', freesKey: false, error: { code: 'rate_limited' } });
    expect(keysOf(world)).toStrictEqual(['key-1']);
  });
});

it('credentials that the venue refuses are a line in the log, with the request', async () => {
  const world = await openWorld({ post: () => ({ status: 401, body: { error: 'Unauthorized/Invalid api key' } }) });
  const signed = await world.sign();
  await world.entry.submit(signed, { ...callWithin(24_000), trace: { request_id: 'r-1' } });
  const about = { venue_request: 'post-order', request_id: 'r-1' };
  expect(world.lines).toMatchObject([{ level: 'warn', message: 'API credentials refused by the venue', ...about }]);
});
