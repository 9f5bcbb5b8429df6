import { hash } from 'node:crypto';

type Part = string | number;

/** Hashes the parts (SHA-256, in hex). All that the paper venue invents comes from here, so equal seeds give equal venues. */
function hexDigest(parts: readonly Part[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** Returns the digest of the parts as bytes. */
export function digest(...parts: readonly Part[]): Buffer {
  return Buffer.from(hexDigest(parts), 'hex');
}

/** Returns 0x and the first `bytes` bytes of the digest in hex (32 for ids and hashes, 20 for addresses). */
export function hexOf(bytes: number, ...parts: readonly Part[]): string {
  return `0x${hexDigest(parts).slice(0, 2 * bytes)}`;
}

/** Creates a UUID of the shape that the venue uses for API keys and trades. */
export function uuidOf(...parts: readonly Part[]): string {
  const hex = hexDigest(parts);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Creates a reproducible stream of integers: each call returns one from `low` to `high`, both included. */
export function integers(...parts: readonly Part[]): (low: number, high: number) => number {
  let calls = 0;
  return (low, high) => {
    calls += 1;
    return low + (Number.parseInt(hexDigest([...parts, calls]).slice(0, 8), 16) % (high - low + 1));
  };
}
