import { randomInt } from 'node:crypto';
import { ZeroHash } from 'ethers/constants';
import { keccak256 } from 'ethers/crypto';
import { TypedDataEncoder } from 'ethers/hash';
import { concat, toBeHex, toUtf8Bytes } from 'ethers/utils';
import { multiplyDecimals, toUnits, UNIT_DECIMALS } from '../../decimal.ts';
import { refuse } from '../../errors.ts';
import { EARLY_EXPIRY_MS } from '../../limits.ts';
import type { SignatureType } from '../../settings/table.ts';
import type { Wallet } from '../../wallets/evm-key.ts';
import type { LimitOrder, Moment, SignedOrder } from '../port.ts';
import { CHAIN_ID } from './accounts.ts';
import type { OrderRules } from './order-rules.ts';

/** Salts are chosen below this number: they travel as JSON numbers. */
const SALTS = 2 ** 47;

/** The venue's numbers of the kinds of account. */
const SIGNATURE_TYPE: Readonly<Record<SignatureType, number>> = { eoa: 0, proxy: 1, safe: 2, 'deposit-wallet': 3 };

/** An order as it is signed: without its expiration. */
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
const ORDER = TypedDataEncoder.from({ Order: ORDER_FIELDS });

/** The message in which a deposit wallet signs an order (ERC-7739). */
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

/** Returns the hash of an exchange's domain. */
function exchangeDomain(version: string, verifyingContract: string): string {
  return TypedDataEncoder.hashDomain({
    name: 'Polymarket CTF Exchange',
    version,
    chainId: CHAIN_ID,
    verifyingContract,
  });
}

/**
 * The hashed domains of the exchanges on Polygon (https://docs.polymarket.com/trading/contracts). Hashed once: for each
 * order it would take a quarter of the time of signing.
 */
const DOMAINS = {
  plain: exchangeDomain('2', '0xE111180000d2663C0091e4f400237545B87B996B'),
  negRisk: exchangeDomain('2', '0xe2222d279d744050d28e00520010520000310F59'),
  protocolV2: exchangeDomain('3', '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'),
} as const;

function domainOf({ protocol, negRisk }: Pick<OrderRules, 'negRisk' | 'protocol'>): string {
  if (protocol === 'v2') return DOMAINS.protocolV2;
  return negRisk ? DOMAINS.negRisk : DOMAINS.plain;
}

/** Returns the digest to sign for the hash of a value in a domain (EIP-712). */
function digestOf(domain: string, hash: string): string {
  return keccak256(concat(['0x1901', domain, hash]));
}

/** The wallet that signs orders, and the account that they are for. */
export interface Account {
  readonly wallet: Wallet;
  readonly signatureType: SignatureType;
  /** EIP-55 address of what holds the funds. */
  readonly funderAddress: string;
  /** `0x` and 64 hex digits; attributes orders to a builder (https://docs.polymarket.com/trading/orders/attribution). */
  readonly builderCode?: string | undefined;
}

/** The type of orders and its length in two bytes, which end a deposit wallet's signature. */
const ORDER_TYPE = toUtf8Bytes(ORDER.encodeType('Order'));
const NESTED_END = concat([ORDER_TYPE, toBeHex(ORDER_TYPE.length, 2)]);

/** Signs an order as a deposit wallet: in the wallet's own message, with its proof after the signature (ERC-7739). */
async function signNested({ wallet, funderAddress }: Account, domain: string, contents: object, orderHash: string) {
  const own = { name: 'DepositWallet', version: '1', chainId: CHAIN_ID, verifyingContract: funderAddress };
  const hash = NESTED_ORDER.hash({ contents, ...own, salt: ZeroHash });
  return concat([await wallet.sign(digestOf(domain, hash)), domain, orderHash, NESTED_END]);
}

/** Computes what the maker gives and takes, in millionths. */
function amountsOf({ side, price, size }: LimitOrder) {
  const shares = toUnits(size, UNIT_DECIMALS);
  const collateral = toUnits(multiplyDecimals(price, size), UNIT_DECIMALS);
  if (shares === undefined || collateral === undefined) throw refuse('venue_error', { why: 'tick_too_fine' });
  const [maker, taker] = side === 'buy' ? [collateral, shares] : [shares, collateral];
  return { makerAmount: maker.toString(), takerAmount: taker.toString() };
}

/**
 * Signs a limit order, good till cancelled or till its end, that obeys `rules`: in integers, which are exact at every size.
 * `salt` distinguishes two equal orders of one millisecond.
 * The order id is the digest of the order under the exchange's domain (EIP-712). Domains, types and wire form are those of
 * the venue's own client, whose bytes the tests compare
 * (https://docs.polymarket.com/api-reference/trade/post-a-new-order). Errors: 502 `venue_error` for a tick finer than an
 * order can express.
 */
export async function signOrder(
  order: LimitOrder,
  rules: OrderRules,
  account: Account,
  { now, salt = randomInt(1, SALTS) }: { readonly now: Moment; readonly salt?: number },
): Promise<SignedOrder> {
  const { tokenId, side, postOnly, expiresAt } = order;
  const { wallet, signatureType, funderAddress, builderCode = ZeroHash } = account;
  const isDepositWallet = signatureType === 'deposit-wallet';
  const signed = {
    salt,
    maker: funderAddress,
    signer: isDepositWallet ? funderAddress : wallet.address,
    tokenId,
    ...amountsOf(order),
    side: side === 'buy' ? 0 : 1,
    signatureType: SIGNATURE_TYPE[signatureType],
    timestamp: String(now.venue),
    metadata: ZeroHash,
    builder: builderCode,
  };
  const domain = domainOf(rules);
  const orderHash = ORDER.hash(signed);
  const orderId = digestOf(domain, orderHash);
  const signature = isDepositWallet ? await signNested(account, domain, signed, orderHash) : await wallet.sign(orderId);
  // In the venue's order of members, and with one that is sent without being signed.
  const { metadata, builder, ...terms } = signed;
  const expiration = expiresAt === null ? '0' : String((expiresAt + EARLY_EXPIRY_MS) / 1_000);
  const payload = JSON.stringify({ ...terms, side: side.toUpperCase(), expiration, metadata, builder, signature });
  return { orderId, tokenId, conditionId: rules.conditionId, postOnly, expiresAt, payload, signedAt: now };
}
