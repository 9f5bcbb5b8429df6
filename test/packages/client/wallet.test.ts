import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createClient, type OrderRequest, type Wallet } from '../../../packages/client/client.ts';
import { type ClientWallet, evmWallet, solanaWallet } from '../../../tools/support/client-wallets.ts';
import { errorOf } from '../../support/service/client-error.ts';
import { sharedPaperService } from '../../support/service/paper-service.ts';
import { skipPauses } from '../../support/service/pauses.ts';
import { startScriptedService } from '../../support/service/scripted-service.ts';

/** A wallet that keeps what it was asked to sign. */
function watched({ address, sign }: ClientWallet) {
  const texts: string[] = [];
  const signMessage: Wallet['signMessage'] = async (text) => {
    texts.push(text);
    return sign(text);
  };
  return { wallet: { address, signMessage }, texts };
}

const ORDER: OrderRequest = { token_id: '1', side: 'buy', price: '0.01', size: 5 };

const END = new Date(Date.now() + 3_600_000).toISOString();

const service = sharedPaperService({ SERVICE_CLIENT_VERIFICATION: 'required' });

async function open() {
  const { url, venue } = service();
  const { items } = await createClient({ baseUrl: url }).markets({ limit: 1 });
  const token_id = items[0]?.outcomes[0]?.token_id ?? '';
  const order: OrderRequest = { token_id, side: 'buy', price: 0.01, size: '5.00', post_only: true };
  return { url, venue, order };
}

