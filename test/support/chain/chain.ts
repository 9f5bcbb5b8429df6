import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createEVM, EVMError } from '@ethereumjs/evm';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { z } from 'zod';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';

// Contracts as runtime code, written by hand: each line is an instruction or a group of them, with its meaning.

/** Ends with the word on the stack as the answer. */
const RETURN_WORD = '6000 52 6020 6000 f3';

/**
 * A wallet of one owner:
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
    ${RETURN_WORD}`;
}

/** Reverts with the error of a reason, as `require` of Solidity does: Error("no"). */
const REASON = `
    63 08c379a0 60e0 1b 6000 52              the selector of Error(string)
    6020 6004 52                             offset of the text
    6002 6024 52                             its length
    61 6e6f 60f0 1b 6044 52                  the text
    6064 6000 fd                             revert`;

/** What the contracts do with each call, by their names. */
const contractsOf = (owner: string) => ({
  wallet: walletOf(owner),
  /** `0xffffffff`, as many wallets refuse. */
  refuses: `63 ffffffff 60e0 1b ${RETURN_WORD}`,
  reverts: '6000 6000 fd',
  'reverts with a reason': REASON,
  'burns its gas': '5b 6000 56',
  'returns a megabyte': '62 100000 6000 f3',
  'breaks off': 'fe',
  /** Takes any call, as the fallback of a contract without `isValidSignature` may. */
  'returns nothing': '00',
});

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

const PATH = '/v2/a-secret-key/?of=a-secret-key';
const LOGIN = `Basic ${btoa('name:a-secret-key')}`;

/** Starts a node of a chain with one contract of each kind, on an EVM. `owner`: of the wallet. */
export async function startChain(owner: string, chainId = 137) {
  const evm = await createEVM();
  const entries = Object.entries(contractsOf(owner)).map(([name, code], index) => {
    return { name, code, at: `0x${'c0'.repeat(19)}${String(index).padStart(2, '0')}` as const };
  });
  for (const { code, at } of entries) {
    await evm.stateManager.putCode(createAddressFromString(at), hexToBytes(assemble(code)));
  }
  const addresses = Object.fromEntries(entries.map(({ name, at }) => [name, at]));
  const calls: string[] = [];
  let trouble: Trouble = {};

  async function call({ to, data, gas }: z.infer<typeof transaction>): Promise<object> {
    const run = { to: createAddressFromString(to), data: hexToBytes(data), gasLimit: BigInt(gas) };
    const { returnValue, exceptionError } = (await evm.runCall(run)).execResult;
    const result = bytesToHex(returnValue);
    if (!exceptionError) return { result };
    // Nodes agree on code 3 where a contract gives a reason, and not on the words.
    if (exceptionError.error !== EVMError.errorMessages.REVERT)
      return { error: { code: -32000, message: exceptionError.error } };
    if (result === '0x') return { error: { code: -32000, message: 'execution reverted' } };
    return { error: { code: 3, message: 'VM execution error', data: result } };
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
    addressOf: (name: keyof ReturnType<typeof contractsOf>) => String(addresses[name]),
    /** The methods that were called. */
    calls,
    behave: (next: Trouble) => {
      trouble = next;
    },
    stop: () => shut(server),
  };
}
