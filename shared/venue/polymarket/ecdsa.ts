import { createECDH, createHmac, randomInt } from 'node:crypto';
import { CURVE_ORDER } from '../../credentials.ts';
import type { Secret } from '../../secret.ts';

/**
 * Signatures on secp256k1 with the multiplication of a point by Node's own OpenSSL. That of ethers computes tables of 4,000
 * points before its first signature, which was half of a start and of a first order. Deterministic (RFC 6979), and to the
 * byte those of ethers, which the tests compare.
 */
export interface EcdsaKey {
  /** Hex of the uncompressed point with `0x`: 65 bytes. */
  readonly publicKey: string;
  /** Signs a digest of 32 bytes (hex with `0x`): r, the lower s and v (27 or 28) as 65 bytes of hex with `0x`. */
  sign(digest: string): string;
}

function toHex(scalar: bigint): string {
  return scalar.toString(16).padStart(64, '0');
}

/** Gives the nonces for a key and a digest in their order (RFC 6979, 3.2); the first one does. */
function* nonces(key: bigint, digest: bigint): Generator<bigint, never> {
  const seed = Buffer.from(toHex(key) + toHex(digest % CURVE_ORDER), 'hex');
  const hmac = (secret: Buffer, ...parts: readonly Buffer[]) =>
    createHmac('sha256', secret).update(Buffer.concat(parts)).digest();
  let [secret, value] = [Buffer.alloc(32, 0), Buffer.alloc(32, 1)];
  const next = (...parts: readonly Buffer[]) => {
    secret = hmac(secret, value, ...parts);
    value = hmac(secret, value);
  };
  next(Buffer.of(0), seed);
  next(Buffer.of(1), seed);
  for (;;) {
    value = hmac(secret, value);
    const nonce = BigInt(`0x${value.toString('hex')}`);
    if (nonce > 0n && nonce < CURVE_ORDER) yield nonce;
    next(Buffer.of(0));
  }
}

/** Gives the inverse of a number modulo the curve's order, by Euclid's algorithm. */
function inverse(scalar: bigint): bigint {
  let [a, b, u, v] = [scalar, CURVE_ORDER, 1n, 0n];
  while (a > 0n) {
    const quotient = b / a;
    [a, b, u, v] = [b - quotient * a, a, v - quotient * u, u];
  }
  return ((v % CURVE_ORDER) + CURVE_ORDER) % CURVE_ORDER;
}

/** Takes a key that is above zero and below the curve's order. */
export function openEcdsaKey(privateKey: Secret): EcdsaKey {
  const key = BigInt(privateKey.reveal());
  const curve = createECDH('secp256k1');
  const multiply = (scalar: bigint) => {
    curve.setPrivateKey(toHex(scalar), 'hex');
    return curve.getPublicKey('hex');
  };
  return {
    publicKey: `0x${multiply(key)}`,
    sign: (digest) => {
      const message = BigInt(digest);
      for (const nonce of nonces(key, message)) {
        const point = multiply(nonce);
        const r = BigInt(`0x${point.slice(2, 66)}`);
        // Blinded, so that the time of the division says nothing about the nonce.
        const blind = BigInt(randomInt(1, 2 ** 47));
        const s = (inverse((nonce * blind) % CURVE_ORDER) * blind * (message + r * key)) % CURVE_ORDER;
        // Nobody has met one of these: their chance is below one in 2 ** 127.
        if (r >= CURVE_ORDER || s === 0n) continue;
        const isHigh = s > CURVE_ORDER / 2n;
        const isOdd = (Number.parseInt(point.slice(-1), 16) & 1) === 1;
        return `0x${toHex(r)}${toHex(isHigh ? CURVE_ORDER - s : s)}${isOdd === isHigh ? '1b' : '1c'}`;
      }
      throw new Error('the nonces of a signature never end');
    },
  };
}
