import { OrderBuilder, OrderType, orderToJsonV2, Side, SignatureTypeV2 } from '@polymarket/clob-client-v2';
import { TypedDataEncoder, type Wallet } from 'ethers';
import { SIGNATURE_TYPES } from '../../../shared/account.ts';
import { clientSigner, WALLET } from '../../../tools/support/paper-client.ts';
import { funderOf } from './funder.ts';
import { ORDER_TYPE } from './order-type.ts';

/** An exchange contract, which is a part of the signing domain of an order. */
export type Domain = 'plain' | 'negRisk' | 'protocolV2';

/** An order as a test states it; amounts win over price and size, so that any amounts can be signed. */
export interface OrderRequest {
  readonly tokenId: string;
  readonly side?: 'BUY' | 'SELL';
  readonly price?: number;
  readonly size?: number;
  readonly makerAmount?: string;
  readonly takerAmount?: string;
  readonly domain?: Domain;
  readonly kind?: 0 | 1 | 2 | 3;
  readonly wallet?: Wallet;
  readonly expiration?: string;
  readonly maker?: string;
}

const ZERO = `0x${'00'.repeat(32)}`;
const CONTRACTS: Readonly<Record<Domain, readonly [version: string, contract: string]>> = {
  plain: ['2', '0xE111180000d2663C0091e4f400237545B87B996B'],
  negRisk: ['2', '0xe2222d279d744050d28e00520010520000310F59'],
  protocolV2: ['3', '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'],
};
let salt = 1_000;

function domainOf(domain: Domain) {
  const [version, verifyingContract] = CONTRACTS[domain];
  return { name: 'Polymarket CTF Exchange', version, chainId: 137, verifyingContract };
}

function millionths(amount: number): string {
  return String(Math.round(amount * 1e6));
}

function amounts({ side = 'BUY', price = 0.4, size = 10, ...given }: OrderRequest) {
  const [collateral, shares] = [millionths(price * size), millionths(size)];
  const [makerAmount, takerAmount] = side === 'BUY' ? [collateral, shares] : [shares, collateral];
  return { makerAmount: given.makerAmount ?? makerAmount, takerAmount: given.takerAmount ?? takerAmount };
}

/** An order signed with plain ECDSA by the wallet (kinds 0 to 2), each with a new salt; and its id. */
export async function signOrder(request: OrderRequest) {
  const { domain = 'plain', kind = 0, wallet = WALLET, side = 'BUY', expiration = '0' } = request;
  salt += 1;
  const struct = {
    salt,
    maker: request.maker ?? funderOf(wallet.address, SIGNATURE_TYPES[kind]),
    signer: wallet.address,
    tokenId: request.tokenId,
    ...amounts(request),
    side: side === 'BUY' ? 0 : 1,
    signatureType: kind,
    timestamp: '1795000000000',
    metadata: ZERO,
    builder: ZERO,
  };
  const types = { Order: ORDER_TYPE };
  const signature = await wallet.signTypedData(domainOf(domain), types, struct);
  const id = TypedDataEncoder.hash(domainOf(domain), types, struct);
  return { id, order: { ...struct, side, expiration, signature } };
}

/** The same order as the official client builds and signs it, for every kind of account. */
export async function officialOrder(request: OrderRequest) {
  const { tokenId, domain = 'plain', kind = 0, wallet = WALLET, ...order } = request;
  const maker = request.maker ?? funderOf(wallet.address, SIGNATURE_TYPES[kind]);
  const type = [
    SignatureTypeV2.EOA,
    SignatureTypeV2.POLY_PROXY,
    SignatureTypeV2.POLY_GNOSIS_SAFE,
    SignatureTypeV2.POLY_1271,
  ][kind];
  const builder = new OrderBuilder(clientSigner(wallet), 137, type, maker);
  const side = order.side === 'SELL' ? Side.SELL : Side.BUY;
  const terms = { tokenID: tokenId, price: order.price ?? 0.4, size: order.size ?? 10, side };
  const version = domain === 'protocolV2' ? 3 : 2;
  const signed = await builder.buildOrder(terms, { tickSize: '0.01', negRisk: domain === 'negRisk' }, version);
  if ('taker' in signed && 'nonce' in signed) throw new Error('the client signed an order of the first CLOB');
  return orderToJsonV2(signed, '', OrderType.GTC).order;
}
