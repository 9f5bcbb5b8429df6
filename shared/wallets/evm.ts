import { getAddress } from 'ethers/address';
import { verifyMessage } from 'ethers/hash';
import type { WalletKind } from './kind.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** EIP-2098 and other lengths, which contracts use, do not match; nor does a `v` of 0, 1 or of EIP-155. */
const SIGNATURE = /^0x[0-9a-fA-F]{64}(?<s>[0-9a-fA-F]{64})1[bcBC]$/;

/** Half of the order of secp256k1: of the two signatures that anybody can make of one, only the lower is taken (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Accounts of EVM chains that have a key: EIP-191 `personal_sign`. */
export const EVM: WalletKind = {
  canonicalAddress: (text) => {
    try {
      return ADDRESS.test(text) ? getAddress(text) : undefined;
    } catch {
      // Letters in both cases that are not the checksum (EIP-55): a digit is wrong.
      return undefined;
    }
  },
  check: (signature, { text, address }) => {
    const s = SIGNATURE.exec(signature)?.groups?.['s'];
    if (s === undefined || BigInt(`0x${s}`) > MAX_S) return 'malformed';
    try {
      return verifyMessage(text, signature) === address ? 'valid' : 'foreign';
    } catch {
      // No point of the curve: nobody's signature.
      return 'foreign';
    }
  },
};
