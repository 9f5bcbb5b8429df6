import type { ApiCredentials } from '../../account.ts';
import { type Call, timed } from '../../call.ts';
import { compareDecimals, formatDecimal, multiplyDecimals, toDecimal } from '../../decimal.ts';
import { refuse } from '../../errors.ts';
import { MIN_LIFE_MS } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { Config } from '../../settings/config.ts';
import { formatTime } from '../../time.ts';
import type { Wallet } from '../../wallets/evm-key.ts';
import type { LimitOrder, OrderEntry, SignedOrder } from '../port.ts';
import { type Account, CHAIN_ID, chooseAccount } from './accounts.ts';
import { deriveApiKey } from './calls/derive-api-key.ts';
import { createClockCheck } from './clock-check.ts';
import { createCredentialSource, givenCredentials } from './http/signed-requests.ts';
import { createTransport } from './http/transport.ts';
import { createOrderRuleBook } from './order-rules.ts';
import { signOrder } from './sign-order.ts';
import { createSubmissions } from './submission.ts';

export interface OrderEntrySettings
  extends Pick<Config, 'clobUrl' | 'signatureType' | 'funderAddress' | 'maxOrderNotional'>,
    Partial<Pick<Config, 'builderCode' | 'proxyEnv'>> {
  readonly wallet: Wallet;
  /** Without them the wallet derives some. */
  readonly credentials: ApiCredentials | undefined;
}

/** Opens the capability to trade with one wallet. Throws `ConfigError` where the settings contradict each other. */
export function createOrderEntry(settings: OrderEntrySettings, log: Log): OrderEntry {
  const { wallet, builderCode, clobUrl, proxyEnv, credentials: given, maxOrderNotional: cap } = settings;
  const account: Account = { wallet, builderCode, ...chooseAccount(wallet.address, settings) };
  const { signatureType } = account;
  const clock = createClockCheck(log);
  const clob = createTransport(clobUrl, { onDate: clock.heed, proxyEnv });
  const checkClock = (call: Call) => clock.check(clob, call);
  const credentials = given
    ? givenCredentials(given)
    : createCredentialSource((call) => deriveApiKey(clob, wallet, call));
  const rules = createOrderRuleBook(clob);
  const submissions = createSubmissions({
    clob,
    orders: createTransport(clobUrl, { onDate: clock.heed, proxyEnv }),
    walletAddress: wallet.address,
    signatureType,
    maker: account.funderAddress,
    credentials,
    forgetRules: rules.forget,
    checkClock,
    log,
  });

  async function sign(order: LimitOrder, call: Call): Promise<SignedOrder> {
    const { expiresAt, price, size } = order;
    // Side by side, so that a cold order makes two round trips and not three.
    const ready = credentials.get(call);
    // A failure is thrown below; until then it must not count as unhandled.
    ready.catch(() => undefined);
    const admitted = await rules.admit(order, call);
    await checkClock(call);
    const earliest = expiresAt === null ? 0 : Date.now() + MIN_LIFE_MS;
    if (expiresAt !== null && expiresAt < earliest) {
      throw refuse('expiry_too_soon', { earliest: formatTime(Math.ceil(earliest / 1_000) * 1_000) });
    }
    if (cap && compareDecimals(multiplyDecimals(toDecimal(price), toDecimal(size)), cap) > 0) {
      throw refuse('order_above_cap', { maxNotional: formatDecimal(cap) });
    }
    await ready;
    return timed(call, 'sign', signOrder)(order, admitted, account, { now: Date.now() });
  }

  return {
    walletAddress: wallet.address,
    signedFor: { venue: clobUrl, chainId: CHAIN_ID, maker: account.funderAddress, signatureType },
    checkClock,
    sign,
    ...submissions,
  };
}
