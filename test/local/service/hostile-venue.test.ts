import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { formatTime } from '../../../shared/time.ts';
import { evmWallet, signedHeaders } from '../../../tools/support/client-wallets.ts';
import { derivedKey, NO_TRADES, NOT_FOUND, TOKEN } from '../../support/orders/trading-world.ts';
import { startOnScriptedVenue } from '../../support/service/scripted-venue-service.ts';
import type { Reply, Script, SeenRequest } from '../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../support/venue/venue-answers.ts';

const ORDER = { token_id: TOKEN, side: 'buy', price: '0.51', size: '10', post_only: false, expires_at: null } as const;

/** Answers as the venue does, at the time that `date` gives; `own` gives the answers that a test states. */
function answering(own: (request: SeenRequest) => Reply | undefined, date?: (path: string) => number): Script {
  return (request) => {
    const { path, query } = request;
    const usual = (): Reply => {
      if (path === '/book') return { body: bookAnswer(query.get('token_id') ?? '') };
      if (path.startsWith('/auth/')) return derivedKey('f6c1a7a0-1111-4222-8333-444455556666');
      return path === '/data/trades' ? NO_TRADES : NOT_FOUND;
    };
    const reply = own(request) ?? usual();
    if (!date || typeof reply !== 'object') return reply;
    return { ...reply, headers: { date: new Date(date(path)).toUTCString(), ...reply.headers } };
  };
}

/** Answers every order. */
function toOrders(reply: Reply) {
  return ({ method, path }: SeenRequest) => (method === 'POST' && path === '/order' ? reply : undefined);
}

/** The venue refuses every order that reaches it. */
const SENT = '422 post_only_would_cross';
const REFUSED = '401 client_signature_invalid';
const HOUR = 3_600_000;

describe('the one clock of a service', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  // Ours and the venue's are so many milliseconds from the machine's, before and after a step; one of the books may be alone.
  it.each([
    ['judges signatures by the time that books brought: ours is behind', { own: -2 * HOUR }, {}],
    ['judges signatures by the time that books brought: ours is ahead', { own: 2 * HOUR }, {}],
    ['asks the venue after a suspend, in which the monotonic clock stands still', {}, { own: HOUR, venue: HOUR }],
    ['is not moved by one answer that is 10 minutes ahead', {}, { book: 600_000 }],
  ])(
    '%s',
    async (_what, before, after) => {
      const ahead = { own: 0, venue: 0, book: 0, ...before };
      const { now } = Date;
      jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead.own);
      const refused = toOrders({ status: 400, body: { error: 'order crosses book' } });
      const script = answering(refused, (path) => now() + ((path === '/book' && ahead.book) || ahead.venue));
      const service = await startOnScriptedVenue(script, { SERVICE_CLIENT_VERIFICATION: 'required' });
      const readBook = () => fetch(`${service.url}/v1/book/${TOKEN}`).then((response) => response.status);
      /** Places an order whose signature is valid until so many seconds from now, by the venue's clock. */
      const place = async (key: string, seconds: number) => {
        const expires = formatTime(now() + ahead.venue + seconds * 1_000);
        const signing = { wallet: evmWallet('2'), key, url: service.url, order: ORDER, expires };
        const { status, body } = await service.place(await signedHeaders(signing));
        return `${status} ${body.code}`;
      };
      expect(await readBook()).toBe(200);
      Object.assign(ahead, after);
      if (ahead.book > 0) await readBook();
      expect([await place('k1', 300), await place('k2', -60)]).toStrictEqual([SENT, REFUSED]);
    },
    20_000,
  );
});

describe('the largest and worst answers of the venue', () => {
  const zeros = (bytes: number) => `{"markets":[${'0,'.repeat(bytes / 2)}0]}`;

  it.each<[string, Reply, string]>([
    ['a page above its limit of bytes', { body: zeros(7_400_000) }, '502 venue_error'],
    ['a page below it, with a million rows', { body: zeros(4_000_000) }, '502 venue_error'],
    ['a page with more rows than were asked for', { body: zeros(100_000) }, '200 undefined'],
    ['a refusal without an end', { status: 400, body: { error: 'x'.repeat(7_400_000) } }, '502 venue_error'],
  ])(
    'end a list, and health is answered: %s',
    async (_what, reply, expected) => {
      const { url } = await startOnScriptedVenue(
        answering(({ path }) => (path === '/markets/keyset' ? reply : undefined)),
      );
      const list = fetch(`${url}/v1/markets?limit=1`);
      expect((await fetch(`${url}/health`)).status).toBe(200);
      const answer = await list;
      expect(`${answer.status} ${JSON.parse(await answer.text()).code}`).toBe(expected);
    },
    60_000,
  );

  it('leave an order unknown: one sentence of 400 KB', async () => {
    const errorMsg = 'orderbook '.repeat(40_000);
    const { place } = await startOnScriptedVenue(answering(toOrders({ body: { success: false, errorMsg } })));
    expect(await place()).toMatchObject({ status: 504, body: { code: 'outcome_unknown' } });
  }, 60_000);
});
