import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { computeAddress } from 'ethers';
import { SIGNATURE_TYPES } from '../../../../shared/account.ts';
import { createOrderEntry } from '../../../../shared/venue/polymarket/order-entry.ts';
import { NOTHING_FILLED } from '../../../support/orders/order-records.ts';
import {
  type Answers,
  API_SECRET,
  accepted,
  accountSettings,
  derivedKey,
  limitOrder,
  lookedUp,
  openWorld,
  PASSPHRASE,
  PRIVATE_KEY,
  place,
} from '../../../support/orders/trading-world.ts';
import { collectLog } from '../../../support/service/collected-log.ts';
import { settled } from '../../../support/venue/fake-venue.ts';
import { findMarket, plainMarket, type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { asHttp, callWithin, type Reply } from '../../../support/venue/scripted-venue.ts';
import { funderOf } from '../../../support/venue/signing.ts';
import { bookAnswer } from '../../../support/venue/venue-answers.ts';

/** An order entry before a paper venue, which verifies credentials and signatures. */
function entryOn({ url }: Pick<RunningPaper, 'url'>, signatureType: (typeof SIGNATURE_TYPES)[number] = 'eoa') {
  const funderAddress = signatureType === 'eoa' ? undefined : funderOf(computeAddress(PRIVATE_KEY), signatureType);
  const account = { signatureType, funderAddress, credentials: undefined };
  return createOrderEntry({ ...accountSettings(url), ...account }, collectLog().log);
}

describe('an order on a venue that verifies signatures', () => {
  it.each(SIGNATURE_TYPES)(
    'is placed from an account of kind %s on every exchange as it was asked for',
    async (kind) => {
      const paper = await startPaper({ seed: 3 });
      const entry = entryOn(paper, kind);
      const kinds = [
        ['v1', false, 0.0025],
        ['v1', true, 0.01],
        ['v2', false, 0.001],
        ['v2', true, 0.01],
      ] as const;
      for (const [version, negRisk, tick] of kinds) {
        const market = await findMarket(
          paper,
          (m) => m.version === version && m.negRisk === negRisk && m.orderPriceMinTickSize === tick,
        );
        for (const side of ['buy', 'sell'] as const) {
          const price = side === 'buy' ? '0.01' : '0.99';
          const order = limitOrder({ tokenId: market.yes, side, price, size: '15.25' });
          const signed = await entry.sign(order, callWithin(24_000));
          const placement = await settled(entry.submit(signed, callWithin(24_000)));
          expect(placement).toStrictEqual({
            orderId: signed.orderId,
            status: 'live',
            ...NOTHING_FILLED,
            remainingSize: '15.25',
            transactionHashes: [],
            tradeIds: [],
          });
          expect(paper.venue.orders().at(-1)).toMatchObject({
            id: signed.orderId,
            side: side.toUpperCase(),
            price: order.price,
            original_size: '15.25',
            post_only: true,
          });
        }
      }
    },
  );

  it.each(SIGNATURE_TYPES)('is known by the account that it is signed for: %s', async (kind) => {
    const paper = await startPaper();
    const [entry, { yes }] = [entryOn(paper, kind), await plainMarket(paper)];
    const { payload } = await entry.sign(limitOrder({ tokenId: yes }), callWithin());
    expect(entry.signedFor).toStrictEqual({
      venue: paper.url,
      chainId: 137,
      maker: JSON.parse(payload).maker,
      signatureType: kind,
    });
  });

  it('is signed for another venue behind another path of the same host', () => {
    const [one, other] = ['/one', '/other'].map((path) => entryOn({ url: `https://venues.example${path}` }).signedFor);
    expect(one?.venue).not.toBe(other?.venue);
  });
});

describe('an order that is signed for the wrong exchange', () => {
  it('lets the next one be signed by rules that are read again', async () => {
    const world = await openWorld({
      post: (id, index) => (index === 0 ? { status: 400, body: { error: 'order_version_mismatch' } } : accepted(id)),
      book: (_id, index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? '', { neg_risk: index === 0 }) }),
    });
    expect((await place(world)).result).toMatchObject({
      code: 'venue_refused_service',
      facts: { reason: 'signature' },
    });
    expect((await place(world)).result).toMatchObject({ status: 'live' });
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order', 'GET /book', 'POST /order']);
  });
});

