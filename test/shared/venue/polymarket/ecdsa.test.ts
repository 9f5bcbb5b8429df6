import { describe, expect, it } from '@jest/globals';
import { SigningKey } from 'ethers';
import fc from 'fast-check';
import { CURVE_ORDER } from '../../../../shared/credentials.ts';
import { Secret } from '../../../../shared/secret.ts';
import { openEcdsaKey } from '../../../../shared/venue/polymarket/ecdsa.ts';

const hex = (scalar: bigint) => `0x${scalar.toString(16).padStart(64, '0')}`;
const MAX_DIGEST = 2n ** 256n - 1n;

/** Values at the edges among those in between. */
function scalar(min: bigint, max: bigint) {
  const edges = fc.constantFrom(min, min + 1n, CURVE_ORDER / 2n, CURVE_ORDER - 1n, max - 1n, max);
  const small = fc.bigInt(min, 2n ** 64n);
  return fc.oneof({ weight: 8, arbitrary: fc.bigInt(min, max) }, edges, small).map(hex);
}

const key = scalar(1n, CURVE_ORDER - 1n);
const digest = scalar(0n, MAX_DIGEST);

describe('a key', () => {
  it('has the public key of ethers', () => {
    const check = fc.property(key, (secret) => {
      expect(openEcdsaKey(new Secret(secret)).publicKey).toBe(new SigningKey(secret).publicKey);
    });
    fc.assert(check, { numRuns: 300 });
  });

  it('signs any digest to the byte as ethers does', () => {
    const vs = new Set<string>();
    const check = fc.property(key, digest, (secret, message) => {
      const signature = openEcdsaKey(new Secret(secret)).sign(message);
      expect(signature).toBe(new SigningKey(secret).sign(message).serialized);
      vs.add(signature.slice(-2));
    });
    fc.assert(check, { numRuns: 1_500 });
    expect([...vs].toSorted()).toStrictEqual(['1b', '1c']);
  });

  it.each([0n, 1n, CURVE_ORDER - 1n, CURVE_ORDER, CURVE_ORDER + 1n, MAX_DIGEST])(
    'signs the digest %s as ethers does',
    (message) => {
      for (const secret of [1n, 2n, CURVE_ORDER - 1n].map(hex)) {
        const ours = openEcdsaKey(new Secret(secret)).sign(hex(message));
        expect(ours).toBe(new SigningKey(secret).sign(hex(message)).serialized);
      }
    },
  );

  it('gives the same signature whatever was signed before', () => {
    const { sign } = openEcdsaKey(new Secret(hex(0x5dn)));
    const first = sign(hex(7n));
    sign(hex(8n));
    expect(sign(hex(7n))).toBe(first);
  });
});
