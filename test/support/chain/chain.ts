import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createEVM, EVMError } from '@ethereumjs/evm';
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util';
import { z } from 'zod';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { assemble, type ContractName, contractsOf } from './contracts.ts';

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
  readonly error?: { readonly code: number; readonly message: string };
  readonly hangs?: true;
  /** Of one method; default: of all. */
  readonly method?: string;
}

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
    calls.push(body.method);
    const { status = 200, text, error, hangs, method = body.method } = trouble;
    const isTroubled = method === body.method;
    if (isTroubled && hangs) return;
    const answer = isTroubled && error ? { error } : await answerTo(body);
    response.writeHead(isTroubled ? status : 200, { 'content-type': 'application/json' });
    response.end(isTroubled && text !== undefined ? text : JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }));
  });
  return {
    /** With a key in its path, as providers have it. */
    url: `${await listenOnLoopback(server)}/v2/a-secret-key-of-a-provider`,
    addressOf: (name: ContractName) => String(addresses[name]),
    /** The methods that were called. */
    calls,
    behave: (next: Trouble) => {
      trouble = next;
    },
    stop: () => shut(server),
  };
}
