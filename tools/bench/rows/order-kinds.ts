import { type Bench, createKeys, inTurn, ratesOf } from '../bench.ts';
import { type LoadResult, load } from '../load.ts';
import { ORDER, startVenue } from '../services.ts';
import { TOKEN_ID } from '../venue/records.ts';

const PATH = '/v1/orders';
const UNKEYED = 'orders without a key';
const KEYED = 'keyed orders';

/** `ORDER` as a client signs it. */
const CHALLENGED = {
  token_id: TOKEN_ID,
  side: 'buy',
  price: '0.51',
  size: '10',
  post_only: true,
  expires_at: null,
} as const;
/** No order of a run reaches it. */
const HIGH_CAP = '1000000000';

const newKey = createKeys('bench');

type Headers = Readonly<Record<string, string>>;

function placeKeyed(url: string, seconds: number): Promise<LoadResult> {
  return load({ url, ...ORDER, seconds, vary: () => ({ headers: { 'idempotency-key': newKey() } }) });
}

/** Loaded only here: the clients' cryptography is a large library, which --help does not need. */
async function openWallet() {
  const { evmWallet, signedHeaders } = await import('../../support/client-wallets.ts');
  const wallet = evmWallet('7');
  return { wallet, signedHeaders };
}

/** Signs all orders before it places them: the clients' cryptography is not the service's. */
async function placeSigned(url: string, amount: number): Promise<LoadResult> {
  const { wallet, signedHeaders } = await openWallet();
  const signed: Headers[] = [];
  while (signed.length < amount) {
    signed.push(await signedHeaders({ wallet, url, order: CHALLENGED, key: newKey() }));
  }
  // The load generator prepares a few requests more than it sends.
  return load({ url, ...ORDER, amount, vary: (index) => ({ headers: signed[index % amount] ?? {} }) });
}

/** Orders that lack their signature, or whose path is unknown: neither of them reaches the venue. */
async function ask(url: string, status: number, seconds: number): Promise<LoadResult> {
  const { wallet } = await openWallet();
  const headers = { ...ORDER.headers, 'x-client-address': wallet.address, 'idempotency-key': 'unsigned' };
  return load({ url, ...ORDER, headers, status, seconds });
}

function row(name: string, figure: string, baseline: string) {
  return { name, figure: `${figure}, 10 connections, venue at 0 ms`, baseline, unit: 'req/s' } as const;
}

/** The cost of idempotency keys, a daily cap and signatures of clients, with the store on a file as usual. */
export const orderKinds: Bench = {
  rows: [
    { ...row('order-rate-keyed', 'keyed orders', UNKEYED), target: { atLeast: 0.7 } },
    row('order-rate-capped', 'keyed orders under a daily cap', KEYED),
    row('order-rate-verified', 'orders of verified clients', KEYED),
    row('challenge-rate', '401 with challenge', '404 of an unknown path'),
  ],
  async *rounds(stage) {
    await using venue = await startVenue(0);
    const only = (...rows: string[]) => ({ rows });
    await using plain = await stage.startService(venue.url, only('order-rate-keyed'));
    await using capped = await stage.startService(venue.url, {
      ...only('order-rate-capped'),
      env: { SERVICE_MAX_DAILY_NOTIONAL: HIGH_CAP },
    });
    await using verifying = await stage.startService(venue.url, {
      ...only('order-rate-verified', 'challenge-rate'),
      env: { SERVICE_CLIENT_VERIFICATION: 'required' },
    });
    const measure = async (round: number, seconds: number) => {
      const [keyed, unkeyed] = await inTurn(
        round,
        () => placeKeyed(plain.url + PATH, seconds),
        () => load({ url: plain.url + PATH, ...ORDER, seconds }),
      );
      const under = await placeKeyed(capped.url + PATH, seconds);
      // As many as the baseline placed in its time: so many signatures are needed.
      const verified = await placeSigned(verifying.url + PATH, Math.max(10, Math.ceil(keyed.rate * seconds)));
      const [challenged, unknown] = await inTurn(
        round,
        () => ask(verifying.url + PATH, 401, seconds / 3),
        () => ask(`${verifying.url}/v1/nothing`, 404, seconds / 3),
      );
      return {
        'order-rate-keyed': ratesOf(keyed, unkeyed),
        'order-rate-capped': ratesOf(under, keyed),
        'order-rate-verified': ratesOf(verified, keyed),
        'challenge-rate': ratesOf(challenged, unknown),
      };
    };
    await measure(0, stage.seconds(1));
    for (let round = 0; ; round += 1) yield await measure(round, stage.seconds(3));
  },
};
