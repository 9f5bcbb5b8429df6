/** Which of the venue's two protocols a token belongs to; it decides under which EIP-712 domain an order is signed. */
export type Protocol = 'v1' | 'v2';

/** The 64 reserved bits of a v2 position id, all zero; no v1 token id has them so (the venue's own clients rely on it). */
const RESERVED_BITS = (2n ** 64n - 1n) << 40n;

/** The protocol of a token, from its id alone. */
export function protocolOf(tokenId: string): Protocol {
  return (BigInt(tokenId) & RESERVED_BITS) === 0n ? 'v2' : 'v1';
}
