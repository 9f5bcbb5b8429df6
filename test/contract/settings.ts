import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { listenOnLoopback, shut } from '../../tools/support/loopback.ts';
import { AWS_VARIABLES } from '../../tools/support/sigv4.ts';
import { expectMembers, expectProblem } from './answer.ts';
import { controlOf, processOf, section, type World } from './check.ts';
import { healthOf } from './local-server.ts';
import { place } from './orders.ts';
import { raw } from './raw.ts';

type Settings = Readonly<Record<string, string>>;

/** Expects that a start with these settings stops with one sentence that says so, and holds no value of theirs. */
async function stops(world: World, settings: Settings, sentence: RegExp): Promise<void> {
  await assert.rejects(processOf(world).start(settings), ({ message }: Error) => {
    assert.match(message, sentence);
    for (const [name, value] of Object.entries(settings)) {
      // The path of a store is what an operator has to find.
      if (value.length > 20 && name !== 'SERVICE_STORE')
        assert.ok(!message.includes(value), `the sentence holds the value: ${message}`);
    }
    return true;
  });
}

const KEY = '11'.repeat(32);
/** Of the key. */
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const SAFE = '0x75F00B003FBBBA193FABEB06284c3187a4C1232E';
const FOREIGN = { SERVICE_FUNDER_ADDRESS: `0x${'ab'.repeat(20)}`, SERVICE_SIGNATURE_TYPE: 'safe' };
const NEW_STORE = 'new order store: it has no earlier idempotency keys';

