import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { challengeText } from '../../functions/orders/verification.ts';
import type { Environment } from '../../shared/settings/table.ts';
import {
  type ClientWallet,
  evmWallet,
  fromBase58,
  type Signing,
  secondsFromNow,
  signedHeaders,
  solanaWallet,
  toBase58,
} from '../../tools/support/client-wallets.ts';
import { type Answer, expectProblem, membersOf } from './answer.ts';
import { type Check, type Clauses, controlOf, type Need, processOf, section, type World } from './check.ts';
import { expectNowhere, JSON_TYPE, NOWHERE, restingOrder, sendings } from './orders.ts';
import { challengeOf, type SigningClient } from './signing.ts';

type Headers = Readonly<Record<string, string>>;

/** Clients with wallets of their own. */
export const ALICE = evmWallet('2');
export const BOB = evmWallet('3');

/** Creates checks of a service that verifies its clients. */
function verifying(needs: readonly Need[], clauses: Clauses): readonly Check[] {
  const required = (settings: Environment) => ({ SERVICE_CLIENT_VERIFICATION: 'required', ...settings });
  const checks = section('clients', [...needs, 'verified clients'], clauses);
  return checks.map((check) => ({ ...check, settings: required(check.settings) }));
}

function clientOf({ client }: World): SigningClient {
  assert.ok(client, 'the service does not verify its clients');
  return client;
}

/** Sends an order with these headers alone; by default one for a token that does not exist. */
function send(world: World, headers: Headers, change: object = {}): Promise<Answer> {
  const body = JSON.stringify({ ...NOWHERE, ...change });
  const order = { operation: 'orders', method: 'POST', target: '/v1/orders', body } as const;
  return clientOf(world).askAsItIs({ ...order, headers: { ...JSON_TYPE, ...headers } });
}

/** Signs the text that the service asks for. */
async function signed(world: World, wallet: ClientWallet): Promise<Headers> {
  const headers = { 'x-client-address': wallet.address, 'idempotency-key': `conformance-${crypto.randomUUID()}` };
  const { challenge, expires } = challengeOf(await send(world, headers));
  return { ...headers, 'x-client-signature': await wallet.sign(challenge), 'x-client-signature-expires': expires };
}

/** Signs the resting order, or what is stated in its place. */
export function sign(world: World, signing: Partial<Omit<Signing, 'order'>> & { readonly order?: object } = {}) {
  const { order, ...others } = signing;
  const asked = { ...restingOrder(world), expires_at: null, ...order };
  return signedHeaders({ wallet: ALICE, key: crypto.randomUUID(), url: world.baseUrl, ...others, order: asked });
}

/** Places the resting order with changes. */
export function place(world: World, headers: Headers, change: object = {}): Promise<Answer> {
  return send(world, headers, { ...restingOrder(world), ...change });
}

