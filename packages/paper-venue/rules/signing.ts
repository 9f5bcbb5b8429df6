import {
  AbiCoder,
  concat,
  dataSlice,
  getBytes,
  keccak256,
  solidityPackedKeccak256,
  TypedDataEncoder,
  toBeHex,
  toUtf8Bytes,
  ZeroHash,
} from 'ethers';
import { recover } from 'tiny-secp256k1';

const CHAIN_ID = 137;
const EXCHANGE_NAME = 'Polymarket CTF Exchange';

/** Exchange contract that a market settles on. */
export type ExchangeContract = 'plain' | 'negRisk' | 'protocolV2';

function domainOf(version: string, verifyingContract: string) {
  return { name: EXCHANGE_NAME, version, chainId: CHAIN_ID, verifyingContract };
}

/** Signing domains of the exchange contracts on Polygon (the venue's contract page, November 2026). */
export const DOMAINS: Readonly<Record<ExchangeContract, ReturnType<typeof domainOf>>> = {
  plain: domainOf('2', '0xE111180000d2663C0091e4f400237545B87B996B'),
  negRisk: domainOf('2', '0xe2222d279d744050d28e00520010520000310F59'),
  protocolV2: domainOf('3', '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'),
};

const ORDER_FIELDS = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'signer', type: 'address' },
  { name: 'tokenId', type: 'uint256' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'side', type: 'uint8' },
  { name: 'signatureType', type: 'uint8' },
  { name: 'timestamp', type: 'uint256' },
  { name: 'metadata', type: 'bytes32' },
  { name: 'builder', type: 'bytes32' },
];
// Created once: creating it takes longer than hashing an order.
const ORDER = TypedDataEncoder.from({ Order: ORDER_FIELDS });
const NESTED_ORDER = TypedDataEncoder.from({
  TypedDataSign: [
    { name: 'contents', type: 'Order' },
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
    { name: 'salt', type: 'bytes32' },
  ],
  Order: ORDER_FIELDS,
});
const ATTESTATION = TypedDataEncoder.from({
  ClobAuth: [
    { name: 'address', type: 'address' },
    { name: 'timestamp', type: 'string' },
    { name: 'nonce', type: 'uint256' },
    { name: 'message', type: 'string' },
  ],
});

const ORDER_TYPE = toUtf8Bytes(ORDER.encodeType('Order'));
const ORDER_TYPE_END = concat([ORDER_TYPE, toBeHex(ORDER_TYPE.length, 2)]);

const EXCHANGE_DOMAINS: Readonly<Record<ExchangeContract, string>> = {
  plain: TypedDataEncoder.hashDomain(DOMAINS.plain),
  negRisk: TypedDataEncoder.hashDomain(DOMAINS.negRisk),
  protocolV2: TypedDataEncoder.hashDomain(DOMAINS.protocolV2),
};
const AUTH_DOMAIN = TypedDataEncoder.hashDomain({ name: 'ClobAuthDomain', version: '1', chainId: CHAIN_ID });

/** Signed part of an order, `side` as in the signature: 0 buys, 1 sells. */
export interface SignedStruct {
  readonly salt: number;
  readonly maker: string;
  readonly signer: string;
  readonly tokenId: string;
  readonly makerAmount: string;
  readonly takerAmount: string;
  readonly side: 0 | 1;
  readonly signatureType: SignatureType;
  readonly timestamp: string;
  readonly metadata: string;
  readonly builder: string;
}

/** Returns the digest of a struct in a domain, both as their hashes (EIP-712). */
function digestOf(domain: string, struct: string): string {
  return keccak256(concat(['0x1901', domain, struct]));
}

/** Computes the order id: the EIP-712 hash of the order under the domain of its contract. */
export function orderId(order: SignedStruct, contract: ExchangeContract): string {
  return digestOf(EXCHANGE_DOMAINS[contract], ORDER.hash({ ...order }));
}

/** 65 bytes as the exchange takes them: a low s, and a v of 27 or 28. */
const SIGNATURE = /^(?<rs>0x[0-9a-f]{64}[0-7][0-9a-f]{63})1(?<v>[bc])$/;

/**
 * Returns true if the key of `address` signed a digest. By libsecp256k1, which recovers a key in an eighth of the time that
 * the curve of ethers takes (0.3 ms, 2.6 ms): it is most of what the venue does for an order.
 */
function signedBy(address: string, digest: string, signature: string): boolean {
  const { rs = '', v } = SIGNATURE.exec(signature.toLowerCase())?.groups ?? {};
  if (rs === '') return false;
  try {
    const point = recover(getBytes(digest), getBytes(rs), v === 'b' ? 0 : 1, false);
    return point !== null && dataSlice(keccak256(point.subarray(1)), 12) === address.toLowerCase();
  } catch {
    // No point of the curve.
    return false;
  }
}

