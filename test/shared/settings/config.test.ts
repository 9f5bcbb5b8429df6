import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkDeployedVariables } from '../../../functions/orders/deployed-variables.ts';
import { parseDeployedConfig, parseLocalConfig } from '../../../shared/settings/config.ts';
import { ConfigError, tableOf } from '../../../shared/settings/formats.ts';

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

  it.each(['http://127.0.0.1:1', 'http://127.9.8.7', 'http://localhost:1/base', 'http://LOCALHOST', 'http://[::1]:1'])(
    'take an upstream on loopback without encryption: %s',
    (url) => {
      expect(parseLocalConfig({ SERVICE_CLOB_URL: url }).clobUrl).toBe(url.toLowerCase());
    },
  );

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

  it.each([KEY, `0x${KEY}`, KEY.toUpperCase()])('take the key %s', (key) => {
    const { key: signingKey } = parseLocalConfig({ SERVICE_PRIVATE_KEY: key }).orders;
    const secret = signingKey && 'privateKey' in signingKey ? signingKey.privateKey : undefined;
    expect(secret?.reveal().toLowerCase()).toBe(`0x${KEY}`);
  });

  it.each([
    'alias/orders',
    'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    'mrk-1234abcd12ab34cd56ef1234567890ab',
    '1234abcd-12ab-34cd-56ef-1234567890ab',
  ])('take the KMS key %s in place of a private key', (kmsKey) => {
    const { orders } = parseLocalConfig({ SERVICE_KMS_KEY: kmsKey, SERVICE_PLACE_ORDER: '1' });
    expect([orders.kind, orders.key]).toStrictEqual(['on', { kmsKey }]);
  });

  it('refuse a private key beside a KMS key', () => {
    expect(() => parseLocalConfig({ SERVICE_KMS_KEY: 'alias/orders', SERVICE_PRIVATE_KEY: KEY })).toThrow(
      'SERVICE_PRIVATE_KEY and SERVICE_KMS_KEY exclude each other: set one of them.',
    );
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

describe('orders over the network', () => {
  const TRADING = { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: KEY };
  const SENTENCE =
    'SERVICE_REMOTE_ORDERS must be 1 where orders are enabled and SERVICE_HOST is not loopback: anyone who can reach the port can trade.';

  it.each(['0.0.0.0', '::', '192.0.2.1', 'box.local', '128.0.0.1', '127.0.0.1.example', 'notlocalhost', '::2'])(
    'stop the start without consent, on %s',
    (host) => {
      expect(messageOf({ ...TRADING, SERVICE_HOST: host })).toBe(SENTENCE);
      expect(parseLocalConfig({ ...TRADING, SERVICE_HOST: host, SERVICE_REMOTE_ORDERS: '1' })).toMatchObject({
        host,
        orders: { kind: 'on' },
      });
    },
  );

  it.each(['127.0.0.1', '127.1.2.3', '127.10.20.30', '::1', 'localhost', ''])('are not those of %s', (host) => {
    expect(messageOf({ ...TRADING, SERVICE_HOST: host })).toBeUndefined();
  });

  it.each([{}, { SERVICE_PLACE_ORDER: '1' }, { SERVICE_PRIVATE_KEY: KEY }, { ...TRADING, SERVICE_PLACE_ORDER: '0' }])(
    'cannot be where there are none: %j',
    (env) => {
      expect(messageOf({ ...env, SERVICE_HOST: '0.0.0.0' })).toBeUndefined();
    },
  );

  it('need an authority of their own to verify clients beyond loopback', () => {
    const verifying = { ...TRADING, SERVICE_CLIENT_VERIFICATION: 'required' };
    const remote = { ...verifying, SERVICE_HOST: '0.0.0.0', SERVICE_REMOTE_ORDERS: '1' };
    const named = { ...verifying, SERVICE_ALLOWED_HOSTS: 'api.example.org' };
    for (const env of [remote, named]) {
      expect(messageOf(env)).toMatch(/^SERVICE_PUBLIC_AUTHORITY must be set where clients are verified/);
      expect(parseLocalConfig({ ...env, SERVICE_PUBLIC_AUTHORITY: 'api.example.org' })).toHaveProperty('host');
      expect(parseLocalConfig({ ...env, SERVICE_PLACE_ORDER: '' })).toHaveProperty('host');
      expect(parseLocalConfig({ ...env, SERVICE_CLIENT_VERIFICATION: 'off' })).toHaveProperty('host');
    }
    expect(parseLocalConfig(verifying)).toHaveProperty('publicAuthority', undefined);
  });

  it('stop the start where Node would not verify the venue', () => {
    const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect(messageOf({ ...TRADING, ...unverified })).toBe(
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0 where orders are enabled: Node would send orders to a venue that it has not verified.',
    );
    expect(parseLocalConfig({ ...TRADING, NODE_TLS_REJECT_UNAUTHORIZED: '1' }).orders.kind).toBe('on');
    expect(parseLocalConfig(unverified).orders.kind).toBe('off');
  });

  it('need a consent in one form', () => {
    const unclear = { ...TRADING, SERVICE_HOST: '0.0.0.0', SERVICE_REMOTE_ORDERS: 'yes' };
    expect(messageOf(unclear)).toBe('SERVICE_REMOTE_ORDERS must be 1, or left out.');
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

describe('a kind of account without its address', () => {
  const SENTENCE = 'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.';

  it('stops the start of a deployment, which has no key at hand to derive it from', () => {
    expect(() => parseDeployedConfig({ SERVICE_SIGNATURE_TYPE: 'safe' })).toThrow(new ConfigError(SENTENCE));
    expect(() => parseLocalConfig({ SERVICE_SIGNATURE_TYPE: 'safe' })).toThrow(new ConfigError(SENTENCE));
  });

  it('is that of the key for eoa, and derived where the key is there', () => {
    expect(messageOf({ SERVICE_SIGNATURE_TYPE: 'eoa' })).toBeUndefined();
    const keyed = { SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_PRIVATE_KEY: KEY };
    expect(parseLocalConfig(keyed)).toMatchObject({ signatureType: 'safe', funderAddress: undefined });
  });
});

describe('the store of orders', () => {
  it.each([
    ['/x/orders.db', undefined],
    ['orders/dynamodb:orders', undefined],
    ['C:\\orders.db', undefined],
    [`/x/${KEY}`, undefined],
    [`${KEY}/orders.db`, undefined],
    ['dynamodb:orders', 'orders'],
    ['dynamodb:a.b', 'a.b'],
    [`dynamodb:${'a'.repeat(255)}`, 'a'.repeat(255)],
  ])('is a file or a table: %s', (place, table) => {
    const { store } = parseLocalConfig({ SERVICE_STORE: place });
    expect([store, tableOf(store)]).toStrictEqual([place, table]);
  });

  it('is refused when it is neither', () => {
    const sentence = 'SERVICE_STORE must be the path of a file, or dynamodb: and the name of a table.';
    expect(messageOf({ SERVICE_STORE: 'dynamodb:ab' })).toBe(sentence);
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

/** Values that are malformed in a way of their own, besides the garbage of the property below. */
const MALFORMED: Readonly<Record<string, readonly string[]>> = {
  SERVICE_PRIVATE_KEY: [
    KEY.slice(1),
    `0X${KEY}`,
    `${KEY}\n`,
    '0'.repeat(64),
    'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
  ],
  SERVICE_PORT: ['65536', '-1', '080', '8080.0', '0x50', ' 80', '1e3'],
  SERVICE_HOST: ['http://127.0.0.1', '127.0.0.1/24', 'a b', '[::1]', '1b'.repeat(32), `0x${'1B'.repeat(32)}`],
  SERVICE_STORE: [
    'dynamodb:ab',
    'DynamoDB:orders',
    'dynamodb:or ders',
    `dynamodb:${'a'.repeat(256)}`,
    '1b'.repeat(32),
    `0x${'1B'.repeat(32)}`,
  ],
  SERVICE_REMOTE_ORDERS: ['0', 'true', 'yes', ' 1', '01'],
  SERVICE_ALLOWED_HOSTS: ['*', 'a:80', 'http://a', 'a b', 'a;b', '[::2', '[::g]', '10.0.0.0/8', '[::]1', ','],
  SERVICE_GAMMA_URL: [
    'ftp://a',
    'a.example',
    'https://user:pass@a',
    'https://a?x=1',
    'https://a#',
    '//a',
    'http://a.example',
    'http://127.0.0.1.a.example',
    'http://[::2]',
    'http://127.0.0.1@a.example',
  ],
  SERVICE_CLOB_URL: ['ftp://a', 'https://user@a', 'https://a/#x', 'javascript:alert(1)'],
  SERVICE_SIGNATURE_TYPE: ['EOA', '0', 'gnosis', ' eoa'],
  SERVICE_FUNDER_ADDRESS: [ADDRESS.slice(2), `${ADDRESS}0`, `${ADDRESS}\n`, ADDRESS.slice(0, -1), `a${ADDRESS}`],
  SERVICE_MAX_ORDER_NOTIONAL: ['0', '-1', '1e3', '1,000', '.5', '5.', '$5', ' 5', 'Infinity', '0.00'],
  SERVICE_BUILDER_CODE: ['0x', KEY.slice(2), `${KEY}00`, `0X${KEY}`, `0x${KEY}\n`, 'my-builder', 'zz'.repeat(32)],
  SERVICE_CLIENT_VERIFICATION: ['on', '1', 'OFF', 'REQUIRED', 'required!'],
  SERVICE_PUBLIC_AUTHORITY: [
    '1b'.repeat(32),
    `0x${'1B'.repeat(32)}`,
    'https://api.example.com',
    'api.example.com:',
    'api.example.com:99999',
    'api.example.com,b.example',
    'api.ex\u00e4mple.com',
    'a.example\n',
    '::1',
    '[::g]',
  ],
  SERVICE_CORS_ORIGINS: [
    '*',
    'null',
    'https://a/',
    'https://a/path',
    'a.example',
    'https://*.a',
    'file://',
    'capacitor://a/',
    ',',
    ' ',
  ],
  SERVICE_ALLOWED_CLIENTS: [',', ' ', ' , ,', '0x12', 'alice'],
  SERVICE_LOG_LEVEL: ['INFO', 'trace', '1'],
  SERVICE_WALLET_ADDRESS: ['0x', KEY],
};

/** The longest and the shortest that are taken, and the first beyond. */
const BOUNDS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['SERVICE_PORT', ['0', '1', '65535'], ['65536', '00', '100000']],
  ['SERVICE_HOST', ['a', 'x'.repeat(255)], ['x'.repeat(256)]],
  ['SERVICE_ALLOWED_HOSTS', ['a', 'x'.repeat(255)], ['x'.repeat(256)]],
  [
    'SERVICE_PRIVATE_KEY',
    ['1'.padStart(64, '0'), 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140'],
    ['0'.repeat(64), 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
  ],
  ['SERVICE_CLOB_API_KEY', ['!', '~'.repeat(128)], ['~'.repeat(129), '\u007f', 'k\u00e4y']],
  [
    'SERVICE_CLOB_API_SECRET',
    ['aB3+/_-9', `${'a'.repeat(254)}==`],
    ['a'.repeat(7), 'a'.repeat(257), `${'a'.repeat(8)}===`, `=${'a'.repeat(8)}`],
  ],
  ['SERVICE_CLOB_API_PASSPHRASE', ['!', '~'.repeat(256)], ['~'.repeat(257), '\u007f']],
  [
    'SERVICE_MAX_ORDER_NOTIONAL',
    ['0.000001', '9'.repeat(18), `1.${'1'.repeat(98)}`],
    ['0.0', '1'.repeat(19), `1.${'1'.repeat(99)}`],
  ],
];

describe('a setting at its bounds', () => {
  it.each(BOUNDS)('is taken, and not beyond them: %s', (name, taken, refused) => {
    for (const [values, expected] of [
      [taken, undefined],
      [refused, expect.stringContaining(name)],
    ] as const) {
      for (const value of values) {
        const others = name in CREDENTIALS ? CREDENTIALS : {};
        expect([value, messageOf({ ...others, [name]: value })]).toStrictEqual([value, expected]);
      }
    }
  });
});

describe('a malformed setting', () => {
  const rows = Object.entries(MALFORMED).flatMap(([name, values]) => values.map((value) => [name, value] as const));

  it.each(rows)('stops the start with its name and without its value: %s=%j', (name, value) => {
    const message = messageOf({ [name]: value });
    expect(message).toMatch(new RegExp(`^${name} [^\\n]*\\.$`));
    // A value of a few characters is in every sentence.
    if (value.trim().length > 3 && !/^(null|https:\/\/a)/.test(value)) expect(message).not.toContain(value.trim());
  });

  it.each([
    [
      { SERVICE_CLOB_API_KEY: 'a-key' },
      'SERVICE_CLOB_API_SECRET and SERVICE_CLOB_API_PASSPHRASE must be set too: API credentials are all three or none.',
    ],
    [
      { ...CREDENTIALS, SERVICE_CLOB_API_SECRET: '' },
      'SERVICE_CLOB_API_SECRET must be set too: API credentials are all three or none.',
    ],
    [
      { SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXZhbHVl' },
      'SERVICE_CLOB_API_KEY and SERVICE_CLOB_API_PASSPHRASE must be set too: API credentials are all three or none.',
    ],
    [
      { SERVICE_CLOB_API_PASSPHRASE: 'a-phrase' },
      'SERVICE_CLOB_API_KEY and SERVICE_CLOB_API_SECRET must be set too: API credentials are all three or none.',
    ],
    ...['SERVICE_CLOB_API_KEY', 'SERVICE_CLOB_API_PASSPHRASE'].map(
      (name) =>
        [{ ...CREDENTIALS, [name]: '' }, `${name} must be set too: API credentials are all three or none.`] as const,
    ),
    [
      { ...CREDENTIALS, SERVICE_CLOB_API_KEY: 'a key' },
      'SERVICE_CLOB_API_KEY must be printable ASCII without spaces, and no wallet key.',
    ],
    [
      { ...CREDENTIALS, SERVICE_CLOB_API_KEY: '3c'.repeat(32) },
      'SERVICE_CLOB_API_KEY must be printable ASCII without spaces, and no wallet key.',
    ],
    [{ ...CREDENTIALS, SERVICE_CLOB_API_SECRET: '%%%%%%%%' }, 'SERVICE_CLOB_API_SECRET must be base64.'],
    [
      { ...CREDENTIALS, SERVICE_CLOB_API_PASSPHRASE: 'a\nb' },
      'SERVICE_CLOB_API_PASSPHRASE must be printable ASCII without spaces.',
    ],
    [{ SERVICE_SIGNATURE_TYPE: 'proxy' }, 'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.'],
  ])('among several is named: %j', (env, message) => {
    expect(messageOf(env)).toBe(message);
  });

  it.each([
    [
      'of one process and of all',
      { SERVICE_PORT: '99999', SERVICE_LOG_LEVEL: 'loud' },
      [
        'SERVICE_PORT must be a whole number from 0 to 65535.',
        'SERVICE_LOG_LEVEL must be one of debug, info, warn, error.',
      ],
    ],
    [
      'in the credentials',
      { SERVICE_CLOB_API_KEY: 'a key', SERVICE_CLOB_API_SECRET: '%', SERVICE_CLOB_API_PASSPHRASE: ' ' },
      [
        'SERVICE_CLOB_API_KEY must be printable ASCII without spaces, and no wallet key.',
        'SERVICE_CLOB_API_SECRET must be base64.',
        'SERVICE_CLOB_API_PASSPHRASE must be printable ASCII without spaces.',
      ],
    ],
    [
      'but nothing that follows from one',
      { SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_FUNDER_ADDRESS: 'nobody' },
      ['SERVICE_FUNDER_ADDRESS must be an address: 0x and 40 hex digits.'],
    ],
  ])('is told with all the others, a sentence a line: %s', (_name, env, sentences) => {
    expect(messageOf(env)?.split('\n')).toStrictEqual(sentences);
  });

  it('never has its value shown', () => {
    const names = [...Object.keys(MALFORMED), ...Object.keys(CREDENTIALS)];
    // Long enough not to be in a sentence by chance.
    const garbage = fc.oneof(
      fc.string({ minLength: 12 }),
      fc.string({ unit: 'binary', minLength: 12 }),
      fc.stringMatching(/^[0-9a-f]{12,80}$/),
      fc.webUrl(),
    );
    const property = fc.property(fc.constantFrom(...names), garbage, (name, value) => {
      const complete = name in CREDENTIALS ? CREDENTIALS : {};
      const message = messageOf({ ...complete, [name]: value });
      if (message === undefined) return;
      expect(message).toContain(name);
      expect(message).not.toContain(value);
      expect(message).toMatch(/^[^\n]*\.$/);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
