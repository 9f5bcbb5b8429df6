import assert from 'node:assert/strict';
import { challengeText } from '../../../functions/orders/verification.ts';
import { secondsFromNow, solanaWallet } from '../../support/client-wallets.ts';
import { expectProblem } from '../ask.ts';
import { type Check, verifiesClients, type World } from '../check.ts';
import type { Answer } from '../contract.ts';
import { challengeOf, type SigningClient } from '../signing.ts';
import { expectNowhere, JSON_TYPE, NOWHERE } from './refused-orders.ts';

type Headers = Readonly<Record<string, string>>;

/** Sends an order for a token that does not exist, with these headers alone. */
function send({ askAsItIs }: SigningClient, headers: Headers, change: object = {}): Promise<Answer> {
  const body = JSON.stringify({ ...NOWHERE, ...change });
  return askAsItIs({
    operation: 'orders',
    method: 'POST',
    target: '/v1/orders',
    headers: { ...JSON_TYPE, ...headers },
    body,
  });
}

/** Signs the text that the service asks for. */
async function signed(client: SigningClient, wallet = client.wallet): Promise<Headers> {
  const headers = { 'x-client-address': wallet.address, 'idempotency-key': `conformance-${crypto.randomUUID()}` };
  const { challenge, expires } = challengeOf(await send(client, headers));
  return { ...headers, 'x-client-signature': await wallet.sign(challenge), 'x-client-signature-expires': expires };
}

function check(name: string, run: (client: SigningClient) => Promise<void>): Check {
  return {
    group: 'verified clients',
    name,
    applies: verifiesClients,
    run: async ({ client }: World) => {
      assert.ok(client);
      await run(client);
    },
  };
}

/** Checks of a service that verifies clients. */
export const VERIFIED_CLIENTS: readonly Check[] = [
  check('say who they are, and name their order', async (client) => {
    const key = { 'idempotency-key': 'conformance' };
    const named = { ...key, 'x-client-address': client.wallet.address };
    expectProblem(
      await send(client, { 'x-client-address': client.wallet.address }),
      'invalid_request',
      'Idempotency-Key',
    );
    for (const address of ['', 'conformance', '0x12', client.wallet.address.slice(2)]) {
      const headers = { ...key, ...(address !== '' && { 'x-client-address': address }) };
      expectProblem(await send(client, headers), 'invalid_request', 'X-Client-Address');
    }
    const expires = { 'x-client-signature-expires': '2026-12-01T12:00:00+00:00' };
    expectProblem(await send(client, { ...named, ...expires }), 'invalid_request', 'X-Client-Signature-Expires');
    expectProblem(
      await send(client, { 'x-client-address': 'x' }, { side: 'hold' }),
      'invalid_request',
      'X-Client-Address',
    );
    expectProblem(await send(client, named, { side: 'hold' }), 'invalid_request', 'side');
  }),
  check('are told the text to sign', async (client) => {
    const headers = { 'x-client-address': client.wallet.address, 'idempotency-key': 'conformance' };
    const answer = await send(client, headers);
    expectProblem(answer, 'client_signature_required');
    assert.equal(answer.headers.get('www-authenticate'), 'Wallet-Signature');
    const { challenge, expires } = challengeOf(answer);
    const [, authority = ''] = /^Place one order on (.*)\n/.exec(challenge) ?? [];
    const clientAddress = client.wallet.address;
    const expected = {
      authority,
      clientAddress,
      order: { ...NOWHERE, expires_at: null },
      idempotencyKey: 'conformance',
      validUntil: expires,
    };
    assert.equal(challenge, challengeText(expected));
    const secondsLeft = (Date.parse(expires) - Date.now()) / 1_000;
    assert.ok(secondsLeft > 240 && secondsLeft < 360, `the text is valid for ${secondsLeft} s`);
  }),
  check('have an EVM or a Solana wallet', async (client) => {
    expectNowhere(await send(client, await signed(client)), client.isListed);
    expectNowhere(await send(client, await signed(client, await solanaWallet(0x11))), false);
  }),
  check('are refused for any other signature', async (client) => {
    const right = await signed(client);
    const solana = await solanaWallet(0x11);
    const { 'x-client-signature': signature = '' } = right;
    const wrong: readonly Headers[] = [
      { ...right, 'x-client-signature': await client.wallet.sign('another text') },
      { ...right, 'x-client-signature': signature.slice(0, -2) },
      { ...right, 'x-client-signature': await solana.sign('another text') },
      { ...right, 'x-client-address': solana.address },
      { ...right, 'idempotency-key': 'another' },
      { ...right, 'x-client-signature-expires': secondsFromNow(200) },
      { ...right, 'x-client-signature-expires': secondsFromNow(-120) },
      { ...right, 'x-client-signature-expires': secondsFromNow(1_200) },
    ];
    for (const headers of wrong) expectProblem(await send(client, headers), 'client_signature_invalid');
    expectProblem(await send(client, right, { size: '6' }), 'client_signature_invalid');
  }),
];
