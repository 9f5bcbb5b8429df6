import { recover } from 'tiny-secp256k1';
import { keccak256, publicKeyAddress, toAddress } from '../evm/address.ts';
import type { WalletKind } from './kind.ts';

/** EIP-2098 and other lengths, which contracts use, do not match; nor does a `v` of 0, 1 or of EIP-155. */
const SIGNATURE = /^0x(?<rs>[0-9a-fA-F]{64}(?<s>[0-9a-fA-F]{64}))1(?<v>[bcBC])$/;

/** Half of the order of secp256k1: of the two signatures that anybody can make of one, only the lower is taken (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Hashes a text as wallets do before they sign it (EIP-191). */
function hashMessage(text: string): Buffer {
  const hash = keccak256(Buffer.from(`\x19Ethereum Signed Message:\n${Buffer.byteLength(text)}${text}`));
  return Buffer.from(hash.slice(2), 'hex');
}

/** Recovers the address of the signer (EIP-55); `undefined` for nobody's signature. */
function recoverSigner(text: string, rs: string, recoveryId: 0 | 1): string | undefined {
  try {
    const point = recover(hashMessage(text), Buffer.from(rs, 'hex'), recoveryId, false);
    return point ? publicKeyAddress(point) : undefined;
  } catch {
    // No point of the curve.
    return undefined;
  }
}

/** Accounts of EVM chains that have a key: EIP-191 `personal_sign`. */
export const EVM: WalletKind = {
  canonicalAddress: (text) => {
    try {
      return toAddress(text);
    } catch {
      // No address; or its letters, in both cases, are not the checksum (EIP-55): a digit is wrong.
      return undefined;
    }
  },
  check: (signature, { text, address }) => {
    const { rs = '', s = '', v = '' } = SIGNATURE.exec(signature)?.groups ?? {};
    if (rs === '' || BigInt(`0x${s}`) > MAX_S) return 'malformed';
    return recoverSigner(text, rs, v.toLowerCase() === 'b' ? 0 : 1) === address ? 'valid' : 'foreign';
  },
};
