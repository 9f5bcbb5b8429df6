import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { serializeErc6492Signature } from 'viem';
import { Secret } from '../../shared/secret.ts';
import { createContractWallets } from '../../shared/wallets/contract-wallets.ts';
import { type ClientWallet, secondsFromNow } from '../../tools/support/client-wallets.ts';
import type { Trouble } from '../support/chain/chain.ts';
import { type Answer, expectProblem, membersOf } from './answer.ts';
import { controlOf, processOf, section, type World } from './check.ts';
import { ALICE, BOB, place, sign } from './clients.ts';
import { sendings } from './orders.ts';

const NO_CONTRACT = `0x${'ee'.repeat(20)}`;

const hexOf = (text: string) => `0x${text.slice(2)}` as const;

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
  const service = await processOf(world).start({ SERVICE_CLIENT_VERIFICATION: 'required', ...ofChain, ...settings });
  chain.calls.length = 0;
  await run(service, chain);
  assert.ok(!JSON.stringify(controlOf(service).lines()).includes('a-secret-key'), 'the log has the URL');
}

interface Change extends Omit<NonNullable<Parameters<typeof sign>[1]>, 'wallet'> {
  readonly signer?: Pick<ClientWallet, 'sign'>;
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

const MAGIC = `0x1626ba7e${'0'.repeat(56)}`;

const revert = (code: number, message: string, data?: unknown) => ({ error: { code, message, data } });

/** What a node says to `eth_call`; status of the order's answer and number of orders that are sent. */
const NODE_ANSWERS: readonly (readonly [readonly [status: number, sent: number], readonly Trouble[]])[] = [
  [
    [201, 1],
    [{}, { id: '1' }, { result: MAGIC.toUpperCase().replace('X', 'x') }, { result: `${MAGIC}00` }],
  ],
  [
    [401, 0],
    [
      { result: `${MAGIC.slice(0, -1)}1` },
      { result: MAGIC.slice(0, 10) },
      { result: '0x' },
      { result: `0x08c379a0${'0'.repeat(56)}` },
      revert(3, 'VM execution error', '0x'),
      { ...revert(3, 'error'), id: '1' },
      { ...revert(3, 'error'), status: 400 },
      { ...revert(3, 'error'), status: 500 },
      revert(-32_000, 'Execution reverted'),
      revert(-32_003, 'execution reverted'),
      { ...revert(-32_008, '[Request ID: 9f1c] execution reverted: no'), status: 400 },
      revert(-32_015, 'VM execution error.', 'revert'),
      revert(-32_015, 'Reverted 0x'),
      revert(-32_603, 'VM Exception', { message: 'reverted with reason string' }),
    ],
  ],
  [
    [503, 0],
    [
      { status: 429 },
      { status: 500 },
      { status: 503, text: 'busy' },
      { text: '{"jsonrpc":"2.0","id":1,"result":"0x1626ba7' },
      { id: 2 },
      { ...revert(3, 'execution reverted'), id: 2 },
      { result: '0x1626ba7' },
      // A contract can return megabytes.
      { padding: 'x'.repeat(1_000_000) },
      revert(-32_000, 'out of gas'),
      revert(-32_005, 'limit exceeded'),
      revert(-32_015, 'VM execution error.', 'Bad instruction fe'),
      revert(-32_603, 'internal error'),
      { hangs: true },
    ],
  ],
];

/** Checks of clients whose wallet is a contract. */
export const CONTRACT_WALLETS = section('clients', ['process'], {
  'may sign with a contract wallet, whose signature the chain checks': {
    proves: ['SERVICE_CLIENT_RPC_URL', 'SERVICE_CLIENT_CHAIN_ID'],
    run: (world) =>
      onChain(world, async (service, chain) => {
        const key = crypto.randomUUID();
        const { wallet } = chain;
        for (const replayed of [null, 'true']) {
          const answer = await send(service, wallet, { key });
          const end = [answer.status, answer.headers.get('idempotency-replayed')];
          assert.deepEqual(end, [201, replayed], JSON.stringify(answer.body));
        }
        const sent = sendings(service);
        expectInvalid(await send(service, wallet, { signer: BOB }), /^The contract at/);
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
  'are accepted only if their contract answers the magic word, refused for another word or a revert, else 503': {
    proves: ['client_chain_unavailable'],
    slow: true,
    run: (world) =>
      onChain(world, async (service, chain) => {
        const { wallet } = chain;
        for (const [outcome, answers] of NODE_ANSWERS) {
          for (const answer of answers) {
            const sent = sendings(service);
            chain.behave({ method: 'eth_call', ...answer });
            const { status, body, ...rest } = await send(service, wallet);
            assert.deepEqual([status, sendings(service) - sent], outcome, JSON.stringify([answer, body]));
            if (status === 503) expectUnavailable({ status, body, ...rest });
          }
        }
        // Code at the address without isValidSignature, and with that of the draft of EIP-1271.
        for (const result of ['0x', `0x20c13b0b${'0'.repeat(56)}`]) {
          chain.behave({ method: 'eth_call', result });
          expectInvalid(await send(service, wallet), /cannot check signatures \(EIP-1271\).* Use another wallet\.$/);
        }
        chain.behave({});
        const failures = controlOf(service)
          .lines()
          .filter(({ message }) => message === 'request failed');
        assert.match(JSON.stringify(failures), /eth_call: error -32005/);
        chain.behave({ method: 'eth_getCode', status: 500 });
        expectUnavailable(await send(service, NO_CONTRACT));
        const key = crypto.randomUUID();
        chain.behave({ status: 429 });
        expectUnavailable(await send(service, wallet, { key }));
        chain.behave({});
        assert.equal((await send(service, wallet, { key })).status, 201);
        await chain.stop();
        expectUnavailable(await send(service, wallet));
      }),
  },
  'may sign in the form of ERC-6492: the contract is asked about the inner signature, if it is deployed': {
    run: (world) =>
      onChain(world, async (service, chain) => {
        const { wallet } = chain;
        // viem's own encoding, with a call of the factory of 100 bytes.
        const wrapped = ({ sign: signText }: ClientWallet) => ({
          sign: async (text: string) => {
            const signature = hexOf(await signText(text));
            return serializeErc6492Signature({ address: hexOf(wallet), data: `0x${'ab'.repeat(100)}`, signature });
          },
        });
        assert.equal((await send(service, wallet, { signer: wrapped(ALICE) })).status, 201);
        expectInvalid(await send(service, wallet, { signer: wrapped(BOB) }), /^The contract at/);
        const undeployed = /: deploy the wallet first\. Chain 137 has no contract at this address\./;
        expectInvalid(await send(service, NO_CONTRACT, { signer: wrapped(ALICE) }), undeployed);
      }),
  },
  'are checked without the chain wherever that is possible': {
    run: (world) =>
      onChain(
        world,
        async (service, chain) => {
          const { wallet } = chain;
          assert.equal((await send(service, ALICE.address)).status, 201);
          for (const seconds of [-120, 1_200]) {
            expectInvalid(await send(service, wallet, { expires: secondsFromNow(seconds) }), /^The signature /);
          }
          const words = (...values: readonly number[]) => values.map((value) => `${value}`.padStart(64, '0')).join('');
          // Without values, with one that begins behind the end, and with one that ends there.
          const wrapped = ['', 'ab'.repeat(96), words(0, 0, 80, 0), words(0, 0, 60, 1)].map(
            (values) => `0x${values}${'6492'.repeat(16)}`,
          );
          for (const signature of [...wrapped, `0x${'ab'.repeat(2_049)}`, '0xabc', 'hello']) {
            expectInvalid(await send(service, wallet, { signature }), /is malformed for this kind/);
          }
          expectProblem(await send(service, NO_CONTRACT), 'client_not_allowed');
          assert.deepEqual(chain.calls, []);
          expectInvalid(await send(service, wallet, { signature: `0x${'ab'.repeat(2_048)}` }), /^The contract at/);
        },
        { SERVICE_ALLOWED_CLIENTS: `${ALICE.address}, 0x${'c0'.repeat(20)}` },
      ),
  },
  'with a contract are refused where no chain is configured, with the reason': {
    settings: { SERVICE_CLIENT_VERIFICATION: 'required' },
    run: async (world) => {
      expectInvalid(await send(world, NO_CONTRACT, { signature: `0x${'ab'.repeat(130)}` }), /is by a contract wallet/);
    },
  },
  'have one chain: a node of another chain stops the start, one that does not answer is a warning': {
    run: async (world) => {
      const { startChain } = await import('../support/chain/chain.ts');
      const chain = await startChain(ALICE.address, 8453);
      const start = (url: string, id: string) => {
        const ofChain = { SERVICE_CLIENT_RPC_URL: url, SERVICE_CLIENT_CHAIN_ID: id };
        return processOf(world).start({ SERVICE_CLIENT_VERIFICATION: 'required', ...ofChain });
      };
      await assert.rejects(start(chain.url, '137'), {
        message: 'SERVICE_CLIENT_CHAIN_ID must be the id of the chain at SERVICE_CLIENT_RPC_URL: 8453.',
      });
      await assert.rejects(start(chain.url, ''), {
        message: 'SERVICE_CLIENT_RPC_URL and SERVICE_CLIENT_CHAIN_ID go together: set both, or none.',
      });
      for (const trouble of [{ status: 429, text: 'too many' }, revert(-32_005, 'limit exceeded'), { result: 'yes' }]) {
        chain.behave(trouble);
        const service = await start(chain.url, '137');
        chain.behave({});
        // The id is compared before the first question, so that nothing is asked of another chain.
        expectUnavailable(await send(service, chain.wallet));
      }
      assert.ok(!chain.calls.includes('eth_call'));
      // No DNS has a name of this length. Providers have keys in the name of the host.
      const url = `https://a-secret-host-${'x'.repeat(64)}.example/v2/a-secret-key`;
      const nowhere = await start(url, '137');
      expectUnavailable(await send(nowhere, NO_CONTRACT));
      const lines = controlOf(nowhere).lines();
      const [warning] = lines.filter(({ message }) => message === 'client chain unavailable');
      assert.match(JSON.stringify(warning), /eth_chainId: ENOTFOUND/);
      // Node's own error has the host. In a test it is of another realm, so that the log does not show it as a cause.
      const failure = await createContractWallets(new Secret(url), 137, {})
        .checkChain()
        .catch((error: unknown) => error);
      assert.ok(!`${JSON.stringify(lines)} ${inspect(failure)}`.includes('a-secret'), 'the log has a part of the URL');
    },
  },
});
