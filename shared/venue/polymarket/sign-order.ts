import { isV2Order, OrderBuilder, OrderType, orderToJsonV2, Side, SignatureTypeV2 } from '@polymarket/clob-client-v2';
import { formatDecimal, multiplyDecimals, ONE, toUnits } from '../../decimal.ts';
import { refuse } from '../../errors.ts';
import type { SignatureType } from '../../settings.ts';
import type { LimitOrder, SignedOrder } from '../port.ts';
import type { OrderRules } from './order-rules.ts';
import { CHAIN_ID, toOrderSigner, type Wallet } from './wallet.ts';

/** Decimals of collateral and shares alike (https://docs.polymarket.com, page "place orders"). */
const UNIT_DECIMALS = 6;

const SIGNATURE_TYPE: Readonly<Record<SignatureType, SignatureTypeV2>> = {
  eoa: SignatureTypeV2.EOA,
  proxy: SignatureTypeV2.POLY_PROXY,
  safe: SignatureTypeV2.POLY_GNOSIS_SAFE,
  'deposit-wallet': SignatureTypeV2.POLY_1271,
};

/** The client rounds to the decimals that belong to a tick: on the grid, the tick with as many decimals rounds nothing. */
const TICK_BY_DECIMALS = ['0.1', '0.1', '0.01', '0.001', '0.0001'] as const;

export interface Account {
  readonly wallet: Wallet;
  readonly signatureType: SignatureType;
  /** EIP-55 address of what holds the funds. */
  readonly funderAddress: string;
}

interface Amounts {
  /** In millionths, exactly. */
  readonly maker: string;
  readonly taker: string;
  /** As the client takes them for protocol v1. */
  readonly price: number;
  readonly size: number;
}

/** Computes what the maker gives and takes. */
function exactAmounts({ side, price, size }: LimitOrder): Amounts {
  const shares = toUnits(size, UNIT_DECIMALS);
  const collateral = toUnits(multiplyDecimals(price, size), UNIT_DECIMALS);
  if (shares === undefined || collateral === undefined) {
    throw refuse('venue_error', { why: 'tick_too_fine' });
  }
  const [maker, taker] = side === 'buy' ? [collateral, shares] : [shares, collateral];
  return {
    maker: maker.toString(),
    taker: taker.toString(),
    price: Number(formatDecimal(price)),
    size: Number(formatDecimal(size)),
  };
}

/** Signs under the domain of the token's protocol: "3" for v2, which takes exact amounts, "2" for v1. */
function build(
  { wallet, signatureType, funderAddress }: Account,
  order: LimitOrder,
  { negRisk, protocol, tickSize }: OrderRules,
  { maker: makerAmount, taker: takerAmount, price, size }: Amounts,
) {
  const signer = toOrderSigner(wallet);
  const builder = new OrderBuilder(signer, CHAIN_ID, SIGNATURE_TYPE[signatureType], funderAddress);
  const side = order.side === 'buy' ? Side.BUY : Side.SELL;
  if (protocol === 'v2') {
    const user = { tokenID: order.tokenId, side, makerAmount, takerAmount };
    return { signer, built: builder.buildExchangeV3OrderFromAmounts(user) };
  }
  const tick = TICK_BY_DECIMALS[Math.max(tickSize.scale, order.price.scale)];
  if (tick === undefined) throw refuse('venue_error', { why: 'tick_not_signable' });
  // The client computes in floating point here; what it signed is compared with the exact amounts below.
  const user = { tokenID: order.tokenId, side, price, size };
  return { signer, built: builder.buildOrder(user, { tickSize: tick, negRisk }, 2) };
}

/**
 * Signs a limit order (good till cancelled) that obeys `rules`. The order id is the digest of the order under the
 * exchange's domain (EIP-712). Errors: 400 `invalid_request` for a size that cannot be signed exactly.
 */
export async function signOrder(order: LimitOrder, rules: OrderRules, account: Account): Promise<SignedOrder> {
  const amounts = exactAmounts(order);
  const { signer, built } = build(account, order, rules, amounts);
  const signed = await built;
  const orderId = signer.orderId();
  if (!isV2Order(signed) || orderId === undefined) throw new Error('the client signed an order of another version');
  if (signed.makerAmount !== amounts.maker || signed.takerAmount !== amounts.taker) {
    const detail = 'is too large to be signed exactly at this price; use several smaller orders.';
    throw refuse('invalid_request', { part: 'The order', errors: [{ field: 'size', detail }] });
  }
  const body = orderToJsonV2(signed, '', OrderType.GTC, order.postOnly);
  return { orderId, tokenId: order.tokenId, postOnly: order.postOnly, payload: JSON.stringify(body.order) };
}

const ONE_SHARE_AT_HALF: LimitOrder = {
  tokenId: '1',
  side: 'buy',
  price: { coefficient: 5n, scale: 1 },
  size: ONE,
  postOnly: true,
};

/**
 * Signs an order that nobody gets to see. The first signature of a process takes 12 ms and later ones half of one; so
 * the first caller does not wait for it.
 */
export async function rehearseSigning(account: Account): Promise<void> {
  const rules = { tickSize: ONE_SHARE_AT_HALF.price, minOrderSize: ONE, negRisk: false, protocol: 'v1' } as const;
  await signOrder(ONE_SHARE_AT_HALF, rules, account);
}
