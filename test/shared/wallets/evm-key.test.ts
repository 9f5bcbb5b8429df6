import { describe, expect, it } from '@jest/globals';
import { SigningKey } from 'ethers';
import fc from 'fast-check';
import { privateKeyToAddress } from 'viem/accounts';
import { Secret } from '../../../shared/secret.ts';
import { openWallet } from '../../../shared/wallets/evm-key.ts';

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const MAX_DIGEST = 2n ** 256n - 1n;
const hex = (scalar: bigint) => `0x${scalar.toString(16).padStart(64, '0')}` as const;

/** Values at the edges among those in between. */
function scalar(min: bigint, max: bigint) {
  const edges = fc.constantFrom(min, min + 1n, CURVE_ORDER / 2n, CURVE_ORDER - 1n, max - 1n, max);
  const small = fc.bigInt(min, 2n ** 64n);
  return fc.oneof({ weight: 8, arbitrary: fc.bigInt(min, max) }, edges, small).map(hex);
}

const key = scalar(1n, CURVE_ORDER - 1n);
const digest = scalar(0n, MAX_DIGEST);

describe('a wallet', () => {
  it('has the address that viem computes for its key', () => {
    const check = fc.property(key, (secret) => {
      expect(openWallet(new Secret(secret)).address).toBe(privateKeyToAddress(secret));
    });
    fc.assert(check, { numRuns: 300 });
  });

  it('signs any digest to the byte as ethers does', async () => {
    const vs = new Set<string>();
    const check = fc.asyncProperty(key, digest, async (secret, message) => {
      const signature = await openWallet(new Secret(secret)).sign(message);
      expect(signature).toBe(new SigningKey(secret).sign(message).serialized);
      vs.add(signature.slice(-2));
    });
    await fc.assert(check, { numRuns: 400 });
    expect([...vs].toSorted()).toStrictEqual(['1b', '1c']);
  });

  it.each([0n, 1n, CURVE_ORDER - 1n, CURVE_ORDER, CURVE_ORDER + 1n, MAX_DIGEST])(
    'signs the digest %s as ethers does',
    async (message) => {
      for (const secret of [1n, 2n, CURVE_ORDER - 1n].map(hex)) {
        const ours = await openWallet(new Secret(secret)).sign(hex(message));
        expect(ours).toBe(new SigningKey(secret).sign(hex(message)).serialized);
      }
    },
  );
});
