import { randomInt } from 'node:crypto';
import { isV2Order, OrderBuilder, OrderType, orderToJsonV2, Side, SignatureTypeV2 } from '@polymarket/clob-client-v2';
import { multiplyDecimals, ONE, toUnits, UNIT_DECIMALS } from '../../decimal.ts';
import { refuse } from '../../errors.ts';
import { EARLY_EXPIRY_MS } from '../../limits.ts';
import type { SignatureType } from '../../settings.ts';
import type { LimitOrder, SignedOrder } from '../port.ts';
import type { OrderRules } from './order-rules.ts';
import { CHAIN_ID, hashStruct, hashTypedData, type TypedData, type Wallet } from './wallet.ts';

/** Salts are chosen below this number: they travel as JSON numbers. */
const SALTS = 2 ** 47;

const SIGNATURE_TYPE: Readonly<Record<SignatureType, SignatureTypeV2>> = {
  eoa: SignatureTypeV2.EOA,
  proxy: SignatureTypeV2.POLY_PROXY,
  safe: SignatureTypeV2.POLY_GNOSIS_SAFE,
  'deposit-wallet': SignatureTypeV2.POLY_1271,
};

export interface Account {
  readonly wallet: Wallet;
  readonly signatureType: SignatureType;
  /** EIP-55 address of what holds the funds. */
  readonly funderAddress: string;
  /** `0x` and 64 hex digits; attributes orders to a builder (https://docs.polymarket.com/trading/orders/attribution). */
  readonly builderCode?: string | undefined;
}

type SignedOrderV2 = Parameters<typeof orderToJsonV2>[0];
type Exchange = Pick<OrderRules, 'negRisk' | 'protocol'>;

/** An order as the official client makes it for one exchange, from which all others take domain, types and layout. */
interface Sample {
  readonly signed: SignedOrderV2;
  readonly order: TypedData;
  /** The deposit wallet's own message around the order (ERC-7739); the order alone where there is none. */
  readonly message: TypedData;
  /** The hex digits around the order's hash that follow a deposit wallet's signature of 65 bytes. */
  readonly wrapping: readonly [before: string, behind: string] | undefined;
}

const HASH_DIGITS = 64;
const BLANK_SIGNATURE = `0x${'00'.repeat(65)}`;

async function makeSample(
  { wallet, signatureType, funderAddress, builderCode }: Account,
  { negRisk, protocol }: Exchange,
): Promise<Sample> {
  let message: TypedData | undefined;
  const signer = {
    getAddress: async () => wallet.address,
    _signTypedData: async (...[domain, types, value]: readonly [TypedData['domain'], TypedData['types'], object]) => {
      message = { domain, types, value: { ...value } };
      return BLANK_SIGNATURE;
    },
  };
  const builder = new OrderBuilder(signer, CHAIN_ID, SIGNATURE_TYPE[signatureType], funderAddress);
  const user = { tokenID: '1', side: Side.BUY, price: 0.5, size: 1, ...(builderCode && { builderCode }) };
  const signed = await builder.buildOrder(user, { tickSize: '0.1', negRisk }, protocol === 'v2' ? 3 : 2);
  const { Order } = message?.types ?? {};
  if (!isV2Order(signed) || !message || !Order) throw new Error('the client signed an order of another version');
  const contents = message.value['contents'];
  if (typeof contents !== 'object') return { signed, order: message, message, wrapping: undefined };
  const order = { domain: message.domain, types: { Order }, value: { ...contents } };
  const hash = hashStruct(order).slice(2);
  const [before, behind] = signed.signature.slice(BLANK_SIGNATURE.length).split(hash);
  if (before?.length !== HASH_DIGITS || behind === undefined) throw new Error('the client wraps orders in another way');
  return { signed, order, message, wrapping: [before, behind] };
}

const samples = new WeakMap<Account, Map<string, Promise<Sample>>>();

/** Gives the sample of an exchange, made once per account. */
function sampleOf(account: Account, exchange: Exchange): Promise<Sample> {
  const known = samples.get(account) ?? new Map<string, Promise<Sample>>();
  samples.set(account, known);
  const name = `${exchange.protocol} ${exchange.negRisk}`;
  const sample = known.get(name) ?? makeSample(account, exchange);
  known.set(name, sample);
  return sample;
}

/** Computes what the maker gives and takes, in millionths. */
function amountsOf({ side, price, size }: LimitOrder): Pick<SignedOrderV2, 'makerAmount' | 'takerAmount'> {
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
 * Signs a limit order, good till cancelled or till its end, that obeys `rules`: our integers, which are exact at every size, in the
 * official client's typed data, domain and wire form. The order id is the digest of the order under the exchange's domain
 * (EIP-712): "3" for protocol v2, "2" for v1. Errors: 502 `venue_error` for a tick finer than an order can express.
 */
export async function signOrder(
  order: LimitOrder,
  rules: OrderRules,
  account: Account,
  { now, salt = randomInt(1, SALTS) }: SigningTime,
): Promise<SignedOrder> {
  const { tokenId, postOnly, expiresAt } = order;
  const { wallet } = account;
  const own = { ...amountsOf(order), salt: String(salt), tokenId, timestamp: String(now) };
  const sample = await sampleOf(account, rules);
  const isBuy = order.side === 'buy';
  const typed = { ...sample.order, value: { ...sample.order.value, ...own, side: isBuy ? 0 : 1 } };
  const orderId = hashTypedData(typed);
  const { message, wrapping } = sample;
  const signature = wrapping
    ? (await wallet.sign(hashTypedData({ ...message, value: { ...message.value, contents: typed.value } }))) +
      wrapping.join(hashStruct(typed).slice(2))
    : await wallet.sign(orderId);
  // No part of what is signed, but of what is sent.
  const expiration = expiresAt === null ? '0' : String((expiresAt + EARLY_EXPIRY_MS) / 1_000);
  const signed = { ...sample.signed, ...own, side: isBuy ? Side.BUY : Side.SELL, signature, expiration };
  const type = expiresAt === null ? OrderType.GTC : OrderType.GTD;
  const payload = JSON.stringify(orderToJsonV2(signed, '', type, postOnly).order);
  return { orderId, tokenId, conditionId: rules.conditionId, postOnly, expiresAt, payload };
}

const ONE_SHARE_AT_HALF: LimitOrder = {
  tokenId: '1',
  side: 'buy',
  price: { coefficient: 5n, scale: 1 },
  size: ONE,
  postOnly: true,
  expiresAt: null,
};

/**
 * Signs an order that nobody gets to see. The first signature of a process takes 12 ms and later ones half of one; so
 * the first caller does not wait for it.
 */
export async function rehearseSigning(account: Account): Promise<void> {
  const rules = {
    tickSize: ONE_SHARE_AT_HALF.price,
    minOrderSize: ONE,
    negRisk: false,
    protocol: 'v1',
    conditionId: null,
  } as const;
  await signOrder(ONE_SHARE_AT_HALF, rules, account, { now: 0 });
}
