import {
  createL1Headers,
  getContractConfig,
  OrderType,
  orderToJsonV2,
  Side,
  SignatureTypeV2,
} from '@polymarket/clob-client-v2';
import { TypedDataEncoder } from 'ethers/hash';
import type { SignatureType } from '../../account.ts';
import type { Wallet } from '../../wallets/evm-key.ts';
import { CHAIN_ID } from './accounts.ts';

// All that the service takes from the venue's official client: the parts that change when the venue changes. Amounts, hashes,
// the HMAC, transport and the judgement of answers are our own. From a clone it takes half a second to load, since it comes with
// its own HTTP client and viem; the bundle holds 4 KB of it.

/** The venue's records. Our schemas may name only members of these types. */
export type {
  ApiKeyRaw,
  MakerOrder,
  OpenOrder,
  OrderBookSummary,
  OrderResponse,
  Trade,
} from '@polymarket/clob-client-v2';

const { exchangeV2, negRiskExchangeV2, exchangeV3 } = getContractConfig(CHAIN_ID);

/** The exchange contracts of Polygon, by the rules of a market. */
export const EXCHANGES = { plain: exchangeV2, negRisk: negRiskExchangeV2, protocolV2: exchangeV3 } as const;

/** The venue's numbers of the kinds of account. */
export const SIGNATURE_TYPE: Readonly<Record<SignatureType, SignatureTypeV2>> = {
  eoa: SignatureTypeV2.EOA,
  proxy: SignatureTypeV2.POLY_PROXY,
  safe: SignatureTypeV2.POLY_GNOSIS_SAFE,
  'deposit-wallet': SignatureTypeV2.POLY_1271,
};

/** An order as its exchange hashes it. Numbers are digits, amounts millionths, `timestamp` milliseconds of the Unix epoch. */
export interface OrderStruct {
  readonly salt: string;
  readonly maker: string;
  readonly signer: string;
  readonly tokenId: string;
  readonly makerAmount: string;
  readonly takerAmount: string;
  readonly side: 'buy' | 'sell';
  readonly signatureType: SignatureTypeV2;
  readonly timestamp: string;
  readonly metadata: string;
  readonly builder: string;
}

/** A signed order; the signature does not cover `expiration`, in seconds of the Unix epoch, "0" for none. */
interface SignedStruct extends OrderStruct {
  readonly expiration: string;
  readonly signature: string;
}

/** Returns a signed order in the form in which it is sent, as JSON text. */
export function orderText(order: SignedStruct): string {
  const side = order.side === 'buy' ? Side.BUY : Side.SELL;
  // Only the order: the envelope names an API key, which is not signed.
  return JSON.stringify(orderToJsonV2({ ...order, side }, '', OrderType.GTC).order);
}

function clientSigner({ address, sign }: Wallet) {
  return {
    getAddress: async () => address,
    _signTypedData: (...typedData: Parameters<typeof TypedDataEncoder.hash>) =>
      sign(TypedDataEncoder.hash(...typedData)),
  };
}

/**
 * Returns the headers by which a wallet obtains its API credentials. `now`: the venue's time in milliseconds
 * (https://docs.polymarket.com/api-reference/authentication: L1).
 */
export async function l1Headers(wallet: Wallet, now: number): Promise<Readonly<Record<string, string>>> {
  const headers: object = await createL1Headers(clientSigner(wallet), CHAIN_ID, 0, Math.floor(now / 1_000));
  // All of them: a later version of the client may add one.
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
