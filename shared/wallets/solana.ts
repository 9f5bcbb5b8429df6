import { createPublicKey, verify } from 'node:crypto';
import { decodeBase58, encodeBase58 } from 'ethers/utils';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Base58 of 32 and of 64 bytes, by length. */
const BASE58 = { [KEY_BYTES]: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, [SIGNATURE_BYTES]: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/ };

/** Returns the bytes of a base58 text; `undefined` unless the text is the one way to write exactly `length` bytes. */
function fromBase58(text: string, length: keyof typeof BASE58): Buffer | undefined {
  if (!BASE58[length].test(text)) return undefined;
  const digits = decodeBase58(text).toString(16);
  const bytes = Buffer.from(digits.padStart(2 * length, '0'), 'hex');
  return bytes.length === length && encodeBase58(bytes) === text ? bytes : undefined;
}

const P = 2n ** 255n - 19n;
/** The y of two points of order 8; the other two have its negative. */
const Y_OF_ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/**
 * The y of the eight points of small order. Anyone can sign for such a key, and one signature fits many texts. Some
 * versions of OpenSSL accept them.
 */
const WEAK: ReadonlySet<bigint> = new Set([0n, 1n, P - 1n, Y_OF_ORDER_8, P - Y_OF_ORDER_8]);

/** Returns true for a key with which only its holder can sign, in its one encoding: a y below the prime. */
function isSound(key: Buffer): boolean {
  const y = BigInt(`0x${Buffer.from(key).reverse().toString('hex')}`) & (2n ** 255n - 1n);
  return y < P && !WEAK.has(y);
}

/** Accounts of Solana that have a key: ed25519 over the bytes of the text, address and signature in base58. */
export const SOLANA = {
  canonicalAddress: (text: string) => {
    const key = fromBase58(text, KEY_BYTES);
    return key && isSound(key) ? text : undefined;
  },
  check: (signature: string, { text, address }: { readonly text: string; readonly address: string }) => {
    const bytes = fromBase58(signature, SIGNATURE_BYTES);
    const x = fromBase58(address, KEY_BYTES);
    if (!bytes || !x) return 'no_base58';
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: x.toString('base64url') }, format: 'jwk' });
    // OpenSSL refuses an s that is not below the order of the curve, so that no signature has a second form.
    return verify(null, Buffer.from(text), key, bytes) ? 'valid' : 'foreign_bytes';
  },
};
