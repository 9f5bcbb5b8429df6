import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { startService } from '../../../local/service/service.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { formatTime } from '../../../shared/time.ts';
import { evmWallet, signedHeaders } from '../../../tools/support/client-wallets.ts';
import { paperSettings } from '../../../tools/support/paper-settings.ts';
import { derivedKey, NO_TRADES, NOT_FOUND, TOKEN } from '../../support/orders/trading-world.ts';
import { type Reply, type Script, type SeenRequest, startVenue } from '../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../support/venue/venue-answers.ts';

const ORDER = { token_id: TOKEN, side: 'buy', price: '0.51', size: '10', post_only: false, expires_at: null } as const;

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Answers as the venue does, at the time that `date` gives; `own` gives the answers that a test states. */
function answering(own: (request: SeenRequest) => Reply | undefined, date?: () => number): Script {
  return (request) => {
    const { path, query } = request;
    const usual = (): Reply => {
      if (path === '/book') return { body: bookAnswer(query.get('token_id') ?? '') };
      if (path.startsWith('/auth/')) return derivedKey('f6c1a7a0-1111-4222-8333-444455556666');
      return path === '/data/trades' ? NO_TRADES : NOT_FOUND;
    };
    const reply = own(request) ?? usual();
    if (!date || typeof reply !== 'object') return reply;
    return { ...reply, headers: { date: new Date(date()).toUTCString(), ...reply.headers } };
  };
}

/** Starts the local server, with its store in a file, on a scripted venue; both end after the test. */
async function startOn(script: Script, overrides: Environment = {}) {
  const venue = await startVenue(script);
  const folder = await mkdtemp(join(tmpdir(), 'scripted-'));
  const settings = { ...paperSettings(venue.url, folder), SERVICE_LOG_LEVEL: 'warn', ...overrides };
  const service = await startService(settings, { write: () => undefined });
  stops.push(() => service.stop().finally(() => rm(folder, { recursive: true, force: true })));
  async function place(headers: Readonly<Record<string, string>> = {}) {
    const all = { 'content-type': 'application/json', ...headers };
    const init = { method: 'POST', headers: all, body: JSON.stringify({ ...ORDER, expires_at: undefined }) };
    const response = await fetch(`${service.url}/v1/orders`, init);
    return { status: response.status, body: JSON.parse(await response.text()) };
  }
  return { url: service.url, place };
}

/** Answers every order. */
function toOrders(reply: Reply) {
  return ({ method, path }: SeenRequest) => (method === 'POST' && path === '/order' ? reply : undefined);
}

/** The venue refuses every order that reaches it. */
const SENT = '422 post_only_would_cross';
const WRONG = '502 clock';
const HOUR = 3_600_000;

describe('the clock of the machine', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['right', 0, SENT, '401 client_signature_invalid'],
    ['two hours ahead', 2 * HOUR, WRONG, WRONG],
    ['two hours behind', -2 * HOUR, WRONG, WRONG],
  ])(
    'is %s: a signature is judged by its time only where that is right, and books are read',
    async (_what, aheadMs, valid, expired) => {
      const { now } = Date;
      jest.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs);
      const answers = ({ method, path }: SeenRequest): Reply | undefined => {
        if (path === '/time') return { body: String(Math.floor(now() / 1_000)) };
        return `${method} ${path}` === 'POST /order'
          ? { status: 400, body: { error: 'order crosses book' } }
          : undefined;
      };
      const service = await startOn(answering(answers, now), { SERVICE_CLIENT_VERIFICATION: 'required' });
      /** Places an order whose signature is valid until so many seconds from now. */
      const place = async (key: string, seconds: number) => {
        const expires = formatTime(now() + seconds * 1_000);
        const signing = { wallet: evmWallet('2'), key, url: service.url, order: ORDER, expires };
        const { status, body } = await service.place(await signedHeaders(signing));
        return `${status} ${body.reason ?? body.code}`;
      };
      expect([await place('k1', 300), await place('k2', -60)]).toStrictEqual([valid, expired]);
      expect((await fetch(`${service.url}/v1/book/${TOKEN}`)).status).toBe(200);
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
  ])('end a list, and /health is still answered: %s', async (_what, reply, expected) => {
    const { url } = await startOn(answering(({ path }) => (path === '/markets/keyset' ? reply : undefined)));
    const list = fetch(`${url}/v1/markets?limit=1`);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const answer = await list;
    expect(`${answer.status} ${JSON.parse(await answer.text()).code}`).toBe(expected);
  });

  it('give outcome_unknown for a sentence of 400 KB', async () => {
    const errorMsg = 'orderbook '.repeat(40_000);
    const { place } = await startOn(answering(toOrders({ body: { success: false, errorMsg } })));
    expect(await place()).toMatchObject({ status: 504, body: { code: 'outcome_unknown' } });
  });
});
