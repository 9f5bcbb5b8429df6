// Not ethers, which loads 40 modules and a curve with its hash: a start waits for them.
import { keccak_256 } from '@noble/hashes/sha3.js';

/** Hashes bytes, or hex with `0x`, into 32 bytes of hex with `0x`. */
export function keccak256(data: Uint8Array | string): string {
  const bytes = typeof data === 'string' ? Buffer.from(data.slice(2), 'hex') : data;
  return `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`;
}

/**
 * Writes an address with its checksum: a letter is a capital where the hash of the address in lower case has a digit of 8
 * or more (EIP-55). Throws a `TypeError` for what is no address, and for letters of both cases that are not the checksum.
 */
export function toAddress(text: string): string {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new TypeError('no address: 0x and 40 hex digits');
  const digits = text.slice(2).toLowerCase();
  const hash = keccak256(Buffer.from(digits));
  const letters = [...digits].map((digit, index) =>
    Number.parseInt(hash[index + 2] ?? '', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  const address = `0x${letters.join('')}`;
  const isMixed = /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text);
  if (isMixed && text !== address) throw new TypeError('an address with a wrong checksum');
  return address;
}

/** Computes an address from what it stands for: the last 20 bytes of the hash. */
function addressOfHash(data: Uint8Array | string): string {
  return toAddress(`0x${keccak256(data).slice(-40)}`);
}

/** Computes the address of a public key, a point of 65 bytes. */
export function publicKeyAddress(point: Uint8Array): string {
  // Without the byte that says that it is not compressed.
  return addressOfHash(point.subarray(1));
}

/** Computes the address of a contract that a factory makes (CREATE2, EIP-1014); all are hex with `0x`. */
export function create2Address(factory: string, salt: string, codeHash: string): string {
  return addressOfHash(concat(['0xff', factory, salt, codeHash]));
}

/** Joins hex with `0x`. */
export function concat(parts: readonly string[]): string {
  return `0x${parts.map((part) => part.slice(2)).join('')}`;
}
