import { compareDecimals, type Decimal, parseDecimal, ZERO } from './decimal.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { Secret } from './secret.ts';

/** What kind of account holds the funds (the venue's signature types 0 to 3). */
export const SIGNATURE_TYPES = ['eoa', 'proxy', 'safe', 'deposit-wallet'] as const;
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** The venue's API credentials (L2). */
export interface ApiCredentials {
  readonly key: string;
  readonly secret: Secret;
  readonly passphrase: Secret;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Lower-case host names without port. */
  readonly allowedHosts: readonly string[];
  readonly storePath: string;
  readonly gammaUrl: string;
  readonly clobUrl: string;
  readonly placeOrder: boolean;
  /** 64 hex digits, with `0x`. */
  readonly privateKey: Secret | undefined;
  readonly signatureType: SignatureType;
  readonly funderAddress: string | undefined;
  readonly credentials: ApiCredentials | undefined;
  /** Collateral units. */
  readonly maxOrderNotional: Decimal | undefined;
  readonly corsOrigins: readonly string[];
  readonly logLevel: LogLevel;
  /** The address that the key must belong to, where the key itself is kept elsewhere (on Lambda). */
  readonly walletAddress: string | undefined;
  /** Name or ARN of the secret that holds the key. */
  readonly privateKeySecret: string | undefined;
  /** DynamoDB's table of idempotency keys. */
  readonly ordersTable: string | undefined;
  /** CloudWatch namespace; without it no metrics are written. */
  readonly metricsNamespace: string | undefined;
  /** Sentences for the log about settings that are not errors but surprise. */
  readonly warnings: readonly string[];
}

