import { LOG_LEVELS } from '../log.ts';
import { PRIVATE_KEY } from './credentials.ts';
import {
  ADDRESS,
  AMOUNT,
  type Attempt,
  AUTHORITY,
  BYTES32,
  CONSENT,
  ConfigError,
  type Format,
  HOST,
  HOSTS,
  OPT_IN,
  ORIGINS,
  oneOf,
  PORT,
  parseText,
  STORE,
  SUBJECTS,
  TEXT,
  UPSTREAM,
} from './formats.ts';

/** The kinds of account that hold the funds (the venue's signature types 0 to 3). */
export const SIGNATURE_TYPES = ['eoa', 'proxy', 'safe', 'deposit-wallet'] as const;
/** A kind of account. */
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** The callers from whom a deployment takes orders: `iam` and `jwt` are checked by the gateway. */
export const ORDER_ACCESSES = ['iam', 'jwt', 'public'] as const;
/** The callers from whom a deployment takes orders. */
export type OrderAccess = (typeof ORDER_ACCESSES)[number];

/** A row of the table. */
export interface Setting {
  /** The environment variable. */
  readonly name: string;
  readonly format: Format<unknown>;
  /** Parsed where the variable is absent. */
  readonly fallback?: string;
  /** The default as the tables show it, where nothing is parsed for an absent variable. */
  readonly absent?: string;
  /** One line for people. */
  readonly meaning: string;
  /** Set if every function of a deployment gets it; the rest goes to the function of orders only. */
  readonly forReads?: true;
}

type Table = Readonly<Record<string, Setting>>;

// The one table of settings, in three parts by where they apply. The parser, `--help`, `.env.example`, docs/settings.md
// and the checks at synth are made from it. `-c` takes a setting by its name here.

/** Settings of the local server alone. */
export const LOCAL_SETTINGS = {
  host: { name: 'SERVICE_HOST', format: HOST, fallback: '127.0.0.1', meaning: 'address to listen on' },
  port: { name: 'SERVICE_PORT', format: PORT, fallback: '8080', meaning: 'port to listen on; 0 takes a free one' },
  allowedHosts: {
    name: 'SERVICE_ALLOWED_HOSTS',
    format: HOSTS,
    fallback: '',
    meaning: 'further hosts to answer to: names, addresses and ranges such as 10.0.0.0/8, comma-separated',
  },
  remoteOrders: {
    name: 'SERVICE_REMOTE_ORDERS',
    format: CONSENT,
    meaning: '1 lets anyone who reaches the port trade: needed for orders where SERVICE_HOST is not loopback',
  },
  storePath: {
    name: 'SERVICE_STORE',
    format: STORE,
    fallback: '.data/orders.db',
    meaning: 'store of the orders: a file (keep it, keep it private), or dynamodb:TABLE, which processes may share',
  },
  clobApiKey: {
    name: 'SERVICE_CLOB_API_KEY',
    format: TEXT,
    absent: 'derived',
    meaning: "the venue's API credentials: all three or none",
  },
  clobApiSecret: {
    name: 'SERVICE_CLOB_API_SECRET',
    format: TEXT,
    absent: 'derived',
    meaning: 'their secret, in base64',
  },
  clobApiPassphrase: {
    name: 'SERVICE_CLOB_API_PASSPHRASE',
    format: TEXT,
    absent: 'derived',
    meaning: 'their passphrase',
  },
  privateKey: {
    name: 'SERVICE_PRIVATE_KEY',
    format: PRIVATE_KEY,
    meaning: 'the key that signs orders: 32 bytes of hex, 0x optional',
  },
} as const satisfies Table;

/** Settings of the local server and of a deployment. */
export const COMMON_SETTINGS = {
  placeOrder: {
    name: 'SERVICE_PLACE_ORDER',
    format: OPT_IN,
    meaning: 'exactly 1 enables orders; needs the key too',
  },
  signatureType: {
    name: 'SERVICE_SIGNATURE_TYPE',
    format: oneOf(SIGNATURE_TYPES),
    absent: 'derived from key and funder',
    meaning: 'what holds the funds: eoa (also without a funder), proxy, safe or deposit-wallet',
  },
  funderAddress: {
    name: 'SERVICE_FUNDER_ADDRESS',
    format: ADDRESS,
    absent: "the key's address",
    meaning: 'the account that holds the funds; required unless eoa',
  },
  builderCode: {
    name: 'SERVICE_BUILDER_CODE',
    format: BYTES32,
    absent: 'none',
    meaning: "the venue's builder attribution, signed into each order: 32 bytes of hex, 0x optional",
  },
  maxOrderNotional: {
    name: 'SERVICE_MAX_ORDER_NOTIONAL',
    format: AMOUNT,
    absent: 'none',
    meaning: 'refuses orders with a larger price times size, in pUSD; fees come on top',
  },
  maxDailyNotional: {
    name: 'SERVICE_MAX_DAILY_NOTIONAL',
    format: AMOUNT,
    absent: 'none',
    meaning: 'refuses orders with which the price times size of all orders of the UTC day would be larger, in pUSD',
  },
  clientVerification: {
    name: 'SERVICE_CLIENT_VERIFICATION',
    format: oneOf(['off', 'required']),
    fallback: 'off',
    meaning: 'required takes only orders that the wallet of X-Client-Address has signed',
  },
  publicAuthority: {
    name: 'SERVICE_PUBLIC_AUTHORITY',
    format: AUTHORITY,
    absent: 'loopback with the own port',
    meaning:
      'host, with its port if it is not the usual one, that clients sign for; needed to verify them beyond loopback',
  },
  corsOrigins: {
    name: 'SERVICE_CORS_ORIGINS',
    format: ORIGINS,
    fallback: '',
    meaning: 'origins whose web pages may place orders and read /health, comma-separated',
    forReads: true,
  },
  gammaUrl: {
    name: 'SERVICE_GAMMA_URL',
    format: UPSTREAM,
    fallback: 'https://gamma-api.polymarket.com',
    meaning: 'base URL of the catalogue of markets',
    forReads: true,
  },
  clobUrl: {
    name: 'SERVICE_CLOB_URL',
    format: UPSTREAM,
    fallback: 'https://clob.polymarket.com',
    meaning: 'base URL of the order books',
    forReads: true,
  },
  logLevel: {
    name: 'SERVICE_LOG_LEVEL',
    format: oneOf(LOG_LEVELS),
    fallback: 'info',
    meaning: 'debug, info, warn or error',
    forReads: true,
  },
} as const satisfies Table;

