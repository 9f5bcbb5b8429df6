import { describe, expect, it } from '@jest/globals';
import { getAddress, isAddress } from 'viem';
import { SIGNATURE_TYPES, type SignatureType } from '../../../../shared/account.ts';
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
  const names = ['eoa', 'beacon', 'uups', 'safe', 'proxy'];
  return Object.fromEntries(deriveAccounts(signer).map(({ address }, index) => [names[index], address]));
}

describe('the accounts of a key', () => {
  it.each(KNOWN)('of $signer are those that the venue gives it', ({ signer, ...expected }) => {
    const lower = Object.entries(named(signer)).map(([name, address]) => [name, address.toLowerCase()]);
    expect(Object.fromEntries(lower)).toMatchObject({ eoa: signer, ...expected });
    expect(Object.values(named(signer)).map((address) => isAddress(address, { strict: true }))).toStrictEqual(
      Array(5).fill(true),
    );
  });

  it.each(['', KNOWN[1].signer.slice(2, -1), `0xEc${KNOWN[1].signer.slice(4)}`])('are none for %j', (text) => {
    expect(() => deriveAccounts(text)).toThrow(TypeError);
  });
});

describe('the account that is traded with', () => {
  const SIGNER = getAddress(KNOWN[1].signer);
  const ACCOUNTS = deriveAccounts(SIGNER);
  const OWN = named(SIGNER);
  const FOREIGN = getAddress(`0x${'ab'.repeat(20)}`);
  const DEPOSIT_WALLETS = `deposit-wallet ${OWN['beacon']}, deposit-wallet ${OWN['uups']}`;
  const LIST = `eoa ${OWN['eoa']}, ${DEPOSIT_WALLETS}, safe ${OWN['safe']}, proxy ${OWN['proxy']}`;
  const NONE_OF_THEM = `SERVICE_FUNDER_ADDRESS is not one of the key's accounts, which are ${LIST}`;
  const NEEDED = 'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa: the key has';
  const IN_WORDS = {
    eoa: 'address of the key itself',
    'deposit-wallet': 'deposit wallet of the key',
    safe: 'Safe of the key',
    proxy: 'proxy of the key',
  };

  it('is listed with all kinds of accounts', () => {
    expect(listAccounts(ACCOUNTS)).toBe(LIST);
  });

  it.each<readonly [SignatureType | undefined, string | undefined, string, string, warning?: string]>([
    [undefined, undefined, 'eoa', SIGNER],
    ['eoa', undefined, 'eoa', SIGNER],
    // It follows from its address alone, in any case of letters.
    ...ACCOUNTS.flatMap(({ signatureType, address }) =>
      [undefined, signatureType].map((kind) => [kind, address.toLowerCase(), signatureType, address] as const),
    ),
    // No derivation may give it, once its kind is set.
    ...(['proxy', 'safe', 'deposit-wallet'] as const).map(
      (kind) =>
        [kind, FOREIGN.toLowerCase(), kind, FOREIGN, `${NONE_OF_THEM}; the venue may refuse its orders.`] as const,
    ),
  ])('of kind %s with funder %s is %s %s', (kind, funder, signatureType, funderAddress, ...[warning]) => {
    const chosen = chooseAccount(SIGNER, { signatureType: kind, funderAddress: funder });
    expect(chosen).toStrictEqual({ signatureType, funderAddress, warning });
  });

  it.each<readonly [SignatureType | undefined, string | undefined, string]>([
    ...ACCOUNTS.flatMap(({ signatureType, address }) =>
      SIGNATURE_TYPES.filter((kind) => kind !== signatureType).map((kind) => {
        const is = `SERVICE_FUNDER_ADDRESS is the ${IN_WORDS[signatureType]}.`;
        return [kind, address, `SERVICE_SIGNATURE_TYPE must be ${signatureType}, or left out: ${is}`] as const;
      }),
    ),
    ['deposit-wallet', undefined, `${NEEDED} ${DEPOSIT_WALLETS}.`],
    ['safe', undefined, `${NEEDED} safe ${OWN['safe']}.`],
    ['proxy', undefined, `${NEEDED} proxy ${OWN['proxy']}.`],
    [undefined, FOREIGN, `SERVICE_SIGNATURE_TYPE must be set, or another SERVICE_FUNDER_ADDRESS: ${NONE_OF_THEM}.`],
    ['eoa', FOREIGN, `SERVICE_FUNDER_ADDRESS must be left out where SERVICE_SIGNATURE_TYPE is eoa: ${NONE_OF_THEM}.`],
    [
      'safe',
      FOREIGN.replace('aB', 'Ab'),
      'SERVICE_FUNDER_ADDRESS has a wrong checksum: check it, or write it in lower case.',
    ],
  ])('by kind %s and funder %s is refused: %s', (signatureType, funderAddress, sentence) => {
    expect(() => chooseAccount(SIGNER, { signatureType, funderAddress })).toThrow(new ConfigError(sentence));
  });
});
