import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openAccess } from '../../operator/account/access.ts';
import { openVenue } from '../../operator/account/venue.ts';
import { createLog } from '../../shared/log.ts';
import { createDynamoDbStore } from '../../shared/orders/dynamodb-store.ts';
import type { ProxyEnv } from '../../shared/proxy.ts';
import { parseLocalConfig } from '../../shared/settings/config.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { readSecret } from '../../shared/venue/polymarket/account-secret.ts';
import { createMarketData } from '../../shared/venue/polymarket/market-data.ts';
import { openKmsWallet } from '../../shared/wallets/kms-key.ts';
import { listenOnLoopback, shut } from '../../tools/support/loopback.ts';
import { callWithin } from '../support/venue/scripted-venue.ts';

const KMS_KEY = 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const DESK = {
  SERVICE_GAMMA_URL: 'https://gamma.test',
  SERVICE_CLOB_URL: 'https://clob.test',
  SERVICE_WALLET_ADDRESS: `0x${'ab'.repeat(20)}`,
  SERVICE_CLOB_API_KEY: 'a-key',
  SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXZhbHVl',
  SERVICE_CLOB_API_PASSPHRASE: 'a-phrase',
};

/** A proxy that notes the hosts it is asked for, with the credentials, and reaches none of them. */
const proxy = createServer();
const tunnels: string[] = [];
let proxyEnv: ProxyEnv;
let variables: Environment;

beforeAll(async () => {
  proxy.on('connect', ({ url, headers }, socket) => {
    tunnels.push(`${url} ${headers['proxy-authorization']}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const { host } = new URL(await listenOnLoopback(proxy));
  variables = { ...DESK, HTTPS_PROXY: `http://trader:p%40ss@${host}` };
  ({ proxyEnv } = parseLocalConfig(variables));
  // Another region than that of the key: its ARN counts.
  Object.assign(process.env, { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' });
});

beforeEach(() => void tunnels.splice(0));

afterAll(() => shut(proxy));

const region = 'eu-west-1';
const log = createLog({ level: 'error', write: () => undefined });
const urls = { gammaUrl: DESK.SERVICE_GAMMA_URL, clobUrl: DESK.SERVICE_CLOB_URL };

describe('the proxy of the settings', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['gamma.test', () => createMarketData({ ...urls, proxyEnv }, log).listMarkets({ limit: 1 }, callWithin())],
    ['kms.eu-west-1.amazonaws.com', () => openKmsWallet(KMS_KEY, { proxyEnv })],
    ['secretsmanager.eu-west-1.amazonaws.com', () => readSecret('name', { region, proxyEnv })],
    ['dynamodb.us-east-1.amazonaws.com', () => createDynamoDbStore({ tableName: 'orders', proxyEnv }).read('key')],
    ['cloudformation.eu-west-1.amazonaws.com', () => openAccess({ stack: 'orders', region }, variables)],
    ['clob.test', async () => (await openVenue(await openAccess({}, variables))).restingOrders()],
  ])('carries the requests to %s, with its credentials', async (host, ask) => {
    await expect(ask()).rejects.toThrow();
    expect(tunnels).toContain(`${host}:443 Basic ${btoa('trader:p@ss')}`);
  });

  it('carries no request to a host of NO_PROXY', async () => {
    const direct = { ...proxyEnv, NO_PROXY: '.amazonaws.com' };
    await expect(openKmsWallet(KMS_KEY, { proxyEnv: direct })).rejects.toThrow('SERVICE_KMS_KEY failed');
    // The SDK may still repeat a request of another test.
    expect(tunnels.filter((tunnel) => tunnel.startsWith('kms.'))).toStrictEqual([]);
  });
});