/** A malformed setting. The message names the variable and says what it takes; it never holds the value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Order of the secp256k1 group: a private key is above zero and below it. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** An empty variable is an absent one. */
function read(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

function list(env: Environment, name: string): string[] {
  const entries = (read(env, name) ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

function oneOf<T extends string>(env: Environment, name: string, values: readonly T[], fallback: T): T {
  const text = read(env, name);
  if (text === undefined) return fallback;
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}.`);
  return value;
}

/** Parses a private key: 32 bytes of hex, `0x` optional; throws `ConfigError` naming `name`. */
export function parsePrivateKey(text: string, name: string): Secret {
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  const scalar = hex === undefined ? 0n : BigInt(`0x${hex}`);
  if (hex === undefined || scalar === 0n || scalar >= CURVE_ORDER) {
    throw new ConfigError(`${name} must be a private key: 32 bytes as 64 hex digits, with or without 0x.`);
  }
  return new Secret(`0x${hex}`);
}

/** Parses the three parts of the API credentials; throws `ConfigError` naming the variables. */
export function parseCredentials(
  parts: readonly [string | undefined, string | undefined, string | undefined],
  names: readonly [string, string, string],
): ApiCredentials | undefined {
  const [key, secret, passphrase] = parts;
  if (key === undefined && secret === undefined && passphrase === undefined) return undefined;
  const missing = names.filter((_, index) => parts[index] === undefined);
  if (key === undefined || secret === undefined || passphrase === undefined) {
    throw new ConfigError(`${missing.join(' and ')} must be set too: API credentials are all three or none.`);
  }
  const [keyName, secretName, passphraseName] = names;
  // They travel in HTTP headers, and the secret is base64 of the HMAC key.
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) throw new ConfigError(`${keyName} must be printable ASCII without spaces.`);
  if (!/^[A-Za-z0-9+/_-]{8,256}={0,2}$/.test(secret)) throw new ConfigError(`${secretName} must be base64.`);
  if (!/^[\x21-\x7e]{1,256}$/.test(passphrase)) {
    throw new ConfigError(`${passphraseName} must be printable ASCII without spaces.`);
  }
  return { key, secret: new Secret(secret), passphrase: new Secret(passphrase) };
}

function parsePort(env: Environment): number {
  const text = read(env, 'SERVICE_PORT') ?? '8080';
  const port = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new ConfigError('SERVICE_PORT must be a port number from 0 to 65535.');
  return port;
}

function parseHost(env: Environment): string {
  const host = read(env, 'SERVICE_HOST') ?? '127.0.0.1';
  if (!/^[A-Za-z0-9.:-]{1,255}$/.test(host))
    throw new ConfigError('SERVICE_HOST must be a host name or an IP address.');
  return host;
}

function parseUpstream(env: Environment, name: string, fallback: string): string {
  const text = read(env, name) ?? fallback;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
  if (!plain || /[\s?#]/.test(text)) {
    throw new ConfigError(`${name} must be an http or https URL without user, query or fragment.`);
  }
  return url.href.replace(/\/+$/, '');
}

function parseAddress(env: Environment, name: string): string | undefined {
  const address = read(env, name);
  if (address !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new ConfigError(`${name} must be an address: 0x and 40 hex digits.`);
  }
  return address;
}

function parseFunder(env: Environment, signatureType: SignatureType): string | undefined {
  const address = parseAddress(env, 'SERVICE_FUNDER_ADDRESS');
  if (address === undefined && signatureType !== 'eoa') {
    throw new ConfigError('SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa.');
  }
  return address;
}

function parseCap(env: Environment): Decimal | undefined {
  const text = read(env, 'SERVICE_MAX_ORDER_NOTIONAL');
  if (text === undefined) return undefined;
  const cap = parseDecimal(text);
  if (!cap || compareDecimals(cap, ZERO) <= 0) {
    throw new ConfigError('SERVICE_MAX_ORDER_NOTIONAL must be a decimal above zero, such as 250 or 99.5.');
  }
  return cap;
}

function parseOrigins(env: Environment): string[] {
  const origins = list(env, 'SERVICE_CORS_ORIGINS');
  // A URL's host may hold an asterisk, but nothing would ever match it.
  const exact = (origin: string) => !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin;
  if (!origins.every(exact)) {
    throw new ConfigError('SERVICE_CORS_ORIGINS must be exact origins such as https://app.example, comma-separated.');
  }
  return origins;
}

function parseAllowedHosts(env: Environment): string[] {
  const hosts = list(env, 'SERVICE_ALLOWED_HOSTS').map((host) => host.toLowerCase());
  if (!hosts.every((host) => /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]+\])$/.test(host))) {
    throw new ConfigError('SERVICE_ALLOWED_HOSTS must be host names without port, comma-separated.');
  }
  return hosts;
}

/** Why an opted-in or keyed service is read-only all the same. */
function placementWarnings(optIn: string | undefined, hasKey: boolean): string[] {
  const warnings = [];
  if (optIn !== undefined && optIn !== '1') {
    warnings.push('SERVICE_PLACE_ORDER is set to something other than 1, so order placement stays disabled.');
  }
  if (optIn === '1' && !hasKey) {
    warnings.push('SERVICE_PLACE_ORDER is 1 but SERVICE_PRIVATE_KEY is not set: the service is read-only.');
  }
  if (optIn === undefined && hasKey) {
    warnings.push('SERVICE_PRIVATE_KEY is set but SERVICE_PLACE_ORDER is not 1: the service is read-only.');
  }
  return warnings;
}

/** Parses the settings once at start; throws `ConfigError` on the first malformed one. */
export function parseConfig(env: Environment): Config {
  const optIn = read(env, 'SERVICE_PLACE_ORDER');
  const key = read(env, 'SERVICE_PRIVATE_KEY');
  const walletAddress = parseAddress(env, 'SERVICE_WALLET_ADDRESS');
  const signatureType = oneOf(env, 'SERVICE_SIGNATURE_TYPE', SIGNATURE_TYPES, 'eoa');
  const credentialNames = ['SERVICE_CLOB_API_KEY', 'SERVICE_CLOB_API_SECRET', 'SERVICE_CLOB_API_PASSPHRASE'] as const;
  const [a, b, c] = credentialNames;
  return {
    host: parseHost(env),
    port: parsePort(env),
    allowedHosts: parseAllowedHosts(env),
    storePath: read(env, 'SERVICE_STORE') ?? '.data/orders.db',
    gammaUrl: parseUpstream(env, 'SERVICE_GAMMA_URL', 'https://gamma-api.polymarket.com'),
    clobUrl: parseUpstream(env, 'SERVICE_CLOB_URL', 'https://clob.polymarket.com'),
    placeOrder: optIn === '1',
    privateKey: key === undefined ? undefined : parsePrivateKey(key, 'SERVICE_PRIVATE_KEY'),
    signatureType,
    funderAddress: parseFunder(env, signatureType),
    credentials: parseCredentials([read(env, a), read(env, b), read(env, c)], credentialNames),
    maxOrderNotional: parseCap(env),
    corsOrigins: parseOrigins(env),
    logLevel: oneOf(env, 'SERVICE_LOG_LEVEL', LOG_LEVELS, 'info'),
    walletAddress,
    privateKeySecret: read(env, 'SERVICE_PRIVATE_KEY_SECRET'),
    ordersTable: read(env, 'SERVICE_ORDERS_TABLE'),
    metricsNamespace: read(env, 'SERVICE_METRICS_NAMESPACE'),
    warnings: placementWarnings(optIn, key !== undefined || walletAddress !== undefined),
  };
}
