import assert from 'node:assert/strict';
import { type ClientWallet, secondsFromNow } from '../../tools/support/client-wallets.ts';
import { type Answer, expectProblem, membersOf } from './answer.ts';
import { controlOf, processOf, section, type World } from './check.ts';
import { ALICE, BOB, place, sign } from './clients.ts';
import { sendings } from './orders.ts';

const NO_CONTRACT = `0x${'ee'.repeat(20)}`;

type Chain = Awaited<ReturnType<typeof import('../support/chain/chain.ts').startChain>>;

/** Runs a check at a service whose clients may be contracts of a chain, on an EVM. */
async function onChain(
  world: World,
  run: (service: World, chain: Chain) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { startChain } = await import('../support/chain/chain.ts');
  const chain = await startChain(ALICE.address);
  const ofChain = { SERVICE_CLIENT_RPC_URL: chain.url, SERVICE_CLIENT_CHAIN_ID: '137' };
  try {
    const service = await processOf(world).start({ SERVICE_CLIENT_VERIFICATION: 'required', ...ofChain, ...settings });
    chain.calls.length = 0;
    await run(service, chain);
    assert.ok(!JSON.stringify(controlOf(service).lines()).includes('a-secret-key'), 'the log has the URL');
  } finally {
    await chain.stop();
  }
}

interface Change extends Omit<NonNullable<Parameters<typeof sign>[1]>, 'wallet'> {
  readonly signer?: ClientWallet;
  readonly signature?: string;
}

/** Sends the resting order for an address, signed by the owner unless stated otherwise. */
async function send(world: World, address: string, { signer = ALICE, signature, ...signing }: Change = {}) {
  const signed = await sign(world, { ...signing, wallet: { address, sign: signer.sign } });
  return place(world, signature === undefined ? signed : { ...signed, 'x-client-signature': signature });
}

function expectInvalid(answer: Answer, detail: RegExp): void {
  expectProblem(answer, 'client_signature_invalid');
  assert.match(String(membersOf(answer)['detail']), detail);
}

function expectUnavailable(answer: Answer): void {
  expectProblem(answer, 'client_chain_unavailable');
  assert.equal(answer.headers.get('retry-after'), '5');
}

