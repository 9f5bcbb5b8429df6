import type { Log } from '../../shared/log.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import type { FileOrderStore } from '../order-store/store.ts';
import { storeFileOf } from './settings-file.ts';

/** The store of a process that places orders. */
export interface Store extends FileOrderStore {
  /** Where it is, for the operator: the absolute path of a file, or the table as the setting names it. */
  readonly place: string;
}

/** No idempotency key has a control character. */
const NO_KEY = '\u0000';

/** Prepares the store that `SERVICE_STORE` names: the thread of a file starts while the rest is loaded. */
export async function prepareStore(setting: string, log: Log): Promise<Store> {
  const tableName = tableOf(setting);
  if (tableName === undefined) {
    const path = storeFileOf(setting);
    const { openOrderStore } = await import('../order-store/store.ts');
    return { ...openOrderStore({ path, log }), place: path };
  }
  const { createDynamoDbStore } = await import('../../shared/orders/dynamodb-store.ts');
  const store = createDynamoDbStore({ tableName });
  const read = () => store.read(NO_KEY);
  let replaced: Promise<unknown> = Promise.resolve();
  return {
    ...store,
    outlivesAnswers: true,
    replace: (...asked) => {
      const written = store.replace(...asked);
      replaced = Promise.allSettled([replaced, written]).then(() => undefined);
      return written;
    },
    place: setting,
    open: async () => {
      // The first one also looks for credentials, which may take all of its time.
      await read().catch(read);
      return 'found';
    },
    // A request without a key does not wait until its placement is stored.
    close: async () => void (await replaced),
  };
}

/** Opens the store at the start rather than in the first order. Throws `ConfigError` where it cannot be opened. */
export async function openAtStart({ place, open }: Store): Promise<'made' | 'found'> {
  try {
    return await open();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
    throw new ConfigError(`SERVICE_STORE cannot be opened at ${place}: ${reason}.`, { cause });
  }
}
