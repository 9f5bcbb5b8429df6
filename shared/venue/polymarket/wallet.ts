// By their own paths: the index loads providers, contracts and word lists as well.
import { keccak256, SigningKey } from 'ethers/crypto';
import { type TypedDataDomain, TypedDataEncoder, type TypedDataField } from 'ethers/hash';
import { computeAddress } from 'ethers/transaction';
import { concat } from 'ethers/utils';
import type { Secret } from '../../secret.ts';

/** The chain id of Polygon. */
export const CHAIN_ID = 137;

/** A value as EIP-712 signs it. */
export interface TypedData {
  readonly domain: TypedDataDomain;
  readonly types: Record<string, TypedDataField[]>;
  readonly value: Record<string, unknown>;
}

/** A wallet that signs digests; what holds its key (this process, a KMS) stays behind it. */
export interface Wallet {
  /** EIP-55. */
  readonly address: string;
  /** 65 bytes of hex, low s, over a 32-byte digest. */
  sign(digest: string): Promise<string>;
}

/** A wallet whose key is in this process. Deterministic (RFC 6979): the same digest gives the same signature. */
export function openWallet(privateKey: Secret): Wallet {
  const key = new SigningKey(privateKey.reveal());
  return {
    // Also computes the curve's tables, so that the first order does not wait for them.
    address: computeAddress(key),
    sign: async (digest) => key.sign(digest).serialized,
  };
}

/** A signer in the form that the official client takes: that of ethers 5. */
export interface TypedDataSigner {
  getAddress(): Promise<string>;
  _signTypedData(domain: TypedData['domain'], types: TypedData['types'], value: TypedData['value']): Promise<string>;
}

/** Makes a wallet the official client's signer. */
export function toTypedDataSigner(wallet: Wallet): TypedDataSigner {
  return {
    getAddress: async () => wallet.address,
    _signTypedData: (domain, types, value) => wallet.sign(hashTypedData({ domain, types, value })),
  };
}

/** The parts that the digests of one kind of value share; hashing them again would take longer than the value itself. */
interface Kind {
  readonly domainHash: string;
  readonly encoder: TypedDataEncoder;
}

/** By domain and types. Both come from the client's constants: orders of three exchanges, and the log-in. */
const kinds = new Map<string, Kind>();

function kindOf({ domain, types }: TypedData): Kind {
  const name = JSON.stringify([domain, types]);
  const known = kinds.get(name);
  if (known) return known;
  const kind = { domainHash: TypedDataEncoder.hashDomain(domain), encoder: new TypedDataEncoder(types) };
  kinds.set(name, kind);
  return kind;
}

/** The EIP-712 hash of a value apart from its domain. */
export function hashStruct(typed: TypedData): string {
  return kindOf(typed).encoder.hash(typed.value);
}

/** The EIP-712 digest of a value. */
export function hashTypedData(typed: TypedData): string {
  return keccak256(concat(['0x1901', kindOf(typed).domainHash, hashStruct(typed)]));
}
