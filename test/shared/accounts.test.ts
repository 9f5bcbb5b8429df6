import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getAddress, isAddress } from 'viem';
import { deriveAccounts } from '../../shared/accounts.ts';

/** The address with which the official SDK tests its own derivation, and one with accounts on the chain. */
const KNOWN = [
  {
    signer: '0x0000000000000000000000000000000000000001',
    beacon: '0x94bf330955a0b957662feaf878de77bf25f76cd9',
    uups: '0x57ffbc34de23124faeb8387fcd689d314e57accd',
    safe: '0x766b6851a199bf91ae3fa13b1cfac5187355118f',
    proxy: '0x7754536ecd85c00b2e0cf9c1aa679340d8550756',
  },
  {
    signer: '0xec61677883418ab16ecc0ce35113635cf5a753f9',
    beacon: '0xc673f11512c3ae2f67f07f953defc0e65b1c8e97',
    safe: '0x619d9447990dfdd92133fc8fcfdb1fe799a8d829',
    proxy: '0xea9a50807c989ce908d31603a9bf34d2e504360d',
  },
] as const;

/** The accounts of a key by their names, in their order. */
function named(signer: string): Record<string, string> {
  const accounts = deriveAccounts(signer);
  return Object.fromEntries(
    accounts.map(({ signatureType, address, generation = signatureType }) => [generation, address]),
  );
}

describe('the accounts of a key', () => {
  it.each(KNOWN)('of $signer are those that the venue gives it', ({ signer, ...expected }) => {
    const lower = Object.entries(named(signer)).map(([name, address]) => [name, address.toLowerCase()]);
    expect(Object.fromEntries(lower)).toMatchObject({ eoa: signer, ...expected });
  });

  it('come in the order in which the official SDK tells the kind', () => {
    expect(
      deriveAccounts(KNOWN[0].signer).map(({ signatureType, generation }) => [signatureType, generation]),
    ).toStrictEqual([
      ['eoa', undefined],
      ['deposit-wallet', 'beacon'],
      ['deposit-wallet', 'uups'],
      ['safe', undefined],
      ['proxy', undefined],
    ]);
  });

  it('are five, with their checksums, and no other key has them', () => {
    const addresses = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
    fc.assert(
      fc.property(fc.uniqueArray(addresses, { minLength: 2, maxLength: 2 }), (signers) => {
        const all = signers.flatMap((signer) => deriveAccounts(signer).map(({ address }) => address));
        expect(new Set(all).size).toBe(10);
        expect(all.every((address) => isAddress(address, { strict: true }))).toBe(true);
        expect(signers.flatMap((signer) => Object.values(named(getAddress(signer))))).toStrictEqual(all);
      }),
    );
  });

  it.each(['', '0x', KNOWN[1].signer.slice(2, -1), `0xEc${KNOWN[1].signer.slice(4)}`, 'alice.eth'])(
    'are none for a text that is no address: %j',
    (text) => {
      expect(() => deriveAccounts(text)).toThrow(TypeError);
    },
  );
});
