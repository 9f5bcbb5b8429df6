import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Environment } from '../../shared/settings/table.ts';
import {
  type ClientWallet,
  evmWallet,
  type Signing,
  secondsFromNow,
  signedHeaders,
  solanaWallet,
} from '../../tools/support/client-wallets.ts';
import { FULL_EXTENT } from '../support/jest.ts';
import { type Answer, send } from '../support/service/http-client.ts';
import { startPaperService } from '../support/service/paper-service.ts';

const ALICE = evmWallet('2');
const BOB = evmWallet('3');
const CAROL = await solanaWallet(0x22);
const WALLETS: [string, ClientWallet, ClientWallet][] = [
  ['an EVM account', ALICE, CAROL],
  ['a Solana account', CAROL, ALICE],
];

type Headers = Readonly<Record<string, string>>;
type Signed = Partial<Omit<Signing, 'url' | 'order'>> & { readonly order?: object; readonly authority?: string };

/** Starts a service that verifies its clients, on a paper venue. */
async function open(settings: Environment = {}) {
  const { url, venue, venueUrl, lines } = await startPaperService({
    SERVICE_CLIENT_VERIFICATION: 'required',
    ...settings,
  });
  const markets = await fetch(`${url}/v1/markets?limit=1`);
  const { items } = JSON.parse(await markets.text());
  const order = {
    token_id: String(items[0].outcomes[0].token_id),
    side: 'buy',
    price: '0.02',
    size: '10',
    post_only: true,
  } as const;
  const sign = ({ authority, order: change, ...signed }: Signed = {}) =>
    signedHeaders({
      wallet: ALICE,
      key: 'key',
      ...signed,
      url: authority === undefined ? url : `http://${authority}`,
      order: { ...order, expires_at: null, ...change },
    });
  const post = (
    headers: Headers | readonly string[],
    change: object = {},
    to = url,
    agent?: Agent,
  ): Promise<Answer> => {
    const json = ['content-type', 'application/json', 'host', new URL(to).host];
    const all = Array.isArray(headers) ? [...json, ...headers] : [...json, ...Object.entries(headers).flat()];
    return send(to, {
      method: 'POST',
      path: '/v1/orders',
      headers: all,
      body: JSON.stringify({ ...order, ...change }),
      ...(agent && { agent }),
    });
  };
  return { url, venue, venueUrl, lines, order, sign, post };
}

/** Sums an answer up: its status, its code and the fields that it names. */
function summary({ status, text }: Answer): string {
  const { code, errors = [] } = JSON.parse(text);
  return [status, ...(code ? [code] : []), ...errors.map(({ field }: { field: string }) => field)].join(' ');
}

