import { chooseAccount, EOA_WARNING } from '#venue/accounts';
import { createOrderEntry } from '#venue/order-entry';
import { areCredentialsRefused, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import type { DeployedConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Call } from '../../shared/venue/port.ts';
import { createCallerCheck } from './caller.ts';
import type { OpenOrders, OrdersDeps } from './endpoint.ts';
import { openVerification } from './verification.ts';
import { createWalletKeyReader, type WalletKey } from './wallet-key.ts';

/** What a key of KMS signs to prove that it can: no order has this hash. */
const PROOF = `0x${'01'.repeat(32)}`;

/** Warns at the start about an account that may surprise; throws `ConfigError` for a wrong one. */
function checkAccount(pinnedAddress: string, config: DeployedConfig, log: Log): void {
  const account = chooseAccount(pinnedAddress.toLowerCase(), config);
  if (account.warning !== undefined) log.warn(account.warning);
  if (account.signatureType === 'eoa') log.warn(EOA_WARNING);
}

/**
 * Creates the opener of orders with the key of Secrets Manager or KMS. It reads the key once, and again for the first request
 * after the venue refused its credentials, and trades only with the pinned address. Throws `ConfigError` without a key, and
 * if the pinned address does not control the account.
 */
function createTrading(config: DeployedConfig, log: Log): OpenOrders {
  if (config.orders.kind !== 'on') {
    throw new ConfigError(
      'SERVICE_PLACE_ORDER=1, SERVICE_WALLET_ADDRESS, SERVICE_ORDER_ACCESS, SERVICE_PRIVATE_KEY_SECRET or SERVICE_KMS_KEY, and SERVICE_ORDERS_TABLE must be set.',
    );
  }
  const { walletAddress: pinnedAddress, key: source, ordersTable } = config.orders;
  const { maxDailyNotional, maxDailyNotionalPerClient } = config;
  checkAccount(pinnedAddress, config, log);
  const store = createDynamoDbStore({ tableName: ordersTable, proxyEnv: config.proxyEnv });
  const readSource = createWalletKeyReader(source, config);
  let opened: Promise<Orders> | undefined;

  /** Makes the next request read the key and its credentials again. */
  function reopen(): void {
    opened = undefined;
  }

  /**
   * Reads the key; throws 503 `store_unavailable` if that fails, or a key of KMS does not sign: nothing was sent, and a
   * repeat may succeed.
   */
  async function readKey(call: Call | undefined): Promise<WalletKey> {
    try {
      const key = await readSource();
      // A disabled key, or a role that may not sign, must not look like a service that works.
      if ('kmsKey' in source) await key.wallet.sign(PROOF);
      return key;
    } catch (error) {
      log.error('wallet key unreadable', { ...source, error, ...call?.trace, metric: 'unreadable_keys' });
      throw refuse('store_unavailable', { store: 'kmsKey' in source ? 'kms' : 'secret' });
    }
  }

  /** Throws 403 `order_placement_disabled` for the key of another wallet. */
  function checkPinned({ wallet: { address } }: WalletKey, call: Call | undefined): void {
    if (address.toLowerCase() === pinnedAddress.toLowerCase()) return;
    const trace = { pinned_address: pinnedAddress, address, ...source, ...call?.trace };
    const message = 'wallet key of another wallet than the pinned one: orders refused';
    log.error(message, { ...trace, metric: 'foreign_keys' });
    const why =
      'Orders are refused: the key of this service does not belong to the wallet that it was deployed for. Report it to the operator.';
    throw refuse('order_placement_disabled', { why });
  }

  async function open(call: Call | undefined): Promise<Orders> {
    const key = await readKey(call);
    checkPinned(key, call);
    const entry = createOrderEntry({ ...config, ...key }, log);
    const orders = createOrders({ entry, store, log, maxDailyNotional, maxDailyNotionalPerClient });
    const place: Orders['place'] = async (...request) => {
      try {
        const result = await orders.place(...request);
        if (result.fate.kind === 'not_taken' && areCredentialsRefused(result.fate.error)) reopen();
        return result;
      } catch (error) {
        if (areCredentialsRefused(error)) reopen();
        throw error;
      }
    };
    return { ...orders, place };
  }

  return (call) => {
    // A failure is dropped: it would last as long as the execution environment.
    opened ??= open(call).catch((error: unknown) => {
      reopen();
      throw error;
    });
    return opened;
  };
}

/** Opens the parts of the deployed order function. */
export async function openTrading(config: DeployedConfig, log: Log): Promise<OrdersDeps> {
  const openOrders = createTrading(config, log);
  // At init, while no caller waits. A failure is logged by then, and the next request tries again.
  await openOrders().catch(() => undefined);
  const verification = await openVerification(config);
  await verification?.checkChain?.().catch((error: unknown) => log.error('client chain unavailable', { error }));
  return { openOrders, verification, checkCaller: createCallerCheck(config.orderAccess) };
}
