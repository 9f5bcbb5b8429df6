import * as z from 'zod/mini';
import { type AppError, FINAL_CODES } from '../errors.ts';
import { PLACEMENT_STATUSES } from '../venue/port.ts';

const strings = z.readonly(z.array(z.string()));
const textOrNull = z.nullable(z.string());

const finalAnswer = z.discriminatedUnion('result', [
  z.object({
    result: z.literal('placed'),
    placement: z.object({
      orderId: z.string(),
      status: z.enum(PLACEMENT_STATUSES),
      filledSize: textOrNull,
      remainingSize: textOrNull,
      filledValue: textOrNull,
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
  /** The venue did not take the order, and no request can repeat it: its caller gave no key. */
  z.object({ result: z.literal('not_taken') }),
]);

export type FinalAnswer = z.infer<typeof finalAnswer>;

const orderClient = z.readonly(
  z.object({
    address: z.string(),
    /** True where a signature proves the address; otherwise it is a claim. */
    isVerified: z.boolean(),
  }),
);

export type OrderClient = z.infer<typeof orderClient>;

/** All times are in milliseconds of the Unix epoch. */
const common = {
  orderId: z.string(),
  /** A `LimitOrder`. */
  terms: z.readonly(
    z.object({
      tokenId: z.string(),
      side: z.enum(['buy', 'sell']),
      price: z.string(),
      size: z.string(),
      postOnly: z.boolean(),
      expiresAt: z.nullable(z.number()),
    }),
  ),
  conditionId: textOrNull,
  /** EIP-55 address of the key that signed. */
  walletAddress: z.string(),
  signedFor: z.readonly(
    z.object({ venue: z.string(), chainId: z.number(), maker: z.string(), signatureType: z.string() }),
  ),
  signedAt: z.number(),
  /** The UTC day on which its notional counts; `null` where it does not. */
  countedOn: textOrNull,
  /** The request that it was signed for; `null` for a caller without an id. */
  requestId: textOrNull,
  /** The caller that a gateway identified: the ARN of IAM or the subject of a token. */
  caller: textOrNull,
  /** `null` where the caller named no client. */
  client: z.nullable(orderClient),
};

const unfinishedOrder = z.readonly(
  z.object({
    ...common,
    state: z.literal('unfinished'),
    /** The signed bytes; without their signature once no repeat may send them. */
    payload: z.string(),
    /** 24 h after the last use, or the order's end: nothing is sent from then on. */
    sendableUntil: z.number(),
    /** The holder may send until this time; 0 once it has released the lease. */
    lease: z.readonly(z.object({ owner: z.string(), until: z.number() })),
    /** The last time at which bytes may have left without an answer that proves anything; `null` if there is none. */
    unconfirmedAt: z.nullable(z.number()),
    /** The venue's message about the last send, if no sentence of it is known; the order is not sent again then. */
    venueReason: textOrNull,
  }),
);

const finishedOrder = z.readonly(
  z.object({ ...common, state: z.literal('finished'), answer: finalAnswer, keepUntil: z.number() }),
);

/** A signed order that may have been sent and has no final answer yet, with everything needed to send it again. */
export type UnfinishedOrder = z.infer<typeof unfinishedOrder>;

/** Has no signed bytes: they are never sent again. */
export type FinishedOrder = z.infer<typeof finishedOrder>;

/** The record under a key. Holds neither the private key nor API credentials. */
export type OrderRecord = UnfinishedOrder | FinishedOrder;

/** Raised when the meaning of a record changes. Every later version of the service reads this one. */
const VERSION = 2;

const versioned = z.object({ version: z.number() });
const stored = z.object({ version: z.literal(VERSION), order: z.union([unfinishedOrder, finishedOrder]) });

/** Thrown for a store, or a record in it, that another version of the service has written. */
export class OtherVersionError extends Error {
  constructor(found: number, known: number) {
    const whose = found < known ? 'an earlier' : 'a later';
    super(`it has orders of ${whose} version of the service (${found}, not ${known}); see "Upgrading" in CHANGELOG.md`);
  }
}

/** Returns the text of a record as a store keeps it. */
export function encodeRecord(order: OrderRecord): string {
  return JSON.stringify({ version: VERSION, order } satisfies z.infer<typeof stored>);
}

/** Reads the text of `encodeRecord`; throws on anything else. */
export function decodeRecord(text: string): OrderRecord {
  const record: unknown = JSON.parse(text);
  const { version } = versioned.parse(record);
  if (version !== VERSION) throw new OtherVersionError(version, VERSION);
  return stored.parse(record).order;
}

/** Returns the record without the signature. A look-up still needs the order's terms. */
export function withoutSignature(record: UnfinishedOrder): UnfinishedOrder {
  return { ...record, payload: record.payload.replace(/"signature":"[^"]*"/, '"signature":""') };
}

/** Returns false once the signed bytes are too old, or have lost their signature. */
export function isSendable({ payload, sendableUntil }: UnfinishedOrder, now: number): boolean {
  return now < sendableUntil && !payload.includes('"signature":""');
}

/** Returns the verified address, in its canonical form, that a key is bound to; `null` for a claim. */
export function verifiedAddressOf(client: OrderClient | null): string | null {
  return client?.isVerified ? client.address : null;
}

/** Parses a record; `undefined` for one of another version, and for a damaged one. */
export function readRecord(text: string): OrderRecord | undefined {
  try {
    return decodeRecord(text);
  } catch {
    return undefined;
  }
}

/** Turns the venue's refusal into the answer that its key keeps. Throws on an error that is not the venue's own. */
export function toRefusal({ code, message, facts }: AppError): FinalAnswer {
  return finalAnswer.parse({ result: 'refused', code, detail: message, facts });
}

/** Returns what each write of a key changes: the lease of an unfinished order, else the kind and end of its answer. */
export function versionOf(record: OrderRecord): string {
  return record.state === 'unfinished' ? record.lease.owner : `${record.answer.result} ${record.keepUntil}`;
}
