import { isIP } from 'node:net';
import { SIGNATURE_TYPES } from '../account.ts';
import { compareDecimals, parseDecimal, ZERO } from '../decimal.ts';
import { LOG_LEVELS } from '../log.ts';
import { LOOPBACK } from '../loopback.ts';
import { KEY_LIKE, Secret } from '../secret.ts';
import { tableNameOf } from '../store-name.ts';
import { CLOB_KEY, CLOB_PASSPHRASE, CLOB_SECRET, PRIVATE_KEY, WEBHOOK_SECRETS } from './credentials.ts';
import { anyOf, arnOf, commaListOf, formatBy, integer, matching, parseText, type TextFormat } from './formats.ts';

/** The gateway checks callers by `iam` and `jwt`. */
const ORDER_ACCESSES = ['iam', 'jwt', 'public'] as const;
export type OrderAccess = (typeof ORDER_ACCESSES)[number];

/** Anything but `1` is `false`, and does not stop the start. */
const OPT_IN = formatBy('1', (text) => text === '1');

/** Only an exact value counts: consent must not be given by mistake. */
const CONSENT = matching('1, or left out', /^1$/);

const HOST = formatBy('a host name or an IP address', (text) =>
  /^[A-Za-z0-9.:-]{1,255}$/.test(text) && !KEY_LIKE.test(text) ? text : undefined,
);

/** In lower case; IPv6 addresses in brackets, as in URLs. */
const HOSTS = commaListOf('host names or IP addresses without port', (text) => {
  const host = text.toLowerCase();
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) === 6) return `[${bare}]`;
  return /^[\w.-]{1,255}$/.test(host) ? host : undefined;
});

/** In lower case, without the default ports of http and https. */
const AUTHORITY = formatBy('a host with an optional port, such as api.example.com', (text) => {
  const authority = text.toLowerCase().replace(/:(?:80|443)$/, '');
  // Each challenge would show a wallet key.
  const isPlain = /^[\w.:[\]-]+$/.test(authority) && !KEY_LIKE.test(authority);
  return isPlain && URL.parse(`http://${authority}`)?.host === authority ? authority : undefined;
});

const ORIGINS = commaListOf('exact origins such as https://app.example', (origin) => {
  // A URL's host may contain an asterisk, which matches no origin.
  const url = origin.includes('*') ? null : URL.parse(origin);
  // The URL standard gives pages in apps (capacitor://localhost) no origin. Browsers send one all the same.
  const own = url?.origin === 'null' && url.host ? `${url.protocol}//${url.host}` : url?.origin;
  return own === origin ? origin : undefined;
});

/** Parses a URL. Off loopback, `http` would expose orders and credentials. */
function trustedUrl(text: string): URL | undefined {
  const url = /\s/.test(text) ? null : URL.parse(text);
  const isTrusted = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return isTrusted ? url : undefined;
}

