import { expect, it } from '@jest/globals';
import { SigningKey } from 'ethers';
import fc from 'fast-check';
import { privateKeyToAddress } from 'viem/accounts';
import { Secret } from '../../../shared/secret.ts';
import { openWallet } from '../../../shared/wallets/evm-key.ts';

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** Values at the edges among those in between. */
function scalar(min: bigint, max: bigint) {
  const edges = [min, min + 1n, N / 2n, N - 1n, N, N + 1n, max - 1n, max].filter((edge) => edge <= max);
  return fc
    .oneof(fc.bigInt(min, max), fc.constantFrom(...edges), fc.bigInt(min, 2n ** 64n))
    .map((value) => `0x${value.toString(16).padStart(64, '0')}` as const);
}

it('has the address that viem computes, and signs any digest to the byte as ethers does', async () => {
  const vs = new Set<string>();
  const check = fc.asyncProperty(scalar(1n, N - 1n), scalar(0n, 2n ** 256n - 1n), async (secret, digest) => {
    const wallet = openWallet(new Secret(secret));
    expect(wallet.address).toBe(privateKeyToAddress(secret));
    const signature = await wallet.sign(digest);
    expect(signature).toBe(new SigningKey(secret).sign(digest).serialized);
    vs.add(signature.slice(-2));
  });
  await fc.assert(check, { numRuns: 200 });
  expect([...vs].toSorted()).toStrictEqual(['1b', '1c']);
});
