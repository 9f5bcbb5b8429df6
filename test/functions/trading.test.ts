import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Chain, ClobClient } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { openTrading } from '../../functions/orders/trading.ts';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { Secret } from '../../shared/secret.ts';
import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { createContractWallets } from '../../shared/wallets/contract-wallets.ts';
import { SECRET_NAME, WALLET_ADDRESS, WALLET_KEY } from '../../tools/support/deployment.ts';
import { startDynamoDb } from '../../tools/support/dynamodb.ts';
import { type FakeKms, startKms } from '../../tools/support/kms.ts';
import { clientSigner } from '../../tools/support/paper-client.ts';
import { paperTokens } from '../../tools/support/paper-settings.ts';
import { type SecretStore, startSecretStore } from '../../tools/support/secret-store.ts';
import { startChain } from '../support/chain/chain.ts';
import { collectLog } from '../support/service/collected-log.ts';
import { ask } from '../support/service/gateway-event.ts';

const KMS_KEY = 'alias/orders';
/** Another published key, which does not belong to the pinned address. */
const FOREIGN_KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a';
const BY_SECRET = { SERVICE_PRIVATE_KEY_SECRET: SECRET_NAME };
const BY_KMS = { SERVICE_KMS_KEY: KMS_KEY };
const BY_BOTH = { ...BY_KMS, SERVICE_CREDENTIALS_SECRET: SECRET_NAME };

let kms: FakeKms;
let secrets: SecretStore;
let venue: PaperVenue;
let venueUrl: string;
let token_id: string | undefined;
const stops: (() => unknown)[] = [];

beforeAll(async () => {
  kms = await startKms(KMS_KEY, WALLET_KEY.slice(2));
  secrets = await startSecretStore(SECRET_NAME);
  const table = await startDynamoDb();
  venue = createPaperVenue({ still: true });
  ({ url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 }));
  [token_id] = await paperTokens(venueUrl);
  stops.push(kms.close, secrets.close, table.close, () => venue.close());
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    AWS_ENDPOINT_URL_DYNAMODB: String(table.client.endpoint),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
});

beforeEach(() => {
  secrets.set(WALLET_KEY);
  kms.behave({});
  kms.actions.length = 0;
});
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** Opens the function of orders; `place` returns the status of an order, or the code of a problem. */
async function openFunction(settings: Record<string, string> = BY_SECRET) {
  const config = parseDeployedConfig({
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: WALLET_ADDRESS,
    SERVICE_STORE: 'dynamodb:orders',
    SERVICE_ORDER_ACCESS: 'public',
    SERVICE_CLOB_URL: venueUrl,
    ...settings,
  });
  const { log, lines } = collectLog();
  const endpoint = ordersEndpoint(await openTrading(config, log));
  const body = JSON.stringify({ token_id, side: 'buy', price: '0.01', size: '5', post_only: true });
  const headers = { 'content-type': 'application/json', 'x-request-id': 'mine' };
  const place = async (): Promise<number | string> => {
    const { result } = await ask(endpoint, { method: 'POST', headers, body });
    return JSON.parse(result.body ?? '').code ?? result.statusCode;
  };
  const metricsOf = (name: string) => lines.filter(({ metric }) => metric === name);
  return { place, lines, metricsOf };
}

