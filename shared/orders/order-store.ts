import { type Decimal, multiplyDecimals, toDecimal, toUnits, UNIT_DECIMALS } from '../decimal.ts';
import { type OrderRecord, verifiedAddressOf, versionOf } from './record.ts';

/** A change of the notional that is counted for a day, made in the same write as the record. */
export interface DayCount {
  /** In UTC, such as `2026-11-21`. */
  readonly day: string;
  /** The canonical address of a verified client; absent for the sum of all clients. */
  readonly client?: string;
  /** In millionths of collateral; negative to give back. */
  readonly units: bigint;
  /** The write fails if the sum of the day would exceed this. */
  readonly atMost?: bigint;
}

/** The record that a write replaces. */
export type Over =
  /** None: the key is new. */
  | 'nothing'
  /** A record as it was read: each write changes `versionOf` it. */
  | { readonly version: string }
  /** The unfinished order of this id, whoever has its lease. */
  | { readonly unfinished: string };

/** The result of a conditional write. `standing`: the record of the key, if any. `fullDay`: the first without room. */
export type Written =
  | 'written'
  | { readonly standing: OrderRecord | undefined }
  | { readonly fullDay: string; readonly scope: 'client' | 'service' };

/** Returns the result of a write for whose count a day has no room. */
export function fullBy({ day, client }: DayCount): Written {
  return { fullDay: day, scope: client === undefined ? 'service' : 'client' };
}

/** Returns the name of the sum that a count changes; it begins with the day. */
export function sumName({ day, client }: DayCount): string {
  return client === undefined ? day : `${day} ${client}`;
}

/**
 * A store of the records of orders and of the notional of each day. Writes are atomic, conditional and durable; reads see all
 * writes that were answered before. Calls settle within `STORE_CALL_MS`; after an error the write may have happened.
 */
export interface OrderStore {
  read(key: string): Promise<OrderRecord | undefined>;
  /** Replaces the record of a key; `undefined` deletes it. */
  write(key: string, record: OrderRecord | undefined, over: Over, counts?: readonly DayCount[]): Promise<Written>;
}

/**
 * Read-only access to the records of a store, also while a service uses it. Each call costs what it returns; a record that
 * cannot be read is `undefined`.
 */
export interface OrderRecords {
  /** A record that was written less than this many milliseconds ago may be missing. */
  readonly lagMs: number;
  /**
   * Finds the records of orders by their ids, in lower case. An order may have none; the result may hold records of other
   * orders.
   */
  find(orderIds: readonly string[]): AsyncIterable<OrderRecord | undefined>;
  /** Lists the records signed since a time, in milliseconds of the Unix epoch. */
  list(since: number): AsyncIterable<OrderRecord | undefined>;
}

/** Returns true if a write may replace the record that a key has. */
export function isReplaceable(standing: OrderRecord | undefined, over: Over): boolean {
  if (over === 'nothing' || !standing) return over === 'nothing' && !standing;
  if ('version' in over) return versionOf(standing) === over.version;
  return standing.state === 'unfinished' && standing.orderId === over.unfinished;
}

/** Returns the UTC day of a time, such as `2026-11-21`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns price times size in millionths of collateral; it has at most 6 decimals. */
function notionalOf({ terms: { price, size } }: OrderRecord): bigint {
  const units = toUnits(multiplyDecimals(toDecimal(price), toDecimal(size)), UNIT_DECIMALS);
  if (units === undefined) throw new RangeError('a notional is finer than collateral');
  return units;
}

/** The caps on the notional of a UTC day, in collateral. */
export interface DayCaps {
  readonly maxDailyNotional?: Decimal | undefined;
  /** For each verified client. */
  readonly maxDailyNotionalPerClient?: Decimal | undefined;
}

/** Returns a cap in millionths, rounded down. */
function boundOf(cap: Decimal | undefined): Pick<DayCount, 'atMost'> {
  return cap ? { atMost: (cap.coefficient * 10n ** BigInt(UNIT_DECIMALS)) / 10n ** BigInt(cap.scale) } : {};
}

/** Returns the daily counters that an order adds to: its verified client's, then the service's. */
export function countsOf(record: OrderRecord, caps: DayCaps = {}): readonly DayCount[] {
  if (record.countedOn === null) return [];
  const count = { day: record.countedOn, units: notionalOf(record) };
  const client = verifiedAddressOf(record.client);
  const all = { ...count, ...boundOf(caps.maxDailyNotional) };
  return client === null ? [all] : [{ ...count, client, ...boundOf(caps.maxDailyNotionalPerClient) }, all];
}

/** Returns the counts that give an order's notional back. */
export function giveBack(record: OrderRecord): readonly DayCount[] {
  return countsOf(record).map((count) => ({ ...count, units: -count.units }));
}
