import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Interface, recoverAddress, zeroPadBytes } from 'ethers';
import { z } from 'zod';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';

const ABI = new Interface(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** The answer of a contract wallet to a call: the magic value for a signature of its owner. `undefined`: it reverts. */
function answerOfWallet(owner: string, data: string): string | undefined {
  const [hash, signature] = ABI.parseTransaction({ data })?.args ?? [];
  if (hash === undefined) return undefined;
  try {
    const isOwners = recoverAddress(hash, signature) === owner;
    return zeroPadBytes(isOwners ? '0x1626ba7e' : '0x', 32);
  } catch {
    return zeroPadBytes('0x', 32);
  }
}

const hex = z.string().regex(/^0x[0-9a-f]*$/i);
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .toLowerCase();
const transaction = z.strictObject({ to: address, data: hex, gas: hex });
const request = z.discriminatedUnion('method', [
  z.object({ method: z.literal('eth_chainId') }),
  z.object({ method: z.literal('eth_getCode'), params: z.tuple([address, z.literal('latest')]) }),
  z.object({ method: z.literal('eth_call'), params: z.tuple([transaction, z.literal('latest')]) }),
]);

/** What a node says in place of its answer. */
export interface Trouble {
  readonly status?: number;
  readonly text?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly result?: string;
  readonly id?: unknown;
  /** A further member of the answer. */
  readonly padding?: string;
  readonly hangs?: true;
  /** Of one method; default: of all. */
  readonly method?: string;
}

const WALLET = `0x${'c0'.repeat(20)}` as const;
const PATH = '/v2/a-secret-key/?of=a-secret-key';
const LOGIN = `Basic ${btoa('name:a-secret-key')}`;

/** Starts a node of a chain with a wallet of one owner. */
export async function startChain(owner: string, chainId = 137) {
  const calls: string[] = [];
  let trouble: Trouble = {};

  function answerTo(body: z.infer<typeof request>): object {
    if (body.method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` };
    if (body.method === 'eth_getCode') return { result: body.params[0] === WALLET ? '0x60' : '0x' };
    const [{ to, data }] = body.params;
    if (to !== WALLET) return { result: '0x' };
    const result = answerOfWallet(owner, data);
    return result === undefined ? { error: { code: 3, message: 'execution reverted' } } : { result };
  }

  const server = createServer(async (incoming, response) => {
    const body = request.parse(await json(incoming));
    if (incoming.url !== PATH || incoming.headers.authorization !== LOGIN) throw new Error('The URL is another one.');
    calls.push(body.method);
    const said: Trouble = (trouble.method ?? body.method) === body.method ? trouble : {};
    const { status = 200, text, hangs, method: _, ...changes } = said;
    if (hangs) return;
    const answer = 'error' in changes ? {} : answerTo(body);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text ?? JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer, ...changes }));
  });
  const url = await listenOnLoopback(server);
  // It ends with the tests, also where a red one did not stop it.
  server.unref();
  return {
    /** With a key in each part, as one or the other provider has it. */
    url: url.replace('//', '//name:a-secret-key@') + PATH,
    wallet: WALLET,
    /** The methods that were called. */
    calls,
    behave: (next: Trouble) => {
      trouble = next;
    },
    stop: () => shut(server),
  };
}
