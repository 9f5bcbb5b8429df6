import { chooseAccount, EOA_WARNING, ForeignKeyError, openAccount } from '#venue/open-account';
import type { Call } from '../../shared/call.ts';
import { type AppError, areCredentialsRefused, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import type { Orders } from '../../shared/orders/orders.ts';
import type { DeployedConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { createCallerCheck } from './caller.ts';
import type { OpenOrders, OrderParts } from './endpoint.ts';
import { openOrders } from './open-orders.ts';
import { openVerification } from './verification.ts';

const WITHOUT_ORDERS =
  'SERVICE_PLACE_ORDER=1, SERVICE_WALLET_ADDRESS, SERVICE_ORDER_ACCESS, SERVICE_PRIVATE_KEY_SECRET or SERVICE_KMS_KEY, and SERVICE_STORE=dynamodb:TABLE must be set.';

/**
 * Creates the opener of orders: it opens the account once, and again after the venue refused its credentials. Throws
 * `ConfigError` where a setting of orders is missing, and if the pinned address does not control the account.
 */
function createTrading(config: DeployedConfig, log: Log): OpenOrders {
  const { mode, walletAddress, key, proxyEnv } = config;
  const tableName = tableNameOf(config.store);
  if (mode === 'read-only' || !walletAddress || !key || !tableName) throw new ConfigError(WITHOUT_ORDERS);
  const { warning, signatureType } = chooseAccount(walletAddress.toLowerCase(), config);
  if (warning !== undefined) log.warn(warning);
  if (signatureType === 'eoa') log.warn(EOA_WARNING);
  const store = createDynamoDbStore({ tableName, proxyEnv });
  let opened: Promise<Orders> | undefined;

  function reopen(): void {
    opened = undefined;
  }

  /**
   * Translates a failure to open the account: 403 `order_placement_disabled` for the key of another wallet, else 503
   * `store_unavailable`: nothing was sent, and a repeat may succeed.
   */
  function refusalOf(error: unknown, call: Call | undefined): AppError {
    const trace = { ...key, error, ...call?.trace };
    if (!(error instanceof ForeignKeyError)) {
      log.error('wallet key unreadable', { ...trace, metric: 'unreadable_keys' });
      return refuse('store_unavailable', { store: key && 'kmsKey' in key ? 'kms' : 'secret' });
    }
    const message = 'orders refused: the wallet key is not that of SERVICE_WALLET_ADDRESS';
    const { address } = error;
    log.error(message, { pinned_address: walletAddress, address, ...trace, metric: 'foreign_keys' });
    const why =
      'Orders are refused: the key of this service does not belong to the wallet that it was deployed for. Report it to the operator.';
    return refuse('order_placement_disabled', { why });
  }

  async function open(call: Call | undefined): Promise<Orders> {
    const account = await openAccount(config).catch((error: unknown) => {
      throw refusalOf(error, call);
    });
    const orders = openOrders({ ...config, ...account }, store, log);
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
    // Forgets a failure, so that the next request tries again.
    opened ??= open(call).catch((error: unknown) => {
      reopen();
      throw error;
    });
    return opened;
  };
}

export async function openTrading(config: DeployedConfig, log: Log): Promise<OrderParts> {
  const trading = createTrading(config, log);
  // Opens at init, while no caller waits. A failure is logged, and the next request tries again.
  await trading().catch(() => undefined);
  const verification = await openVerification(config);
  await verification?.checkChain?.().catch((error: unknown) => log.error('client chain unavailable', { error }));
  return { openOrders: trading, verification, checkCaller: createCallerCheck(config.orderAccess) };
}
