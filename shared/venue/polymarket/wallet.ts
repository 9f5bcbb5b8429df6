// Bitcoin's own libsecp256k1 as WebAssembly: constant time, and half the time of the curve in JavaScript that ethers has.
import { pointFromScalar, signRecoverable } from 'tiny-secp256k1';
import { concat, keccak256, publicKeyAddress } from '../../evm/address.ts';
import { once } from '../../once.ts';
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
  const key = Buffer.from(privateKey.reveal().slice(2), 'hex');
  const point = pointFromScalar(key, false);
  if (point === null) throw new RangeError('the key is no number of the curve');
  return {
    address: publicKeyAddress(point),
    sign: async (digest) => {
      const { signature, recoveryId } = signRecoverable(Buffer.from(digest.slice(2), 'hex'), key);
      return `0x${Buffer.from(signature).toString('hex')}${recoveryId === 0 ? '1b' : '1c'}`;
    },
  };
}

/** A domain as EIP-712 has it, with the members that the venue's domains use. */
interface Domain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract?: string;
}

/** A value by its members: integers, addresses and bytes of at most 32 bytes as number or text, texts, and hashes of values. */
type Members = Readonly<Record<string, string | number>>;

/** Hashes the values of one domain and type as EIP-712 does: hex with `0x`. */
export interface TypedData {
  domainHash(): string;
  /** Hashes a value apart from its domain. */
  structHash(value: Members): string;
  /** Makes the digest that is signed from the hash of a value. */
  digest(structHash: string): string;
}

function hashText(text: string): string {
  return keccak256(Buffer.from(text));
}

const UNSIGNED = /^uint(\d+)$/;

/** Writes a member as the word of 32 bytes by which it is hashed; a member that is a value comes as its hash. */
function toWord(type: string, member: string | number | undefined): string {
  if (member === undefined) throw new RangeError('a member of typed data is missing');
  if (type === 'string') return hashText(String(member));
  const bits = type === 'address' ? 160 : Number(UNSIGNED.exec(type)?.[1] ?? 256);
  const number = BigInt(member);
  if (BigInt.asUintN(bits, number) !== number) throw new RangeError(`a member of typed data is no ${type}`);
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** Makes the hash of structs of a type; the types that it refers to follow it, as EIP-712 encodes them. */
function structHasher(type: string): TypedData['structHash'] {
  const typeHash = once(() => hashText(type));
  const members = type.slice(type.indexOf('(') + 1, type.indexOf(')')).split(',');
  const fields = members.map((member) => member.split(' '));
  return (value) =>
    keccak256(concat([typeHash(), ...fields.map(([kind = '', name = '']) => toWord(kind, value[name]))]));
}

/** Makes the hashes of a domain's values. `type` is written as `Order(uint256 salt,address maker)`, like any of EIP-712. */
export function typedData({ verifyingContract, ...rest }: Domain, type: string): TypedData {
  const contract = verifyingContract === undefined ? '' : ',address verifyingContract';
  const hashDomain = structHasher(`EIP712Domain(string name,string version,uint256 chainId${contract})`);
  const domainHash = once(() => hashDomain({ ...rest, ...(verifyingContract !== undefined && { verifyingContract }) }));
  return {
    domainHash,
    structHash: structHasher(type),
    digest: (structHash) => keccak256(concat(['0x1901', domainHash(), structHash])),
  };
}
