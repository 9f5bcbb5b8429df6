import { AbiCoder, id, keccak256 } from 'ethers';
import * as z from 'zod/mini';

/** The signed members of a posted order, in the order of the EIP-712 type. */
const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';
const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
/** The exchange of the benchmark's market, on Polygon. */
const EXCHANGE = '0xE111180000d2663C0091e4f400237545B87B996B';

const order = z.object({
  salt: z.number(),
  maker: z.string(),
  signer: z.string(),
  tokenId: z.string(),
  makerAmount: z.string(),
  takerAmount: z.string(),
  side: z.string(),
  signatureType: z.number(),
  timestamp: z.string(),
  metadata: z.string(),
  builder: z.string(),
});
const posted = z.object({ order });

const domainSeparator = keccak256(
  AbiCoder.defaultAbiCoder().encode(
    ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address'],
    [id(DOMAIN_TYPE), id('Polymarket CTF Exchange'), id('2'), 137, EXCHANGE],
  ),
);

function word(value: bigint | number | string): string {
  return BigInt(value).toString(16).padStart(64, '0');
}

/**
 * The id of a posted order, which the service compares with its own: two hashes over words put together by hand, since
 * a library's encoder would take longer than the rest of the venue.
 */
export function orderIdOf(body: string): string {
  const { salt, maker, signer, tokenId, makerAmount, takerAmount, ...rest } = posted.parse(JSON.parse(body)).order;
  const { side, signatureType, timestamp, metadata, builder } = rest;
  const sideWord = side === 'BUY' ? 0 : 1;
  const values = [salt, maker, signer, tokenId, makerAmount, takerAmount, sideWord, signatureType, timestamp];
  const words = [...values, metadata, builder].map(word);
  const structHash = keccak256(Buffer.from(TYPE_HASH + words.join(''), 'hex'));
  return keccak256(Buffer.from(`1901${domainSeparator.slice(2)}${structHash.slice(2)}`, 'hex'));
}

const TYPE_HASH = id(ORDER_TYPE).slice(2);
