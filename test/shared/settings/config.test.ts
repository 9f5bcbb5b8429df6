import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkDeployedVariables } from '../../../functions/orders/deployed-variables.ts';
import { parseDeployedConfig, parseLocalConfig } from '../../../shared/settings/config.ts';
import { ConfigError } from '../../../shared/settings/formats.ts';
import { DEPLOYED, LOCAL, variableOf } from '../../../shared/settings/table.ts';

const KEY = 'ab'.repeat(32);
const ADDRESS = `0x${'ab'.repeat(20)}`;
const CREDENTIALS = {
  SERVICE_CLOB_API_KEY: 'a-key',
  SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXZhbHVl',
  SERVICE_CLOB_API_PASSPHRASE: 'a-phrase',
};

function messageOf(env: Record<string, string>): string | undefined {
  try {
    parseLocalConfig(env);
    parseDeployedConfig(env);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const MISSING = ['SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY', 'SERVICE_PLACE_ORDER=1'];

describe('the settings', () => {
  it('have defaults, for empty variables too', () => {
    const common = {
      gammaUrl: 'https://gamma-api.polymarket.com',
      clobUrl: 'https://clob.polymarket.com',
      signatureType: undefined,
      funderAddress: undefined,
      builderCode: undefined,
      maxOrderNotional: undefined,
      maxDailyNotional: undefined,
      clientVerification: 'off',
      publicAuthority: undefined,
      corsOrigins: [],
      logLevel: 'info',
      warnings: [],
    };
    const local = {
      ...common,
      host: '127.0.0.1',
      port: 8080,
      allowedHosts: [],
      store: '.data/orders.db',
      orders: { kind: 'off', missing: MISSING, key: undefined },
    };
    const deployed = {
      ...common,
      walletAddress: undefined,
      orderAccess: 'iam',
      orders: { kind: 'off' },
    };
    const empty = new Proxy<Record<string, string>>({}, { get: () => '' });
    for (const env of [{}, empty]) {
      expect(parseLocalConfig(env)).toMatchObject(local);
      expect(parseDeployedConfig(env)).toMatchObject(deployed);
    }
  });

  it('are read', () => {
    const config = parseLocalConfig({
      SERVICE_HOST: '::1',
      SERVICE_PORT: '0',
      SERVICE_ALLOWED_HOSTS: ' Box.local, [::2], ::3, 10.1.2.3 ,',
      SERVICE_STORE: '/x/y.db',
      SERVICE_GAMMA_URL: 'http://127.0.0.1:1/',
      SERVICE_CLOB_URL: 'https://clob.example/base//',
      SERVICE_SIGNATURE_TYPE: 'safe',
      SERVICE_FUNDER_ADDRESS: ADDRESS,
      SERVICE_BUILDER_CODE: 'Ab'.repeat(32),
      SERVICE_MAX_ORDER_NOTIONAL: '99.50',
      SERVICE_MAX_DAILY_NOTIONAL: '1000',
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_PUBLIC_AUTHORITY: 'API.Example.com:8443',
      SERVICE_CORS_ORIGINS: 'https://app.example, http://localhost:3000, capacitor://localhost',
      SERVICE_LOG_LEVEL: 'debug',
    });
    expect(config).toMatchObject({
      host: '::1',
      port: 0,
      allowedHosts: ['box.local', '[::2]', '[::3]', '10.1.2.3'],
      store: '/x/y.db',
      gammaUrl: 'http://127.0.0.1:1',
      clobUrl: 'https://clob.example/base',
      signatureType: 'safe',
      funderAddress: ADDRESS,
      builderCode: `0x${'ab'.repeat(32)}`,
      maxOrderNotional: { coefficient: 995n, scale: 1 },
      maxDailyNotional: { coefficient: 1000n, scale: 0 },
      clientVerification: 'required',
      publicAuthority: 'api.example.com:8443',
      corsOrigins: ['https://app.example', 'http://localhost:3000', 'capacitor://localhost'],
      logLevel: 'debug',
    });
  });

  it.each([
    ['API.Example.com', 'api.example.com'],
    ['api.example.com:443', 'api.example.com'],
    ['api.example.com:80', 'api.example.com'],
    ['api.example.com:4430', 'api.example.com:4430'],
    ['10.1.2.3:8080', '10.1.2.3:8080'],
    ['[FD00::80]:8080', '[fd00::80]:8080'],
    ['[fd00::1:80]', '[fd00::1:80]'],
    ['my_box', 'my_box'],
  ])('take the authority %s as it is in URLs', (text, publicAuthority) => {
    expect(parseLocalConfig({ SERVICE_PUBLIC_AUTHORITY: text })).toMatchObject({ publicAuthority });
  });

  it('take a private key or a KMS key', () => {
    const keyOf = (env: Record<string, string>) => parseLocalConfig({ ...env, SERVICE_PLACE_ORDER: '1' }).orders.key;
    expect(keyOf({ SERVICE_KMS_KEY: 'alias/orders' })).toStrictEqual({ kmsKey: 'alias/orders' });
    for (const text of [KEY, `0x${KEY}`, `${KEY}\n`]) {
      const key = keyOf({ SERVICE_PRIVATE_KEY: text });
      expect(key && 'privateKey' in key && key.privateKey.reveal()).toBe(`0x${KEY}`);
    }
  });

  it('take credentials, all three', () => {
    const { orders } = parseLocalConfig({ ...CREDENTIALS, SERVICE_PRIVATE_KEY: KEY, SERVICE_PLACE_ORDER: '1' });
    const credentials = orders.kind === 'on' ? orders.credentials : undefined;
    expect([credentials?.key, credentials?.secret.reveal(), credentials?.passphrase.reveal()]).toStrictEqual(
      Object.values(CREDENTIALS),
    );
  });

  it.each([
    ['nothing', {}, MISSING, []],
    ['both', { SERVICE_PRIVATE_KEY: KEY, SERVICE_PLACE_ORDER: '1' }, undefined, []],
    [
      'only the opt-in',
      { SERVICE_PLACE_ORDER: '1' },
      ['SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY'],
      ['The service is read-only: SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY must be set to place orders.'],
    ],
    [
      'only the key',
      { SERVICE_PRIVATE_KEY: KEY },
      ['SERVICE_PLACE_ORDER=1'],
      ['The service is read-only: SERVICE_PLACE_ORDER=1 must be set to place orders.'],
    ],
    [
      'a wallet that only a deployment has',
      { SERVICE_WALLET_ADDRESS: ADDRESS, SERVICE_PLACE_ORDER: '1' },
      ['SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY'],
      [
        'The service is read-only: SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY must be set to place orders.',
        'SERVICE_WALLET_ADDRESS is set, but has no effect here.',
      ],
    ],
  ])('with %s opt in or warn', (_name, env, missing, warnings) => {
    const config = parseLocalConfig(env);
    expect(config).toMatchObject({ orders: missing ? { kind: 'off', missing } : { kind: 'on' }, warnings });
    expect(config.mode).toBe(missing ? 'read-only' : 'order-placing');
  });

  it('are read locally or deployed: one that is set elsewhere is warned of', () => {
    const env = { SERVICE_WALLET_ADDRESS: 'malformed', SERVICE_PRIVATE_KEY_SECRET: 'name', SERVICE_ORDERS_TABLE: '' };
    const sentences = ['SERVICE_WALLET_ADDRESS', 'SERVICE_PRIVATE_KEY_SECRET'].map(
      (name) => `${name} is set, but has no effect here.`,
    );
    expect(parseLocalConfig(env).warnings).toStrictEqual(sentences);
    expect(parseDeployedConfig({ SERVICE_STORE: 'x' }).warnings).toStrictEqual([
      'SERVICE_STORE is set, but has no effect here.',
    ]);
  });

  it.each(['0', 'true', 'yes', ' 1', '1 ', '01', '2', '1.0'])('do not take %j for the opt-in, and warn', (value) => {
    expect(parseLocalConfig({ SERVICE_PLACE_ORDER: value, SERVICE_PRIVATE_KEY: KEY })).toMatchObject({
      orders: { kind: 'off' },
      warnings: ['The service is read-only: SERVICE_PLACE_ORDER=1 must be set to place orders.'],
    });
  });
});

describe('the settings of a deployment', () => {
  const WALLET = { SERVICE_PLACE_ORDER: '1', SERVICE_WALLET_ADDRESS: ADDRESS };
  const STORED_KEY = { SERVICE_PRIVATE_KEY_SECRET: 'name', SERVICE_ORDERS_TABLE: 'table', SERVICE_ORDER_ACCESS: 'iam' };

  it('place orders', () => {
    const { orders, warnings } = parseDeployedConfig({ ...WALLET, ...STORED_KEY });
    const on = { kind: 'on', walletAddress: ADDRESS, key: { secret: 'name' }, ordersTable: 'table' };
    expect([orders, warnings]).toStrictEqual([on, []]);
  });

  it('take orders of callers with AWS credentials where their access is not set', () => {
    const { orders, orderAccess } = parseDeployedConfig({ ...WALLET, ...STORED_KEY, SERVICE_ORDER_ACCESS: '' });
    expect([orders.kind, orderAccess]).toStrictEqual(['on', 'iam']);
  });

  it('get the checks of a start at synth too', () => {
    const [lower, odd] = ['0xabcdefabcdefabcdefabcdefabcdefabcdefabcd', '0xAbcdefabcdefabcdefabcdefabcdefabcdefabcd'];
    const verified = { ...WALLET, SERVICE_CLIENT_VERIFICATION: 'required' };
    expect(checkDeployedVariables({ ...verified, SERVICE_ALLOWED_CLIENTS: lower })).toStrictEqual([]);
    expect(checkDeployedVariables({ ...verified, SERVICE_ALLOWED_CLIENTS: `${lower},${odd}` })).toStrictEqual([
      'SERVICE_ALLOWED_CLIENTS must be EVM addresses (EIP-55 where letters are mixed) or Solana addresses.',
    ]);
    expect(checkDeployedVariables({ ...WALLET, SERVICE_FUNDER_ADDRESS: odd })).toStrictEqual([
      'SERVICE_FUNDER_ADDRESS has a wrong checksum: check it, or write it in lower case.',
    ]);
    expect(checkDeployedVariables({ SERVICE_LOG_LEVEL: 'x', SERVICE_ORDER_ACCESS: 'all' })).toStrictEqual([
      'SERVICE_LOG_LEVEL must be one of debug, info, warn, error.',
      'SERVICE_ORDER_ACCESS must be one of iam, jwt, public.',
    ]);
  });

  it.each([WALLET, { ...WALLET, SERVICE_ORDERS_TABLE: 'table' }, { ...WALLET, SERVICE_PRIVATE_KEY_SECRET: 'name' }])(
    'with %j alone place none',
    (env) => expect(parseDeployedConfig(env).orders).toStrictEqual({ kind: 'off' }),
  );

  it.each([
    [
      { SERVICE_WALLET_ADDRESS: ADDRESS, ...STORED_KEY },
      'The service is read-only: SERVICE_PLACE_ORDER=1 must be set to place orders.',
    ],
    [
      { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: KEY, ...STORED_KEY },
      'The service is read-only: SERVICE_WALLET_ADDRESS must be set to place orders.',
      'SERVICE_PRIVATE_KEY is set, but has no effect here.',
    ],
  ])('with %j are read-only, with a true warning', (env, ...warnings) => {
    const config = parseDeployedConfig(env);
    expect([config.orders, config.warnings]).toStrictEqual([{ kind: 'off' }, warnings]);
  });
});

describe('a variable that is no setting', () => {
  it.each([
    ['SERVICE_MAX_ORDER_NOTIONL', 'SERVICE_MAX_ORDER_NOTIONAL'],
    ['SERVICE_MAX_NOTIONAL', 'SERVICE_MAX_ORDER_NOTIONAL'],
    ['SERVICE_PRIVATEKEY', 'SERVICE_PRIVATE_KEY'],
    ['SERVICE_POTR', 'SERVICE_PORT'],
    ['SERVICE_ORDER_TABLE', 'SERVICE_ORDERS_TABLE'],
    ['SERVICE_CLOB_URLS', 'SERVICE_CLOB_URL'],
    ['SERVICE_HTTPS_PROXY', 'HTTPS_PROXY'],
    ['service_max_order_notional', 'SERVICE_MAX_ORDER_NOTIONAL'],
    ['Service_Max_Daily_Notional', 'SERVICE_MAX_DAILY_NOTIONAL'],
  ])('%s stops the start, which names %s', (name, nearest) => {
    const sentence = `${name} is not a setting: did you mean ${nearest}?`;
    for (const parse of [parseLocalConfig, parseDeployedConfig]) {
      expect(() => parse({ [name]: '5' })).toThrow(new ConfigError(sentence));
    }
  });

  it.each(['SERVICE_PORT_8080_TCP', 'SERVICE_SERVICE_HOST', 'SERVICE_NAME', 'SERVICE_VERSION', 'SERVICE_ID'])(
    '%s is like none, and warned of',
    (name) => {
      for (const parse of [parseLocalConfig, parseDeployedConfig]) {
        expect(parse({ [name]: '5' }).warnings).toStrictEqual([`${name} is set, but has no effect here.`]);
      }
    },
  );

  it('is reported with all other mistakes', () => {
    expect(messageOf({ SERVICE_PROT: '1', SERVICE_LOG_LEVEL: 'x', SERVICE_HOSTS: 'a' })).toBe(
      'SERVICE_PROT is not a setting: did you mean SERVICE_PORT?\n' +
        'SERVICE_HOSTS is not a setting: did you mean SERVICE_HOST?\n' +
        'SERVICE_LOG_LEVEL must be one of debug, info, warn, error.',
    );
  });

  it.each([{ SERVICE_PROT: '' }, { SERVICES_PORT: '1' }, { MY_SERVICE_PORT: '1' }, { SERVICE: 'x' }])(
    'is absent or of another program: %j',
    (env) => {
      expect([messageOf(env), parseLocalConfig(env).warnings]).toStrictEqual([undefined, []]);
    },
  );
});

const HEX_KEY = '1b'.repeat(32);
const CURVE = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd03641';
const SECRET_NAME =
  'the name of a Secrets Manager secret, or its whole ARN with the six characters at its end; if you pasted a private key here, replace that key: it is exposed';
const UPSTREAM_RULE = 'an https URL, or http on loopback, without user, query or fragment';
const CAP = [
  'a decimal above zero, such as 250 or 99.5, with at most 18 digits before the point',
  ['0', '-1', '1e3', '1,000', '.5', '5.', '$5', ' 5', 'Infinity', '0.00', '1'.repeat(19), `1.${'1'.repeat(99)}`],
  ['0.000001', '9'.repeat(18), `1.${'1'.repeat(98)}`],
] as const;
const ADDRESSES = [
  'an address: 0x and 40 hex digits',
  [ADDRESS.slice(2), `${ADDRESS}0`, `${ADDRESS}\n`, ADDRESS.slice(0, -1), `a${ADDRESS}`, '0x', KEY],
  [ADDRESS.toUpperCase().replace('X', 'x')],
] as const;

/** Each setting: its rule, values that break it, and values that are just within it. */
const RULES: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  SERVICE_HOST: [
    'a host name or an IP address',
    ['http://127.0.0.1', '127.0.0.1/24', 'a b', '[::1]', HEX_KEY, `0x${HEX_KEY.toUpperCase()}`, 'x'.repeat(256)],
    ['a', 'x'.repeat(255)],
  ],
  SERVICE_PORT: [
    'a whole number from 0 to 65535',
    ['65536', '-1', '080', '8080.0', '0x50', ' 80', '1e3', '00', '100000'],
    ['0', '1', '65535'],
  ],
  SERVICE_ALLOWED_HOSTS: [
    'host names or IP addresses without port, comma-separated, at least one',
    ['*', 'a:80', 'http://a', 'a b', 'a;b', '[::2', '[::g]', '10.0.0.0/8', '[::]1', 'x'.repeat(256), ',', ' '],
    ['a', 'x'.repeat(255)],
  ],
  SERVICE_REMOTE_ORDERS: ['1, or left out', ['0', 'true', 'yes', ' 1', '01'], ['1']],
  SERVICE_STORE: [
    'the path of a file, or dynamodb: and the name of a table',
    ['dynamodb:ab', 'DynamoDB:orders', 'dynamodb:or ders', `dynamodb:${'a'.repeat(256)}`, HEX_KEY, `0x${HEX_KEY}`],
    ['/x/orders.db', 'a/dynamodb:orders', 'C:\\orders.db', `${KEY}/orders.db`, `dynamodb:${'a'.repeat(255)}`],
  ],
  SERVICE_STORE_SHARED_FOLDER: ['1, or left out', ['0', 'yes'], ['1']],
  SERVICE_PRIVATE_KEY: [
    'a private key: 32 bytes as 64 hex digits, with or without 0x',
    [KEY.slice(1), `0X${KEY}`, `${KEY} ${KEY}`, '0'.repeat(64), `${CURVE}41`, `${CURVE}ff`],
    ['1'.padStart(64, '0'), `${CURVE}40`, `0x${KEY}`, KEY.toUpperCase(), ` ${KEY}\r\n`],
  ],
  SERVICE_CLOB_API_KEY: [
    'printable ASCII without spaces, and no wallet key',
    ['a key', '3c'.repeat(32), '~'.repeat(129), '\u007f', 'k\u00e4y'],
    ['!', '~'.repeat(128), 'a-key\n'],
  ],
  SERVICE_CLOB_API_SECRET: [
    'base64',
    ['%%%%%%%%', 'a'.repeat(7), 'a'.repeat(257), `${'a'.repeat(8)}===`, `=${'a'.repeat(8)}`],
    ['aB3+/_-9', `${'a'.repeat(254)}==`],
  ],
  SERVICE_CLOB_API_PASSPHRASE: [
    'printable ASCII without spaces',
    ['a\nb', '~'.repeat(257), '\u007f'],
    ['!', '~'.repeat(256)],
  ],
  SERVICE_KMS_KEY: [
    'the id, ARN or alias of a KMS key',
    ['orders', 'alias/', KEY, 'arn:aws:kms:eu-west-1:1:key/a'],
    [
      'alias/orders',
      'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
      'mrk-1234abcd12ab34cd56ef1234567890ab',
      '1234abcd-12ab-34cd-56ef-1234567890ab',
    ],
  ],
  SERVICE_SIGNATURE_TYPE: ['one of eoa, proxy, safe, deposit-wallet', ['EOA', '0', 'gnosis', ' eoa'], ['eoa']],
  SERVICE_FUNDER_ADDRESS: ADDRESSES,
  SERVICE_BUILDER_CODE: [
    '32 bytes as 64 hex digits, with or without 0x',
    ['0x', KEY.slice(2), `${KEY}00`, `0X${KEY}`, `0x${KEY}\n`, 'my-builder', 'zz'.repeat(32)],
    [KEY, `0x${KEY}`],
  ],
  SERVICE_MAX_ORDER_NOTIONAL: CAP,
  SERVICE_MAX_DAILY_NOTIONAL: CAP,
  SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: CAP,
  SERVICE_CLIENT_VERIFICATION: ['one of off, required', ['on', '1', 'OFF', 'REQUIRED', 'required!'], ['off']],
  SERVICE_ALLOWED_CLIENTS: [
    'EVM or Solana addresses, comma-separated, at least one',
    [',', ' ', ' , ,', '0x12', 'alice', `${ADDRESS},bob`],
    [ADDRESS, `${ADDRESS}, Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew,`],
  ],
  SERVICE_CLIENT_RPC_URL: [
    'an https URL, or http on loopback',
    ['http://a.example/v2/key', 'ws://a.example', 'a.example', 'https://', ' https://a.example'],
    ['https://user:key@a.example/v2/key?k=1', 'http://127.0.0.1:8545'],
  ],
  SERVICE_CLIENT_CHAIN_ID: ['a whole number from 1 to 999999999', ['0', '0x89', 'polygon'], ['137']],
  SERVICE_PUBLIC_AUTHORITY: [
    'a host with an optional port, such as api.example.com',
    [HEX_KEY, `0x${HEX_KEY}`, 'https://a.example', 'a.example:', 'a.example:99999', 'a.example,b.example'].concat([
      'a.ex\u00e4mple',
      'a.example\n',
      '::1',
      '[::g]',
    ]),
    ['10.1.2.3:8080', '[fd00::1:80]', 'my_box'],
  ],
  SERVICE_CORS_ORIGINS: [
    'exact origins such as https://app.example, comma-separated, at least one',
    ['*', 'null', 'https://a/', 'https://a/path', 'a.example', 'https://*.a', 'file://', 'capacitor://a/', ',', ' '],
    ['https://app.example', 'http://localhost:3000', 'capacitor://localhost', `chrome-extension://${'a'.repeat(32)}`],
  ],
  SERVICE_GAMMA_URL: [
    UPSTREAM_RULE,
    ['ftp://a', 'a.example', 'https://user:pass@a', 'https://user@a', 'https://a?x=1', 'https://a#', '//a'].concat([
      'http://a.example',
      'http://127.0.0.1.a.example',
      'http://[::2]',
      'http://127.0.0.1@a.example',
    ]),
    ['http://127.9.8.7', 'http://localhost:1/base', 'http://LOCALHOST', 'http://[::1]:1', 'https://a.example/x'],
  ],
  SERVICE_CLOB_URL: [UPSTREAM_RULE, ['ftp://a', 'https://a/#x', 'javascript:alert(1)'], ['http://127.0.0.1:1']],
  SERVICE_LOG_LEVEL: ['one of debug, info, warn, error', ['INFO', 'trace', '1'], ['debug']],
  HTTPS_PROXY: [
    'an http: or https: URL of a host and a port, such as http://proxy.example:3128; percent-encode its user and password',
    ['http://trader:pa#ss@p.example:1', 'http://trader:pa/ss@p.example:1', 'http://trader:1/2@p.example:1']
      .concat(['http://trader:pa ss@p.example:1', 'http://trader:1%zz@p.example:1', 'http://trader:%ff@p.example:1'])
      .concat(['http://p.example:99999', 'http://p.example:0', 'http://p.example/path', 'http:/p.example:1', 'http://'])
      .concat(['socks5://127.0.0.1:1', '127.0.0.1:3128', 'p.example:3128', 'http://p.example:1\n', 'http:\\\\p:1']),
    ['http://p.example', 'https://p.example:1/', 'HTTP://trader:pa%23ss@p.example:65535', 'http://[::1]:1'],
  ],
  SERVICE_WALLET_ADDRESS: ADDRESSES,
  SERVICE_PRIVATE_KEY_SECRET: [SECRET_NAME, [KEY, `0x${KEY}`, 'a b', 'x'.repeat(513)], ['prod/key', 'x'.repeat(512)]],
  SERVICE_CREDENTIALS_SECRET: [SECRET_NAME, [KEY], ['prod/credentials']],
  SERVICE_ORDER_ACCESS: ['one of iam, jwt, public', ['IAM', 'none'], ['jwt']],
  SERVICE_ORDERS_TABLE: ['the name of a DynamoDB table', ['ab', 'a b', 'a'.repeat(256)], ['abc']],
};

const TRADING = { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: KEY };
const VERIFYING = { ...TRADING, SERVICE_CLIENT_VERIFICATION: 'required' };
const OPEN = { SERVICE_HOST: '0.0.0.0', SERVICE_REMOTE_ORDERS: '1' };
const FUNDER = 'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.';
const REMOTE =
  'SERVICE_REMOTE_ORDERS must be 1 where orders are enabled and SERVICE_HOST is not loopback: anyone who can reach the port can trade.';
const AUTHORITY =
  'SERVICE_PUBLIC_AUTHORITY must be set where clients are verified and SERVICE_HOST is not loopback or SERVICE_ALLOWED_HOSTS is set: clients sign for it.';
const UNVERIFIED_VENUE =
  'NODE_TLS_REJECT_UNAUTHORIZED must not be 0 where orders are enabled: Node would send orders to a venue that it has not verified.';

const REMOTE_HOSTS = [
  '0.0.0.0',
  '::',
  '192.0.2.1',
  'box.local',
  '128.0.0.1',
  '127.0.0.1.example',
  'notlocalhost',
  '::2',
];
const CLIENT_SETTINGS = {
  ALLOWED_CLIENTS: { SERVICE_ALLOWED_CLIENTS: ADDRESS },
  MAX_DAILY_NOTIONAL_PER_CLIENT: { SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '5' },
  CLIENT_RPC_URL: { SERVICE_CLIENT_RPC_URL: 'https://a.example', SERVICE_CLIENT_CHAIN_ID: '1' },
};

/** Settings that do not go together, and their sentence. */
const STOPS: readonly (readonly [Record<string, string>, string])[] = [
  [
    { SERVICE_CLOB_API_KEY: 'a-key' },
    'SERVICE_CLOB_API_SECRET and SERVICE_CLOB_API_PASSPHRASE must be set too: API credentials are all three or none.',
  ],
  ...Object.keys(CREDENTIALS).map(
    (name) =>
      [{ ...CREDENTIALS, [name]: '' }, `${name} must be set too: API credentials are all three or none.`] as const,
  ),
  ...Object.entries(CLIENT_SETTINGS).map(
    ([name, env]) =>
      [env, `SERVICE_${name} needs SERVICE_CLIENT_VERIFICATION=required: any caller can claim an address.`] as const,
  ),
  [
    { SERVICE_CLIENT_CHAIN_ID: '1' },
    'SERVICE_CLIENT_RPC_URL and SERVICE_CLIENT_CHAIN_ID go together: set both, or none.',
  ],
  [
    { SERVICE_KMS_KEY: 'alias/orders', SERVICE_PRIVATE_KEY: KEY },
    'SERVICE_PRIVATE_KEY and SERVICE_KMS_KEY exclude each other: set one of them.',
  ],
  // One process and all, a sentence a line.
  [
    { SERVICE_PORT: '99999', SERVICE_LOG_LEVEL: 'loud' },
    'SERVICE_PORT must be a whole number from 0 to 65535.\nSERVICE_LOG_LEVEL must be one of debug, info, warn, error.',
  ],
  // Nothing that follows from a malformed one.
  [
    { SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_FUNDER_ADDRESS: 'nobody' },
    'SERVICE_FUNDER_ADDRESS must be an address: 0x and 40 hex digits.',
  ],
  ...REMOTE_HOSTS.map((SERVICE_HOST) => [{ ...TRADING, SERVICE_HOST }, REMOTE] as const),
  [{ SERVICE_SIGNATURE_TYPE: 'proxy' }, FUNDER],
  [{ ...VERIFYING, ...OPEN }, AUTHORITY],
  [{ ...VERIFYING, SERVICE_ALLOWED_HOSTS: 'api.example.org' }, AUTHORITY],
  [{ ...TRADING, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, UNVERIFIED_VENUE],
];

/** Settings that go together. */
const STARTS: readonly Record<string, string>[] = [
  ...REMOTE_HOSTS.flatMap((SERVICE_HOST) => [
    { ...TRADING, SERVICE_HOST, SERVICE_REMOTE_ORDERS: '1' },
    { ...TRADING, SERVICE_HOST, SERVICE_PLACE_ORDER: '0' },
    { SERVICE_PLACE_ORDER: '1', SERVICE_HOST },
  ]),
  ...['127.0.0.1', '127.1.2.3', '127.10.20.30', '::1', 'localhost', ''].map((SERVICE_HOST) => {
    return { ...VERIFYING, SERVICE_HOST };
  }),
  { ...VERIFYING, ...OPEN, SERVICE_PUBLIC_AUTHORITY: 'api.example.org' },
  { ...VERIFYING, ...OPEN, SERVICE_PLACE_ORDER: '' },
  { ...TRADING, NODE_TLS_REJECT_UNAUTHORIZED: '1' },
  { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  { SERVICE_SIGNATURE_TYPE: 'eoa' },
];

/** What a value needs beside it. */
const BESIDE: Readonly<Record<string, Record<string, string>>> = {
  ...Object.fromEntries(Object.keys(CREDENTIALS).map((name) => [name, CREDENTIALS])),
  SERVICE_FUNDER_ADDRESS: { SERVICE_SIGNATURE_TYPE: 'safe' },
  SERVICE_CLIENT_RPC_URL: { SERVICE_CLIENT_VERIFICATION: 'required', SERVICE_CLIENT_CHAIN_ID: '1' },
  SERVICE_CLIENT_CHAIN_ID: { SERVICE_CLIENT_VERIFICATION: 'required', SERVICE_CLIENT_RPC_URL: 'https://a.example' },
  ...Object.fromEntries(
    ['SERVICE_ALLOWED_CLIENTS', 'SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT'].map((name) => [
      name,
      { SERVICE_CLIENT_VERIFICATION: 'required' },
    ]),
  ),
};

describe('a setting', () => {
  it.each(Object.entries(RULES))('has one rule, and its sentence has no value: %s', (name, [rule, wrong, right]) => {
    const sentenceFor = (value: string) => [value, messageOf({ ...BESIDE[name], [name]: value })];
    expect(wrong.map(sentenceFor)).toStrictEqual(wrong.map((value) => [value, `${name} must be ${rule}.`]));
    expect(right.map(sentenceFor)).toStrictEqual(right.map((value) => [value, undefined]));
  });

  it('has its row above unless it takes any text', () => {
    const names = Object.keys({ ...LOCAL, ...DEPLOYED }).map(variableOf);
    const anyText = ['SERVICE_PLACE_ORDER', 'NO_PROXY'];
    expect(names.filter((name) => !anyText.includes(name)).toSorted()).toStrictEqual(Object.keys(RULES).toSorted());
  });

  it('in quotes, as Docker leaves them, is refused by a sentence that names the quotes', () => {
    expect(messageOf({ SERVICE_PRIVATE_KEY: `"0x${KEY}"`, SERVICE_STORE: "'/x/orders.db'" })).toBe(
      'SERVICE_STORE must be written without quotes, as the path of a file, or dynamodb: and the name of a table.\n' +
        'SERVICE_PRIVATE_KEY must be written without quotes, as a private key: 32 bytes as 64 hex digits, with or without 0x.',
    );
  });

  it.each(STOPS)('that does not go with others stops the start: %j', (env, message) => {
    expect(messageOf(env)).toBe(message);
  });

  it('that goes with others does not', () => {
    expect(STARTS.map((env) => [env, messageOf(env)])).toStrictEqual(STARTS.map((env) => [env, undefined]));
  });

  it('of an account needs its address where no key is at hand to derive it from', () => {
    const safe = { SERVICE_SIGNATURE_TYPE: 'safe' };
    expect(() => parseDeployedConfig(safe)).toThrow(new ConfigError(FUNDER));
    expect(parseLocalConfig({ ...safe, SERVICE_PRIVATE_KEY: KEY })).toMatchObject({ signatureType: 'safe' });
  });

  it('never has its value shown', () => {
    // Long enough not to be in a sentence by chance.
    const garbage = fc.oneof(
      fc.string({ minLength: 12 }),
      fc.string({ unit: 'binary', minLength: 12 }),
      fc.stringMatching(/^[0-9a-f]{12,80}$/),
      fc.webUrl(),
    );
    const property = fc.property(fc.constantFrom(...Object.keys(RULES)), garbage, (name, value) => {
      const message = messageOf({ ...BESIDE[name], [name]: value });
      if (message === undefined) return;
      expect(message).toContain(name);
      expect(message).not.toContain(value);
      expect(message).toMatch(/^[^\n]*\.$/);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
