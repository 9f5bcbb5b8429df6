import { inspect } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { computeAddress } from 'ethers';
import { SIGNATURE_TYPES } from '../../../../shared/account.ts';
import { SEND_MS } from '../../../../shared/limits.ts';
import { fakeOnly } from '../../../support/jest.ts';
import type { Answers } from '../../../support/orders/trading-world.ts';
import { collectLog } from '../../../support/service/collected-log.ts';
import { callWithin, type Reply } from '../../../support/venue/scripted-venue.ts';
import { funderOf } from '../../../support/venue/signing.ts';

// Pauses between look-ups pass at once.
jest.unstable_mockModule('node:timers/promises', () => ({ setTimeout: async () => undefined }));
const { createOrderEntry } = await import('../../../../shared/venue/polymarket/order-entry.ts');
const { plainMarket, startPaper } = await import('../../../support/venue/paper-venue.ts');
const { API_SECRET, accountSettings, limitOrder, lookedUp, openWorld, PASSPHRASE, PRIVATE_KEY, place } = await import(
  '../../../support/orders/trading-world.ts'
);

afterEach(() => {
  jest.useRealTimers();
});

describe('an order', () => {
  it.each(SIGNATURE_TYPES)('of an account of kind %s is taken by a venue that verifies it', async (signatureType) => {
    const paper = await startPaper();
    const funderAddress = signatureType === 'eoa' ? undefined : funderOf(computeAddress(PRIVATE_KEY), signatureType);
    const account = { signatureType, funderAddress, credentials: undefined };
    const entry = createOrderEntry({ ...accountSettings(paper.url), ...account }, collectLog().log);
    const { yes: tokenId } = await plainMarket(paper);
    const signed = await entry.sign(limitOrder({ tokenId }), callWithin(24_000));
    expect(await entry.submit(signed, callWithin(24_000))).toMatchObject({
      kind: 'placed',
      placement: { orderId: signed.orderId, status: 'live', filledSize: '0', remainingSize: '10' },
    });
    const { maker } = JSON.parse(signed.payload);
    expect(entry.signedFor).toStrictEqual({ venue: paper.url, chainId: 137, maker, signatureType });
  });

  it('counts each path of one host as a venue of its own', () => {
    const urls = ['https://venues.example/one', 'https://venues.example/other'];
    const [one, other] = urls.map((url) => createOrderEntry(accountSettings(url), collectLog().log).signedFor);
    expect(one?.venue).not.toBe(other?.venue);
  });

  it('waits 12 s for an answer, so that time is left to look it up', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const post = (): Reply => {
      resolve();
      return 'hang';
    };
    const world = await openWorld({ post, order: (id) => lookedUp(id, 'LIVE') });
    const signed = await world.sign();
    fakeOnly(['setTimeout', 'clearTimeout', 'performance']);
    const call = callWithin(24_000);
    const placing = world.entry.submit(signed, call);
    await arrived;
    while (call.venueRequests.length === 0) await jest.advanceTimersByTimeAsync(500);
    expect(await placing).toMatchObject({ placement: { status: 'live' } });
    expect(call.venueRequests[0]).toStrictEqual({ name: 'post-order', result: 'timeout', milliseconds: SEND_MS });
  });

  it('makes one request for each further order, on connections that carry nothing else', async () => {
    const world = await openWorld();
    await place(world);
    const { call } = await place(world);
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order', 'POST /order']);
    expect(call.venueRequests).toStrictEqual([{ name: 'post-order', result: 200, milliseconds: expect.any(Number) }]);
    const [read, ...orders] = world.venue.seen.map(({ port }) => port);
    expect(orders).not.toContain(read);
  });
});

describe('secrets', () => {
  const leak = `signature ${PRIVATE_KEY} ${API_SECRET} ${PASSPHRASE} refused`;
  const unreadable = { apiKey: 1, secret: API_SECRET, passphrase: PASSPHRASE };

  it.each<[string, Answers]>([
    ['a refusal that quotes them', { post: () => ({ status: 400, body: { error: leak } }) }],
    ['a refusal in a 200', { post: () => ({ body: { success: true, errorMsg: leak, orderID: '' } }) }],
    ['a 401', { post: () => ({ status: 401, body: { error: leak } }) }],
    ['a failed derivation', { auth: () => ({ status: 400, body: { error: leak } }) }],
    ['credentials that cannot be used', { auth: () => ({ body: unreadable }) }],
    ['a failing look-up', { post: () => 'reset', order: () => ({ status: 500, body: leak }) }],
    ['an odd look-up', { post: () => 'reset', order: (id) => lookedUp(id, 'PARKED') }],
    ['a book that cannot be read', { book: () => ({ body: leak }) }],
  ])('are in no log line and no error after %s', async (_what, answers) => {
    const world = await openWorld(answers, { credentials: undefined });
    const placing = world.sign().then((signed) => world.entry.submit(signed, callWithin(24_000)));
    const end = await placing.catch((error: unknown) => error);
    expect(end).not.toMatchObject({ kind: 'placed' });
    const told = [inspect(end, { depth: 9, showHidden: true }), inspect(world.lines, { depth: 9 })].join();
    for (const secret of [PRIVATE_KEY.slice(2), API_SECRET, PASSPHRASE]) expect(told).not.toContain(secret);
  });
});
