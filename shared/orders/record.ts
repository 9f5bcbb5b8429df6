import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { formatDecimal } from '../decimal.ts';
import { type AppError, FINAL_CODES } from '../errors.ts';
import { type LimitOrder, PLACEMENT_STATUSES, type SignedOrder } from '../venue/port.ts';

const texts = z.readonly(z.array(z.string()));
/** Absent in answers that were stored before the service told fills. */
const told = z._default(z.nullable(z.string()), null);

const finalAnswer = z.discriminatedUnion('result', [
  z.object({
    result: z.literal('placed'),
    placement: z.object({
      orderId: z.string(),
      status: z.enum(PLACEMENT_STATUSES),
      filledSize: told,
      remainingSize: told,
      filledValue: told,
      transactionHashes: texts,
      tradeIds: texts,
    }),
  }),
  z.object({
    result: z.literal('refused'),
    code: z.enum(FINAL_CODES),
    detail: z.string(),
    facts: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  /** The venue did not take the order, and nobody can repeat it: it has no key of its caller's. */
  z.object({ result: z.literal('not_taken') }),
]);

/**
 * Raised with the meaning of a record. A record of version 1 does not say what its order was signed for; one of a later
 * version is refused, since what it says besides would be lost.
 */
const VERSION = 2;

const signing = z.object({
  for: z.object({ venue: z.string(), chainId: z.number(), maker: z.string(), signatureType: z.string() }),
  /** Price times size, in collateral. */
  notional: z.string(),
  /** A time in milliseconds of the Unix epoch by the venue's clock, as all times here. */
  at: z.number(),
  /** `null` for an order that rests until it is filled or cancelled. */
  expiresAt: z.nullable(z.number()),
});

const request = {
  version: z._default(z.int().check(z.maximum(VERSION)), 1),
  fingerprint: z.string(),
  walletAddress: z.string(),
  orderId: z.string(),
  /** Absent in records of version 1. */
  signing: z.optional(signing),
  /** Its notional is counted for the day of its signing. */
  counted: z._default(z.boolean(), false),
};

const unfinishedOrder = z.object({
  ...request,
  state: z.literal('unfinished'),
  order: z.object({
    orderId: z.string(),
    tokenId: z.string(),
    conditionId: z._default(z.nullable(z.string()), null),
    postOnly: z.boolean(),
    payload: z.string(),
  }),
  /** The holder may send until this time; 0 once it has given the lease back. */
  lease: z.object({ owner: z.string(), until: z.number() }),
  /** The last time at which bytes may have left without an answer that proves anything; `null` where there is none. */
  unprovenAt: z._default(z.nullable(z.number()), null),
  /** Set where every sending was refused at the operator's level: the next repeat signs anew. */
  freed: z._default(z.boolean(), false),
});

/** Without the signed bytes: they are never sent again, and what is not kept cannot leak. */
const finishedOrder = z.object({
  ...request,
  state: z.literal('finished'),
  answer: finalAnswer,
  /** In milliseconds of the Unix epoch. */
  keepUntil: z.number(),
});

const orderRecord = z.discriminatedUnion('state', [unfinishedOrder, finishedOrder]);

/** The state of an order before anything was asked of the venue. */
export function newRecord(
  { expiresAt, ...order }: SignedOrder,
  signing: Omit<NonNullable<UnfinishedOrder['signing']>, 'expiresAt'>,
  request: Pick<UnfinishedOrder, 'fingerprint' | 'walletAddress' | 'lease' | 'counted'>,
): UnfinishedOrder {
  const { orderId } = order;
  const fixed = { version: VERSION, state: 'unfinished', orderId, order, signing: { ...signing, expiresAt } } as const;
  return { ...fixed, ...request, unprovenAt: signing.at, freed: false };
}

/** The order of a record as it was signed. */
export function signedOrderOf({ order, signing }: UnfinishedOrder): SignedOrder {
  return { ...order, expiresAt: signing?.expiresAt ?? null };
}

/** One of the answers that never change: placed, refused by the venue itself, or given up. */
export type FinalAnswer = z.infer<typeof finalAnswer>;
/** A signed order that may have been sent and has no final answer yet. Holds all that sending it again takes. */
export type UnfinishedOrder = z.infer<typeof unfinishedOrder>;
export type FinishedOrder = z.infer<typeof finishedOrder>;
/** The record under an idempotency key. Holds neither the private key nor API credentials. */
export type OrderRecord = z.infer<typeof orderRecord>;

/** The text of a record as a store keeps it. */
export function encodeRecord(record: OrderRecord): string {
  return JSON.stringify(record);
}

/** Reads what `encodeRecord` wrote; throws on anything else, so that a damaged record is never taken for no record. */
export function decodeRecord(text: string): OrderRecord {
  return orderRecord.parse(JSON.parse(text));
}

/** The same for every spelling of the same order, such as a price of `0.50` and of `"0.5"`. */
export function fingerprintOf({ tokenId, side, price, size, postOnly, expiresAt }: LimitOrder): string {
  const canonical = [tokenId, side, formatDecimal(price), formatDecimal(size), postOnly];
  // Orders without an end keep the fingerprints that they had before an order could have one.
  const whole = JSON.stringify(expiresAt === null ? canonical : [...canonical, expiresAt]);
  return createHash('sha256').update(whole).digest('base64url');
}

/** Turns the venue's refusal into the answer that its key keeps. Throws on an error that is not the venue's own. */
export function toRefusal({ code, message, facts }: AppError): FinalAnswer {
  return finalAnswer.parse({ result: 'refused', code, detail: message, facts });
}

/** The condition on a record at the moment it is replaced: unfinished, or finished and not changed since it was read. */
export type Expected = 'unfinished' | { readonly heldBy: string } | { readonly keptUntil: number };

/** A change of the notional that is counted for a day, made in the same write as the record. */
export interface DayCount {
  /** In UTC, such as `2026-11-21`. */
  readonly day: string;
  /** In millionths of collateral; below zero it is given back. */
  readonly units: bigint;
  /** The write is not made (`above_cap`) where the sum of the day would be above. */
  readonly atMost?: bigint;
}

/** The end of a conditional write; after `conflict` and `above_cap` nothing was written. */
export type Written = 'written' | 'conflict' | 'above_cap';

/**
 * A store of the records of idempotency keys, and of the notional of each day. Writes are atomic and conditional, and
 * durable when they are answered; reads see every write answered before. Every call settles within `STORE_CALL_MS`; it may
 * throw any error, after which the write may or may not have happened.
 */
export interface OrderStore {
  read(key: string): Promise<OrderRecord | undefined>;
  /** Writes the first record of a key; `conflict` when it has one. */
  create(key: string, record: OrderRecord, count?: DayCount): Promise<Written>;
  /** Replaces a key's record; `conflict` when it is not as expected. */
  replace(key: string, record: OrderRecord, expected: Expected, count?: DayCount): Promise<Written>;
  /** Gives the notional that is counted for a day, in millionths of collateral. */
  countedOn(day: string): Promise<bigint>;
}

/** Names the holder of the lease; `undefined` once the order is finished. */
export function holderOf(record: OrderRecord): string | undefined {
  return record.state === 'unfinished' ? record.lease.owner : undefined;
}
