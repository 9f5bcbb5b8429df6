import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Decimal, formatDecimal, multiplyDecimals, parseDecimal, ZERO } from '../decimal.ts';
import { type AppError, FINAL_CODES } from '../errors.ts';
import { type LimitOrder, PLACEMENT_STATUSES, type SignedFor, type SignedOrder } from '../venue/port.ts';

const strings = z.readonly(z.array(z.string()));
const amount = z.nullable(z.string());

const finalAnswer = z.discriminatedUnion('result', [
  z.object({
    result: z.literal('placed'),
    placement: z.object({
      orderId: z.string(),
      status: z.enum(PLACEMENT_STATUSES),
      filledSize: amount,
      remainingSize: amount,
      filledValue: amount,
      transactionHashes: strings,
      tradeIds: strings,
    }),
  }),
  z.object({
    result: z.literal('refused'),
    code: z.enum(FINAL_CODES),
    detail: z.string(),
    facts: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  /** The venue did not take the order, and no request can repeat it: it has no key of its caller's. */
  z.object({ result: z.literal('not_taken') }),
]);

/** An answer that never changes: placed, refused by the venue itself, or given up. */
export type FinalAnswer = z.infer<typeof finalAnswer>;

/** An order in its canonical form: `0.50` and `"0.5"` are the same price. Decimals are strings, times milliseconds. */
export type OrderTerms = Omit<LimitOrder, 'price' | 'size'> & { readonly price: string; readonly size: string };

/** The client that asked for an order. */
export interface OrderClient {
  readonly address: string;
  /** True where the address was proved by a signature; otherwise it is a claim. */
  readonly isVerified: boolean;
}

interface CommonRecord {
  readonly orderId: string;
  readonly terms: OrderTerms;
  readonly conditionId: string | null;
  /** EIP-55 address of the key that signed. */
  readonly walletAddress: string;
  readonly signedFor: SignedFor;
  /** By the venue's clock, in milliseconds of the Unix epoch, as all times. */
  readonly signedAt: number;
  /** The UTC day on which its notional counts; `null` where it does not. */
  readonly countedOn: string | null;
  /** The request that it was signed for; `null` for a caller without an id. */
  readonly requestId: string | null;
  /** The caller that a gateway identified: the ARN of IAM or the subject of a token. */
  readonly caller: string | null;
  /** `null` where the caller named no client. */
  readonly client: OrderClient | null;
}

/** A signed order that may have been sent and has no final answer yet. Holds all that sending it again takes. */
export interface UnfinishedOrder extends CommonRecord {
  readonly state: 'unfinished';
  readonly payload: string;
  /** The holder may send until this time; 0 once it has released the lease. */
  readonly lease: { readonly owner: string; readonly until: number };
  /** The last time at which bytes may have left without an answer that proves anything; `null` if there is none. */
  readonly unprovenAt: number | null;
  /** The venue's words about the last send, if they match no known sentence; the order is not sent again then. */
  readonly venueReason: string | null;
}

/** Has no signed bytes: they are never sent again, and what is not kept cannot leak. */
export interface FinishedOrder extends CommonRecord {
  readonly state: 'finished';
  readonly answer: FinalAnswer;
  readonly keepUntil: number;
}

/** The record under a key. Holds neither the private key nor API credentials. */
export type OrderRecord = UnfinishedOrder | FinishedOrder;

/** Raised when the meaning of a record changes. A later version is refused: its unknown parts would be lost. */
const VERSION = 1;

/** A record as a store keeps it: short names, since DynamoDB is paid by the kilobyte. */
const stored = z.object({
  v: z.literal(VERSION),
  id: z.string(),
  terms: z.tuple([z.string(), z.enum(['buy', 'sell']), z.string(), z.string(), z.boolean(), z.nullable(z.number())]),
  market: z.nullable(z.string()),
  wallet: z.string(),
  for: z.tuple([z.string(), z.number(), z.string(), z.string()]),
  at: z.number(),
  counted: z.nullable(z.string()),
  request: z.nullable(z.string()),
  caller: z.nullable(z.string()),
  client: z.nullable(z.tuple([z.string(), z.boolean()])),
  end: z.union([
    z.object({
      payload: z.string(),
      lease: z.tuple([z.string(), z.number()]),
      unproven: z.nullable(z.number()),
      words: z.optional(z.string()),
    }),
    z.object({ answer: finalAnswer, keep: z.number() }),
  ]),
});

function encodeEnd(record: OrderRecord): z.infer<typeof stored>['end'] {
  if (record.state === 'finished') return { answer: record.answer, keep: record.keepUntil };
  const { payload, lease, unprovenAt, venueReason } = record;
  return {
    payload,
    lease: [lease.owner, lease.until],
    unproven: unprovenAt,
    ...(venueReason !== null && { words: venueReason }),
  };
}

/** Returns the text of a record as a store keeps it. */
export function encodeRecord(record: OrderRecord): string {
  const { terms, signedFor, client } = record;
  return JSON.stringify({
    v: VERSION,
    id: record.orderId,
    terms: [terms.tokenId, terms.side, terms.price, terms.size, terms.postOnly, terms.expiresAt],
    market: record.conditionId,
    wallet: record.walletAddress,
    for: [signedFor.venue, signedFor.chainId, signedFor.maker, signedFor.signatureType],
    at: record.signedAt,
    counted: record.countedOn,
    request: record.requestId,
    caller: record.caller,
    client: client && [client.address, client.isVerified],
    end: encodeEnd(record),
  } satisfies z.infer<typeof stored>);
}

/** Reads what `encodeRecord` wrote; throws on anything else, so that a damaged record is never taken for no record. */
export function decodeRecord(text: string): OrderRecord {
  const { terms, for: signedFor, client, end, ...rest } = stored.parse(JSON.parse(text));
  const [tokenId, side, price, size, postOnly, expiresAt] = terms;
  const [venue, chainId, maker, signatureType] = signedFor;
  const common: CommonRecord = {
    orderId: rest.id,
    terms: { tokenId, side, price, size, postOnly, expiresAt },
    conditionId: rest.market,
    walletAddress: rest.wallet,
    signedFor: { venue, chainId, maker, signatureType },
    signedAt: rest.at,
    countedOn: rest.counted,
    requestId: rest.request,
    caller: rest.caller,
    client: client && { address: client[0], isVerified: client[1] },
  };
  if ('answer' in end) return { ...common, state: 'finished', answer: end.answer, keepUntil: end.keep };
  const [owner, until] = end.lease;
  const { payload, unproven: unprovenAt, words: venueReason = null } = end;
  return { ...common, state: 'unfinished', payload, lease: { owner, until }, unprovenAt, venueReason };
}

/** Returns the canonical form of an order. */
export function termsOf({ tokenId, side, price, size, postOnly, expiresAt }: LimitOrder): OrderTerms {
  return { tokenId, side, price: formatDecimal(price), size: formatDecimal(size), postOnly, expiresAt };
}

/** Returns true for a record of the same order, however it was written. */
export function isOfOrder({ terms }: OrderRecord, order: LimitOrder): boolean {
  return isDeepStrictEqual(terms, termsOf(order));
}

/**
 * Returns the address that a key is bound to: a verified one, and `null` for a claim. EVM addresses are compared in lower
 * case; Solana addresses, which never begin with 0x, depend on their case.
 */
export function verifiedAddressOf(client: OrderClient | null): string | null {
  if (!client?.isVerified) return null;
  return /^0x/i.test(client.address) ? client.address.toLowerCase() : client.address;
}

/** Returns price times size, in collateral. */
export function notionalOf({ terms: { price, size } }: Pick<OrderRecord, 'terms'>): Decimal {
  return multiplyDecimals(parseDecimal(price) ?? ZERO, parseDecimal(size) ?? ZERO);
}

/** Returns the order of a record as it was signed. */
export function signedOrderOf(record: UnfinishedOrder): SignedOrder {
  const { orderId, conditionId, payload, signedAt } = record;
  const { tokenId, postOnly, expiresAt } = record.terms;
  return { orderId, tokenId, conditionId, postOnly, expiresAt, payload, signedAt };
}

/** Turns the venue's refusal into the answer that its key keeps. Throws on an error that is not the venue's own. */
export function toRefusal({ code, message, facts }: AppError): FinalAnswer {
  return finalAnswer.parse({ result: 'refused', code, detail: message, facts });
}

/** Returns what each write of a key changes: the lease of an unfinished order, else the kind and end of its answer. */
export function versionOf(record: OrderRecord): string {
  return record.state === 'unfinished' ? record.lease.owner : `${record.answer.result} ${record.keepUntil}`;
}
