import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { multiplyDecimals, toUnits, UNIT_DECIMALS } from '../../../shared/decimal.ts';
import { type AppError, FINAL_CODES } from '../../../shared/errors.ts';
import { EARLY_EXPIRY_MS, LEASE_MS } from '../../../shared/limits.ts';
import type { OrderResult } from '../../../shared/orders/order-request.ts';
import { notionalOf, type OrderRecord, type OrderStore } from '../../../shared/orders/record.ts';
import type { LimitOrder } from '../../../shared/venue/port.ts';
import type { VirtualTime } from './virtual-time.ts';

const terms = ['tokenId', 'side', 'makerAmount', 'takerAmount', 'signer', 'expiration'];
/** An order as it is sent. */
const posted = z.object({
  postOnly: z.boolean(),
  order: z.object(Object.fromEntries(terms.map((name) => [name, z.string()]))),
});

/** One request for an order. */
export interface Asked {
  readonly key: string | undefined;
  readonly address: string | null;
  readonly order: LimitOrder;
  readonly isVerified: boolean;
  /** The wallet of the service. */
  readonly wallet: string;
  /** Its last write to the store began then. */
  wroteAt: number;
}

/** The request that the running code serves. */
export const asking = new AsyncLocalStorage<Asked>();

/** Returns true for requests of one order of one client under one key, for one wallet. */
function isSame(one: Asked, other: Asked): boolean {
  const [owner, otherOwner] = [one, other].map(({ isVerified, address }) => isVerified && address);
  return (
    one.key === other.key &&
    owner === otherOwner &&
    one.wallet === other.wallet &&
    isDeepStrictEqual(one.order, other.order)
  );
}

/** Returns true for an answer that ends a key. */
export function isFinal(end: string): boolean {
  return end === 'placed' || FINAL_CODES.some((code) => code === end);
}

/** Returns true for a record that binds its key. */
function isBinding(record: OrderRecord | undefined): boolean {
  return record !== undefined && !(record.state === 'unfinished' && record.isFreed);
}

/** Sees what is stored, what the venue takes and what clients are told, and notes every promise that is broken. */
export class Witness {
  readonly breaches: string[] = [];
  readonly #time: VirtualTime;
  readonly #store: OrderStore;
  readonly #keys = new Set<string>();
  readonly #days = new Set<string>();
  /** The requests for which orders were signed, by the bytes and by the ids of those. */
  readonly #idsByBytes = new Map<string, string>();
  readonly #askedFor = new Map<string, Asked>();
  readonly #written = new Set<string>();
  readonly #takenAt = new Map<string, number>();
  readonly #refused = new Set<string>();
  readonly #finals: { readonly asked: Asked; readonly end: string; readonly at: number }[] = [];

  constructor(time: VirtualTime, store: OrderStore) {
    this.#time = time;
    this.#store = store;
  }

  breach(text: string): void {
    this.breaches.push(`${text}, at ${new Date(this.#time.now).toISOString()}`);
  }

