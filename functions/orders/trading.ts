import { chooseAccount, EOA_WARNING } from '#venue/accounts';
import { createOrderEntry } from '#venue/order-entry';
import { areCredentialsRefused, refuse } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import { createOrders, type Orders } from '../../shared/orders/orders.ts';
import type { DeployedConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { VenueClock } from '../../shared/venue/polymarket/http/clock.ts';
import type { Call } from '../../shared/venue/port.ts';
import { createCallerCheck } from './caller.ts';
import type { OpenOrders, OrdersDeps } from './endpoint.ts';
import { openVerification } from './verification.ts';
import { createWalletKeyReader, type WalletKey } from './wallet-key.ts';

function isSame({ wallet, credentials: a }: WalletKey, { wallet: other, credentials: b }: WalletKey): boolean {
  return (
    wallet.address === other.address &&
    a?.key === b?.key &&
    a?.secret.reveal() === b?.secret.reveal() &&
    a?.passphrase.reveal() === b?.passphrase.reveal()
  );
}

/** What a key of KMS signs to prove that it can: no order has this hash. */
const PROOF = `0x${'01'.repeat(32)}`;
/** How long a signature of KMS proves that it signs. A key that is disabled later refuses all orders, not only right ones. */
const PROVEN_MS = 30_000;

/** Orders, and the secret that they were opened with. */
interface Opened {
  readonly orders: Orders;
  readonly key: WalletKey;
}

/** Warns at the start about an account that may surprise; throws `ConfigError` for a wrong one. */
function checkAccount(pinnedAddress: string, config: DeployedConfig, log: Log): void {
  const account = chooseAccount(pinnedAddress.toLowerCase(), config);
  if (account.warning !== undefined) log.warn(account.warning);
  if (account.signatureType === 'eoa') log.warn(EOA_WARNING);
}

/**
 * Creates the opener of orders with the key of Secrets Manager or KMS. It reads the key once, and again when the venue
 * refuses its credentials, and trades only with the pinned address. Throws `ConfigError` without a key, and if the pinned
 * address does not control the account.
 */
function createTrading(config: DeployedConfig, log: Log, clock: VenueClock): OpenOrders {
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
  let opened: Promise<Opened> | undefined;
  let before: Opened | undefined;
  /** When a key of KMS last signed. */
  let provenAt = Number.POSITIVE_INFINITY;

  /** Makes the next request read the secret again, and open orders anew if it has changed. */
  function reread(): void {
    opened = undefined;
  }

  /** Lets a key of KMS sign once: a disabled one, or a role that may not sign, must not look like a service that works. */
  async function prove(key: WalletKey): Promise<WalletKey> {
    const sign = async (digest: string) => {
      const signature = await key.wallet.sign(digest);
      provenAt = Date.now();
      return signature;
    };
    await sign(PROOF);
    return { ...key, wallet: { ...key.wallet, sign } };
  }

  /**
   * Reads the key; throws 503 `store_unavailable` if that fails, or a key of KMS does not sign: nothing was sent, and a
   * repeat may succeed.
   */
  async function readKey(call: Call | undefined): Promise<WalletKey> {
    try {
      const key = await readSource();
      return 'kmsKey' in source ? await prove(key) : key;
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

  /** Reads the credentials after a rotation and closes trading: the next request checks the wallet of a rotated key. */
  async function reload(current: WalletKey, call: Call): Promise<WalletKey['credentials']> {
    const fresh = await readKey(call);
    if (isSame(fresh, current)) {
      // The operator chose the credentials in the secret: none are derived in their place.
      if (fresh.credentials)
        log.error('API credentials in the secret refused by the venue', { ...source, ...call.trace });
      return undefined;
    }
    opened = undefined;
    before = undefined;
    if (fresh.wallet.address !== current.wallet.address) {
      checkPinned(fresh, call);
      return undefined;
    }
    log.info('API credentials rotated', call.trace);
    return fresh.credentials;
  }

  async function open(opening: Call | undefined): Promise<Opened> {
    const key = await readKey(opening);
    checkPinned(key, opening);
    // They know the last refusal of credentials: others would ask the venue for new ones with every order.
    if (before && isSame(key, before.key)) return before;
    const entry = createOrderEntry({ ...config, ...key, reloadCredentials: (call) => reload(key, call) }, log, clock);
    const orders = createOrders({ entry, store, log, maxDailyNotional, maxDailyNotionalPerClient });
    // The operator may have rotated a key whose credentials are derived: the next request reads the secret again.
    const place: Orders['place'] = async (...request) => {
      try {
        const result = await orders.place(...request);
        if (result.fate.kind === 'not_taken' && areCredentialsRefused(result.fate.error)) reread();
        return result;
      } catch (error) {
        if (areCredentialsRefused(error)) reread();
        throw error;
      }
    };
    return { orders: { ...orders, place }, key };
  }

  return async (call) => {
    if (Date.now() - provenAt > PROVEN_MS) {
      // Until the key has signed again, so that a second call meanwhile waits for the first.
      provenAt = Number.POSITIVE_INFINITY;
      reread();
    }
    // A failure is dropped: it would last as long as the execution environment.
    opened ??= open(call).catch((error: unknown) => {
      reread();
      throw error;
    });
    before = await opened;
    return before.orders;
  };
}

/** Opens the parts of the deployed order function. */
export async function openTrading(config: DeployedConfig, log: Log, clock: VenueClock): Promise<OrdersDeps> {
  const openOrders = createTrading(config, log, clock);
  // At init, while no caller waits. A failure is logged by then, and the next request tries again.
  await openOrders().catch(() => undefined);
  const verification = await openVerification(config);
  await verification?.checkChain?.().catch((error: unknown) => log.error('client chain unavailable', { error }));
  return { openOrders, verification, checkCaller: createCallerCheck(config.orderAccess) };
}
