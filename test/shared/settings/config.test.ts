import { describe, expect, it } from '@jest/globals';
import { Secret } from '../../../shared/secret.ts';
import { parseDeployedConfig, parseLocalConfig } from '../../../shared/settings/config.ts';
import { ConfigError } from '../../../shared/settings/formats.ts';
import { DEPLOYED, LOCAL, variableOf } from '../../../shared/settings/table.ts';

type Env = Readonly<Record<string, string>>;

const KEY = 'ab'.repeat(32);
const ADDRESS = `0x${'ab'.repeat(20)}`;
const CREDENTIALS = {
  SERVICE_CLOB_API_KEY: 'a-key',
  SERVICE_CLOB_API_SECRET: 'c2VjcmV0LXZhbHVl',
  SERVICE_CLOB_API_PASSPHRASE: 'a-phrase',
};
const TRADING = { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: KEY };
const VERIFIED = { SERVICE_CLIENT_VERIFICATION: 'required' };
const VERIFYING = { ...TRADING, ...VERIFIED };
const OPEN = { SERVICE_HOST: '0.0.0.0', SERVICE_REMOTE_ORDERS: '1' };

/** What a value needs beside it. */
const BESIDE: Readonly<Record<string, Env>> = {
  ...Object.fromEntries(Object.keys(CREDENTIALS).map((name) => [name, CREDENTIALS])),
  SERVICE_FUNDER_ADDRESS: { SERVICE_SIGNATURE_TYPE: 'safe' },
  SERVICE_SIGNATURE_TYPE: { SERVICE_FUNDER_ADDRESS: ADDRESS },
  SERVICE_CLIENT_RPC_URL: { ...VERIFIED, SERVICE_CLIENT_CHAIN_ID: '1' },
  SERVICE_CLIENT_CHAIN_ID: { ...VERIFIED, SERVICE_CLIENT_RPC_URL: 'https://a.example' },
  SERVICE_ALLOWED_CLIENTS: VERIFIED,
  SERVICE_CREDENTIALS_SECRET: { SERVICE_KMS_KEY: 'alias/a' },
  SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: VERIFIED,
};

