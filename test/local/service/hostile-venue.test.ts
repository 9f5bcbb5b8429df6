import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { formatTime } from '../../../shared/time.ts';
import { evmWallet, signedHeaders } from '../../../tools/support/client-wallets.ts';
import { derivedKey, NO_TRADES, NOT_FOUND, TOKEN } from '../../support/orders/trading-world.ts';
import { startOnScriptedVenue } from '../../support/service/scripted-venue-service.ts';
import type { Reply, Script, SeenRequest } from '../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../support/venue/venue-answers.ts';

/** Answers as the venue does; `own` gives the answers that a test states. */
function answering(own: (request: SeenRequest) => Reply | undefined): Script {
  return (request) => {
    const { path, query } = request;
    const usual = (): Reply => {
      if (path === '/book') return { body: bookAnswer(query.get('token_id') ?? '') };
      if (path.startsWith('/auth/')) return derivedKey('f6c1a7a0-1111-4222-8333-444455556666');
      return path === '/data/trades' ? NO_TRADES : NOT_FOUND;
    };
    return own(request) ?? usual();
  };
}

describe('the one clock of a service', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** A service that verifies its clients; its wall clock and the venue's are so many milliseconds from the machine's. */
  async function open(ahead: { own: number; venue: number; book?: number }) {
    const { now } = Date;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead.own);
    const dated = answering(({ path, method }) =>
      method === 'POST' && path === '/order' ? { status: 400, body: { error: 'order crosses book' } } : undefined,
    );
    const script: Script = async (request, index) => {
      const reply = await dated(request, index);
      const isBook = request.path === '/book' && ahead.book;
      const date = new Date(now() + (isBook || ahead.venue)).toUTCString();
      return typeof reply === 'object' ? { ...reply, headers: { date, ...reply.headers } } : reply;
    };
    const service = await startOnScriptedVenue(script, { SERVICE_CLIENT_VERIFICATION: 'required' });
    const order = {
      token_id: TOKEN,
      side: 'buy',
      price: '0.51',
      size: '10',
      post_only: false,
      expires_at: null,
    } as const;
    const readBook = () => fetch(`${service.url}/v1/book/${TOKEN}`).then((response) => response.status);
    /** Places an order whose signature is valid until so many seconds from now, by the venue's clock. */
    async function place(key: string, seconds: number) {
      const expires = formatTime(now() + ahead.venue + seconds * 1_000);
      const { status, body } = await service.place(
        await signedHeaders({ wallet: evmWallet('2'), key, url: service.url, order, expires }),
      );
      return `${status} ${body.code}`;
    }
    return { ...service, readBook, place };
  }

  /** The venue refuses every order that reaches it. */
  const SENT = '422 post_only_would_cross';
  const REFUSED = '401 client_signature_invalid';

  it.each([-7_200_000, 7_200_000])(
    'judges signatures by the time that books brought: ours is %d ms off',
    async (own) => {
      const { readBook, place } = await open({ own, venue: 0 });
      expect([await readBook(), await place('k1', 300), await place('k2', -60)]).toStrictEqual([200, SENT, REFUSED]);
    },
    20_000,
  );

  it('asks the venue after a suspend, in which the monotonic clock stands still', async () => {
    const ahead = { own: 0, venue: 0 };
    const { readBook, place } = await open(ahead);
    await readBook();
    ahead.own = 3_600_000;
    ahead.venue = 3_600_000;
    expect([await place('k1', -3_300), await place('k2', 300)]).toStrictEqual([REFUSED, SENT]);
  }, 20_000);

  it('is not moved by one answer that is 10 minutes ahead', async () => {
    const ahead = { own: 0, venue: 0, book: 0 };
    const { readBook, place } = await open(ahead);
    await readBook();
    ahead.book = 600_000;
    await readBook();
    expect(await place('k1', 300)).toBe(SENT);
  }, 20_000);
});

describe('the largest and worst answers of the venue', () => {
  const zeros = (bytes: number) => `{"markets":[${'0,'.repeat(bytes / 2)}0]}`;
  const TOO_MANY: Reply = { body: zeros(7_400_000) };

  it.each<[string, Reply, string]>([
    ['a page above its limit of bytes', TOO_MANY, '502 venue_error'],
    ['a page below it, with a million rows', { body: zeros(4_000_000) }, '502 venue_error'],
    ['a page with more rows than were asked for', { body: zeros(100_000) }, '200 undefined'],
    ['a refusal without an end', { status: 400, body: { error: 'x'.repeat(7_400_000) } }, '502 venue_error'],
  ])(
    'end a list, and health is answered before: %s',
    async (_what, reply, expected) => {
      const asked: string[] = [];
      const { url } = await startOnScriptedVenue(
        answering(({ path }) => (path === '/markets/keyset' ? reply : undefined)),
      );
      const list = fetch(`${url}/v1/markets?limit=1`).then(async (response) => {
        asked.push('list');
        return `${response.status} ${JSON.parse(await response.text()).code}`;
      });
      const health = fetch(`${url}/health`).then(() => asked.push('health'));
      await health;
      expect(await list).toBe(expected);
      // Markets that are no markets are logged by the page, not by the million.
      expect(asked).toHaveLength(2);
    },
    60_000,
  );

  it('leave an order unknown: one sentence of 400 KB', async () => {
    const error = 'orderbook '.repeat(40_000);
    const { place } = await startOnScriptedVenue(
      answering(({ method, path }) =>
        method === 'POST' && path === '/order' ? { body: { success: false, errorMsg: error } } : undefined,
      ),
    );
    expect(await place()).toMatchObject({ status: 504, body: { code: 'outcome_unknown' } });
  }, 60_000);
});
