import { getAddress } from 'ethers/address';
import { hashMessage } from 'ethers/hash';
import { recoverAddress } from './evm-key.ts';

/** A signature with a `v` of 27 or 28. */
const SIGNATURE = /^(?<rs>0x[0-9a-fA-F]{64}(?<s>[0-9a-fA-F]{64}))1(?<v>[bcBC])$/;

/** Half of the order of secp256k1: every signature has two forms, of which only the lower s is accepted (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Accounts of EVM chains that have a key: EIP-191 `personal_sign`. */
export const EVM = {
  canonicalAddress: (text: string) => {
    // For ethers, an address may also be without its `0x`, or an IBAN.
    if (!/^0x/.test(text)) return undefined;
    try {
      return getAddress(text);
    } catch {
      // Not an address, or one in mixed case whose checksum (EIP-55) fails: a digit is wrong.
      return undefined;
    }
  },
  messageHash: (text: string) => hashMessage(Buffer.from(text)),
  check: (signature: string, { text, address }: { readonly text: string; readonly address: string }) => {
    const { rs = '', s = '', v = '' } = SIGNATURE.exec(signature)?.groups ?? {};
    if (rs === '' && /^0x[0-9a-fA-F]{128}0[01]$/.test(signature)) return 'low_v';
    // Contracts sign with more bytes than a key (EIP-1271, EIP-6492).
    if (rs === '' && /^0x(?:[0-9a-fA-F]{2}){66,}$/.test(signature)) return 'contract';
    if (rs === '' || BigInt(`0x${s}`) > MAX_S) return 'malformed';
    const signer = recoverAddress(hashMessage(Buffer.from(text)), rs, v.toLowerCase() === 'b' ? 0 : 1);
    return signer === address ? 'valid' : 'foreign';
  },
};