/** Variables that a deployment sets. */
export const DEPLOYMENT_SETTINGS = {
  walletAddress: {
    name: 'SERVICE_WALLET_ADDRESS',
    format: ADDRESS,
    meaning: 'the only address that it trades with',
  },
  orderAccess: {
    name: 'SERVICE_ORDER_ACCESS',
    format: oneOf(ORDER_ACCESSES),
    meaning: 'the callers from whom orders are taken: iam, jwt or public',
  },
  orderSubjects: {
    name: 'SERVICE_ORDER_SUBJECTS',
    format: SUBJECTS,
    meaning: 'with jwt, the subjects of tokens from whom orders are taken',
  },
  privateKeySecret: {
    name: 'SERVICE_PRIVATE_KEY_SECRET',
    format: TEXT,
    meaning: 'name or ARN of the secret that holds the key',
  },
  ordersTable: {
    name: 'SERVICE_ORDERS_TABLE',
    format: TEXT,
    meaning: "DynamoDB's table of the idempotency keys",
  },
} as const satisfies Table;

/** The settings of the local server, as people read them. */
export const SERVER_SETTINGS: readonly Setting[] = Object.values({ ...LOCAL_SETTINGS, ...COMMON_SETTINGS });

const NAMES = Object.values<Setting>({ ...LOCAL_SETTINGS, ...COMMON_SETTINGS, ...DEPLOYMENT_SETTINGS }).map(
  ({ name }) => name,
);

/** Counts the insertions, deletions and replacements that turn one word into another (Levenshtein). */
function editDistance(from: string, to: string): number {
  // Distances from the letters so far to each prefix of the other word.
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from) {
    const above = row;
    row = above.slice(0, 1).map((distance) => distance + 1);
    for (const [index, other] of [...to].entries()) {
      const [replaced = 0, left = 0, inserted = 0] = [above[index], above[index + 1], row[index]];
      row.push(Math.min(replaced + (letter === other ? 0 : 1), left + 1, inserted + 1));
    }
  }
  return row.at(-1) ?? 0;
}

/** Finds the name closest to a misspelt one. */
export function nearestOf(misspelt: string, names: readonly string[]): string | undefined {
  const byDistance = names.map((name) => ({ name, distance: editDistance(misspelt, name) }));
  return byDistance.sort((a, b) => a.distance - b.distance)[0]?.name;
}

function sentenceOnUnknown(variable: string): string {
  // A name such as "SERVICE_X: abc" includes a value, which may be a secret.
  const name = variable.replace(/\W.*/s, '…');
  return `${name} is not a setting: did you mean ${nearestOf(variable.toUpperCase(), NAMES)}?`;
}

/** Throws `ConfigError` for variables that are named like settings but are not: a misspelt cap would be no cap. */
export function refuseUnknown(env: Environment): void {
  // Names in lower case may be another program's, unless they spell a setting.
  const isMeant = (name: string) => name.startsWith('SERVICE_') || NAMES.includes(name.toUpperCase());
  const unknown = Object.keys(env).filter((name) => isMeant(name) && env[name] && !NAMES.includes(name));
  if (unknown.length > 0) throw new ConfigError(unknown.map(sentenceOnUnknown).join('\n'));
}

/** Returns the default as people read it. */
export function defaultOf({ fallback, absent = '-' }: Setting): string {
  return fallback === undefined ? absent : fallback || 'empty';
}

type ValueOf<Row> = Row extends { readonly format: Format<infer T> }
  ? Row extends { readonly fallback: string }
    ? T
    : T | undefined
  : never;

/** The values of settings, by their names in the table. */
export type Values<T extends Table> = { readonly [Name in keyof T]: ValueOf<T[Name]> };

/** Environment variables; an empty one counts as absent. */
export type Environment = Readonly<Record<string, string | undefined>>;

function readSetting(env: Environment, { name, format, fallback }: Setting, attempt: Attempt): unknown {
  const parse = (text: string | undefined) => (text === undefined ? undefined : parseText(text, name, format));
  // An empty variable is an absent one.
  return attempt(() => parse(env[name] || undefined)) ?? parse(fallback);
}

/** Reads a part of the table. */
export function readSettings<T extends Table>(env: Environment, table: T, attempt: Attempt): Values<T>;
// A second signature, since no type follows a table through `Object.fromEntries`.
export function readSettings(env: Environment, table: Table, attempt: Attempt): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, readSetting(env, setting, attempt)]));
}
