// By their own paths: the index loads providers, contracts and word lists as well.
import { keccak256, SigningKey } from 'ethers/crypto';
import { type TypedDataDomain, TypedDataEncoder, type TypedDataField } from 'ethers/hash';
import { computeAddress } from 'ethers/transaction';
import { concat } from 'ethers/utils';
import type { Secret } from '../../secret.ts';

/** The chain id of Polygon. */
export const CHAIN_ID = 137;

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

/** Hashes the values of one domain and type as EIP-712 does: hex with `0x`. */
export interface TypedData {
  /** Hashes the domain. */
  domainHash(): string;
  /** Hashes a value apart from its domain. */
  structHash(value: object): string;
  /** Makes the digest that is signed. */
  digest(value: object): string;
}

/** Writes the members of a type as EIP-712 does: `uint256 salt,address maker`. */
function fieldsOf(members: string): TypedDataField[] {
  return members.split(',').map((member) => {
    const [type = '', name = ''] = member.split(' ');
    return { name, type };
  });
}

/** The domain is hashed once: hashing it again would take longer than the value itself. `types`: members by name. */
export function typedData(domain: TypedDataDomain, types: Readonly<Record<string, string>>): TypedData {
  const fields = Object.fromEntries(Object.entries(types).map(([name, members]) => [name, fieldsOf(members)]));
  const encoder = new TypedDataEncoder(fields);
  let hashed: string | undefined;
  const domainHash = () => {
    hashed ??= TypedDataEncoder.hashDomain(domain);
    return hashed;
  };
  const structHash = (value: object) => encoder.hash({ ...value });
  return {
    domainHash,
    structHash,
    digest: (value) => keccak256(concat(['0x1901', domainHash(), structHash(value)])),
  };
}
