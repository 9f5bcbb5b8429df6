import { createOrderEntry, walletAddressOf } from '#venue/order-entry';
import type { Config } from '../../shared/config.ts';
import { AppError, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { createOrders, type Orders } from '../../shared/orders/idempotent-orders.ts';
import type { OrderStore } from '../../shared/orders/record.ts';
import type { ReadWalletKey, WalletKey } from './wallet-key.ts';

export interface TradingDeps {
  readonly config: Config;
  readonly log: Log;
  readonly store: OrderStore;
  readonly readKey: ReadWalletKey;
  /** The only address this service may trade with. */
  readonly pinnedAddress: string;
}

/** The capability to trade, opened when it is first needed. */
export interface Trading {
  /** Errors: 503 `store_unavailable` when the key cannot be read, 403 `order_placement_disabled` when it is another's. */
  open(): Promise<Orders>;
}

function isPinned({ privateKey }: WalletKey, pinnedAddress: string): boolean {
  return walletAddressOf(privateKey).toLowerCase() === pinnedAddress.toLowerCase();
}

/** Not the venue's fault, and nothing was sent: a store that we need does not work, and a repeat may find it working. */
async function readOrRefuse(readKey: ReadWalletKey, log: Log): Promise<WalletKey> {
  try {
    return await readKey();
  } catch (error) {
    log.error('the wallet key could not be read', { error });
    throw refuse('store_unavailable', { store: 'secret' });
  }
}

function refuseForeignKey(pinnedAddress: string, log: Log): AppError {
  log.error('the key in the secret store does not belong to the pinned wallet: orders are refused', { pinnedAddress });
  return refuse('order_placement_disabled', { why: 'foreign_key' });
}

function sameCredentials(a: WalletKey, b: WalletKey): boolean {
  const [x, y] = [a.credentials, b.credentials];
  return (
    x?.key === y?.key && x?.secret.reveal() === y?.secret.reveal() && x?.passphrase.reveal() === y?.passphrase.reveal()
  );
}

/** The key may have been rotated too, whose credentials were derived from it: the next request reads the secret again. */
function areCredentialsRefused(error: unknown): boolean {
  return error instanceof AppError && error.facts['reason'] === 'credentials';
}

/** Trading with the key of the secret store, which is read once and again when the venue refuses its credentials. */
export function createTrading({ config, log, store, readKey, pinnedAddress }: TradingDeps): Trading {
  let opened: Promise<Orders> | undefined;

  /** The credentials after a rotation. A rotated key closes trading: the next request decides whose it is. */
  async function reload(current: WalletKey): Promise<WalletKey['credentials']> {
    const fresh = await readOrRefuse(readKey, log);
    if (fresh.privateKey.reveal() !== current.privateKey.reveal()) {
      opened = undefined;
      if (!isPinned(fresh, pinnedAddress)) throw refuseForeignKey(pinnedAddress, log);
      return undefined;
    }
    if (sameCredentials(fresh, current)) return undefined;
    log.info('the API credentials were rotated');
    return fresh.credentials;
  }

  async function openOrders(): Promise<Orders> {
    const key = await readOrRefuse(readKey, log);
    if (!isPinned(key, pinnedAddress)) throw refuseForeignKey(pinnedAddress, log);
    const entry = createOrderEntry({ ...config, ...key, reloadCredentials: () => reload(key) }, log);
    const orders = createOrders({ entry, store, log });
    const place: Orders['place'] = async (...request) => {
      try {
        const result = await orders.place(...request);
        if (result.fate.kind === 'not_taken' && areCredentialsRefused(result.fate.error)) opened = undefined;
        return result;
      } catch (error) {
        if (areCredentialsRefused(error)) opened = undefined;
        throw error;
      }
    };
    return { ...orders, place };
  }

  return {
    open: () => {
      // A failure is not kept: it would last as long as the execution environment.
      opened ??= openOrders().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    },
  };
}