/**
 * Checks an ERC-7739 signature: sig(65) || domain separator(32) || contents hash(32) || type string || its length as
 * uint16.
 */
function nestedSignedBy(address: string, order: SignedStruct, contract: ExchangeContract, signature: string): boolean {
  const domain = EXCHANGE_DOMAINS[contract];
  const inner = signature.slice(0, 2 + 65 * 2);
  if (signature.toLowerCase() !== concat([inner, domain, ORDER.hash({ ...order }), ORDER_TYPE_END])) return false;
  const wallet = { name: 'DepositWallet', version: '1', chainId: CHAIN_ID, verifyingContract: order.signer };
  const nested = NESTED_ORDER.hash({ contents: { ...order }, ...wallet, salt: ZeroHash });
  return signedBy(address, digestOf(domain, nested), inner);
}

/** Returns true if `address` (the EOA of the API key) signed the order for this contract. */
export function isOrderSignedBy(
  address: string,
  order: SignedStruct,
  contract: ExchangeContract,
  signature: string,
): boolean {
  return order.signatureType === 3
    ? nestedSignedBy(address, order, contract, signature)
    : signedBy(address, orderId(order, contract), signature);
}

/** Returns true if `address` signed the L1 attestation that creates or derives API credentials. */
export function isAttestedBy(address: string, timestamp: string, nonce: string, signature: string): boolean {
  const message = 'This message attests that I control the given wallet';
  try {
    return signedBy(
      address,
      digestOf(AUTH_DOMAIN, ATTESTATION.hash({ address, timestamp, nonce, message })),
      signature,
    );
  } catch {
    // No address, or no number: nothing that can be signed.
    return false;
  }
}

/** Signature types by the venue's numbers: 0 plain key, 1 proxy, 2 Safe, 3 deposit wallet. */
export type SignatureType = 0 | 1 | 2 | 3;

const FACTORIES = {
  proxy: '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052',
  safe: '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b',
  depositWallet: '0x00000000000Fb5C9ADea0298D729A0CB3823Cc07',
};
const PROXY_IMPLEMENTATION = '0x44e999d5c2F66Ef0861317f9A4805AC2e90aEB4f';
const SAFE_CODE_HASH = '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf';

/** Deposit wallets of today and those made before 29 June 2026: what they run, and the code around its address. */
const DEPOSIT_WALLETS = [
  {
    prefix: 0x6100523d8160233d3973n,
    runs: '0x7A18EDfe055488A3128f01F563e5B479D92ffc3a',
    code: '0x60195155f3363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
  },
  {
    prefix: 0x61003d3d8160233d3973n,
    runs: '0x58CA52ebe0DadfdF531Cde7062e76746de4Db1eB',
    code: '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  },
];

/** CREATE2 (EIP-1014). */
function created(factory: string, salt: string, codeHash: string): string {
  return `0x${keccak256(concat(['0xff', factory, salt, codeHash])).slice(-40)}`;
}

/** The code that makes a proxy: a clone of the implementation, and the call that its factory makes of it. */
function proxyCode(): string {
  const call = AbiCoder.defaultAbiCoder().encode(['bytes'], ['0x']);
  return concat([
    '0x3d3d606380380380913d393d73',
    FACTORIES.proxy,
    '0x5af4602a57600080fd5b602d8060366000396000f3363d3d373d3d3d363d73',
    PROXY_IMPLEMENTATION,
    '0x5af43d82803e903d91602b57fd5bf352e831dd',
    call,
  ]);
}

/**
 * Computes the addresses that the key of an EOA may trade for, in lower case: two for deposit wallets, else one. The
 * formulas are those of the venue's contracts (https://github.com/Polymarket/ctf-exchange, PolyProxyLib and
 * PolySafeLib) and of its SDK (https://github.com/Polymarket/ts-sdk, packages/client/src/wallet.ts).
 */
export function fundersOf(eoa: string, signatureType: SignatureType): readonly string[] {
  const { proxy, safe, depositWallet } = FACTORIES;
  const abi = AbiCoder.defaultAbiCoder();
  if (signatureType === 0) return [eoa.toLowerCase()];
  if (signatureType === 1) return [created(proxy, solidityPackedKeccak256(['address'], [eoa]), keccak256(proxyCode()))];
  if (signatureType === 2) return [created(safe, keccak256(abi.encode(['address'], [eoa])), SAFE_CODE_HASH)];
  const args = abi.encode(['address', 'uint256'], [depositWallet, BigInt(eoa)]);
  // The number of bytes of the arguments stands within the prefix.
  const length = BigInt((args.length - 2) / 2) << 56n;
  return DEPOSIT_WALLETS.map(({ prefix, runs, code }) => {
    const init = concat([toBeHex(prefix + length, 10), runs, code, args]);
    return created(depositWallet, keccak256(args), keccak256(init));
  });
}
