import { randomInt } from 'node:crypto';
import { multiplyDecimals, toUnits, UNIT_DECIMALS } from '../../decimal.ts';
import { refuse } from '../../errors.ts';
import { EARLY_EXPIRY_MS } from '../../limits.ts';
import type { SignatureType } from '../../settings/table.ts';
import type { LimitOrder, SignedOrder } from '../port.ts';
import type { OrderRules } from './order-rules.ts';
import { CHAIN_ID, type TypedData, typedData, type Wallet } from './wallet.ts';

/** Salts are chosen below this number: they travel as JSON numbers. */
const SALTS = 2 ** 47;

/** The venue's numbers of the kinds of account. */
const SIGNATURE_TYPE: Readonly<Record<SignatureType, number>> = { eoa: 0, proxy: 1, safe: 2, 'deposit-wallet': 3 };

/** An order as it is signed: without its expiration. */
const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

/** The message in which a deposit wallet signs an order (ERC-7739). */
const NESTED_TYPE = `TypedDataSign(Order contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)${ORDER_TYPE}`;

/** An exchange's order, by itself and in the message of a deposit wallet. */
interface Exchange {
  readonly order: TypedData;
  readonly nested: TypedData;
}

function exchange(version: string, verifyingContract: string): Exchange {
  const domain = { name: 'Polymarket CTF Exchange', version, chainId: CHAIN_ID, verifyingContract };
  return { order: typedData(domain, ORDER_TYPE), nested: typedData(domain, NESTED_TYPE) };
}

/** The exchanges on Polygon (https://docs.polymarket.com/trading/contracts). */
const EXCHANGES = {
  plain: exchange('2', '0xE111180000d2663C0091e4f400237545B87B996B'),
  negRisk: exchange('2', '0xe2222d279d744050d28e00520010520000310F59'),
  protocolV2: exchange('3', '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'),
} as const;

function exchangeOf({ protocol, negRisk }: Pick<OrderRules, 'negRisk' | 'protocol'>): Exchange {
  if (protocol === 'v2') return EXCHANGES.protocolV2;
  return negRisk ? EXCHANGES.negRisk : EXCHANGES.plain;
}

const ZERO_BYTES32 = `0x${'00'.repeat(32)}`;

export interface Account {
  readonly wallet: Wallet;
  readonly signatureType: SignatureType;
  /** EIP-55 address of what holds the funds. */
  readonly funderAddress: string;
  /** `0x` and 64 hex digits; attributes orders to a builder (https://docs.polymarket.com/trading/orders/attribution). */
  readonly builderCode?: string | undefined;
}

/** The type of orders and its length in two bytes, which end a deposit wallet's signature. */
const ORDER_TYPE_HEX = Buffer.from(ORDER_TYPE).toString('hex') + ORDER_TYPE.length.toString(16).padStart(4, '0');

/** Signs an order by its hash as a deposit wallet: in the wallet's own message, and with what proves it behind (ERC-7739). */
async function signNested({ wallet, funderAddress }: Account, { order, nested }: Exchange, contents: string) {
  const own = { name: 'DepositWallet', version: '1', chainId: CHAIN_ID, verifyingContract: funderAddress };
  const hash = nested.structHash({ contents, ...own, salt: ZERO_BYTES32 });
  const signature = await wallet.sign(nested.digest(hash));
  return signature + order.domainHash().slice(2) + contents.slice(2) + ORDER_TYPE_HEX;
}

/** Computes what the maker gives and takes, in millionths. */
function amountsOf({ side, price, size }: LimitOrder) {
  const shares = toUnits(size, UNIT_DECIMALS);
  const collateral = toUnits(multiplyDecimals(price, size), UNIT_DECIMALS);
  if (shares === undefined || collateral === undefined) throw refuse('venue_error', { why: 'tick_too_fine' });
  const [maker, taker] = side === 'buy' ? [collateral, shares] : [shares, collateral];
  return { makerAmount: maker.toString(), takerAmount: taker.toString() };
}

export interface SigningTime {
  /** By the venue's clock, in milliseconds of the Unix epoch. */
  readonly now: number;
  /** Makes two equal orders of one millisecond two orders. */
  readonly salt?: number;
}

/**
 * Signs a limit order, good till cancelled or till its end, that obeys `rules`: in integers, which are exact at every size.
 * The order id is the digest of the order under the exchange's domain (EIP-712). Domains, types and wire form are those of
 * the venue's own client, whose bytes the tests compare
 * (https://docs.polymarket.com/api-reference/trade/post-a-new-order). Errors: 502 `venue_error` for a tick finer than an
 * order can express.
 */
export async function signOrder(
  order: LimitOrder,
  rules: OrderRules,
  account: Account,
  { now, salt = randomInt(1, SALTS) }: SigningTime,
): Promise<SignedOrder> {
  const { tokenId, side, postOnly, expiresAt } = order;
  const { wallet, signatureType, funderAddress, builderCode = ZERO_BYTES32 } = account;
  const isDepositWallet = signatureType === 'deposit-wallet';
  const signed = {
    salt,
    maker: funderAddress,
    signer: isDepositWallet ? funderAddress : wallet.address,
    tokenId,
    ...amountsOf(order),
    side: side === 'buy' ? 0 : 1,
    signatureType: SIGNATURE_TYPE[signatureType],
    timestamp: String(now),
    metadata: ZERO_BYTES32,
    builder: builderCode,
  };
  const exchange = exchangeOf(rules);
  const hash = exchange.order.structHash(signed);
  const orderId = exchange.order.digest(hash);
  const signature = isDepositWallet ? await signNested(account, exchange, hash) : await wallet.sign(orderId);
  // In the venue's order of members, and with one that is sent without being signed.
  const { metadata, builder, ...terms } = signed;
  const expiration = expiresAt === null ? '0' : String((expiresAt + EARLY_EXPIRY_MS) / 1_000);
  const payload = JSON.stringify({ ...terms, side: side.toUpperCase(), expiration, metadata, builder, signature });
  return { orderId, tokenId, conditionId: rules.conditionId, postOnly, expiresAt, payload, signedAt: now };
}