  /** A request begins to write a record. */
  writes(key: string, record: OrderRecord): void {
    const asked = asking.getStore();
    if (!asked) throw new Error('nobody asked for this record');
    asked.wroteAt = this.#time.now;
    this.#keys.add(key);
    for (const day of record.countedOn) this.#days.add(day);
    if (this.#askedFor.has(record.orderId) || record.state !== 'unfinished') return;
    this.#idsByBytes.set(record.payload, record.orderId);
    this.#askedFor.set(record.orderId, asked);
  }

  /** A record has been written. */
  written({ orderId }: OrderRecord): void {
    this.#written.add(orderId);
  }

  /** A process sends an order. */
  sends(body: string): void {
    const orderId = this.idOf(body);
    if (!this.#written.has(orderId)) this.breach(`an order was sent before it was stored: ${body}`);
  }

  /** Returns the id of an order that is sent. */
  idOf(body: string): string {
    return [...this.#idsByBytes].find(([payload]) => body.includes(payload))?.[1] ?? '';
  }

  /** The venue takes an order. */
  taken(orderId: string, body: string): void {
    const asked = this.#askedFor.get(orderId);
    if (!asked) return;
    const { side, price, size, tokenId, postOnly, expiresAt } = asked.order;
    const expiration = expiresAt === null ? '0' : String((expiresAt + EARLY_EXPIRY_MS) / 1_000);
    const [shares, collateral] = [size, multiplyDecimals(price, size)].map((each) => toUnits(each, UNIT_DECIMALS));
    const [makerAmount, takerAmount] = (side === 'buy' ? [collateral, shares] : [shares, collateral]).map(String);
    const signed = { tokenId, side: side.toUpperCase(), makerAmount, takerAmount, signer: asked.wallet, expiration };
    const wanted = { postOnly, order: signed };
    if (!isDeepStrictEqual(posted.parse(JSON.parse(body)), wanted)) this.breach(`not what was asked for: ${body}`);
    if (this.#refused.has(orderId)) this.breach(`refused, it was said, and the venue took ${orderId}`);
    for (const earlier of this.#takenAt.keys()) {
      const isOfKey = asked.key !== undefined && this.#askedFor.get(earlier)?.key === asked.key;
      if (isOfKey && earlier !== orderId) this.breach(`two orders of ${asked.key} are at the venue`);
    }
    this.#takenAt.set(orderId, this.#time.now);
  }

  /** Holds the answer to a request that began at a time against what the venue has; returns its kind. */
  answered(asked: Asked, { orderId, fate }: OrderResult): string {
    const takenAt = this.#takenAt.get(orderId);
    if (fate.kind === 'unknown') return fate.kind;
    const end = fate.kind === 'placed' ? fate.kind : fate.error.code;
    if (fate.kind === 'placed' && takenAt === undefined)
      this.breach(`placed, it was said, and ${orderId} was not taken`);
    // What was true when it was written may have changed on the way to the client, except for a refusal.
    const isUntrue = takenAt !== undefined && (fate.kind === 'refused' || takenAt < asked.wroteAt);
    if (fate.kind !== 'placed' && isUntrue) this.breach(`${end}, it was said, and the venue has ${orderId}`);
    if (fate.kind === 'not_taken') return end;
    if (fate.kind === 'refused') this.#refused.add(orderId);
    const signed = this.#askedFor.get(orderId);
    if (!signed || !isSame(signed, asked)) this.breach(`${orderId} is the order of another`);
    this.#conclude(asked, `${end} ${orderId}`);
    return end;
  }

  #conclude(asked: Asked, end: string): void {
    const { key } = asked;
    if (key === undefined) return;
    const other = this.#finals.find((final) => final.asked.key === key && final.end !== end);
    if (other) this.breach(`${key} was ${other.end} and is ${end}`);
    this.#finals.push({ asked, end, at: this.#time.now });
  }

  /** Holds an error against what its key was told before the request began. */
  failed(asked: Asked, { code, retryAfter = 0 }: AppError, beganAt: number): string {
    const { key = '' } = asked;
    if (code === 'order_in_progress' && retryAfter > LEASE_MS / 1_000)
      this.breach(`${key} is held for ${retryAfter} s`);
    const final = this.#finals.find(({ asked: by, at }) => isSame(by, asked) && at < beganAt);
    if (code === 'idempotency_key_reused' && final)
      this.breach(`${key} is the key of another, it was said after ${final.end}`);
    return code;
  }

  async #recordOf({ key }: Asked) {
    return key === undefined ? undefined : this.#store.read(key);
  }

  /** Holds that a request was told at the end that its key belongs to another against what the store has. */
  async checkReused(asked: Asked): Promise<void> {
    const record = await this.#recordOf(asked);
    const signed = record && this.#askedFor.get(record.orderId);
    if (!signed || isSame(signed, asked)) this.breach(`${asked.key} belongs to nobody else`);
  }

  /** Holds that no order can be signed for a request any more against what the store has. */
  async checkUnbound(asked: Asked): Promise<void> {
    if (isBinding(await this.#recordOf(asked))) this.breach(`the order of ${asked.key} is denied`);
  }

  /** Checks that no order is without a record, and that the sum of each day is that of the records that count on it. */
  async checkRecords(): Promise<void> {
    const records = await Promise.all([...this.#keys].map((key) => this.#store.read(key)));
    const sums = new Map([...this.#days].map((day) => [day, 0n]));
    for (const record of records) {
      const units = record && toUnits(notionalOf(record), UNIT_DECIMALS);
      for (const day of record?.countedOn ?? []) sums.set(day, (sums.get(day) ?? 0n) + (units ?? 0n));
    }
    for (const [day, sum] of sums) {
      const counted = await this.#store.countedOn(day);
      if (counted !== sum) this.breach(`${day} counts ${counted}, and its records ${sum}`);
    }
    const kept = new Set(records.map((record) => record?.orderId));
    const lost = [...this.#takenAt.keys()].find((orderId) => !kept.has(orderId));
    if (lost !== undefined) this.breach(`the record of ${lost} is lost`);
  }
}