/** Checks of clients whose wallet is a contract. */
export const CONTRACT_WALLETS = section('clients', ['process'], {
  'may have a contract as their wallet, which the chain is asked about': {
    proves: ['client_chain_unavailable', 'SERVICE_CLIENT_RPC_URL', 'SERVICE_CLIENT_CHAIN_ID'],
    run: (world) =>
      onChain(world, async (service, chain) => {
        const key = crypto.randomUUID();
        const wallet = chain.addressOf('wallet');
        for (const replayed of [null, 'true']) {
          const answer = await send(service, wallet, { key });
          const end = [answer.status, answer.headers.get('idempotency-replayed')];
          assert.deepEqual(end, [201, replayed], JSON.stringify(answer.body));
        }
        const sent = sendings(service);
        expectInvalid(await send(service, wallet, { signer: BOB }), /^The contract at/);
        for (const name of ['refuses', 'reverts', 'reverts with a reason', 'returns nothing'] as const) {
          expectInvalid(await send(service, chain.addressOf(name)), /^The contract at X-Client-Address refuses/);
        }
        for (const name of ['burns its gas', 'returns a megabyte', 'breaks off'] as const) {
          expectUnavailable(await send(service, chain.addressOf(name)));
        }
        expectInvalid(await send(service, NO_CONTRACT), /Chain 137 has no contract at this address\./);
        for (const [signature, detail] of [
          [`0x${'11'.repeat(64)}00`, /v of 0 or 1/],
          [`0x${'11'.repeat(130)}`, /is not of this client/],
        ] as const) {
          expectInvalid(await send(service, NO_CONTRACT, { signature }), detail);
        }
        assert.equal(sendings(service), sent);
      }),
  },
  'are never refused for a chain that does not answer, and nothing is signed': {
    slow: true,
    run: (world) =>
      onChain(world, async (service, chain) => {
        const key = crypto.randomUUID();
        const wallet = chain.addressOf('wallet');
        const sent = sendings(service);
        const answer = { jsonrpc: '2.0', id: 2, result: `0x1626ba7e${'0'.repeat(56)}` };
        for (const trouble of [
          { status: 429 },
          { status: 503, text: 'busy' },
          { text: '<html></html>' },
          { text: '{"jsonrpc":"2.0","id":1,"result":"0x1626ba7' },
          { text: JSON.stringify(answer) },
          { text: JSON.stringify({ ...answer, id: 1, result: 'yes' }) },
          { text: JSON.stringify({ ...answer, id: 1, padding: 'x'.repeat(1_000_000) }) },
          { error: { code: -32_005, message: 'limit exceeded' } },
          { error: { code: -32_603, message: 'internal error' } },
          { hangs: true },
        ] as const) {
          chain.behave({ ...trouble, method: 'eth_call' });
          expectUnavailable(await send(service, wallet, { key }));
        }
        assert.ok(
          controlOf(service)
            .lines()
            .some(({ message }) => message === 'request failed'),
          'the reason is in no line',
        );
        chain.behave({ method: 'eth_getCode', status: 500 });
        expectUnavailable(await send(service, NO_CONTRACT));
        assert.equal(sendings(service), sent);
        chain.behave({});
        assert.equal((await send(service, wallet, { key })).status, 201);
        await chain.stop();
        expectUnavailable(await send(service, wallet));
      }),
  },
  'cause no question that can be answered without the chain': {
    run: (world) =>
      onChain(
        world,
        async (service, chain) => {
          const wallet = chain.addressOf('wallet');
          assert.equal((await send(service, ALICE.address)).status, 201);
          for (const seconds of [-120, 1_200]) {
            expectInvalid(await send(service, wallet, { expires: secondsFromNow(seconds) }), /^The signature /);
          }
          const undeployed = `0x${'ab'.repeat(100)}${'6492'.repeat(16)}`;
          expectInvalid(await send(service, wallet, { signature: undeployed }), /deploy the wallet first/);
          for (const signature of [`0x${'ab'.repeat(2_049)}`, '0xabc', 'hello']) {
            expectInvalid(await send(service, wallet, { signature }), /does not have the form/);
          }
          expectProblem(await send(service, chain.addressOf('refuses')), 'client_not_allowed');
          assert.deepEqual(chain.calls, []);
          expectInvalid(await send(service, wallet, { signature: `0x${'ab'.repeat(2_048)}` }), /^The contract at/);
        },
        { SERVICE_ALLOWED_CLIENTS: `${ALICE.address}, 0x${'c0'.repeat(19)}00` },
      ),
  },
  'with a contract are refused where no chain is configured, with the reason': {
    settings: { SERVICE_CLIENT_VERIFICATION: 'required' },
    run: async (world) => {
      expectInvalid(
        await send(world, NO_CONTRACT, { signature: `0x${'ab'.repeat(130)}` }),
        /that of a contract wallet/,
      );
    },
  },
  'have one chain: the start stops at another one, and at a URL that is none': {
    run: async (world) => {
      const { startChain } = await import('../support/chain/chain.ts');
      const chain = await startChain(ALICE.address, 8453);
      const { venueUrl } = controlOf(world);
      for (const [url, id, sentence] of [
        [chain.url, '137', 'SERVICE_CLIENT_CHAIN_ID must be the id of the chain at SERVICE_CLIENT_RPC_URL: 8453.'],
        [venueUrl, '137', 'SERVICE_CLIENT_RPC_URL must be the JSON-RPC of an EVM chain (eth_chainId: HTTP 404).'],
        [chain.url, '', 'SERVICE_CLIENT_RPC_URL and SERVICE_CLIENT_CHAIN_ID go together: set both, or none.'],
      ] as const) {
        const ofChain = { SERVICE_CLIENT_RPC_URL: url, SERVICE_CLIENT_CHAIN_ID: id };
        const starting = processOf(world).start({ SERVICE_CLIENT_VERIFICATION: 'required', ...ofChain });
        await assert.rejects(starting, { message: sentence });
      }
      await chain.stop();
    },
  },
});
