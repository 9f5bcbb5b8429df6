import { openRecords } from '../../local/service/open-store.ts';
import type { AwsRoute } from '../../shared/aws-client.ts';
import { withoutControls } from '../../shared/foreign-text.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import { INDEX_LAG_MS } from '../../shared/orders/table-layout.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { type Access, DeskError } from './access.ts';

/** Returns how long a list since a time may miss a new record; `undefined` if such a list reads all records. */
export function lagOf({ store, hasIndex }: Access): number | undefined {
  if (tableNameOf(store) === undefined) return 0;
  return hasIndex ? INDEX_LAG_MS : undefined;
}

/** The picked parts of records. */
export interface Records<T> {
  /** By order id, in lower case. */
  readonly byId: ReadonlyMap<string, T>;
  /** The accounts that orders were signed for, in lower case. */
  readonly makers: ReadonlySet<string>;
  /** Number of the records that this version cannot read, which are skipped. */
  readonly unreadable: number;
}

/**
 * Reads the records that were signed since a time, or all, and keeps the result of `pick` for each, unless it is `undefined`.
 * Counts those that it cannot read. Throws `DeskError` if the store itself cannot be read.
 */
export async function readRecords<T>(
  access: Pick<Access, 'store' | 'region' | 'hasIndex'> & AwsRoute,
  pick: (record: OrderRecord) => T | undefined,
  since = 0,
): Promise<Records<T>> {
  const byId = new Map<string, T>();
  const makers = new Set<string>();
  let unreadable = 0;
  try {
    // Loaded only here: cancelling all orders needs no store.
    const records = await openRecords(access, access.hasIndex === true);
    for await (const record of records.list(since)) {
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
    const table = tableNameOf(access.store);
    const place = table === undefined ? access.store : `table ${table}`;
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

/** Returns the cells of an order's client. `recorded` is false only if the whole store was read. */
export function cellsIn({ byId, unreadable }: Records<Who>, orderId: string): ClientCells {
  return unreadable > 0 && !byId.has(orderId) ? UNREAD : cellsOf(byId.get(orderId));
}

/** Returns true for an order of this client. */
export function isOfClient({ client_address: own }: ClientCells, address: string): boolean {
  return own !== null && comparable(own) === comparable(address);
}