function without(headers: Headers, ...names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

const REQUIRED = '401 client_signature_required';
const INVALID = '401 client_signature_invalid';
const malformed = (...names: readonly string[]) => `400 invalid_request ${names.join(' ')}`;

describe.each(WALLETS)('an order that %s has signed', (_name, wallet, other) => {
  it('is placed, and everything else is refused before anything is looked up or sent', async () => {
    const { url, venue, sign, post, order } = await open();
    const right = await sign({ wallet });
    const { 'x-client-address': address = '', 'x-client-signature': signature = '' } = right;
    const { port } = new URL(url);
    const changed = (from: RegExp | string, to: string) => sign({ wallet, change: (text) => text.replace(from, to) });
    const cases: readonly (readonly [string, string, Headers | readonly string[], object?])[] = [
      ['no signature', REQUIRED, without(right, 'x-client-signature')],
      ['no end', REQUIRED, without(right, 'x-client-signature-expires')],
      ['neither', REQUIRED, without(right, 'x-client-signature', 'x-client-signature-expires')],
      ['an empty signature', REQUIRED, { ...right, 'x-client-signature': '' }],
      ['no address', malformed('X-Client-Address'), without(right, 'x-client-address')],
      ['no key', malformed('Idempotency-Key'), without(right, 'idempotency-key')],
      ['nothing', malformed('X-Client-Address', 'Idempotency-Key'), {}],
      ['a name', malformed('X-Client-Address'), { ...right, 'x-client-address': 'vitalik.eth' }],
      ['half an address', malformed('X-Client-Address'), { ...right, 'x-client-address': address.slice(0, 20) }],
      [
        'a look-alike',
        malformed('X-Client-Address'),
        { ...right, 'x-client-address': `${address.slice(0, -1)}\u00e0` },
      ],
      ...[
        '',
        '1',
        '2026-12-01T12:00:00.000Z',
        '2026-12-01T12:00:00+00:00',
        '2026-02-30T12:00:00Z',
        '2026-12-01 12:00:00Z',
      ].map(
        (expires) =>
          [
            `the end ${expires}`,
            malformed('X-Client-Signature-Expires'),
            { ...right, 'x-client-signature-expires': expires },
          ] as const,
      ),
      ['another address', INVALID, { ...right, 'x-client-address': BOB.address }],
      ['another kind of address', INVALID, { ...right, 'x-client-address': other.address }],
      ['another kind of signature', INVALID, { ...right, 'x-client-signature': await other.sign('x') }],
      ['a signature of another text', INVALID, { ...right, 'x-client-signature': await wallet.sign('x') }],
      ['half a signature', INVALID, { ...right, 'x-client-signature': signature.slice(0, -2) }],
      ['a longer signature', INVALID, { ...right, 'x-client-signature': `${signature}00` }],
      ['a look-alike of a signature', INVALID, { ...right, 'x-client-signature': signature.replace(/\w$/, '\u00e9') }],
      ['another key', INVALID, { ...right, 'idempotency-key': 'key2' }],
      ['a longer end', INVALID, { ...right, 'x-client-signature-expires': secondsFromNow(301) }],
      ['an end that is past', INVALID, await sign({ wallet, expires: secondsFromNow(-32) })],
      ['an end that is too far ahead', INVALID, await sign({ wallet, expires: secondsFromNow(640) })],
      ['another service', INVALID, await sign({ wallet, authority: 'api.example.com' })],
      ['another port', INVALID, await sign({ wallet, authority: `127.0.0.1:${Number(port) - 1}` })],
      ['another name of this machine', INVALID, await sign({ wallet, authority: `localhost:${port}` })],
      ['no port', INVALID, await sign({ wallet, authority: '127.0.0.1' })],
      ['another side', INVALID, right, { side: 'sell' }],
      ['another size', INVALID, right, { size: '11' }],
      ['another price', INVALID, right, { price: '0.03' }],
      ['another kind of order', INVALID, right, { post_only: false }],
      ['another token', INVALID, right, { token_id: '1' }],
      ['a price not in canonical form', INVALID, await sign({ wallet, order: { price: '0.020' } })],
      ['a line end more', INVALID, await changed(/$/, '\n')],
      ['other line ends', INVALID, await changed(/\n/g, '\r\n')],
      ['one line less', INVALID, await changed(/\nPost only: .*/, '')],
      ['a space more', INVALID, await changed('Side: ', 'Side:  ')],
      ['a no-break space', INVALID, await changed('Side: ', 'Side:\u00a0')],
      ['lines swapped', INVALID, await changed(/(Size: .*)\n(Price: .*)/, '$2\n$1')],
      ['an address in other letters', INVALID, await changed(/Client: .*/, `Client: ${other.address}`)],
      ['two keys', malformed('Idempotency-Key'), [...Object.entries(right).flat(), 'idempotency-key', 'key']],
      ['two addresses', malformed('X-Client-Address'), [...Object.entries(right).flat(), 'x-client-address', address]],
      [
        'two signatures',
        malformed('x-client-signature'),
        [...Object.entries(right).flat(), 'x-client-signature', signature],
      ],
      [
        'two ends',
        malformed('x-client-signature-expires'),
        [...Object.entries(right).flat(), 'x-client-signature-expires', 'x'],
      ],
      ['a comma in the key', malformed('Idempotency-Key'), { ...right, 'idempotency-key': `${address},key` }],
      ['a key of other characters', malformed('Idempotency-Key'), { ...right, 'idempotency-key': 'k\u00e9y' }],
      ['a broken order first', malformed('side'), without(right, 'x-client-signature'), { side: 'hold' }],
    ];
    const before = venue.requests().length;
    const answers = await Promise.all(
      cases.map(async ([name, , ...request]) => [name, summary(await post(...request))]),
    );
    expect(answers).toStrictEqual(cases.map(([name, expected]) => [name, expected]));
    expect(venue.requests().slice(before)).toStrictEqual([]);
    const placed = await post(right);
    expect([summary(placed), venue.orders().length]).toStrictEqual(['201', 1]);
    expect(JSON.parse(placed.text)).toMatchObject({ ...order, status: 'live' });
  });

  it('is answered with the text to sign', async () => {
    const { venue, sign, post } = await open({ SERVICE_PUBLIC_AUTHORITY: 'API.example.com:8443' });
    const headers = await sign({ wallet });
    const unsigned = without(headers, 'x-client-signature', 'x-client-signature-expires');
    const { status, headers: answered, text } = await post(unsigned);
    const { challenge } = JSON.parse(text);
    expect([status, answered['www-authenticate']]).toStrictEqual([401, 'Wallet-Signature']);
    expect(challenge).toMatch(/^Place one order on api\.example\.com:8443\n\nClient: /);
    const expires = challenge.split(' ').at(-1);
    expect(Math.abs(Date.parse(expires) - Date.now() - 300_000)).toBeLessThan(10_000);
    const signature = await wallet.sign(challenge);
    const answer = await post({ ...unsigned, 'x-client-signature': signature, 'x-client-signature-expires': expires });
    expect([summary(answer), venue.orders().length]).toStrictEqual(['201', 1]);
    // The Host is none of a client's business where the operator says the name.
    expect(summary(await post(await sign({ wallet, key: 'other' })))).toBe(INVALID);
    expect(summary(await post(await sign({ wallet, key: 'other', authority: 'api.example.com:8443' })))).toBe('201');
  });
});

describe("a cap on each client's day", () => {
  it('refuses one client without touching the day of another', async () => {
    const { venue, sign, post } = await open({ SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '0.5' });
    for (const key of ['a', 'b']) expect(summary(await post(await sign({ wallet: ALICE, key })))).toBe('201');
    const refused = await post(await sign({ wallet: ALICE, key: 'c' }));
    expect([summary(refused), JSON.parse(refused.text).scope]).toStrictEqual(['422 daily_cap_reached', 'client']);
    expect(JSON.parse(refused.text)).toMatchObject({ max_daily_notional: '0.5' });
    expect(summary(await post(await sign({ wallet: BOB, key: 'd' })))).toBe('201');
    expect(venue.orders()).toHaveLength(3);
  });

  it('comes before that on the day of the service', async () => {
    const { sign, post } = await open({
      SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '0.3',
      SERVICE_MAX_DAILY_NOTIONAL: '0.3',
    });
    await post(await sign({ wallet: ALICE, key: 'a' }));
    const scopes = [];
    for (const wallet of [ALICE, BOB]) {
      scopes.push(JSON.parse((await post(await sign({ wallet, key: `${wallet.address} b` }))).text).scope);
    }
    expect(scopes).toStrictEqual(['client', 'service']);
  });

  it('needs verified clients', async () => {
    const settings = { SERVICE_CLIENT_VERIFICATION: 'off', SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '5' };
    await expect(startPaperService(settings)).rejects.toThrow('needs SERVICE_CLIENT_VERIFICATION=required');
  });
});

describe('a service that lists the clients that may order', () => {
  it('takes orders of listed clients only, in any case of letters', async () => {
    const listed = `${ALICE.address.toLowerCase()}, ${CAROL.address}`;
    const { venue, sign, post } = await open({ SERVICE_ALLOWED_CLIENTS: listed });
    expect(summary(await post(await sign({ wallet: ALICE, key: 'a' })))).toBe('201');
    expect(summary(await post(await sign({ wallet: CAROL, key: 'c' })))).toBe('201');
    expect(summary(await post(await sign({ wallet: BOB, key: 'b' })))).toBe('403 client_not_allowed');
    expect(venue.orders()).toHaveLength(2);
  });

  it('takes an address in lower case for the same client', async () => {
    const { venue, sign, post } = await open();
    await post(await sign());
    const again = await post(await sign({ wallet: { ...ALICE, address: ALICE.address.toLowerCase() } }));
    expect([summary(again), again.headers['idempotency-replayed'], venue.orders().length]).toStrictEqual([
      '201',
      'true',
      1,
    ]);
  });

  it('refuses an unlisted client before it looks at the key', async () => {
    const { sign, post } = await open({ SERVICE_ALLOWED_CLIENTS: ALICE.address });
    await post(await sign({ wallet: ALICE, key: 'a' }));
    expect(summary(await post(await sign({ wallet: BOB, key: 'a' })))).toBe('403 client_not_allowed');
  });

  it('checks the signature before the list', async () => {
    const { sign, post } = await open({ SERVICE_ALLOWED_CLIENTS: ALICE.address });
    const headers = await sign({ wallet: BOB, key: 'b' });
    expect(summary(await post(without(headers, 'x-client-signature')))).toBe(REQUIRED);
  });
});

describe('a captured request', () => {
  it('places nothing new', async () => {
    const { venue, sign, post } = await open();
    const headers = await sign();
    const first = await post(headers);
    const again = await Promise.all([post(headers), post(headers)]);
    expect([first, ...again].map(summary)).toStrictEqual(['201', '201', '201']);
    expect(again.map(({ headers: { 'idempotency-replayed': replayed } }) => replayed)).toStrictEqual(['true', 'true']);
    expect(again.map(({ text }) => text)).toStrictEqual([first.text, first.text]);
    // A signature of later, or the address in other letters: the same client, key and order.
    const later = await post(await sign({ expires: secondsFromNow(100), address: ALICE.address.toLowerCase() }));
    expect([later.text, venue.orders().length]).toStrictEqual([first.text, 1]);
    // Of another order under the same key.
    expect(summary(await post(await sign({ order: { size: '11' } }), { size: '11' }))).toBe(
      '422 idempotency_key_reused',
    );
  });
});

/** Changes a text at random in a way that it is another one, of characters that a header can hold. */
const mutation = fc.record({
  header: fc.constantFrom('x-client-address', 'idempotency-key', 'x-client-signature', 'x-client-signature-expires'),
  place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  length: fc.integer({ min: 0, max: 3 }),
  by: fc.oneof(
    fc.stringMatching(/^[0-9a-f]{0,3}$/),
    fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{1,2}$/),
    fc.stringMatching(/^[\x21-\x7e\xa1-\xff]{0,3}$/),
  ),
});

