import { CLIENT_CHAIN_MS } from '../limits.ts';
import type { ProxyEnv } from '../proxy.ts';
import type { Secret } from '../secret.ts';
import { ConfigError } from '../settings/formats.ts';
import { createRpc } from './json-rpc.ts';

/** `isValidSignature(bytes32,bytes)` and the first word of its answer (https://eips.ethereum.org/EIPS/eip-1271). */
const SELECTOR = '1626ba7e';
const MAGIC_WORD = SELECTOR.padEnd(64, '0');
/** What a contract of the draft of EIP-1271 answers, whose `isValidSignature` takes the text in place of its hash. */
const DRAFT_WORD = '20c13b0b'.padEnd(64, '0');
/** A passkey takes some 350,000. A contract that burns gas costs the node no more than this. */
const GAS = '0x2dc6c0';
/** Up to 2048 bytes: a Safe of 20 owners signs with 1,301. A Safe that has approved the text on its chain takes none. */
const SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){0,2048}$/;
/** Ends a signature in the form for wallets that may not be deployed yet (https://eips.ethereum.org/EIPS/eip-6492). */
const ERC_6492 = /(?:6492){16}$/;
const HEX = /^0x(?:[0-9a-f]{2})*$/i;

/** A signature by the contract at an address over a hash, in hex with `0x`. */
interface ContractSignature {
  readonly signature: string;
  readonly hash: string;
  readonly address: string;
}

/** Encodes the call of `isValidSignature` as the ABI does: hash, offset and length of the bytes, the bytes in whole words. */
function encodeCall({ hash, signature }: ContractSignature): string {
  const bytes = signature.slice(2);
  const word = (value: number) => value.toString(16).padStart(64, '0');
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x${SELECTOR}${hash.slice(2)}${word(64)}${word(bytes.length / 2)}${padded}`;
}

/**
 * Returns the signature that a deployed contract is asked about, of one in the form of ERC-6492 the inner one. Returns
 * `undefined` if it is malformed.
 */
export function contractSignature(signature: string): string | undefined {
  if (!SIGNATURE.test(signature)) return undefined;
  if (!ERC_6492.test(signature)) return signature;
  // As the ABI encodes three values: the factory's address, the call of the factory, and the inner signature as bytes.
  const digits = signature.slice(2, -64);
  const numberAt = (start: number) => Number(`0x${digits.slice(start, start + 64)}`);
  const start = 2 * numberAt(128);
  const inner = digits.slice(start + 64);
  const length = 2 * numberAt(start);
  return length <= inner.length ? `0x${inner.slice(0, length)}` : undefined;
}

/**
 * Creates the check of signatures by contracts on the clients' chain (EIP-1271). Its calls are asked at the newest block,
 * each once. They reject, with a cause for the log, where the chain gives no verdict within `CLIENT_CHAIN_MS`.
 */
export function createContractWallets(rpcUrl: Secret, chainId: number, proxyEnv: ProxyEnv) {
  const call = createRpc(rpcUrl, proxyEnv);
  let isRight = false;

  /**
   * Compares the id of the chain until it has matched once: an address may have other owners on another chain. Throws
   * `ConfigError` for another chain, any other error where the node gives no id.
   */
  async function requireChain(deadline: number): Promise<void> {
    if (isRight) return;
    const answer = await call('eth_chainId', [], deadline);
    const found = 'result' in answer ? Number(answer.result) : Number.NaN;
    if (Number.isNaN(found)) throw new Error('eth_chainId: no id');
    isRight = found === chainId;
    if (isRight) return;
    throw new ConfigError(`SERVICE_CLIENT_CHAIN_ID must be the id of the chain at SERVICE_CLIENT_RPC_URL: ${found}.`);
  }

  async function hasCode(address: string, deadline: number): Promise<boolean> {
    const answer = await call('eth_getCode', [address, 'latest'], deadline);
    if ('result' in answer && HEX.test(answer.result)) return answer.result !== '0x';
    throw new Error('eth_getCode: no code');
  }

  return {
    chainId,
    checkChain: () => requireChain(performance.now() + CLIENT_CHAIN_MS),
    /**
     * Asks the contract at the address. `refused`: by the contract. `no_check`: it has no check of signatures. `no_code`: there
     * is no contract on this chain.
     */
    async check(signed: ContractSignature): Promise<'valid' | 'refused' | 'no_check' | 'no_code'> {
      const deadline = performance.now() + CLIENT_CHAIN_MS;
      await requireChain(deadline);
      const transaction = { to: signed.address, data: encodeCall(signed), gas: GAS };
      const answer = await call('eth_call', [transaction, 'latest'], deadline);
      if ('error' in answer) {
        // Geth reports a revert with a reason as code 3. Other nodes name it in the message or somewhere in `data`.
        const { code } = answer.error;
        if (code === 3 || /revert/i.test(JSON.stringify(answer.error))) return 'refused';
        throw new Error(`eth_call: error ${code}`);
      }
      const { result } = answer;
      if (!HEX.test(result)) throw new Error('eth_call: no bytes');
      if (result === '0x') return (await hasCode(signed.address, deadline)) ? 'no_check' : 'no_code';
      const word = result.slice(2, 66).toLowerCase();
      if (word === DRAFT_WORD) return 'no_check';
      return word === MAGIC_WORD ? 'valid' : 'refused';
    },
  };
}

export type ContractWallets = ReturnType<typeof createContractWallets>;
