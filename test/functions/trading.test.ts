import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { openTrading } from '../../functions/orders/trading.ts';
import { Secret } from '../../shared/secret.ts';
import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { openClock } from '../../shared/venue/polymarket/http/clock.ts';
import { createContractWallets } from '../../shared/wallets/contract-wallets.ts';
import { WALLET_ADDRESS, WALLET_KEY } from '../../tools/support/deployment.ts';
import { type FakeKms, startKms } from '../../tools/support/kms.ts';
import { startChain } from '../support/chain/chain.ts';
import { collectLog } from '../support/service/collected-log.ts';
import { ask } from '../support/service/gateway-event.ts';
import { TOKEN_ID } from '../support/venue/fake-venue.ts';

const KMS_KEY = 'alias/orders';

let kms: FakeKms;

beforeAll(async () => {
  kms = await startKms(KMS_KEY, WALLET_KEY.slice(2));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => kms.close());

/** Opens the function of orders on a venue that cannot be reached; `place` returns the code of an order. */
async function openFunction(more: Record<string, string> = {}) {
  const config = parseDeployedConfig({
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: WALLET_ADDRESS,
    SERVICE_KMS_KEY: KMS_KEY,
    SERVICE_ORDERS_TABLE: 'orders',
    SERVICE_ORDER_ACCESS: 'public',
    SERVICE_CLOB_URL: 'http://127.0.0.1:1',
    ...more,
  });
  const { log, lines } = collectLog();
  const endpoint = ordersEndpoint(await openTrading(config, log, openClock(log)));
  const body = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: '0.5', size: '10' });
  const headers = { 'content-type': 'application/json' };
  const place = async (): Promise<string> =>
    JSON.parse((await ask(endpoint, { method: 'POST', headers, body })).result.body ?? '').code;
  return { place, lines };
}

describe('a key in KMS', () => {
  it.each(['DisabledException', 'AccessDeniedException'])(
    'that does not sign at the start (%s) refuses every order until it does',
    async (error) => {
      kms.behave({ error, errorOf: 'Sign' });
      const { place, lines } = await openFunction();
      expect(lines).toContainEqual(expect.objectContaining({ metric: 'unreadable_keys' }));
      expect([await place(), await place()]).toStrictEqual(['store_unavailable', 'store_unavailable']);
      kms.behave({});
      expect(await place()).toBe('venue_unavailable');
    },
  );

  it('signs once at the start, and again where its last signature is old', async () => {
    kms.behave({});
    kms.actions.length = 0;
    const { place } = await openFunction();
    const started = [...kms.actions];
    expect(started).toStrictEqual(['GetPublicKey', 'Sign']);
    const placeLater = async (seconds: number) => {
      const now = Date.now() + 1_000 * seconds;
      jest.spyOn(Date, 'now').mockImplementation(() => now);
      kms.actions.length = 0;
      await place();
      return kms.actions;
    };
    // Credentials are derived beside it, which asks KMS too.
    expect(await placeLater(0)).not.toContain('GetPublicKey');
    expect((await placeLater(31)).slice(0, 2)).toStrictEqual(started);
  });
});

describe('a chain of contract wallets', () => {
  it('that has another id at the start is in the log and is asked nothing, and orders of keys go on', async () => {
    kms.behave({});
    const chain = await startChain(WALLET_ADDRESS, 8453);
    const { place, lines } = await openFunction({
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_CLIENT_RPC_URL: chain.url,
      SERVICE_CLIENT_CHAIN_ID: '137',
    });
    const message = 'SERVICE_CLIENT_CHAIN_ID must be the id of the chain at SERVICE_CLIENT_RPC_URL: 8453.';
    const asked = { signature: '0x', hash: `0x${'00'.repeat(32)}`, address: chain.addressOf('wallet') };
    await expect(createContractWallets(new Secret(chain.url), 137, {}).check(asked)).rejects.toThrow(message);
    expect(chain.calls).not.toContain('eth_call');
    await chain.stop();
    const error = expect.objectContaining({ message });
    expect(lines).toContainEqual(expect.objectContaining({ message: 'client chain unavailable', error }));
    expect(await place()).toBe('invalid_request');
  });
});
