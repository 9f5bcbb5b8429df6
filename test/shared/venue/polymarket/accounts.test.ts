import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getAddress, isAddress } from 'viem';
import { SIGNATURE_TYPES } from '../../../../shared/account.ts';
import { ConfigError } from '../../../../shared/settings/formats.ts';
import { chooseAccount, deriveAccounts, listAccounts } from '../../../../shared/venue/polymarket/accounts.ts';

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

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const);

describe('the accounts of a key', () => {
  it.each(KNOWN)('of $signer are those that the venue gives it', ({ signer, ...expected }) => {
    const lower = Object.entries(named(signer)).map(([name, address]) => [name, address.toLowerCase()]);
    expect(Object.fromEntries(lower)).toMatchObject({ eoa: signer, ...expected });
  });

  it('are five, with checksums, and belong to one key', () => {
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

describe('the account that is traded with', () => {
  const SIGNER = getAddress(KNOWN[1].signer);
  const ACCOUNTS = deriveAccounts(SIGNER);
  const OWN = named(SIGNER);
  const FOREIGN = getAddress(`0x${'ab'.repeat(20)}`);
  const LIST = `eoa ${OWN['eoa']}, deposit-wallet ${OWN['beacon']} or ${OWN['uups']} (made before 29 June 2026), safe ${OWN['safe']}, proxy ${OWN['proxy']}`;

  function choose(signatureType?: (typeof SIGNATURE_TYPES)[number], funderAddress?: string) {
    return chooseAccount(SIGNER, { signatureType, funderAddress });
  }

  it('is listed with all kinds of accounts', () => {
    expect(listAccounts(ACCOUNTS)).toBe(LIST);
  });

  it.each([undefined, 'eoa'] as const)(
    'is the address of the key where there is no funder, and the kind is %s',
    (kind) => {
      const account = { signatureType: 'eoa', funderAddress: SIGNER, warning: undefined };
      expect(choose(kind)).toStrictEqual(account);
    },
  );

  it.each(ACCOUNTS)('follows from its address alone: $signatureType $address', ({ signatureType, address }) => {
    const account = { signatureType, funderAddress: address, warning: undefined };
    for (const kind of [undefined, signatureType]) {
      expect(choose(kind, address)).toStrictEqual(account);
      expect(choose(kind, address.toLowerCase())).toStrictEqual(account);
    }
  });

  const IN_WORDS = {
    eoa: 'address of the key itself',
    'deposit-wallet': 'deposit wallet of the key',
    safe: 'Safe of the key',
    proxy: 'proxy of the key',
  };
  const contradictions = ACCOUNTS.flatMap(({ signatureType, address }) =>
    SIGNATURE_TYPES.filter((kind) => kind !== signatureType).map((kind) => [kind, signatureType, address] as const),
  );

  it.each(contradictions)('is not %s where the funder is the %s %s', (kind, right, address) => {
    const sentence = `SERVICE_SIGNATURE_TYPE must be ${right}, or left out: SERVICE_FUNDER_ADDRESS is the ${IN_WORDS[right]}.`;
    expect(() => choose(kind, address)).toThrow(new ConfigError(sentence));
  });

  it.each([
    ['deposit-wallet', `deposit wallet of the key is ${OWN['beacon']} or ${OWN['uups']} (made before 29 June 2026)`],
    ['safe', `Safe of the key is ${OWN['safe']}`],
    ['proxy', `proxy of the key is ${OWN['proxy']}`],
  ] as const)('of kind %s needs its address, which is told', (kind, told) => {
    const sentence = `SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa: the ${told}.`;
    expect(() => choose(kind)).toThrow(new ConfigError(sentence));
  });

  it('may be one that no derivation gives, once its kind is set', () => {
    const foreign = `SERVICE_FUNDER_ADDRESS is none of the accounts of the key, which are ${LIST}`;
    expect(() => choose(undefined, FOREIGN)).toThrow(
      new ConfigError(`SERVICE_SIGNATURE_TYPE must be set, or another SERVICE_FUNDER_ADDRESS: ${foreign}.`),
    );
    expect(() => choose('eoa', FOREIGN)).toThrow(
      new ConfigError(`SERVICE_FUNDER_ADDRESS must be left out where SERVICE_SIGNATURE_TYPE is eoa: ${foreign}.`),
    );
    for (const signatureType of ['proxy', 'safe', 'deposit-wallet'] as const) {
      const warning = `${foreign}; the venue may refuse its orders.`;
      const account = { signatureType, funderAddress: FOREIGN, warning };
      expect(choose(signatureType, FOREIGN.toLowerCase())).toStrictEqual(account);
    }
  });

  it('has no address with a wrong checksum', () => {
    const wrong = { signatureType: undefined, funderAddress: FOREIGN.replace('aB', 'Ab') };
    expect(() => chooseAccount(SIGNER, wrong)).toThrow(
      new ConfigError('SERVICE_FUNDER_ADDRESS has a wrong checksum: check it, or write it in lower case.'),
    );
    expect(() => chooseAccount(SIGNER, { signatureType: 'proxy', funderAddress: OWN['safe'] })).toThrow(
      new ConfigError(
        'SERVICE_SIGNATURE_TYPE must be safe, or left out: SERVICE_FUNDER_ADDRESS is the Safe of the key.',
      ),
    );
  });
});
