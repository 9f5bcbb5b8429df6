import type { AwsRoute } from '../../shared/aws-client.ts';
import type { OrderRecords } from '../../shared/orders/order-store.ts';
import type { ProxyEnv } from '../../shared/proxy.ts';
import type { LocalConfig } from '../../shared/settings/config.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import type { FileOrderStore } from '../order-store/store.ts';
import { storeFileOf } from './folders.ts';

/** The store of a process that places orders. */
export interface Store extends FileOrderStore {
  /** Where it is, for the operator: the absolute path of a file, or the table as the setting names it. */
  readonly place: string;
}

/** No idempotency key has a control character. */
const NO_KEY = '\u0000';

async function openTable(tableName: string, proxyEnv: ProxyEnv | undefined): Promise<FileOrderStore> {
  const { createDynamoDbStore } = await import('../../shared/orders/dynamodb-store.ts');
  const store = createDynamoDbStore({ tableName, proxyEnv });
  const read = () => store.read(NO_KEY);
  // The first one also looks for credentials, which may take all of its time.
  await read().catch(read);
  return { ...store, isNew: false, close: async () => undefined };
}

/** Opens the store of the settings. Throws `ConfigError` where it cannot be used. */
export async function openStore({
  store: setting,
  proxyEnv,
}: Pick<LocalConfig, 'store'> & Partial<Pick<LocalConfig, 'proxyEnv'>>): Promise<Store> {
  const tableName = tableOf(setting);
  const place = tableName === undefined ? storeFileOf(setting) : setting;
  try {
    if (tableName !== undefined) return { ...(await openTable(tableName, proxyEnv)), place };
    const { openOrderStore } = await import('../order-store/store.ts');
    return { ...openOrderStore(place), place };
  } catch (cause) {
    const reason = Error.isError(cause) ? cause.message.replace(/\.$/, '') : String(cause);
    throw new ConfigError(`SERVICE_STORE cannot be opened at ${place}: ${reason}.`, { cause });
  }
}

/** Opens the records of the store that `SERVICE_STORE` names. `hasIndex`: a table has the index by signing. */
export async function openRecords(
  { store, ...route }: Pick<LocalConfig, 'store'> & AwsRoute,
  hasIndex: boolean,
): Promise<OrderRecords> {
  const tableName = tableOf(store);
  if (tableName === undefined)
    return (await import('../order-store/file-records.ts')).openFileRecords(storeFileOf(store));
  const { openTableRecords } = await import('../../shared/orders/dynamodb-records.ts');
  return openTableRecords({ tableName, hasIndex }, route);
}

/** Reads the store that `SERVICE_STORE` names, also while a service uses it. Throws any error where that fails. */
export async function checkStore(store: string, proxyEnv: ProxyEnv): Promise<void> {
  const tableName = tableOf(store);
  if (tableName !== undefined) return void (await openTable(tableName, proxyEnv));
  for await (const record of (await openRecords({ store }, false)).list()) {
    if (record) return;
    throw new Error('it has a record of another version of the service, or a damaged one');
  }
}
