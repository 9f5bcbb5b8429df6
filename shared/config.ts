import { type ApiCredentials, parseCredentials, parsePrivateKey } from './credentials.ts';
import { compareDecimals, type Decimal, parseDecimal, ZERO } from './decimal.ts';
import { ConfigError, type Environment, readList, readOneOf, readText } from './environment.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import type { Secret } from './secret.ts';

/** What kind of account holds the funds (the venue's signature types 0 to 3). */
export const SIGNATURE_TYPES = ['eoa', 'proxy', 'safe', 'deposit-wallet'] as const;
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

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

function parsePort(env: Environment): number {
  const text = readText(env, 'SERVICE_PORT') ?? '8080';
  const port = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new ConfigError('SERVICE_PORT must be a port number from 0 to 65535.');
  return port;
}

function parseHost(env: Environment): string {
  const host = readText(env, 'SERVICE_HOST') ?? '127.0.0.1';
  if (!/^[A-Za-z0-9.:-]{1,255}$/.test(host))
    throw new ConfigError('SERVICE_HOST must be a host name or an IP address.');
  return host;
}

function parseUpstream(env: Environment, name: string, fallback: string): string {
  const text = readText(env, name) ?? fallback;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
  if (!plain || /[\s?#]/.test(text)) {
    throw new ConfigError(`${name} must be an http or https URL without user, query or fragment.`);
  }
  return url.href.replace(/\/+$/, '');
}

function parseAddress(env: Environment, name: string): string | undefined {
  const address = readText(env, name);
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
  const text = readText(env, 'SERVICE_MAX_ORDER_NOTIONAL');
  if (text === undefined) return undefined;
  const cap = parseDecimal(text);
  if (!cap || compareDecimals(cap, ZERO) <= 0) {
    throw new ConfigError('SERVICE_MAX_ORDER_NOTIONAL must be a decimal above zero, such as 250 or 99.5.');
  }
  return cap;
}

function parseOrigins(env: Environment): string[] {
  const origins = readList(env, 'SERVICE_CORS_ORIGINS');
  // A URL's host may hold an asterisk, but nothing would ever match it.
  const exact = (origin: string) => !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin;
  if (!origins.every(exact)) {
    throw new ConfigError('SERVICE_CORS_ORIGINS must be exact origins such as https://app.example, comma-separated.');
  }
  return origins;
}

function parseAllowedHosts(env: Environment): string[] {
  const hosts = readList(env, 'SERVICE_ALLOWED_HOSTS').map((host) => host.toLowerCase());
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
  const optIn = readText(env, 'SERVICE_PLACE_ORDER');
  const key = readText(env, 'SERVICE_PRIVATE_KEY');
  const walletAddress = parseAddress(env, 'SERVICE_WALLET_ADDRESS');
  const signatureType = readOneOf(env, 'SERVICE_SIGNATURE_TYPE', SIGNATURE_TYPES, 'eoa');
  const credentialNames = ['SERVICE_CLOB_API_KEY', 'SERVICE_CLOB_API_SECRET', 'SERVICE_CLOB_API_PASSPHRASE'] as const;
  const [a, b, c] = credentialNames;
  return {
    host: parseHost(env),
    port: parsePort(env),
    allowedHosts: parseAllowedHosts(env),
    storePath: readText(env, 'SERVICE_STORE') ?? '.data/orders.db',
    gammaUrl: parseUpstream(env, 'SERVICE_GAMMA_URL', 'https://gamma-api.polymarket.com'),
    clobUrl: parseUpstream(env, 'SERVICE_CLOB_URL', 'https://clob.polymarket.com'),
    placeOrder: optIn === '1',
    privateKey: key === undefined ? undefined : parsePrivateKey(key, 'SERVICE_PRIVATE_KEY'),
    signatureType,
    funderAddress: parseFunder(env, signatureType),
    credentials: parseCredentials([readText(env, a), readText(env, b), readText(env, c)], credentialNames),
    maxOrderNotional: parseCap(env),
    corsOrigins: parseOrigins(env),
    logLevel: readOneOf(env, 'SERVICE_LOG_LEVEL', LOG_LEVELS, 'info'),
    walletAddress,
    privateKeySecret: readText(env, 'SERVICE_PRIVATE_KEY_SECRET'),
    ordersTable: readText(env, 'SERVICE_ORDERS_TABLE'),
    metricsNamespace: readText(env, 'SERVICE_METRICS_NAMESPACE'),
    warnings: placementWarnings(optIn, key !== undefined || walletAddress !== undefined),
  };
}
