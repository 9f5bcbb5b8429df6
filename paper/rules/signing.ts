import { recoverAddress, TypedDataEncoder, verifyTypedData } from 'ethers';
import type { SignatureType } from './funders.ts';

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
const ORDER_TYPE = `Order(${ORDER_FIELDS.map(({ name, type }) => `${type} ${name}`).join(',')})`;
const NESTED_FIELDS = [
  { name: 'contents', type: 'Order' },
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

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

/** Computes the order id: the EIP-712 hash of the order under the domain of its contract. */
export function orderId(order: SignedStruct, contract: ExchangeContract): string {
  return TypedDataEncoder.hash(DOMAINS[contract], { Order: ORDER_FIELDS }, { ...order });
}

function signedBy(address: string, digest: string, signature: string): boolean {
  // The exchange takes 65 bytes with a v of 27 or 28 only; ethers would also read shorter forms.
  if (!/^0x[0-9a-f]{128}1[bc]$/i.test(signature)) return false;
  try {
    return recoverAddress(digest, signature).toLowerCase() === address.toLowerCase();
  } catch {
    return false;
  }
}

/**
 * Checks an ERC-7739 signature: sig(65) || domain separator(32) || contents hash(32) || type string || its length as
 * uint16.
 */
function nestedSignedBy(address: string, order: SignedStruct, contract: ExchangeContract, signature: string): boolean {
  const domain = DOMAINS[contract];
  const types = { Order: ORDER_FIELDS };
  const tail = [
    TypedDataEncoder.hashDomain(domain).slice(2),
    TypedDataEncoder.hashStruct('Order', types, { ...order }).slice(2),
    Buffer.from(ORDER_TYPE, 'utf8').toString('hex'),
    ORDER_TYPE.length.toString(16).padStart(4, '0'),
  ].join('');
  const inner = signature.slice(0, 2 + 65 * 2);
  if (signature.slice(inner.length).toLowerCase() !== tail) return false;
  const wallet = { name: 'DepositWallet', version: '1', chainId: CHAIN_ID, verifyingContract: order.signer };
  const nested = { contents: { ...order }, ...wallet, salt: `0x${'00'.repeat(32)}` };
  const digest = TypedDataEncoder.hash(domain, { TypedDataSign: NESTED_FIELDS, ...types }, nested);
  return signedBy(address, digest, inner);
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
  const domain = { name: 'ClobAuthDomain', version: '1', chainId: CHAIN_ID };
  const fields = [
    { name: 'address', type: 'address' },
    { name: 'timestamp', type: 'string' },
    { name: 'nonce', type: 'uint256' },
    { name: 'message', type: 'string' },
  ];
  const message = 'This message attests that I control the given wallet';
  try {
    const value = { address, timestamp, nonce, message };
    return verifyTypedData(domain, { ClobAuth: fields }, value, signature).toLowerCase() === address.toLowerCase();
  } catch {
    return false;
  }
}