/** Returns the sentences at which the start of a local server or of a function stops; none where it does not. */
function messageOf(env: Env): string {
  try {
    parseLocalConfig(env);
    parseDeployedConfig(env);
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** Each setting with a text and what it is read as. */
const READ: readonly (readonly [name: keyof ReturnType<typeof parseLocalConfig>, text: string, value: unknown])[] = [
  ['port', '0', 0],
  ['allowedHosts', ' Box.local, [::2], ::3, 10.1.2.3 ,', ['box.local', '[::2]', '[::3]', '10.1.2.3']],
  ['allowedHosts', '', []],
  ['gammaUrl', 'http://127.0.0.1:1/', 'http://127.0.0.1:1'],
  ['clobUrl', 'https://clob.example/base//', 'https://clob.example/base'],
  ['signatureType', 'safe', 'safe'],
  ['builderCode', 'Ab'.repeat(32), `0x${'ab'.repeat(32)}`],
  ['builderCode', `0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
  ['maxOrderNotional', '99.50', { coefficient: 995n, scale: 1 }],
  ['maxDailyNotional', '1000', { coefficient: 1000n, scale: 0 }],
  ['maxDailyNotionalPerClient', '0.1', { coefficient: 1n, scale: 1 }],
  ['allowedClients', `${ADDRESS}, ,${ADDRESS} `, [ADDRESS, ADDRESS]],
  ['clientRpcUrl', 'https://a.example/v2/key', 'https://a.example/v2/key'],
  ['clientChainId', '137', 137],
  ['corsOrigins', 'https://a.example, capacitor://localhost', ['https://a.example', 'capacitor://localhost']],
  ['corsOrigins', '', []],
  ['publicAuthority', 'API.Example.com', 'api.example.com'],
  ['publicAuthority', 'api.example.com:443', 'api.example.com'],
  ['publicAuthority', 'api.example.com:80', 'api.example.com'],
  ['publicAuthority', 'api.example.com:4430', 'api.example.com:4430'],
  ['publicAuthority', '[FD00::80]:8080', '[fd00::80]:8080'],
  ['publicAuthority', '[fd00::1:80]', '[fd00::1:80]'],
];

const READ_ONLY = (missing: string) => `The service is read-only: ${missing} must be set to place orders.`;
const [NO_KEY, NO_OPT_IN] = ['SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY', 'SERVICE_PLACE_ORDER=1'];
const UNUSED = (name: string) => `${name} is set, but has no effect here.`;
const UNCAPPED = 'orders without a cap: set SERVICE_MAX_ORDER_NOTIONAL or SERVICE_MAX_DAILY_NOTIONAL';
const UNVERIFIED =
  'unverified orders beyond loopback: anyone who reaches the port can trade; set SERVICE_CLIENT_VERIFICATION=required';
const CAPPED = { ...TRADING, SERVICE_MAX_ORDER_NOTIONAL: '5' };

/** Settings of a local server: what is missing to place orders, the warnings, and the risks of its orders. */
const LOCALLY: readonly (readonly [env: Env, missing: readonly string[], warnings?: object, risks?: object])[] = [
  [{}, [NO_KEY, NO_OPT_IN]],
  [{ SERVICE_PLACE_ORDER: '1' }, [NO_KEY], [READ_ONLY(NO_KEY)]],
  [{ SERVICE_PRIVATE_KEY: KEY }, [NO_OPT_IN], [READ_ONLY(NO_OPT_IN)]],
  [{ SERVICE_PLACE_ORDER: '0' }, [NO_KEY, NO_OPT_IN], [READ_ONLY(`${NO_KEY} and ${NO_OPT_IN}`)]],
  [{ ...TRADING, SERVICE_PLACE_ORDER: ' 1' }, [NO_OPT_IN], [READ_ONLY(NO_OPT_IN)]],
  [TRADING, [], [], [UNCAPPED]],
  [CAPPED, []],
  [{ ...TRADING, SERVICE_MAX_DAILY_NOTIONAL: '5' }, []],
  [{ ...VERIFYING, SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '5' }, []],
  [{ ...TRADING, ...OPEN }, [], [], [UNVERIFIED, UNCAPPED]],
  [{ ...CAPPED, SERVICE_ALLOWED_HOSTS: 'a.example' }, [], [], [UNVERIFIED]],
  [{ ...CAPPED, ...VERIFIED, ...OPEN, SERVICE_PUBLIC_AUTHORITY: 'a.example' }, []],
  [{ ...OPEN, SERVICE_PLACE_ORDER: '1' }, [NO_KEY], [READ_ONLY(NO_KEY)]],
  [{ SERVICE_ORDER_ACCESS: 'malformed' }, [NO_KEY, NO_OPT_IN], [UNUSED('SERVICE_ORDER_ACCESS')]],
  [{ ALL_PROXY: 'http://p', MY_SERVICE_PORT: '1', SERVICES_PORT: '1', SERVICE: 'x' }, [NO_KEY, NO_OPT_IN]],
];

const WALLET = { SERVICE_PLACE_ORDER: '1', SERVICE_WALLET_ADDRESS: ADDRESS };
const STORED = { SERVICE_PRIVATE_KEY_SECRET: 'name', SERVICE_STORE: 'dynamodb:table' };
const STORE = { store: 'dynamodb:table' };
const BY_KMS = { SERVICE_KMS_KEY: 'alias/a', SERVICE_CREDENTIALS_SECRET: 'api' };

/** Settings of a function: its key and its store, the wallet that it names, and the warnings. */
const AS_DEPLOYED: readonly (readonly [env: Env, config: object, wallet: string, ...warnings: string[]])[] = [
  [{}, { mode: 'read-only', key: undefined }, ''],
  [{ ...WALLET, ...STORED }, { mode: 'order-placing', key: { secret: 'name' }, ...STORE }, ADDRESS],
  [{ ...WALLET, ...BY_KMS }, { mode: 'order-placing', key: { kmsKey: 'alias/a', credentialsSecret: 'api' } }, ADDRESS],
  // As the function of health, which has no name of the key.
  [WALLET, { mode: 'order-placing', key: undefined }, ADDRESS],
  [{ SERVICE_WALLET_ADDRESS: ADDRESS, ...STORED }, { mode: 'read-only' }, '', READ_ONLY(NO_OPT_IN)],
  [
    { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: KEY },
    { mode: 'read-only', key: undefined },
    '',
    READ_ONLY('SERVICE_WALLET_ADDRESS'),
    UNUSED('SERVICE_PRIVATE_KEY'),
  ],
];

describe('the settings', () => {
  it.each(READ)('%s=%j is read', (name, text, value) => {
    const read = parseLocalConfig({ ...BESIDE[variableOf(name)], [variableOf(name)]: text })[name];
    expect(read instanceof Secret ? read.reveal() : read).toStrictEqual(value);
  });

  it('are absent where they are empty', () => {
    const empty = new Proxy<Record<string, string>>({}, { get: () => '' });
    expect(parseLocalConfig(empty)).toStrictEqual(parseLocalConfig({}));
    expect(parseDeployedConfig(empty)).toStrictEqual(parseDeployedConfig({}));
  });

  it('take a private key, the name of a secret or a KMS key, and credentials', () => {
    expect(parseLocalConfig(BY_KMS).key).toStrictEqual({ kmsKey: 'alias/a', credentialsSecret: 'api' });
    expect(parseLocalConfig(STORED)).toMatchObject({ key: { secret: 'name' }, ...STORE });
    const given = { SERVICE_PRIVATE_KEY: `${KEY}\n`, ...CREDENTIALS, SERVICE_CLOB_API_KEY: ' a-key\n' };
    const { key, credentials } = parseLocalConfig(given);
    const secrets = [
      credentials?.secret,
      credentials?.passphrase,
      key && 'privateKey' in key ? key.privateKey : undefined,
    ];
    const expected = [...Object.values(CREDENTIALS), `0x${KEY}`];
    expect([credentials?.key, ...secrets.map((secret) => secret?.reveal())]).toStrictEqual(expected);
  });

  it.each(LOCALLY)('report what is missing, surprising or dangerous: %j', (env, missing, warnings = [], risks = []) => {
    const config = parseLocalConfig(env);
    expect(config).toMatchObject({ missing, mode: missing.length > 0 ? 'read-only' : 'order-placing' });
    expect([config.warnings, config.risks]).toStrictEqual([warnings, risks]);
  });

  it('keep the key without the opt-in, since /health shows its address, and the proxy for every process', () => {
    const { key } = parseLocalConfig({ SERVICE_PRIVATE_KEY: KEY });
    expect(key && 'privateKey' in key && key.privateKey.reveal()).toBe(`0x${KEY}`);
    for (const parse of [parseLocalConfig, parseDeployedConfig]) {
      const { HTTPS_PROXY, NO_PROXY } = parse({ https_proxy: 'http://p:1', NO_PROXY: 'a' }).proxyEnv;
      expect([HTTPS_PROXY?.reveal(), NO_PROXY]).toStrictEqual(['http://p:1/', 'a']);
    }
  });

  it.each(AS_DEPLOYED)('of a function: %j', (env, expected, walletAddress, ...warnings) => {
    const config = parseDeployedConfig(env);
    expect(config).toMatchObject({ ...expected, warnings });
    expect(config.walletAddress ?? '').toBe(walletAddress);
  });
});

/** Variables that are no settings, and the setting that each may mean. */
const OTHERS: readonly (readonly [variable: string, nearest: string])[] = [
  ['SERVICE_MAX_ORDER_NOTIONL', 'SERVICE_MAX_ORDER_NOTIONAL'],
  ['SERVICE_MAX_NOTIONAL', 'SERVICE_MAX_ORDER_NOTIONAL'],
  ['SERVICE_POTR', 'SERVICE_PORT'],
  ['SERVICE_CLOB_URLS', 'SERVICE_CLOB_URL'],
  ['SERVICE_CREDENTIAL_SECRET', 'SERVICE_CREDENTIALS_SECRET'],
  ['SERVICE_HTTPS_PROXY', 'HTTPS_PROXY'],
  ['service_max_order_notional', 'SERVICE_MAX_ORDER_NOTIONAL'],
  ['SERVICE_PORT_8080_TCP', ''],
  ['SERVICE_NAME', ''],
  ['SERVICE_ID', ''],
];

describe('a variable that is no setting', () => {
  it.each(OTHERS)('%s stops the start where it is nearly one, and is warned of elsewhere: %j', (name, nearest) => {
    for (const parse of [parseLocalConfig, parseDeployedConfig]) {
      const sentence = new ConfigError(`${name} is not a setting: did you mean ${nearest}?`);
      if (nearest !== '') expect(() => parse({ [name]: '5' })).toThrow(sentence);
      else expect(parse({ [name]: '5' }).warnings).toStrictEqual([UNUSED(name)]);
    }
  });

  it('is shown without the part of its name that may be a value', () => {
    const message = messageOf({ 'SERVICE_PROT: 0xsecret\nmore': '5' });
    expect(message).toBe('SERVICE_PROT… is not a setting: did you mean SERVICE_PORT?');
  });
});

const HEX_KEY = '1b'.repeat(32);
const KEY_ID = '1234abcd-12ab-34cd-56ef-1234567890ab';
const CURVE = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd03641';
const SECRET_NAME =
  'the name of a Secrets Manager secret, or its whole ARN with the six characters at its end; if you pasted a private key here, replace that key: it is exposed';
const UPSTREAM_RULE = 'an https URL, or http on loopback, without user, query or fragment';
const CAP = [
  'a decimal above zero, such as 250 or 99.5, with at most 18 digits before the point',
  ['0', '-1', '1e3', '1,000', '.5', '5.', ' 5', '0.00', '1'.repeat(19), `1.${'1'.repeat(99)}`],
  ['0.000001', '9'.repeat(18), `1.${'1'.repeat(98)}`],
] as const;
const ADDRESSES = [
  'an address: 0x and 40 hex digits',
  [ADDRESS.slice(2), `${ADDRESS}0`, `${ADDRESS}\n`, ADDRESS.slice(0, -1), `a${ADDRESS}`],
  [ADDRESS.toUpperCase().replace('X', 'x')],
] as const;

/** Each setting: its rule, values that break it, and values that are just within it. */
const RULES: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  SERVICE_HOST: [
    'a host name or an IP address',
    ['http://127.0.0.1', 'a b', '[::1]', HEX_KEY, `0x${HEX_KEY.toUpperCase()}`, 'x'.repeat(256)],
    ['x'.repeat(255), `h${HEX_KEY}`],
  ],
  SERVICE_PORT: ['a whole number from 0 to 65535', ['65536', '-1', '080', '8080.0', ' 80', '1e3'], ['0', '65535']],
  SERVICE_ALLOWED_HOSTS: [
    'host names or IP addresses without port, comma-separated, at least one',
    ['*', 'a:80', 'http://a', 'a b', '[::2', '[::g]', '[::]1', 'x'.repeat(256), ',', ' '],
    ['x'.repeat(255)],
  ],
  SERVICE_REMOTE_ORDERS: ['1, or left out', ['0', 'true', ' 1', '01'], ['1']],
  SERVICE_STORE: [
    'the path of a file without white space at its ends, or dynamodb: and the name of a table',
    [
      '/x/orders.db\r',
      '\u00a0/x',
      '/x\u0000/y',
      '/x\u0085y',
      'dynamodb:orders\r',
      'dynamodb:ab',
      'DynamoDB:orders',
    ].concat(['file:/x.db', `dynamodb:${'a'.repeat(256)}`, HEX_KEY, `0x${HEX_KEY}`]),
    ['/x y/orders.db', 'a/dynamodb:orders', 'C:\\orders.db', `${KEY}/orders.db`, `dynamodb:${'a'.repeat(255)}`],
  ],
  SERVICE_PRIVATE_KEY: [
    'a private key: 32 bytes as 64 hex digits, with or without 0x',
    [KEY.slice(1), `0X${KEY}`, `${KEY} ${KEY}`, '0'.repeat(64), `${CURVE}41`],
    ['1'.padStart(64, '0'), `${CURVE}40`, `0x${KEY}`, ` ${KEY.toUpperCase()}\r\n`],
  ],
  SERVICE_CLOB_API_KEY: [
    'printable ASCII without spaces, and no wallet key',
    ['a key', '3c'.repeat(32), '~'.repeat(129), '\u007f'],
    ['!', '~'.repeat(128), 'a-key\n'],
  ],
  SERVICE_CLOB_API_SECRET: [
    'base64',
    ['%%%%%%%%', 'a'.repeat(7), 'a'.repeat(257), `${'a'.repeat(8)}===`, `=${'a'.repeat(8)}`],
    ['aB3+/_-9', `${'a'.repeat(254)}==`],
  ],
  SERVICE_CLOB_API_PASSPHRASE: ['printable ASCII without spaces', ['a\nb', '~'.repeat(257)], ['!', '~'.repeat(256)]],
  SERVICE_KMS_KEY: [
    'the id, ARN or alias of a KMS key',
    ['orders', 'alias/', KEY, 'arn:aws:kms:eu-west-1:1:key/a'],
    [`arn:aws:kms:eu-west-1:123456789012:key/${KEY_ID}`, 'mrk-1234abcd12ab34cd56ef1234567890ab', KEY_ID],
  ],
  SERVICE_SIGNATURE_TYPE: ['one of eoa, proxy, safe, deposit-wallet', ['EOA', '0', ' eoa'], ['eoa']],
  SERVICE_FUNDER_ADDRESS: ADDRESSES,
  SERVICE_BUILDER_CODE: [
    '32 bytes as 64 hex digits, with or without 0x',
    ['0x', KEY.slice(2), `${KEY}00`, `0X${KEY}`, `0x${KEY}\n`, 'zz'.repeat(32)],
    [KEY, `0x${KEY}`],
  ],
  SERVICE_MAX_ORDER_NOTIONAL: CAP,
  SERVICE_MAX_DAILY_NOTIONAL: CAP,
  SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: CAP,
  SERVICE_CLIENT_VERIFICATION: ['one of off, required', ['on', 'REQUIRED', 'required!'], ['off']],
  SERVICE_ALLOWED_CLIENTS: [
    'EVM or Solana addresses, comma-separated, at least one',
    [',', ' , ,', '0x12', `${ADDRESS},bob`, `0x${ADDRESS}`],
    [ADDRESS, `${ADDRESS}, Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew,`],
  ],
  SERVICE_CLIENT_RPC_URL: [
    'an https URL, or http on loopback',
    ['http://a.example/v2/key', 'ws://a.example', 'a.example', 'https://', ' https://a.example'],
    ['https://user:key@a.example/v2/key?k=1', 'http://127.0.0.1:8545'],
  ],
  SERVICE_CLIENT_CHAIN_ID: ['a whole number from 1 to 999999999', ['0', '0x89'], ['137']],
  SERVICE_PUBLIC_AUTHORITY: [
    'a host with an optional port, such as api.example.com',
    [
      `0x${HEX_KEY}`,
      'https://a.example',
      'a.example:',
      'a.example:99999',
      'a.b,c.d',
      'a.\u00e4',
      'a\n',
      '::1',
      '[::g]',
    ],
    ['10.1.2.3:8080', '[fd00::1:80]', 'my_box'],
  ],
  SERVICE_CORS_ORIGINS: [
    'exact origins such as https://app.example, comma-separated, at least one',
    ['*', 'null', 'https://a/', 'a.example', 'https://*.a', 'file://', 'capacitor://a/', ',', ' '],
    ['https://app.example', 'http://localhost:3000', 'capacitor://localhost', `chrome-extension://${'a'.repeat(32)}`],
  ],
  SERVICE_GAMMA_URL: [
    UPSTREAM_RULE,
    ['ftp://a', 'a.example', 'https://:pass@a', 'https://user@a', 'https://a?x=1', 'https://a#', '//a', 'http://a'],
    ['http://127.9.8.7', 'http://localhost:1/base', 'http://LOCALHOST', 'http://[::1]:1', 'https://a.example/x'],
  ],
  SERVICE_CLOB_URL: [
    UPSTREAM_RULE,
    ['http://127.0.0.1.a', 'http://127.0.0.1@a', 'http://[::2]'],
    ['http://127.0.0.1:1'],
  ],
  SERVICE_LOG_LEVEL: ['one of debug, info, warn, error', ['INFO', 'trace'], ['debug']],
  HTTPS_PROXY: [
    'an http: or https: URL of a host and a port, such as http://proxy.example:3128; percent-encode its user and password',
    ['http://trader:pa#ss@p.example:1', 'http://trader:pa/ss@p.example:1', 'http://trader:1/2@p.example:1']
      .concat(['http://trader:pa ss@p.example:1', 'http://trader:1%zz@p.example:1', 'http://trader:%ff@p.example:1'])
      .concat(['http://p.example:99999', 'http://p.example:0', 'http://p.example/path', 'http:/p.example:1', 'http://'])
      .concat(['socks5://127.0.0.1:1', '127.0.0.1:3128', 'http://p.example:1\n', 'http:\\\\p:1']),
    ['http://p.example', 'https://p.example:1/', 'HTTP://trader:pa%23ss@p.example:65535', 'http://[::1]:1'],
  ],
  SERVICE_WALLET_ADDRESS: ADDRESSES,
  SERVICE_PRIVATE_KEY_SECRET: [SECRET_NAME, [KEY, `0x${KEY}`, 'a b', 'x'.repeat(513)], ['x'.repeat(512), `${KEY}-key`]],
  SERVICE_CREDENTIALS_SECRET: [SECRET_NAME, [KEY], ['prod/credentials']],
  SERVICE_ORDER_ACCESS: ['one of iam, jwt, public', ['IAM', 'none'], ['jwt']],
};

const FUNDER = 'SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.';
const REMOTE =
  'SERVICE_REMOTE_ORDERS must be 1 where orders are enabled and SERVICE_HOST is not loopback: anyone who can reach the port can trade.';
const AUTHORITY =
  'SERVICE_PUBLIC_AUTHORITY must be set where clients are verified and SERVICE_HOST is not loopback or SERVICE_ALLOWED_HOSTS is set: clients sign for it.';
const UNVERIFIED_VENUE =
  'NODE_TLS_REJECT_UNAUTHORIZED must not be 0 where orders are enabled: Node would send orders to a venue that it has not verified.';
const ALL_OR_NONE = 'must be set too: API credentials are all three or none.';
const NEEDS_VERIFICATION = 'needs SERVICE_CLIENT_VERIFICATION=required: any caller can claim an address.';
const CHAIN = { SERVICE_CLIENT_RPC_URL: 'https://a.example' };
const ID = { SERVICE_CLIENT_CHAIN_ID: '1' };
const TOGETHER = 'SERVICE_CLIENT_RPC_URL and SERVICE_CLIENT_CHAIN_ID go together: set both, or none.';

/** Settings that stop the start, and their sentences; none where they go together. */
const STOPS: readonly (readonly [env: Env, sentence: string])[] = [
  ...['0.0.0.0', '128.0.0.1', '127.0.0.1.example', 'notlocalhost', '::2'].map(
    (SERVICE_HOST) => [{ ...TRADING, SERVICE_HOST }, REMOTE] as const,
  ),
  [{ ...TRADING, ...OPEN }, ''],
  [{ SERVICE_PRIVATE_KEY: KEY, SERVICE_HOST: '::' }, ''],
  ...['127.10.200.30', '::1', 'LocalHost'].map((SERVICE_HOST) => [{ ...VERIFYING, SERVICE_HOST }, ''] as const),
  [{ ...VERIFYING, ...OPEN }, AUTHORITY],
  [{ ...VERIFYING, SERVICE_ALLOWED_HOSTS: 'api.example.org' }, AUTHORITY],
  [{ ...VERIFYING, ...OPEN, SERVICE_PLACE_ORDER: '' }, ''],
  [{ ...TRADING, NODE_TLS_REJECT_UNAUTHORIZED: '0' }, UNVERIFIED_VENUE],
  [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, ''],
  [{ SERVICE_CLOB_API_KEY: 'a-key' }, `SERVICE_CLOB_API_SECRET and SERVICE_CLOB_API_PASSPHRASE ${ALL_OR_NONE}`],
  ...Object.keys(CREDENTIALS).map((name) => [{ ...CREDENTIALS, [name]: '' }, `${name} ${ALL_OR_NONE}`] as const),
  [{ SERVICE_ALLOWED_CLIENTS: ADDRESS }, `SERVICE_ALLOWED_CLIENTS ${NEEDS_VERIFICATION}`],
  [{ SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '5' }, `SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT ${NEEDS_VERIFICATION}`],
  [{ ...CHAIN, ...ID }, `SERVICE_CLIENT_RPC_URL ${NEEDS_VERIFICATION}`],
  [ID, TOGETHER],
  [{ ...VERIFIED, ...CHAIN }, TOGETHER],
  [
    { SERVICE_KMS_KEY: 'alias/orders', SERVICE_PRIVATE_KEY: KEY },
    'SERVICE_PRIVATE_KEY and SERVICE_KMS_KEY exclude each other: set one of them.',
  ],
  [
    { SERVICE_PRIVATE_KEY_SECRET: 'name', SERVICE_PRIVATE_KEY: KEY },
    'SERVICE_PRIVATE_KEY and SERVICE_PRIVATE_KEY_SECRET exclude each other: set one of them.',
  ],
  [{ ...TRADING, SERVICE_CREDENTIALS_SECRET: 'api' }, 'SERVICE_CREDENTIALS_SECRET needs SERVICE_KMS_KEY.'],
  [{ SERVICE_SIGNATURE_TYPE: 'proxy' }, FUNDER],
  [{ SERVICE_SIGNATURE_TYPE: 'eoa' }, ''],
  // A sentence a line, the misspelt first.
  [
    { SERVICE_LOG_LEVEL: 'loud', SERVICE_PROT: '1', SERVICE_HOSTS: 'a' },
    'SERVICE_PROT is not a setting: did you mean SERVICE_PORT?\n' +
      'SERVICE_HOSTS is not a setting: did you mean SERVICE_HOST?\n' +
      'SERVICE_LOG_LEVEL must be one of debug, info, warn, error.',
  ],
  // Nothing that follows from a malformed one.
  [
    { SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_FUNDER_ADDRESS: 'nobody' },
    `SERVICE_FUNDER_ADDRESS must be ${ADDRESSES[0]}.`,
  ],
  // Docker leaves quotes.
  [
    { SERVICE_PRIVATE_KEY: `"0x${KEY}"`, SERVICE_STORE: "'/x/orders.db'" },
    'SERVICE_STORE must be written without quotes, as the path of a file without white space at its ends, or dynamodb: and the name of a table.\n' +
      'SERVICE_PRIVATE_KEY must be written without quotes, as a private key: 32 bytes as 64 hex digits, with or without 0x.',
  ],
];

describe('a setting', () => {
  it.each(Object.entries(RULES))('has one rule, and its sentence has no value: %s', (name, [rule, wrong, right]) => {
    const sentenceFor = (value: string) => [value, messageOf({ ...BESIDE[name], [name]: value })];
    expect(wrong.map(sentenceFor)).toStrictEqual(wrong.map((value) => [value, `${name} must be ${rule}.`]));
    expect(right.map(sentenceFor)).toStrictEqual(right.map((value) => [value, '']));
  });

  it('has a row in this table unless it accepts any text', () => {
    const names = Object.keys({ ...LOCAL, ...DEPLOYED }).map(variableOf);
    const anyText = ['SERVICE_PLACE_ORDER', 'NO_PROXY'];
    expect(names.filter((name) => !anyText.includes(name)).toSorted()).toStrictEqual(Object.keys(RULES).toSorted());
  });

  it.each(STOPS)('stops the start where it does not go with others: %j', (env, message) => {
    expect(messageOf(env)).toBe(message);
  });
});
