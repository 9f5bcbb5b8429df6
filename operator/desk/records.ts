import { DynamoDBClient, paginateQuery, paginateScan } from '@aws-sdk/client-dynamodb';
import { readRecordTexts } from '../../local/order-store/store.ts';
import { storeFileOf } from '../../local/service/folders.ts';
import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import { withoutControls } from '../../shared/foreign-text.ts';
import { KEEP_MS } from '../../shared/limits.ts';
import { dayOf } from '../../shared/orders/order-store.ts';
import { decodeRecord, type OrderRecord } from '../../shared/orders/record.ts';
import { ConfigError, SIGNED_INDEX, tableOf } from '../../shared/settings/formats.ts';
import { type Access, DeskError } from './access.ts';

/** One request of a scan, which reads a megabyte. */
const SCAN_MS = { connect: 2_000, attempt: 10_000 } as const;

const DAY_MS = 86_400_000;

/** The picked parts of records. */
export interface Records<T> {
  /** By order id, in lower case. */
  readonly byId: ReadonlyMap<string, T>;
  /** The accounts that orders were signed for, in lower case. */
  readonly makers: ReadonlySet<string>;
  /** Number of the records that this version cannot read, which are skipped. */
  readonly unreadable: number;
}

/** Reads a record; `undefined` for one of another version, and for a damaged one. */
function readRecord(text: string): OrderRecord | undefined {
  try {
    return decodeRecord(text);
  } catch {
    return undefined;
  }
}

/** Returns true where the records since a time can be read without the others. */
export function canReadSince({ store, index }: Access): boolean {
  return tableOf(store) === undefined || index === true;
}

/** Reads the encoded records of a table that were signed since a time, by its index of the days of signing. */
async function* query(table: string, route: AwsRoute, since: number): AsyncGenerator<string, void> {
  const client = new DynamoDBClient(awsClientOptions(5, SCAN_MS, route));
  // Orders are signed by the venue's clock, which may have begun its next day.
  const last = dayOf(Date.now() + DAY_MS);
  for (let time = Math.max(since, Date.now() - KEEP_MS); dayOf(time) <= last; time += DAY_MS) {
    const input = {
      TableName: table,
      IndexName: SIGNED_INDEX.name,
      KeyConditionExpression: `${SIGNED_INDEX.day} = :day AND ${SIGNED_INDEX.time} >= :since`,
      ExpressionAttributeValues: { ':day': { S: dayOf(time) }, ':since': { N: String(Math.floor(since)) } },
    };
    for await (const { Items = [] } of paginateQuery({ client }, input)) {
      for (const { record } of Items) yield record?.S ?? '';
    }
  }
}

/** Reads the encoded records of a table; the sums of days are no records. */
async function* scan(table: string, route: AwsRoute): AsyncGenerator<string, void> {
  const client = new DynamoDBClient(awsClientOptions(5, SCAN_MS, route));
  const input = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: 'attribute_exists(#record)',
    ProjectionExpression: '#record',
    ExpressionAttributeNames: { '#record': 'record' },
  };
  for await (const { Items = [] } of paginateScan({ client }, input)) {
    // Anything but a text is no record.
    for (const { record } of Items) yield record?.S ?? '';
  }
}

/**
 * Reads the store and keeps the result of `pick` for each record, unless it is `undefined`. Counts records
 * that it cannot read. Those from before `since` are left out where that saves work. Throws `DeskError` if the store itself
 * cannot be read.
 */
export async function readRecords<T>(
  { store, index, ...route }: Pick<Access, 'store' | 'index'> & AwsRoute,
  pick: (record: OrderRecord) => T | undefined,
  since = 0,
): Promise<Records<T>> {
  const table = tableOf(store);
  const byId = new Map<string, T>();
  const makers = new Set<string>();
  let unreadable = 0;
  try {
    // The path is resolved only here: to cancel all orders needs no store, also in a package without one.
    const ofTable = (name: string) => (index && since > 0 ? query(name, route, since) : scan(name, route));
    const texts = table === undefined ? readRecordTexts(storeFileOf(store), since) : ofTable(table);
    for await (const text of texts) {
      const record = readRecord(text);
      if (!record) {
        unreadable += 1;
        continue;
      }
      makers.add(record.signedFor.maker.toLowerCase());
      const picked = pick(record);
      if (picked !== undefined) byId.set(record.orderId.toLowerCase(), picked);
    }
  } catch (cause) {
    const isOwn = cause instanceof ConfigError || (cause instanceof Error && cause.name === 'Error');
    const why = isOwn ? cause.message.replace(/\.$/, '') : cause instanceof Error ? cause.name : 'unknown';
    const place = table === undefined ? store : `table ${table}`;
    throw new DeskError(`The records of orders (${place}) cannot be read: ${why}.`, { cause });
  }
  return { byId, makers, unreadable };
}

/** Returns the address in a form to compare: an EVM address is one client in any case. */
export function comparable(address: string): string {
  return /^0x[0-9a-f]{40}$/i.test(address) ? address.toLowerCase() : address;
}

/** The client of an order, as the cells of a report. */
export interface ClientCells {
  readonly client_address: string | null;
  /** `null` without an address. */
  readonly client_address_verified: boolean | null;
  /** The caller that a gateway identified. */
  readonly caller: string | null;
  /** False for an order without a record; `null` if the records could not be read. */
  readonly recorded: boolean | null;
}

/** A label is cut where it is recorded; the subject of a token is as long as its issuer made it. */
const LABEL_LENGTH = 512;

/** The cells of an order while the records are unread. */
export const UNREAD: ClientCells = {
  client_address: null,
  client_address_verified: null,
  caller: null,
  recorded: null,
};

/** The part of a record that names the client and the caller. */
export type Who = Pick<OrderRecord, 'client' | 'caller'>;

/** Returns the cells of a client; `recorded` is false without a record. */
export function cellsOf(record: Who | undefined): ClientCells {
  const { client, caller = null } = record ?? {};
  return {
    client_address: client ? withoutControls(client.address, LABEL_LENGTH) : null,
    client_address_verified: client?.isVerified ?? null,
    caller: caller === null ? null : withoutControls(caller, LABEL_LENGTH),
    recorded: record !== undefined,
  };
}

/** Returns the cells of an order's client. Only a store that is read as a whole shows that an order has no record. */
export function cellsIn({ byId, unreadable }: Records<Who>, orderId: string): ClientCells {
  return unreadable > 0 && !byId.has(orderId) ? UNREAD : cellsOf(byId.get(orderId));
}

/** Returns true for an order of this client. */
export function isOfClient({ client_address: own }: ClientCells, address: string): boolean {
  return own !== null && comparable(own) === comparable(address);
}
