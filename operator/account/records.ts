import { openRecords } from '../../local/service/open-store.ts';
import type { AwsRoute } from '../../shared/aws-client.ts';
import { withoutControls } from '../../shared/foreign-text.ts';
import type { OrderRecords } from '../../shared/orders/order-store.ts';
import type { OrderRecord } from '../../shared/orders/record.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { type Access, DeskError } from './access.ts';

/** Opens the records of a service. Each call throws `DeskError` if the store cannot be read. */
export async function openAccountRecords({ store, ...route }: Pick<Access, 'store' | 'region'> & AwsRoute) {
  function failed(cause: unknown): DeskError {
    const isOwn = cause instanceof ConfigError || (cause instanceof Error && cause.name === 'Error');
    const why = isOwn ? cause.message.replace(/\.$/, '') : cause instanceof Error ? cause.name : 'unknown';
    const table = tableNameOf(store);
    const place = table === undefined ? store : `table ${table}`;
    return new DeskError(`The records of orders (${place}) cannot be read: ${why}.`, { cause });
  }

  /** Keeps each result of `pick` by its order id, in lower case; skips `undefined`. Counts unreadable records. */
  async function read<T>(records: ReturnType<OrderRecords['list']>, pick: (record: OrderRecord) => T | undefined) {
    const byId = new Map<string, T>();
    let unreadable = 0;
    try {
      for await (const record of records) {
        const picked = record && pick(record);
        if (!record) unreadable += 1;
        else if (picked !== undefined) byId.set(record.orderId.toLowerCase(), picked);
      }
    } catch (cause) {
      throw failed(cause);
    }
    return { byId, unreadable };
  }

  // Loaded only here: cancelling all orders needs no store.
  const records = await openRecords({ store, ...route }).catch((cause: unknown) => {
    throw failed(cause);
  });
  return {
    lagMs: records.lagMs,
    find: <T>(ids: readonly string[], pick: (record: OrderRecord) => T | undefined) => read(records.find(ids), pick),
    list: <T>(since: number, pick: (record: OrderRecord) => T | undefined) => read(records.list(since), pick),
  };
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
export const UNREAD: ClientCells = { ...cellsOf(undefined), recorded: null };

export type Who = Pick<OrderRecord, 'client' | 'caller'>;

export const whoOf = ({ client, caller }: OrderRecord): Who => ({ client, caller });

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

export function isOfClient({ client_address: own }: ClientCells, address: string): boolean {
  return own !== null && comparable(own) === comparable(address);
}