/** Without a trailing slash. */
const UPSTREAM = formatBy('an https URL, or http on loopback, without user, query or fragment', (text) => {
  const url = /[?#]/.test(text) ? undefined : trustedUrl(text);
  return url && url.username + url.password === '' ? url.href.replace(/\/+$/, '') : undefined;
});

/** Returns true for text in which each percent sign begins a character in UTF-8. */
function isPercentEncoded(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

/** In the form that Node's agents read. They ignore any other scheme, and put a malformed URL into their error. */
const PROXY = formatBy(
  'an http: or https: URL of a host and a port, such as http://proxy.example:3128; percent-encode its user and password',
  (text) => {
    const url = /^https?:\/\/[^\s/\\?#]+\/?$/i.test(text) ? URL.parse(text) : null;
    const isUsable = url && url.port !== '0' && isPercentEncoded(`${url.username}:${url.password}`);
    return isUsable ? new Secret(url.href) : undefined;
  },
);

/** A provider's key may be in any part of it. */
const RPC_URL = formatBy('an https URL, or http on loopback', (text) =>
  trustedUrl(text) ? new Secret(text) : undefined,
);

export const TABLE = matching('the name of a DynamoDB table', /^[\w.-]{3,255}$/);

/** A misspelt path or prefix would open another store, in which a repeated key would place a second order. */
const STORE = formatBy(
  'the path of a file without white space at its ends, or dynamodb: and the name of a table',
  (text) => {
    // As in an env file with the line ends of Windows.
    if (text !== text.trim() || /\p{Cc}/u.test(text)) return undefined;
    if (/^dynamodb:/i.test(text)) return TABLE.parse(tableNameOf(text) ?? '') && text;
    // One letter and a colon begin a path of Windows.
    return KEY_LIKE.test(text) || /^(?:["'`]|dynamo|[a-z][\w+.-]+:)/i.test(text) ? undefined : text;
  },
);

/** In any case; the checksum is checked where the address is used. */
const ADDRESS = matching('an address: 0x and 40 hex digits', /^0x[0-9a-fA-F]{40}$/);

/** The verification checks the checksums. */
const CLIENTS = commaListOf('EVM or Solana addresses', (address) =>
  /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/.test(address) ? address : undefined,
);

const BYTES32 = formatBy('32 bytes as 64 hex digits, with or without 0x', (text) => {
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  return hex && `0x${hex.toLowerCase()}`;
});

/** In units of collateral. A sum in a table of DynamoDB has at most 38 digits, 6 of them after the point. */
const AMOUNT = formatBy(
  'a decimal above zero, such as 250 or 99.5, with at most 18 digits before the point',
  (text) => {
    const amount = /^\d{1,18}(?:\.|$)/.test(text) ? parseDecimal(text) : undefined;
    return amount && compareDecimals(amount, ZERO) > 0 ? amount : undefined;
  },
);

/** The name of a secret: a key in its place would be in the template of the stack. */
const SECRET_NAME = matching(
  'the name of a Secrets Manager secret, or its whole ARN with the six characters at its end; if you pasted a private key here, replace that key: it is exposed',
  /^(?!(?:0x)?[0-9a-fA-F]{64}$)(?:arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}|[\w/+=.@-]{1,512})$/,
);

export const TOPIC = arnOf('a standard SNS topic (no FIFO topic, no subscription)', 'sns');

export interface Setting<T> extends TextFormat<T> {
  readonly absent: T;
  /** Text for people: the default, if any, and the meaning. */
  readonly preset: string;
  readonly meaning: string;
}

export type Table = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<T extends Table> = { readonly [Name in keyof T]: T[Name]['absent'] };

/** Creates a row: a setting that may be absent. */
export function row<T>(format: TextFormat<T>, meaning: string): Setting<T | undefined> {
  return { ...format, absent: undefined, preset: '', meaning };
}

/** Creates a row: a setting with a default. */
export function preset<T>(format: TextFormat<T>, text: string, meaning: string): Setting<T> {
  return { ...format, absent: parseText(text, 'A default', format), preset: text, meaning };
}

/** Creates a row: a list that is empty where it is absent. */
function list(format: TextFormat<readonly string[]>, meaning: string): Setting<readonly string[]> {
  return { ...format, absent: [], preset: '', meaning };
}

/**
 * All settings of the service, by where they apply. The variable of `maxOrderNotional` is `SERVICE_MAX_ORDER_NOTIONAL`; the
 * CDK takes the name itself, by `-c` and in `deploy/*.json`, with those of infra/settings/table.ts. The parsers, `--help`,
 * `.env.example` and docs/settings.md are made from both tables.
 */
export const SETTINGS = {
  /** Of the local server. */
  local: {
    host: preset(HOST, '127.0.0.1', 'address to listen on'),
    port: preset(integer(0, 65_535), '8080', 'port to listen on; 0 takes a free one'),
    allowedHosts: list(HOSTS, 'further Host names to accept'),
    remoteOrders: row(CONSENT, '1 lets anyone who reaches the port trade: needed for orders beyond loopback'),
    store: preset(STORE, '.data/orders.db', 'store of the orders: a private file that you keep, or dynamodb:TABLE'),
    privateKey: row(PRIVATE_KEY, 'the key that signs orders: 32 bytes of hex, 0x optional'),
    clobApiKey: row(CLOB_KEY, "the venue's API credentials: all three, or none to derive them"),
    clobApiSecret: row(CLOB_SECRET, 'their secret, in base64'),
    clobApiPassphrase: row(CLOB_PASSPHRASE, 'their passphrase'),
  },
  /** Of the local server, and of the deployed function of orders. */
  orders: {
    placeOrder: row(OPT_IN, '1 enables orders, with a key; any other value is read-only, with a warning'),
    privateKeySecret: row(SECRET_NAME, 'in place of the private key: name or ARN of the secret that holds it'),
    kmsKey: row(
      matching(
        'the id, ARN or alias of a KMS key',
        /^(?:arn:[\w-]+:kms:[\w-]+:\d{12}:(?:key|alias)\/[\w/-]{1,250}|alias\/[\w/-]{1,250}|(?:mrk-)?[0-9a-f-]{32,36})$/,
      ),
      'in place of the private key: a key that stays in AWS KMS (ECC_SECG_P256K1, sign and verify)',
    ),
    credentialsSecret: row(SECRET_NAME, 'with kmsKey: name or ARN of the secret that holds the API credentials'),
    walletAddress: row(ADDRESS, 'the only address to trade with; deployed it is required with orders'),
    signatureType: row(anyOf(SIGNATURE_TYPES), `${SIGNATURE_TYPES.join(', ')}; derived without it`),
    funderAddress: row(ADDRESS, "the account that holds the funds; default: the key's own address (eoa)"),
    builderCode: row(BYTES32, "the venue's builder attribution: 32 bytes of hex, signed into each order"),
    maxOrderNotional: row(AMOUNT, 'cap on price times size of an order, in pUSD before fees; a sale may bring more'),
    maxDailyNotional: row(AMOUNT, 'cap on all purchases of a UTC day, in pUSD before fees; sales do not count'),
    maxDailyNotionalPerClient: row(AMOUNT, 'the same for each verified client; needs verification'),
    clientVerification: preset(anyOf(['off', 'required']), 'off', 'required: clients sign their orders (as deployed)'),
    allowedClients: row(CLIENTS, 'with verification: addresses that may order, comma-separated; all without it'),
    clientRpcUrl: row(
      RPC_URL,
      'with verification: JSON-RPC of the chain of contract wallets that sign (EIP-1271); a secret',
    ),
    clientChainId: row(integer(1, 999_999_999), 'with clientRpcUrl: the id of that EVM chain'),
    publicAuthority: row(AUTHORITY, 'the host that clients sign for; needed to verify beyond loopback'),
  },
  /** Of the local server, and of all deployed functions. */
  common: {
    corsOrigins: list(ORIGINS, 'origins whose pages may place orders, comma-separated'),
    gammaUrl: preset(UPSTREAM, 'https://gamma-api.polymarket.com', 'base URL of the catalogue of markets'),
    clobUrl: preset(UPSTREAM, 'https://clob.polymarket.com', 'base URL of the order books'),
    logLevel: preset(anyOf(LOG_LEVELS), 'info', LOG_LEVELS.join(', ')),
  },
  /** Of every process. Other programs read these variables too, so that they have no prefix. */
  network: {
    httpsProxy: row(PROXY, 'proxy for requests to the venue and to AWS: an http: or https: URL'),
    noProxy: row(matching('a list of hosts', /./), 'hosts to reach without the proxy, comma-separated'),
  },
  /** Of `orders follow`. */
  follow: {
    ordersWebhookSecret: row(WEBHOOK_SECRETS, 'with orders follow --webhook: whsec_ and base64, signs the events'),
  },
  /** Of the deployed function of events. */
  events: {
    fillsTopic: row(TOPIC, 'with orders: ARN of the SNS topic for the events of orders'),
  },
  /** Of deployed functions, besides. */
  deployed: {
    orderAccess: preset(anyOf(ORDER_ACCESSES), 'iam', 'who may call POST /v1/orders: iam, jwt or public'),
  },
};

export const LOCAL = { ...SETTINGS.local, ...SETTINGS.orders, ...SETTINGS.common, ...SETTINGS.network };

/** The settings of `.env`. */
export const LISTED = { ...LOCAL, ...SETTINGS.follow };

export const DEPLOYED = { ...SETTINGS.orders, ...SETTINGS.common, ...SETTINGS.deployed };

const UNPREFIXED = { ...SETTINGS.network, ...SETTINGS.follow, ...SETTINGS.events };

/** Environment variables; an empty one counts as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function variableOf(name: string): string {
  return `${name in UNPREFIXED ? '' : 'SERVICE_'}${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`;
}

/** Replaces variables in a sentence with the names of their settings in a deployment's file. */
export function inSettings(sentence: string): string {
  return sentence.replaceAll(/SERVICE_([A-Z_]+)/g, (_, name: string) =>
    name.toLowerCase().replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
  );
}