function without(headers: Headers, ...names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

const NO_TIMES = ['1', '2026-12-01T12:00:00.000Z', '2026-12-01T12:00:00+00:00', '2026-02-30T12:00:00Z'];

/** Checks at any service that verifies its clients. */
const VERIFIED = verifying([], {
  'must send X-Client-Address and Idempotency-Key': async (world) => {
    const { address } = clientOf(world).wallet;
    const named = { 'x-client-address': address, 'idempotency-key': 'conformance' };
    for (const spoiled of [
      '',
      'vitalik.eth',
      address.slice(0, 20),
      address.slice(2),
      `${address.slice(0, -1)}\u00e0`,
    ]) {
      const headers = { ...named, 'x-client-address': spoiled };
      expectProblem(await send(world, headers), 'invalid_request', 'X-Client-Address');
    }
    expectProblem(await send(world, without(named, 'idempotency-key')), 'invalid_request', 'Idempotency-Key');
    const nobody = await send(world, {}, { side: 'hold' });
    for (const field of ['X-Client-Address', 'Idempotency-Key']) expectProblem(nobody, 'invalid_request', field);
    for (const time of NO_TIMES) {
      const headers = { ...named, 'x-client-signature-expires': time };
      expectProblem(await send(world, headers), 'invalid_request', 'X-Client-Signature-Expires');
    }
    expectProblem(await send(world, named, { side: 'hold' }), 'invalid_request', 'side');
  },
  'get the text to sign, valid for 300 s': {
    proves: ['client_signature_required'],
    run: async (world) => {
      const { address: clientAddress } = clientOf(world).wallet;
      const headers = { 'x-client-address': clientAddress, 'idempotency-key': 'conformance' };
      const end = { 'x-client-signature-expires': secondsFromNow(100) };
      for (const incomplete of [{}, end, { ...end, 'x-client-signature': '' }, { 'x-client-signature': '0x' }]) {
        expectProblem(await send(world, { ...headers, ...incomplete }), 'client_signature_required');
      }
      const answer = await send(world, headers);
      assert.equal(answer.headers.get('www-authenticate'), 'Wallet-Signature');
      const { challenge, expires: validUntil } = challengeOf(answer);
      const [, authority = ''] = /^Place one order on (.*)\n/.exec(challenge) ?? [];
      const order = { ...NOWHERE, expires_at: null };
      const facts = { authority, clientAddress, order, idempotencyKey: 'conformance', validUntil };
      assert.equal(challenge, challengeText(facts));
      const secondsLeft = (Date.parse(validUntil) - Date.now()) / 1_000;
      assert.ok(secondsLeft > 240 && secondsLeft < 360, `the text is valid for ${secondsLeft} s`);
    },
  },
  'have an EVM or a Solana wallet': async (world) => {
    const { wallet, isListed } = clientOf(world);
    expectNowhere(await send(world, await signed(world, wallet)), isListed);
    expectNowhere(await send(world, await signed(world, await solanaWallet(0x11))), false);
  },
  'are refused for any other signature': {
    proves: ['client_signature_invalid'],
    run: async (world) => {
      const wallets = [clientOf(world).wallet, await solanaWallet(0x11)] as const;
      for (const [wallet, other] of [wallets, wallets.toReversed()] as const) {
        const right = await signed(world, wallet ?? ALICE);
        const { 'x-client-signature': signature = '' } = right;
        const wrong: readonly Headers[] = [
          { ...right, 'x-client-signature': `${await wallet?.sign('another text')}` },
          { ...right, 'x-client-signature': signature.slice(0, -2) },
          { ...right, 'x-client-signature': `${signature}00` },
          { ...right, 'x-client-signature': signature.replace(/\w$/, '\u00e9') },
          { ...right, 'x-client-signature': `${await other?.sign('another text')}` },
          { ...right, 'x-client-address': BOB.address },
          { ...right, 'x-client-address': `${other?.address}` },
          { ...right, 'idempotency-key': 'another' },
          ...[-120, 200, 1_200].map((end) => ({ ...right, 'x-client-signature-expires': secondsFromNow(end) })),
        ];
        for (const headers of wrong) expectProblem(await send(world, headers), 'client_signature_invalid');
        for (const change of [
          { side: 'sell' },
          { size: '6' },
          { price: '0.02' },
          { post_only: false },
          { token_id: '2' },
        ]) {
          expectProblem(await send(world, right, change), 'client_signature_invalid');
        }
      }
    },
  },
});

/** Forms in which wallets and libraries return the signature of a Solana wallet. */
const SOLANA_FORMS: readonly ((bytes: Buffer) => string)[] = [
  (bytes) => bytes.toString('base64'),
  (bytes) => bytes.toString('hex'),
  (bytes) => [...bytes].join(','),
  (bytes) => JSON.stringify(toBase58(bytes)),
  (bytes) => toBase58(Buffer.concat([Buffer.from('the text'), bytes])),
  (bytes) => toBase58(bytes).slice(2),
];

type Change = (text: string) => string;

/** Texts that differ from the right one in a way that a reader may overlook. */
const TEXTS: readonly Change[] = [
  (text) => `${text}\n`,
  (text) => text.replace(/\nPost only: .*/, ''),
  (text) => text.replace('Side: ', 'Side:\u00a0'),
  (text) => text.replace(/Price: .*/, '$&0'),
];

/** Checks at a service of the tests. */
const UNDER_CONTROL = verifying(['process'], {
  'of Solana learn which form their signature must have': async (world) => {
    const wallet = await solanaWallet(0x22);
    const headers = await sign(world, { wallet });
    const bytes = Buffer.from(fromBase58(headers['x-client-signature'] ?? '', 64));
    for (const form of SOLANA_FORMS) {
      const signature = form(bytes);
      const answer = await place(world, { ...headers, 'x-client-signature': signature });
      expectProblem(answer, 'client_signature_invalid');
      const sentence = 'X-Client-Signature must be the 64 bytes of the signature in base58';
      assert.ok(String(membersOf(answer)['detail']).startsWith(sentence), signature);
    }
  },
  'are refused for a signature of another service, text or time, without a call of the venue': {
    proves: ['SERVICE_CLIENT_VERIFICATION'],
    run: async (world) => {
      const { venue } = processOf(world);
      const { host, port } = new URL(world.baseUrl);
      for (const wallet of [ALICE, await solanaWallet(0x22)]) {
        const before = venue.requests().length;
        const authorities = ['api.example.com', `127.0.0.1:${Number(port) - 1}`, `localhost:${port}`, '127.0.0.1'];
        const wrong = [
          ...authorities.map((authority) => sign(world, { wallet, url: `http://${authority}` })),
          ...TEXTS.map((change) => sign(world, { wallet, change })),
        ];
        for (const headers of wrong) expectProblem(await place(world, await headers), 'client_signature_invalid');
        assert.equal(venue.requests().length, before);
        const answer = await place(world, await sign(world, { wallet, url: `http://${host}` }));
        assert.equal(answer.status, 201, JSON.stringify(answer.body));
      }
    },
  },
  'sign for the authority that the operator has set': {
    settings: { SERVICE_PUBLIC_AUTHORITY: 'API.example.com:8443' },
    proves: ['SERVICE_PUBLIC_AUTHORITY'],
    run: async (world) => {
      const answer = await place(world, without(await sign(world), 'x-client-signature'));
      assert.match(String(membersOf(answer)['challenge']), /^Place one order on api\.example\.com:8443\n\nClient: /);
      expectProblem(await place(world, await sign(world)), 'client_signature_invalid');
      assert.equal((await place(world, await sign(world, { url: 'http://api.example.com:8443' }))).status, 201);
    },
  },
  'get no second order from a captured request': async (world) => {
    const key = crypto.randomUUID();
    const headers = await sign(world, { key });
    const first = await place(world, headers);
    const sent = sendings(world);
    const lowerCase = ALICE.address.toLowerCase();
    // A signature of later, or the address in other letters: the same client, key and order.
    const later = await sign(world, { key, expires: secondsFromNow(100), address: lowerCase });
    for (const again of await Promise.all([place(world, headers), place(world, headers), place(world, later)])) {
      assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true']);
    }
    const other = await sign(world, { key, order: { size: '11' } });
    expectProblem(await place(world, other, { size: '11' }), 'idempotency_key_reused');
    expectProblem(await place(world, await sign(world, { key, wallet: BOB })), 'idempotency_key_reused');
    assert.equal(sendings(world), sent);
  },
  'may order if they are listed, in any case of letters, and have signed': {
    settings: {
      SERVICE_ALLOWED_CLIENTS: `${ALICE.address.toLowerCase()}, ${(await solanaWallet(0x22)).address}`,
    },
    proves: ['client_not_allowed', 'SERVICE_ALLOWED_CLIENTS'],
    run: async (world) => {
      const key = crypto.randomUUID();
      for (const wallet of [ALICE, await solanaWallet(0x22)]) {
        const headers = await sign(world, { wallet, ...(wallet === ALICE && { key }) });
        assert.equal((await place(world, headers)).status, 201);
      }
      const sent = sendings(world);
      // Before it is looked whose key it is.
      expectProblem(await place(world, await sign(world, { wallet: BOB, key })), 'client_not_allowed');
      const unsigned = without(await sign(world, { wallet: BOB }), 'x-client-signature');
      expectProblem(await place(world, unsigned), 'client_signature_required');
      assert.equal(sendings(world), sent);
    },
  },
  'are logged as verified if they have signed, else as a claim': async (world) => {
    const key = crypto.randomUUID();
    const headers = await sign(world, { key, address: ALICE.address.toLowerCase() });
    const { order_id } = membersOf(await place(world, headers));
    await place(world, { ...headers, 'x-client-address': BOB.address });
    const lines = controlOf(world).lines();
    const verified = lines.filter((line) => line['order_id'] === order_id && line['client_address'] !== undefined);
    // Of the key as the client sent it: that is what an operator can be asked for.
    const idempotency_key_sha256 = createHash('sha256').update(key).digest('hex');
    assert.deepEqual(
      verified.map((line) => [line['message'], line['client_address'], line['client_address_verified']]),
      ['order signed', 'request'].map((message) => [message, ALICE.address, true]),
    );
    assert.equal(verified[0]?.['idempotency_key_sha256'], idempotency_key_sha256);
    const { client_address, client_address_verified, code } = lines.at(-1) ?? {};
    assert.deepEqual([client_address, client_address_verified, code], [BOB.address, false, 'client_signature_invalid']);
  },
  'each have a daily cap, which is checked before that of the service': {
    settings: { SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '0.1', SERVICE_MAX_DAILY_NOTIONAL: '0.15' },
    proves: ['SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT'],
    run: async (world) => {
      const sent = sendings(world);
      const order = async (wallet: ClientWallet) => place(world, await sign(world, { wallet }));
      const reached = async (wallet: ClientWallet, scope: string, max_daily_notional: string) =>
        expectProblem(await order(wallet), 'daily_cap_reached', { scope, max_daily_notional });
      for (const wallet of [ALICE, ALICE]) assert.equal((await order(wallet)).status, 201);
      await reached(ALICE, 'client', '0.1');
      assert.equal((await order(BOB)).status, 201);
      await reached(BOB, 'service', '0.15');
      assert.equal(sendings(world), sent + 3);
    },
  },
});

/** Checks of a service that verifies its clients. */
export const CLIENTS = [...VERIFIED, ...UNDER_CONTROL];