/** Settings that an operator may not have meant. */
const RISKS: readonly (readonly [Settings, RegExp])[] = [
  [{}, /^orders without a cap: set SERVICE_MAX_ORDER_NOTIONAL or SERVICE_MAX_DAILY_NOTIONAL$/],
  [{}, /^signature type eoa: .* only from its allowlist/],
  [FOREIGN, /^SERVICE_FUNDER_ADDRESS is not one of the key's accounts, which are eoa 0x19E7/],
  [{ SERVICE_WEATHER_FORECAST: 'rain' }, /SERVICE_WEATHER_FORECAST/],
];

/** Settings that stop the start. */
const CONTRADICTIONS: readonly (readonly [Settings, RegExp])[] = [
  [{ SERVICE_SIGNATURE_TYPE: 'proxy', SERVICE_FUNDER_ADDRESS: SAFE }, /safe/],
  // Also where it would only read.
  [{ SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_PLACE_ORDER: '' }, /must be set unless .*: the key has safe/],
  [{ SERVICE_BUILDER_CODE: `0x${KEY}` }, /must not be the private key: it is published/],
];

/** Checks of the settings that no other section is about, at the start of a service. */
export const SETTINGS = section('settings', ['process'], {
  'a KMS key replaces a private key, and both together stop the start': {
    proves: ['SERVICE_KMS_KEY'],
    run: async (world) => {
      const SERVICE_KMS_KEY = 'alias/a';
      await stops(world, { SERVICE_KMS_KEY }, /SERVICE_KMS_KEY/);
      const { startKms } = await import('../../tools/support/kms.ts');
      const kms = await startKms(SERVICE_KMS_KEY, KEY);
      Object.assign(process.env, { ...AWS_VARIABLES, AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_KMS: kms.url });
      const byKms = { SERVICE_PRIVATE_KEY: '', SERVICE_KMS_KEY };
      kms.behave({ error: 'AccessDeniedException', errorOf: 'Sign' });
      await stops(world, byKms, /^AWS denies kms:Sign on the key of SERVICE_KMS_KEY/);
      const reader = await processOf(world).start({ ...byKms, SERVICE_PLACE_ORDER: '' });
      expectMembers(await reader.ask({ operation: 'health', target: '/health' }), { wallet_address: WALLET });
      // A read-only service asks KMS for the public key alone.
      assert.deepEqual(kms.actions.splice(0), ['GetPublicKey', 'Sign', 'GetPublicKey']);
      kms.behave({});
      const service = await processOf(world).start(byKms);
      expectMembers(await place(service), { wallet_address: WALLET });
      // One signature proves the key, one derives the API credentials, and each order has one.
      assert.deepEqual(kms.actions, ['GetPublicKey', 'Sign', 'Sign', 'Sign']);
      kms.behave({ error: 'AccessDeniedException', errorOf: 'Sign' });
      const key = { 'idempotency-key': 'key' };
      expectProblem(await place(service, {}, key), 'store_unavailable');
      const lines = JSON.stringify(controlOf(service).lines());
      assert.match(lines, /AWS denies kms:Sign on the key of SERVICE_KMS_KEY/);
      kms.behave({});
      assert.equal((await place(service, {}, key)).status, 201);
      kms.close();
    },
  },
  'a secret may hold the key or the credentials, and SERVICE_WALLET_ADDRESS pins the wallet': {
    proves: ['SERVICE_PRIVATE_KEY_SECRET', 'SERVICE_CREDENTIALS_SECRET', 'SERVICE_WALLET_ADDRESS'],
    run: async (world) => {
      const { startSecretStore } = await import('../../tools/support/secret-store.ts');
      const secrets = await startSecretStore('trading/key');
      const url = { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url };
      Object.assign(process.env, { ...AWS_VARIABLES, AWS_REGION: 'eu-west-1', ...url });
      const ofSecret = { SERVICE_PRIVATE_KEY: '', SERVICE_PRIVATE_KEY_SECRET: 'trading/key' };
      await stops(world, ofSecret, /^The secret trading\/key cannot be read \(\w+\): check the AWS credentials/);
      secrets.set(KEY);
      const service = await processOf(world).start({ ...ofSecret, SERVICE_WALLET_ADDRESS: WALLET.toLowerCase() });
      expectMembers(await place(service), { wallet_address: WALLET });
      await stops(
        world,
        { ...ofSecret, SERVICE_WALLET_ADDRESS: SAFE },
        /^The wallet key is that of 0x19E7\w+: SERVICE_WALLET_ADDRESS names another wallet/,
      );
      await stops(world, { ...ofSecret, SERVICE_PRIVATE_KEY: KEY }, /exclude each other/);
      await stops(world, { SERVICE_CREDENTIALS_SECRET: 'api' }, /SERVICE_CREDENTIALS_SECRET needs SERVICE_KMS_KEY/);
      secrets.close();
    },
  },
  'an address to listen on that is taken or unknown stops the start': {
    proves: ['SERVICE_HOST', 'SERVICE_PORT'],
    run: async (world) => {
      const server = createServer();
      const { port } = new URL(await listenOnLoopback(server));
      await stops(world, { SERVICE_PORT: port }, /cannot listen on \S+ \(EADDRINUSE\): set SERVICE_PORT or/);
      await shut(server);
    },
  },
  'orders beyond loopback need SERVICE_REMOTE_ORDERS': {
    proves: ['SERVICE_REMOTE_ORDERS'],
    run: async (world) => {
      const open = { SERVICE_HOST: '0.0.0.0' };
      await stops(world, open, /SERVICE_REMOTE_ORDERS/);
      const started = await processOf(world).start({ ...open, SERVICE_REMOTE_ORDERS: '1' });
      assert.equal((await raw(started, healthOf('0.0.0.0:1')))[0]?.status, 200);
    },
  },
  'requests for further hosts are answered': {
    settings: { SERVICE_ALLOWED_HOSTS: 'box.local, [fe80::1]' },
    proves: ['SERVICE_ALLOWED_HOSTS'],
    run: async (world) => {
      for (const host of ['Box.Local.:443', '[fe80::1]:80']) {
        assert.equal((await raw(world, healthOf(host)))[0]?.status, 200);
      }
      const [other] = await raw(world, healthOf('a.box.local'));
      assert.ok(other);
      expectProblem(other, 'host_not_allowed');
    },
  },
  'two contradicting settings stop the start with one sentence': {
    proves: ['SERVICE_STORE', 'SERVICE_SIGNATURE_TYPE', 'SERVICE_BUILDER_CODE'],
    run: async (world) => {
      const taken = { SERVICE_STORE: `${processOf(world).settings['SERVICE_STORE']}` };
      await stops(world, taken, /SERVICE_STORE cannot be opened at /);
      for (const [settings, sentence] of CONTRADICTIONS) await stops(world, settings, sentence);
      // It is signed into each order.
      const built = await processOf(world).start({ SERVICE_BUILDER_CODE: 'ab'.repeat(32) });
      assert.equal((await place(built)).status, 201);
    },
  },
  'a proxy must be an http or https URL, and no sentence or log line shows it': {
    proves: ['HTTPS_PROXY', 'NO_PROXY'],
    run: async (world) => {
      await stops(world, { HTTPS_PROXY: 'socks5://user:secret@proxy.example:1080' }, /HTTPS_PROXY must be /);
      const proxied = { HTTPS_PROXY: 'http://user:secret@127.0.0.1:9', NO_PROXY: '127.0.0.1' };
      const started = await processOf(world).start(proxied);
      assert.ok(!JSON.stringify(controlOf(started).lines()).includes('secret'));
    },
  },
  'incomplete API credentials stop the start': {
    proves: ['SERVICE_CLOB_API_KEY', 'SERVICE_CLOB_API_SECRET', 'SERVICE_CLOB_API_PASSPHRASE'],
    run: async (world) => {
      const whole = {
        SERVICE_CLOB_API_KEY: '0b54c7de-91a2-4f1e-8a36-5d2f90c1e7ab',
        SERVICE_CLOB_API_SECRET: 'bm9ib2R5IHVzZXMgdGhpcyBzZWNyZXQgYW55d2hlcmUwMTI=',
        SERVICE_CLOB_API_PASSPHRASE: '9d41f0c2aa17',
      };
      const started = await processOf(world).start(whole);
      // The venue has not issued them.
      expectProblem(await place(started), 'venue_refused_service', { reason: 'credentials' });
    },
  },
  'the level of the log never drops the line of a signed order': {
    settings: { SERVICE_LOG_LEVEL: 'error' },
    proves: ['SERVICE_LOG_LEVEL'],
    run: async (world) => {
      const before = controlOf(world).lines().length;
      await place(world);
      const messages = controlOf(world)
        .lines()
        .slice(before)
        .map(({ message }) => message);
      assert.deepEqual(messages, ['order signed']);
    },
  },
  'one line at the start states all settings in force': {
    proves: ['SERVICE_GAMMA_URL', 'SERVICE_CLOB_URL'],
    run: async (world) => {
      const settings = {
        ...{ SERVICE_HOST: '0.0.0.0', SERVICE_REMOTE_ORDERS: '1', SERVICE_FUNDER_ADDRESS: SAFE.toLowerCase() },
        ...{ SERVICE_MAX_ORDER_NOTIONAL: '99.50', SERVICE_MAX_DAILY_NOTIONAL: '1000.00' },
        ...{ SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '20', SERVICE_CLIENT_VERIFICATION: 'required' },
        ...{ SERVICE_PUBLIC_AUTHORITY: 'api.example.org', SERVICE_ALLOWED_HOSTS: 'api.example.org' },
        ...{ SERVICE_ALLOWED_CLIENTS: `${WALLET}, ${SAFE}`, SERVICE_BUILDER_CODE: '5b'.repeat(32) },
        ...{ https_proxy: 'http://trader:hunter2@proxy.example:3128', NO_PROXY: '127.0.0.1' },
      };
      const started = await processOf(world).start(settings);
      const { lines, venueUrl, settings: all } = processOf(started);
      const line = lines().find(({ message }) => message === 'listening');
      assert.deepEqual(line, {
        ...{ time: line?.['time'], level: 'info', message: 'listening' },
        ...{ url: `http://0.0.0.0:${new URL(started.baseUrl).port}`, mode: 'order-placing' },
        ...{ wallet_address: WALLET, funder_address: SAFE, signature_type: 'safe' },
        builder_code: `0x${'5b'.repeat(32)}`,
        ...{ max_order_notional: '99.5', max_daily_notional: '1000', max_daily_notional_per_client: '20' },
        ...{ client_verification: 'required', allowed_clients: 2, client_chain_id: null },
        ...{ public_authority: 'api.example.org', gamma_url: venueUrl, clob_url: venueUrl },
        ...{ proxy: 'proxy.example:3128', store: all['SERVICE_STORE'], cors_origins: 1 },
        ...{ no_proxy: 1, allowed_hosts: 1, log_level: 'info', api_credentials: 'derived' },
      });
      assert.deepEqual(
        lines()
          .map(({ message }) => message)
          .slice(0, 2),
        [NEW_STORE, 'listening'],
      );
      assert.equal(lines()[0]?.['store'], all['SERVICE_STORE']);
      const again = await processOf(started).restart();
      assert.equal(
        controlOf(again)
          .lines()
          .filter(({ message }) => message === NEW_STORE).length,
        1,
      );
    },
  },
  'a read-only service creates no store, and starts without one': async (world) => {
    const { lines, settings } = processOf(await processOf(world).start({ SERVICE_PLACE_ORDER: '' }));
    const { mode, store, max_order_notional } = lines().find(({ message }) => message === 'listening') ?? {};
    assert.deepEqual([mode, store, max_order_notional], ['read-only', null, null]);
    assert.equal(existsSync(`${settings['SERVICE_STORE']}`), false);
  },
  'the start warns of each risk once': async (world) => {
    for (const [settings, sentence] of RISKS) {
      const started = await processOf(world).start(settings);
      const messages = controlOf(started)
        .lines()
        .flatMap(({ level, message }) => (level === 'warn' ? [String(message)] : []));
      assert.equal(messages.filter((message) => sentence.test(message)).length, 1, `${sentence}: ${messages}`);
    }
  },
});
