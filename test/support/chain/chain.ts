import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createEVM } from '@ethereumjs/evm';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { z } from 'zod';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';

/**
 * A wallet of one owner, as runtime code: each line is an instruction or a group of them, with its meaning.
 *
 *   function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
 *     return ecrecover(hash, v, r, s) == OWNER ? 0x1626ba7e : bytes4(0);
 *   }
 */
function walletOf(owner: string): string {
  return `
    6000 35 60e0 1c 63 1626ba7e 14 6014 57   if the selector is not that of isValidSignature
    6000 6000 fd 5b                          revert without data
    6004 35 6000 52                          memory 0x00: the hash
    60a4 35 60f8 1c 6020 52                  memory 0x20: v, the byte after r and s
    6064 35 6040 52                          memory 0x40: r
    6084 35 6060 52                          memory 0x60: s
    6020 6080 6080 6000 6001 5a fa 50        ecrecover, its answer to memory 0x80
    6080 51 73 ${owner.slice(2)} 14          1 for the owner, else 0
    63 1626ba7e 02 60e0 1b                   times the magic value, in the first four bytes
    6000 52 6020 6000 f3                     the answer: the word on the stack`;
}

/** Reads code with comments: of each line, the groups of hex digits before its first word. */
function assemble(code: string): `0x${string}` {
  const lines = code.split('\n').map((line) => /^\s*((?:[0-9a-fA-F]{2,40}(?:\s|$))*)/.exec(line)?.[1] ?? '');
  return `0x${lines.join('').replaceAll(/\s/g, '')}`;
}

const hex = z.custom<`0x${string}`>((value) => /^0x[0-9a-f]*$/i.test(String(value)));
const address = z.custom<`0x${string}`>((value) => /^0x[0-9a-f]{40}$/i.test(String(value)));
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

/** Starts a node of a chain with a wallet of one owner, on an EVM. */
export async function startChain(owner: string, chainId = 137) {
  const evm = await createEVM();
  await evm.stateManager.putCode(createAddressFromString(WALLET), hexToBytes(assemble(walletOf(owner))));
  const calls: string[] = [];
  let trouble: Trouble = {};

  async function call({ to, data, gas }: z.infer<typeof transaction>): Promise<object> {
    const run = { to: createAddressFromString(to), data: hexToBytes(data), gasLimit: BigInt(gas) };
    const { returnValue } = (await evm.runCall(run)).execResult;
    return { result: bytesToHex(returnValue) };
  }

  async function answerTo(body: z.infer<typeof request>): Promise<object> {
    if (body.method === 'eth_chainId') return { result: `0x${chainId.toString(16)}` };
    if (body.method === 'eth_call') return call(body.params[0]);
    return { result: bytesToHex(await evm.stateManager.getCode(createAddressFromString(body.params[0]))) };
  }

  const server = createServer(async (incoming, response) => {
    const body = request.parse(await json(incoming));
    if (incoming.url !== PATH || incoming.headers.authorization !== LOGIN) throw new Error('The URL is another one.');
    calls.push(body.method);
    const said: Trouble = (trouble.method ?? body.method) === body.method ? trouble : {};
    const { status = 200, text, hangs, method: _, ...changes } = said;
    if (hangs) return;
    const answer = 'error' in changes ? {} : await answerTo(body);
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
