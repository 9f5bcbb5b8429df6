import { isAddress } from 'ethers';
import * as z from 'zod';
import { parsedBody, VenueRefusal } from '../http/router.ts';
import type { SignedStruct } from './signing.ts';

const uint256 = z.string().refine((digits) => /^(?:0|[1-9]\d{0,77})$/.test(digits) && BigInt(digits) < 2n ** 256n);
const address = z.string().refine((text) => text.startsWith('0x') && isAddress(text));
const bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/);

const payload = z.object({
  order: z.object({
    // A JSON number: only those up to 2^53 - 1 arrive as they were signed, and z.int() takes no others.
    salt: z.int().nonnegative(),
    maker: address,
    signer: address,
    tokenId: uint256,
    makerAmount: uint256,
    takerAmount: uint256,
    side: z.enum(['BUY', 'SELL']),
    signatureType: z.literal([0, 1, 2, 3]),
    timestamp: uint256,
    // Unix seconds; twelve digits are past the year 30000.
    expiration: z.string().regex(/^(?:0|[1-9]\d{0,11})$/),
    metadata: bytes32,
    builder: bytes32,
    signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2})+$/),
  }),
  owner: z.string(),
  orderType: z.enum(['GTC', 'GTD', 'FOK', 'FAK']),
  postOnly: z.boolean().optional(),
  deferExec: z.boolean().optional(),
});

/** Members of first-protocol orders, which clients from before April 2026 send. */
const firstProtocol = z.object({ order: z.object({ nonce: z.string(), feeRateBps: z.string() }) });

const cancellation = z.object({ orderID: z.string() });
const cancellations = z.array(z.string());
const marketCancellation = z.object({ market: z.string().optional(), asset_id: z.string().optional() });

/** Body of POST /order as it arrives. */
export type OrderPayload = z.infer<typeof payload>;

function refuse(text = 'Invalid order payload'): never {
  throw new VenueRefusal(400, text);
}

/**
 * Parses the body of POST /order; 400 `order_version_mismatch` for an order of the first protocol, else `Invalid order
 * payload` when anything is missing or of the wrong type.
 */
export function parseOrder(body: unknown): OrderPayload {
  const order = payload.safeParse(body).data;
  return order ?? refuse(firstProtocol.safeParse(body).success ? 'order_version_mismatch' : undefined);
}

/** Splits the body of POST /orders into orders, still unparsed. */
export function parseBatch(body: Buffer): readonly unknown[] {
  return z.array(z.unknown()).safeParse(parsedBody(body)).data ?? refuse();
}

/** Parses the body of DELETE /order: one order id. */
export function parseCancellation(body: Buffer): string {
  return cancellation.safeParse(parsedBody(body)).data?.orderID ?? refuse();
}

/** Parses the body of DELETE /orders: order ids. */
export function parseCancellations(body: Buffer): readonly string[] {
  return cancellations.safeParse(parsedBody(body)).data ?? refuse();
}

/** Parses the filters of DELETE /cancel-market-orders; an absent one matches everything. */
export function parseMarketCancellation(body: Buffer): z.infer<typeof marketCancellation> {
  return marketCancellation.safeParse(parsedBody(body)).data ?? refuse();
}

/** Picks the members of an order that its signature covers. */
export function signedStruct({ order }: OrderPayload): SignedStruct {
  const { salt, maker, signer, tokenId, makerAmount, takerAmount, signatureType, timestamp, metadata, builder } = order;
  const side = order.side === 'BUY' ? 0 : 1;
  return { salt, maker, signer, tokenId, makerAmount, takerAmount, side, signatureType, timestamp, metadata, builder };
}

/** Answer to an accepted order in the venue's own names; amounts are decimals, empty when nothing matched. */
export interface OrderAnswer {
  readonly errorMsg: string;
  readonly orderID: string;
  readonly takingAmount: string;
  readonly makingAmount: string;
  readonly status: string;
  readonly transactionsHashes: readonly string[];
  readonly tradeIDs: readonly string[];
  readonly success: boolean;
}

/** Answers with a refusal in the form of an accepted order, which says success all the same: nothing was accepted. */
export function refusedAnswer(errorMsg: string): OrderAnswer {
  const nothing = { orderID: '', takingAmount: '', makingAmount: '', status: '', transactionsHashes: [], tradeIDs: [] };
  return { errorMsg, ...nothing, success: true };
}