/** Changes of signatures and headers. */
const CHANGES = FULL_EXTENT ? 10_000 : 250;

describe('the log', () => {
  it('says who signed an order, and that the one who did not is a claim', async () => {
    const { sign, post, lines } = await open({ SERVICE_LOG_LEVEL: 'info' });
    const address = ALICE.address.toLowerCase();
    await post(await sign({ address }));
    await post({ ...(await sign()), 'x-client-address': BOB.address });
    const [signed] = lines.filter(({ message }) => message === 'order signed');
    const [placed, refused] = lines.filter(({ route }) => route === 'orders');
    const verified = { client_address: ALICE.address, client_address_verified: true };
    // Of the key as the client sent it: that is what an operator can be asked for.
    const idempotency_key_sha256 = createHash('sha256').update('key').digest('hex');
    expect(signed).toMatchObject({ ...verified, order_id: placed?.['order_id'], idempotency_key_sha256 });
    expect(placed).toMatchObject({ ...verified, status: 201 });
    expect(refused).toMatchObject({
      client_address: BOB.address,
      client_address_verified: false,
      status: 401,
      code: 'client_signature_invalid',
    });
    expect(lines.map((line) => line['order_id']).filter((id) => id !== undefined)).toHaveLength(2);
  });
});

it(`is refused whatever is changed: ${CHANGES} changes of signatures and headers`, async () => {
  const { url, venue, sign, post } = await open();
  const agent = new Agent({ keepAlive: true });
  const rights = await Promise.all(
    [ALICE, BOB, CAROL, await solanaWallet(0x44)].map((wallet, index) =>
      sign({ wallet, key: `key-${index}`, expires: secondsFromNow(500) }),
    ),
  );
  const before = venue.requests().length;
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(fc.constantFrom(...rights), mutation, async (right, change) => {
    const { header, place, length, by } = change;
    const value = right[header] ?? '';
    const at = Math.floor(place * value.length);
    const changed = value.slice(0, at) + by + value.slice(at + length);
    // Hex digits mean the same in both cases, and so do addresses that are not in mixed case.
    fc.pre(changed.toLowerCase() !== value.toLowerCase());
    const answer = summary(await post({ ...right, [header]: changed }, {}, url, agent));
    seen.set(answer, (seen.get(answer) ?? 0) + 1);
    expect(answer).toMatch(/^40[01] /);
  });
  await fc.assert(property, { numRuns: CHANGES }).finally(() => agent.destroy());
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(CHANGES);
  expect(venue.requests().slice(before)).toStrictEqual([]);
  // They were right before they were changed.
  for (const right of rights) expect(summary(await post(right))).toBe('201');
}, 300_000);