describe('a key', () => {
  it.each([
    ['cannot be read', BY_SECRET, () => secrets.set(undefined), 'store_unavailable', 'unreadable_keys'],
    ['is malformed', BY_SECRET, () => secrets.set(`${WALLET_KEY}0`), 'store_unavailable', 'unreadable_keys'],
    ['is of another wallet', BY_SECRET, () => secrets.set(FOREIGN_KEY), 'order_placement_disabled', 'foreign_keys'],
    ['is disabled in KMS', BY_KMS, () => failing('DisabledException'), 'store_unavailable', 'unreadable_keys'],
    ['is in the secret beside KMS', BY_BOTH, () => secrets.set(WALLET_KEY), 'store_unavailable', 'unreadable_keys'],
    ['may not sign in KMS', BY_KMS, () => failing('AccessDeniedException'), 'store_unavailable', 'unreadable_keys'],
  ] as const)(
    'that %s at the start refuses every order until it is mended',
    async (_what, source, spoil, code, metric) => {
      spoil();
      const { place, lines, metricsOf } = await openFunction({ ...source });
      expect([await place(), await place()]).toStrictEqual([code, code]);
      // At the start there is no request.
      const told = metricsOf(metric).map(({ request_id, secret, kmsKey }) => [request_id, secret ?? kmsKey]);
      const name = source === BY_SECRET ? SECRET_NAME : KMS_KEY;
      expect([told[0], told[1]]).toStrictEqual([
        [undefined, name],
        ['mine', name],
      ]);
      kms.behave({});
      secrets.set(source === BY_BOTH ? '{}' : WALLET_KEY);
      expect(await place()).toBe(201);
      for (const key of [WALLET_KEY, FOREIGN_KEY]) expect(JSON.stringify(lines)).not.toContain(key.slice(2));
    },
  );

  function failing(error: string): void {
    kms.behave({ error, errorOf: 'Sign' });
  }

  it('in a secret is read once, at the start', async () => {
    const before = secrets.reads();
    const { place } = await openFunction();
    expect([await place(), await place(), secrets.reads() - before]).toStrictEqual([201, 201, 1]);
  });
});

describe('credentials in the secret that the venue refuses', () => {
  const base = () => ({ host: venueUrl, chain: Chain.POLYGON, signer: clientSigner(new Wallet(WALLET_KEY)) });
  const secretOf = ({ key: apiKey, secret: apiSecret, passphrase: apiPassphrase }: ApiKeyCreds, privateKey: string) =>
    JSON.stringify({ privateKey, apiKey, apiSecret, apiPassphrase });
  const authCalls = () => venue.requests().filter(({ path }) => path.startsWith('/auth/')).length;
  /** Other credentials have another nonce. */
  const create = (nonce: number) => new ClobClient(base()).createOrDeriveApiKey(nonce);

  it('refuse one order and derive none; the next order reads the secret again', async () => {
    const first = await create(1);
    secrets.set(secretOf(first, WALLET_KEY));
    const { place, lines } = await openFunction();
    expect(await place()).toBe(201);
    await new ClobClient({ ...base(), creds: first }).deleteApiKey();
    const second = await create(2);
    secrets.set(secretOf(second, WALLET_KEY));
    const [reads, calls] = [secrets.reads(), authCalls()];
    expect([await place(), secrets.reads() - reads, authCalls() - calls]).toStrictEqual([
      'venue_refused_service',
      0,
      0,
    ]);
    expect([await place(), await place(), secrets.reads() - reads]).toStrictEqual([201, 201, 1]);
    await new ClobClient({ ...base(), creds: second }).deleteApiKey();
    secrets.set(secretOf(await create(3), FOREIGN_KEY));
    expect([await place(), await place()]).toStrictEqual(['venue_refused_service', 'order_placement_disabled']);
    for (const { secret, passphrase } of [first, second]) {
      for (const part of [secret, passphrase]) expect(JSON.stringify(lines)).not.toContain(part);
    }
  });
});

describe('a chain of contract wallets', () => {
  it('of another id is logged at the start and not called, while orders of keys are placed', async () => {
    const chain = await startChain(WALLET_ADDRESS, 8453);
    const { place, lines } = await openFunction({
      ...BY_KMS,
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_CLIENT_RPC_URL: chain.url,
      SERVICE_CLIENT_CHAIN_ID: '137',
    });
    const message = 'SERVICE_CLIENT_CHAIN_ID must be the id of the chain at SERVICE_CLIENT_RPC_URL: 8453.';
    const asked = { signature: '0x', hash: `0x${'00'.repeat(32)}`, address: chain.wallet };
    await expect(createContractWallets(new Secret(chain.url), 137, {}).check(asked)).rejects.toThrow(message);
    expect(chain.calls).not.toContain('eth_call');
    const error = expect.objectContaining({ message });
    expect(lines).toContainEqual(expect.objectContaining({ message: 'client chain unavailable', error }));
    expect(await place()).toBe('invalid_request');
  });
});
