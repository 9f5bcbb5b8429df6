import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AwsRoute } from '../../shared/aws-client.ts';
import type { OrderRecords } from '../../shared/orders/order-store.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import type { FileOrderStore } from '../file-store/store.ts';
import { storeFileOf } from './folders.ts';

export interface Store extends FileOrderStore {
  /** Where it is, for the operator: the absolute path of a file, or the table as the setting names it. */
  readonly place: string;
}

/** No idempotency key has a control character. */
const NO_KEY = '\u0000';

async function openTable(tableName: string, route: AwsRoute): Promise<FileOrderStore> {
  const { createDynamoDbStore } = await import('../../shared/orders/dynamodb-store.ts');
  const store = createDynamoDbStore({ tableName, ...route });
  const read = () => store.read(NO_KEY);
  // The first call also looks up AWS credentials, which may use all of its time.
  await read().catch(read);
  return { ...store, isNew: false, setUpMs: 0, close: async () => undefined };
}

function unusable(place: string, cause: unknown): ConfigError {
  const reason = Error.isError(cause) ? cause.message.replace(/\.$/, '') : String(cause);
  return new ConfigError(`SERVICE_STORE cannot be opened at ${place}: ${reason}.`, { cause });
}

/** Opens the store of the settings. Throws `ConfigError` where it cannot be used. */
export async function openStore({ store, ...route }: Pick<LocalConfig, 'store'> & AwsRoute): Promise<Store> {
  const tableName = tableNameOf(store);
  const place = tableName === undefined ? storeFileOf(store) : store;
  try {
    if (tableName !== undefined) return { ...(await openTable(tableName, route)), place };
    const { openOrderStore } = await import('../file-store/store.ts');
    return { ...openOrderStore(place), place };
  } catch (cause) {
    throw unusable(place, cause);
  }
}

export async function openRecords({ store, ...route }: Pick<LocalConfig, 'store'> & AwsRoute): Promise<OrderRecords> {
  const tableName = tableNameOf(store);
  if (tableName === undefined)
    return (await import('../file-store/file-records.ts')).openFileRecords(storeFileOf(store));
  const { openTableRecords } = await import('../../shared/orders/dynamodb-records.ts');
  return openTableRecords(tableName, route);
}

/** Throws where a file cannot be written, or made in the nearest folder above it that exists. */
function checkWritable(path: string, mode: number = constants.W_OK): void {
  if (existsSync(path)) accessSync(path, mode);
  else checkWritable(dirname(path), constants.W_OK | constants.X_OK);
}

/**
 * Looks at the store that `SERVICE_STORE` names, also while a service uses it, and creates none. Returns where it is; throws
 * `ConfigError` where a start could not open it.
 */
export async function checkStore({ store, ...route }: Pick<LocalConfig, 'store'> & AwsRoute): Promise<string> {
  const tableName = tableNameOf(store);
  const place = tableName === undefined ? storeFileOf(store) : store;
  try {
    if (tableName !== undefined) {
      await openTable(tableName, route);
      return place;
    }
    checkWritable(place);
    (await import('../file-store/store.ts')).requireUsable(place);
    if (!existsSync(place) || statSync(place).size === 0) return place;
    for await (const record of (await openRecords({ store })).list(0)) {
      if (record) break;
      throw new Error('it has a record of another version of the service, or a damaged one');
    }
    return place;
  } catch (cause) {
    throw unusable(place, cause);
  }
}
