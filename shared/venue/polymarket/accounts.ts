import { getAddress, getCreate2Address } from 'ethers/address';
import { keccak256 } from 'ethers/crypto';
import { concat, zeroPadValue } from 'ethers/utils';
import type { SignatureType } from '../../account.ts';
import { ConfigError } from '../../settings/formats.ts';
import type { Wallet } from '../../wallets/evm-key.ts';

export const CHAIN_ID = 137;

export interface DerivedAccount {
  readonly signatureType: SignatureType;
  /** EIP-55. */
  readonly address: string;
}

// The addresses of a key's accounts follow from its own address (CREATE2). Two sources agree: the official SDK
// (https://github.com/Polymarket/ts-sdk, packages/client/src/wallet.ts and environments.ts), and for proxy and Safe the
// exchange contract, which takes no order of another maker under their signature types
// (https://github.com/Polymarket/ctf-exchange, src/exchange/libraries/PolyProxyLib.sol and PolySafeLib.sol).

const PROXY_FACTORY = '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052';
/** Of a clone of 0x44e999d5c2F66Ef0861317f9A4805AC2e90aEB4f. */
const PROXY_CODE_HASH = '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b';

const SAFE_FACTORY = '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b';
const SAFE_CODE_HASH = '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf';

const DEPOSIT_WALLET_FACTORY = '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07';

/**
 * The code that creates a deposit wallet, around the address of its implementation: a UUPS proxy until 29 June 2026, a beacon
 * proxy since then. 64 bytes of arguments follow, which the third byte includes. Both are proxies of Solady
 * (https://github.com/Vectorized/solady/blob/main/src/utils/LibClone.sol, "ERC1967" and "ERC1967 beacon proxy").
 */
const DEPOSIT_WALLET_CODES = {
  beacon: [
    '0x6100923d8160233d3973',
    '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
    '0x60195155f3363d3d373d3d363d602036600436635c60da',
    '0x1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6c',
    '0xb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
  ],
  uups: [
    '0x61007d3d8160233d3973',
    '0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB',
    '0x6009',
    '0x5155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076',
    '0xcc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  ],
} as const;

/** Encodes an address as the contracts' ABI does. */
const word = (address: string) => zeroPadValue(address, 32);

function depositWallet(signer: string, generation: keyof typeof DEPOSIT_WALLET_CODES): DerivedAccount {
  const args = concat([word(DEPOSIT_WALLET_FACTORY), word(signer)]);
  const codeHash = keccak256(concat([...DEPOSIT_WALLET_CODES[generation], args]));
  const address = getCreate2Address(DEPOSIT_WALLET_FACTORY, keccak256(args), codeHash);
  return { signatureType: 'deposit-wallet', address };
}

/**
 * Derives the accounts that a key can trade with, in the order in which the official SDK tries them. Some may not exist.
 * `signer` is the key's address; throws a `TypeError` for a wrong checksum.
 */
export function deriveAccounts(signer: string): readonly DerivedAccount[] {
  const own = getAddress(signer);
  return [
    { signatureType: 'eoa', address: own },
    depositWallet(own, 'beacon'),
    depositWallet(own, 'uups'),
    { signatureType: 'safe', address: getCreate2Address(SAFE_FACTORY, keccak256(word(own)), SAFE_CODE_HASH) },
    { signatureType: 'proxy', address: getCreate2Address(PROXY_FACTORY, keccak256(own), PROXY_CODE_HASH) },
  ];
}

/** Lists accounts for people, with their kinds as the settings name them. */
export function listAccounts(accounts: readonly DerivedAccount[]): string {
  return accounts.map(({ signatureType, address }) => `${signatureType} ${address}`).join(', ');
}

const ACCOUNT_WORDS: Readonly<Record<SignatureType, string>> = {
  eoa: 'address of the key itself',
  'deposit-wallet': 'deposit wallet of the key',
  safe: 'Safe of the key',
  proxy: 'proxy of the key',
};

export const EOA_WARNING =
  'signature type eoa: the venue accepts it only from its allowlist. Newer accounts trade from a deposit wallet; set SERVICE_FUNDER_ADDRESS to its address';

/** Settings of an account that is not the key's. */
export class AccountError extends ConfigError {}

/** The operator's settings of the account. Error messages use these names. */
interface AccountSettings {
  readonly signatureType?: SignatureType | undefined;
  readonly funderAddress?: string | undefined;
}

export interface ChosenAccount {
  readonly signatureType: SignatureType;
  readonly funderAddress: string;
  /** A sentence about an account that the key may not control. */
  readonly warning: string | undefined;
}

function chooseWithoutFunder(signer: string, signatureType: SignatureType): ChosenAccount {
  if (signatureType === 'eoa') return { signatureType, funderAddress: getAddress(signer), warning: undefined };
  const fitting = deriveAccounts(signer).filter((account) => account.signatureType === signatureType);
  throw new AccountError(
    `SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa: the key has ${listAccounts(fitting)}.`,
  );
}

function chooseForeign(
  signer: string,
  { signatureType, funderAddress }: AccountSettings & { readonly funderAddress: string },
): ChosenAccount {
  const foreign = `SERVICE_FUNDER_ADDRESS is not one of the key's accounts, which are ${listAccounts(deriveAccounts(signer))}`;
  if (signatureType === undefined) {
    throw new AccountError(`SERVICE_SIGNATURE_TYPE must be set, or another SERVICE_FUNDER_ADDRESS: ${foreign}.`);
  }
  if (signatureType === 'eoa') {
    throw new AccountError(`SERVICE_FUNDER_ADDRESS must be left out where SERVICE_SIGNATURE_TYPE is eoa: ${foreign}.`);
  }
  return { signatureType, funderAddress, warning: `${foreign}; the venue may refuse its orders.` };
}

/**
 * Chooses the account that a key trades with. The kind of a derived account is known, and a kind that is set must agree.
 * Any other funder (an older wallet, or one that lets another key sign) needs its kind to be set. Without a funder it is the
 * key's own address. Throws `AccountError`, which names the setting to change.
 */
export function chooseAccount(signer: string, settings: AccountSettings): ChosenAccount {
  const { signatureType } = settings;
  if (settings.funderAddress === undefined) return chooseWithoutFunder(signer, signatureType ?? 'eoa');
  let funderAddress: string;
  try {
    funderAddress = getAddress(settings.funderAddress);
  } catch {
    throw new AccountError(`SERVICE_FUNDER_ADDRESS has a wrong checksum: check it, or write it in lower case.`);
  }
  const derived = deriveAccounts(signer).find(({ address }) => address === funderAddress);
  if (!derived) return chooseForeign(signer, { signatureType, funderAddress });
  if (signatureType !== undefined && signatureType !== derived.signatureType) {
    throw new AccountError(
      `SERVICE_SIGNATURE_TYPE must be ${derived.signatureType}, or left out: SERVICE_FUNDER_ADDRESS is the ${ACCOUNT_WORDS[derived.signatureType]}.`,
    );
  }
  return { signatureType: derived.signatureType, funderAddress, warning: undefined };
}

/** The wallet that signs orders, and the account that they are for. */
export interface Account extends Pick<ChosenAccount, 'signatureType' | 'funderAddress'> {
  readonly wallet: Wallet;
  /** `0x` and 64 hex digits; attributes orders to a builder (https://docs.polymarket.com/trading/orders/attribution). */
  readonly builderCode?: string | undefined;
}
