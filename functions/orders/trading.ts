import { chooseAccount, createOrderEntry, walletAddressOf } from '#venue/order-entry';
import { type AppError, areCredentialsRefused, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import type { OrderStore } from '../../shared/orders/record.ts';
import { type DeployedConfig, EOA_WARNING } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Call } from '../../shared/venue/port.ts';
import type { OpenOrders } from './endpoint.ts';
import { createWalletKeyReader, type WalletKey } from './wallet-key.ts';

interface TradingDeps {
  readonly config: DeployedConfig;
  readonly log: Log;
  readonly store: OrderStore;
  readonly readKey: () => Promise<WalletKey>;
  /** Name or ARN of the secret that the key is read from. */
  readonly secretId: string;
  /** The only address this service may trade with. */
  readonly pinnedAddress: string;
}

function isPinned({ privateKey }: WalletKey, pinnedAddress: string): boolean {
  return walletAddressOf(privateKey).toLowerCase() === pinnedAddress.toLowerCase();
}

/** Reads the key; throws 503 `store_unavailable` where that fails: nothing was sent, and a repeat may find it working. */
async function readOrRefuse({ readKey, secretId, log }: TradingDeps, call: Call | undefined): Promise<WalletKey> {
  try {
    return await readKey();
  } catch (error) {
    const trace = { secret: secretId, error, ...call?.trace };
    log.error('the wallet key could not be read', { ...trace, metric: 'unreadable_keys' });
    throw refuse('store_unavailable', { store: 'secret' });
  }
}

function refuseForeignKey({ pinnedAddress, secretId, log }: TradingDeps, call: Call | undefined): AppError {
  const trace = { pinned_address: pinnedAddress, secret: secretId, ...call?.trace };
  const message = 'the key in the secret store does not belong to the pinned wallet: orders are refused';
  log.error(message, { ...trace, metric: 'foreign_keys' });
  const sentence =
    'Orders are refused: the key of this service does not belong to the wallet it was deployed for. Its operator has to act.';
  return refuse('order_placement_disabled', { why: { sentence } });
}

function isSame({ privateKey, credentials: a }: WalletKey, { privateKey: other, credentials: b }: WalletKey): boolean {
  return (
    privateKey.reveal() === other.reveal() &&
    a?.key === b?.key &&
    a?.secret.reveal() === b?.secret.reveal() &&
    a?.passphrase.reveal() === b?.passphrase.reveal()
  );
}

/** Orders, and the secret that they were opened with. */
interface Opened {
  readonly orders: Orders;
  readonly key: WalletKey;
}

/** `close`: the next request opens orders anew. `reread`: it does so only if the secret is another one by then. */
interface Door {
  readonly close: () => void;
  readonly reread: () => void;
}

/** Reads the credentials after a rotation, which closes trading: the next request decides whose a rotated key is. */
async function reload(
  deps: TradingDeps,
  current: WalletKey,
  close: Door['close'],
  call: Call,
): Promise<WalletKey['credentials']> {
  const fresh = await readOrRefuse(deps, call);
  if (isSame(fresh, current)) return undefined;
  close();
  if (fresh.privateKey.reveal() !== current.privateKey.reveal()) {
    if (!isPinned(fresh, deps.pinnedAddress)) throw refuseForeignKey(deps, call);
    return undefined;
  }
  deps.log.info('the API credentials were rotated', call.trace);
  return fresh.credentials;
}

async function open(deps: TradingDeps, door: Door, opening: Call | undefined, before?: Opened): Promise<Opened> {
  const { config, log, store, pinnedAddress } = deps;
  const key = await readOrRefuse(deps, opening);
  if (!isPinned(key, pinnedAddress)) throw refuseForeignKey(deps, opening);
  // They know when credentials were last refused: others would ask the venue for new ones with every order.
  if (before && isSame(key, before.key)) return before;
  const reloadCredentials = (call: Call) => reload(deps, key, door.close, call);
  const entry = createOrderEntry({ ...config, ...key, reloadCredentials }, log);
  const orders = createOrders({ entry, store, log, maxDailyNotional: config.maxDailyNotional });
  // The key may have been rotated too, whose credentials were derived from it: the next request reads the secret again.
  const place: Orders['place'] = async (...request) => {
    try {
      const result = await orders.place(...request);
      if (result.fate.kind === 'not_taken' && areCredentialsRefused(result.fate.error)) door.reread();
      return result;
    } catch (error) {
      if (areCredentialsRefused(error)) door.reread();
      throw error;
    }
  };
  return { orders: { ...orders, place }, key };
}

/** Warns at the start about an account that may surprise; throws `ConfigError` for a wrong one. */
function checkAccount(pinnedAddress: string, config: DeployedConfig, log: Log): void {
  const account = chooseAccount(pinnedAddress.toLowerCase(), config);
  if (account.kind === 'mistake') throw new ConfigError(account.sentence);
  if (account.warning !== undefined) log.warn(account.warning);
  if (account.signatureType === 'eoa') log.warn(EOA_WARNING);
}

/**
 * Creates the opener of orders with the key of the secret store. The key is read once, and again when the venue refuses
 * its credentials; it trades with the pinned address alone. Throws `ConfigError` where it is not told of a key, and
 * where the pinned address does not control the account.
 */
export function createTrading(config: DeployedConfig, log: Log): OpenOrders {
  if (config.orders.kind !== 'on') {
    throw new ConfigError(
      'SERVICE_PLACE_ORDER=1, SERVICE_WALLET_ADDRESS, SERVICE_ORDER_ACCESS, SERVICE_PRIVATE_KEY_SECRET and SERVICE_ORDERS_TABLE must be set.',
    );
  }
  const { walletAddress: pinnedAddress, privateKeySecret, ordersTable } = config.orders;
  checkAccount(pinnedAddress, config, log);
  const store = createDynamoDbStore({ tableName: ordersTable });
  const readKey = createWalletKeyReader(privateKeySecret);
  const deps = { config, log, store, readKey, secretId: privateKeySecret, pinnedAddress };
  let opened: Promise<Opened> | undefined;
  let before: Opened | undefined;
  const reread = () => {
    opened = undefined;
  };
  const close = () => {
    [opened, before] = [undefined, undefined];
  };
  return async (call) => {
    // A failure is not kept: it would last as long as the execution environment.
    opened ??= open(deps, { close, reread }, call, before).catch((error: unknown) => {
      reread();
      throw error;
    });
    before = await opened;
    return before.orders;
  };
}