describe('a client with a wallet', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it.each([
    ['EVM', async () => evmWallet('a'), { price: 0.01, size: '5.00', post_only: true, expires_at: END }],
    ['Solana', () => solanaWallet(7), { side: 'sell', price: '0.990', size: 12.5, post_only: false }],
  ] as const)('of kind %s places an order in one round trip, however it is written', async (_kind, make, terms) => {
    const { url, venue, order } = await open();
    const { wallet, texts } = watched(await make());
    let requests = 0;
    const count = (address: string, init: RequestInit) => {
      requests += 1;
      return fetch(address, init);
    };
    const client = createClient({ baseUrl: `${url}/`, wallet, fetch: count });
    const placed = await client.placeOrder({ ...order, ...terms });
    expect([placed.status, requests, texts.length]).toStrictEqual(['live', 1, 1]);
    expect(venue.orders().at(-1)).toMatchObject({ id: placed.order_id });
    expect((await errorOf(client.placeOrder({ ...order, price: '1e-2' }))).code).toBe('invalid_request');
  });

  it('sends a signature that is bytes in base58, with those of zero that it begins with', async () => {
    const { url, requests } = await startScriptedService([{ status: 201, body: { order_id: '0x1', status: 'live' } }]);
    const wallet = { address: 'any', signMessage: async () => Uint8Array.of(0, 0, 5) };
    await createClient({ baseUrl: url, wallet }).placeOrder(ORDER);
    expect(requests.map(({ headers }) => headers['x-client-signature'])).toStrictEqual(['116']);
  });

  it('calls the wallet as a method, for a copy of the order that later changes do not reach', async () => {
    const { url, order } = await open();
    const draft = { ...order };
    class OwnWallet implements Wallet {
      readonly #wallet = evmWallet('a');
      readonly address = this.#wallet.address;
      async signMessage(text: string): Promise<string> {
        draft.size = '500';
        return this.#wallet.sign(text);
      }
    }
    const placed = await createClient({ baseUrl: url, wallet: new OwnWallet() }).placeOrder(draft);
    expect(placed).toMatchObject({ status: 'live', size: '5' });
  });

  it('signs once more, by the time of the service, where its own clock is wrong', async () => {
    const { url, order } = await open();
    const { wallet, texts } = watched(evmWallet('a'));
    const real = Date.now();
    // The service is in this process too, and goes by the venue's clock.
    jest.spyOn(Date.prototype, 'toISOString').mockImplementationOnce(() => new Date(real - 7_200_000).toJSON());
    const placed = await createClient({ baseUrl: url, wallet }).placeOrder(order);
    expect([placed.status, texts.length]).toStrictEqual(['live', 2]);
    const times = texts.map((text) => Date.parse(text.slice(-20)));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(7_000_000);
    expect(new Set(texts.map((text) => text.slice(0, -20))).size).toBe(1);
  });

  it.each<[string, (text: string) => unknown]>([
    ['another price', (text) => text.replace('Price: 0.01', 'Price: 0.99')],
    ['another service', (text) => text.replace(/on \S+/, 'on evil.example')],
    ['another line', (text) => `And all the rest.\n${text}`],
    ['no time, of its length', (text) => text.replace(/until: .*$/, 'until: whenever you like it')],
    ['no text', () => 5],
  ])('refuses to sign a challenge of the service with %s', async (_what, change) => {
    const { wallet, texts } = watched(evmWallet('a'));
    const challenge = (text: string) => change(text.replace(/until: .*$/, 'until: 2030-01-01T00:00:00Z'));
    const body = { code: 'client_signature_invalid', detail: 'Sign again.', request_id: 'r-1' };
    const answer = async () => {
      const text = JSON.stringify({ ...body, challenge: challenge(texts[0] ?? '') });
      return new Response(text, { status: 401, headers: { 'content-type': 'application/problem+json' } });
    };
    const client = createClient({ baseUrl: 'http://127.0.0.1:8080', wallet, fetch: answer });
    const error = await errorOf(client.placeOrder(ORDER));
    expect([error.code, texts.length]).toStrictEqual(['client_signature_invalid', 1]);
  });

  it('throws the key of an order that may be live if the wallet does not sign again', async () => {
    skipPauses();
    const { wallet, texts } = watched(evmWallet('a'));
    const declined = new Error('User rejected the request.');
    const signMessage: Wallet['signMessage'] = async (text) => {
      if (texts.length > 0) throw declined;
      return wallet.signMessage(text);
    };
    const keys: (string | null)[] = [];
    const loseThenAskAgain = async (_url: string, { headers }: RequestInit) => {
      keys.push(new Headers(headers).get('idempotency-key'));
      if (keys.length === 1) throw new TypeError('fetch failed');
      const challenge = texts[0]?.replace(/until: .*$/, 'until: 2030-01-01T00:00:00Z');
      const body = { code: 'client_signature_invalid', detail: 'Sign again.', request_id: 'r-1', challenge };
      return Response.json(body, { status: 401 });
    };
    const client = createClient({
      baseUrl: 'http://127.0.0.1:8080',
      wallet: { address: wallet.address, signMessage },
      fetch: loseThenAskAgain,
    });
    const error = await errorOf(client.placeOrder(ORDER));
    expect(error).toMatchObject({ code: 'aborted', cause: declined, idempotencyKey: keys[0], mayBeLive: true });
    expect(keys).toHaveLength(2);
  });

  it('does not wait for a wallet once its caller has aborted, and does not ask one after that', async () => {
    let asked = 0;
    const caller = new AbortController();
    const signMessage = () => {
      asked += 1;
      setImmediate(() => caller.abort());
      return new Promise<string>(() => undefined);
    };
    const client = createClient({ baseUrl: 'http://127.0.0.1:8080', wallet: { address: 'any', signMessage } });
    const aborted = { code: 'aborted', mayBeLive: false };
    expect(await errorOf(client.placeOrder(ORDER, { signal: caller.signal }))).toMatchObject(aborted);
    expect(await errorOf(client.placeOrder(ORDER, { signal: AbortSignal.abort() }))).toMatchObject(aborted);
    expect(asked).toBe(1);
  });

  it('signs for the host that a page names by a path of its own, and for none without a page', async () => {
    skipPauses();
    const { wallet, texts } = watched(evmWallet('a'));
    const broken = () => Promise.reject(new TypeError('fetch failed'));
    const client = createClient({ baseUrl: '/api', wallet, fetch: broken });
    expect(await errorOf(client.placeOrder(ORDER))).toMatchObject({ code: 'network_error', mayBeLive: false });
    expect(texts).toStrictEqual([]);
    Reflect.set(globalThis, 'location', { href: 'https://orders.example/page' });
    try {
      await errorOf(client.placeOrder(ORDER));
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
    expect(texts).toStrictEqual([expect.stringMatching(/^Place one order on orders\.example\n/)]);
  });
});