describe("an order's way to the venue", () => {
  it('is two round trips long for the first one: rules and credentials are asked for side by side', async () => {
    let release: () => void = () => undefined;
    let asked = 0;
    const together = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet = (reply: Reply): Reply => {
      asked += 1;
      if (asked === 3) release();
      return (response) => {
        void together.then(() =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(asHttp(reply).body)),
        );
      };
    };
    const answers: Answers = {
      book: (_id, _index, { query }) => meet({ body: bookAnswer(query.get('token_id') ?? '') }),
      auth: () => meet(derivedKey('k1')),
    };
    const world = await openWorld(answers, { credentials: undefined });
    const { result } = await place(world);
    expect(result).toMatchObject({ status: 'live' });
    expect(world.venue.calls().toSorted()).toStrictEqual([
      'GET /auth/derive-api-key',
      'GET /book',
      'POST /auth/api-key',
      'POST /order',
    ]);
    expect(world.venue.calls().at(-1)).toBe('POST /order');
  });

  it('is one round trip long for every further one', async () => {
    const world = await openWorld();
    await place(world);
    const { call } = await place(world);
    expect(world.venue.calls()).toStrictEqual(['GET /book', 'POST /order', 'POST /order']);
    expect(call.venueRequests).toStrictEqual([{ name: 'post-order', result: 200, milliseconds: expect.any(Number) }]);
  });

  it('carries the L2 headers of the account over the very bytes that are sent', async () => {
    const world = await openWorld();
    const { signed } = await place(world);
    const post = world.venue.seen.at(-1);
    expect(post?.body).toBe(
      `{"deferExec":false,"postOnly":true,"order":${signed.payload},"owner":"0b54c7de-91a2-4f1e-8a36-5d2f90c1e7ab","orderType":"GTC"}`,
    );
    expect(post?.headers).toMatchObject({
      poly_address: world.entry.walletAddress,
      poly_passphrase: PASSPHRASE,
      poly_signature: expect.stringMatching(/^[\w-]{43}=$/),
    });
  });
});

describe("the venue's clock", () => {
  const ahead = (ms: number) => ({ date: new Date(Date.now() + ms).toUTCString() });

  it.each([
    [120_000, 1, 2],
    [-120_000, 1, 2],
    [30_000, 0, 1],
  ])('is asked for before anything was heard, %d ms from ours: %d warnings, %d questions', async (skew, ...counts) => {
    const world = await openWorld({ order: () => ({ status: 404, headers: ahead(skew) }) });
    for (const _ of [0, 1]) await world.entry.syncClock(callWithin());
    expect(Math.abs(world.entry.now() - Date.now() - skew)).toBeLessThan(10_000);
    const warnings = world.lines.filter(({ message }) => String(message).includes('set it by NTP'));
    expect([warnings.length, world.venue.calls().length]).toStrictEqual(counts);
    expect(new Set(world.venue.calls())).toStrictEqual(new Set(['GET /time']));
  });

  it('dates what is signed', async () => {
    const world = await openWorld({
      book: (_id, _index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? ''), headers: ahead(30_000) }),
    });
    const { payload, signedAt } = await world.sign();
    expect(JSON.parse(payload).timestamp).toBe(String(signedAt));
    expect(Math.abs(signedAt - Date.now() - 30_000)).toBeLessThan(10_000);
  });

  it('is ours where the venue does not tell', async () => {
    const world = await openWorld();
    await world.venue.close();
    const trace = { request_id: 'r-1' };
    await world.entry.syncClock({ ...callWithin(), trace });
    expect(Math.abs(world.entry.now() - Date.now())).toBeLessThan(1_000);
    expect(world.lines.at(-1)).toMatchObject({ level: 'warn', message: 'venue time unavailable', ...trace });
  });
});

describe('secrets', () => {
  const leak = `signature ${PRIVATE_KEY} ${API_SECRET} ${PASSPHRASE} refused`;

  it.concurrent.each<[string, Answers]>([
    ['a refusal that quotes them', { post: () => ({ status: 400, body: { error: leak } }) }],
    ['a refusal in a 200', { post: () => ({ body: { success: true, errorMsg: leak, orderID: '' } }) }],
    ['a 401', { post: () => ({ status: 401, body: { error: leak } }) }],
    ['a failed derivation', { auth: () => ({ status: 400, body: { error: leak } }) }],
    [
      'credentials that cannot be used',
      { auth: () => ({ body: { apiKey: 1, secret: API_SECRET, passphrase: PASSPHRASE } }) },
    ],
    [
      'a reset and failing look-ups',
      {
        post: () => 'reset',
        order: (id, index) => (index === 0 ? { status: 500, body: leak } : lookedUp(id, 'PARKED')),
      },
    ],
    ['a book that cannot be read', { book: () => ({ body: leak }) }],
  ])('are in no log line and no error after %s', async (_what, answers) => {
    const world = await openWorld(answers, { credentials: undefined });
    const attempt = async () => settled(world.entry.submit(await world.sign(), callWithin(6_300)));
    const error = await attempt().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'AppError' });
    const told = [inspect(error, { depth: 9, showHidden: true }), inspect(world.lines, { depth: 9 })].join();
    for (const secret of [PRIVATE_KEY, PRIVATE_KEY.slice(2), API_SECRET, PASSPHRASE])
      expect(told).not.toContain(secret);
  });
});
