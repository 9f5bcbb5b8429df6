import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { compareDecimals, parseDecimal, ZERO } from '../decimal.ts';

/**
 * Settings that the operator has to change. The message is one sentence a line: each names a setting and says what it
 * takes, never the value.
 */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/** A sentence to the operator; `false` or `undefined` where a rule is kept. */
export type Sentence = string | false | undefined;

/** Drops everything that is not a sentence. */
export function said(sentences: readonly Sentence[]): readonly string[] {
  return sentences.filter((sentence) => typeof sentence === 'string');
}

/** Throws one `ConfigError` with all sentences, if there are any. */
export function refuse(sentences: readonly Sentence[]): void {
  const problems = said(sentences);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** A kind of value that is written as text. The message of a malformed text completes "… must be". */
export type Format<T> = z.ZodMiniType<T, string | undefined>;

/** Creates a format; `parse` returns `undefined` for a malformed text. */
export function parsed<T>(rule: string, parse: (text: string) => T | undefined) {
  const transform = z.transform((text: string, { issues }) => {
    const value = parse(text);
    if (value !== undefined) return value;
    // The text is left out: it may be a secret.
    issues.push({ code: 'custom', message: rule, input: undefined });
    return z.NEVER;
  });
  return z.pipe(z.string(), transform);
}

/** Creates the format of the texts that match. */
export function matching(rule: string, pattern: RegExp) {
  return z.string().check(z.regex(pattern, rule));
}

/** Creates the format of the texts that are listed. */
export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, `one of ${values.join(', ')}`);
}

/** Creates the format of ARNs of a kind of resource, whose ids begin with `prefix`. */
export function arnOf(what: string, service: string, prefix = '') {
  return matching(`the ARN of ${what}`, new RegExp(`^arn:[\\w-]+:${service}:[\\w-]+:\\d{12}:${prefix}[\\w-]+$`));
}

/** Creates the format of comma-separated lists; `parseEntry` returns `undefined` for a malformed entry. */
function listOf(rule: string, parseEntry: (entry: string) => string | undefined) {
  return parsed(`${rule}, comma-separated`, (text): readonly string[] | undefined => {
    const entries = text.split(',').map((entry) => entry.trim());
    const values = entries.filter((entry) => entry !== '').map(parseEntry);
    return values.every((entry) => entry !== undefined) ? values : undefined;
  });
}

/** Creates the format of whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number) {
  return parsed(`a whole number from ${least} to ${most}`, (text) => {
    const value = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  });
}

/** Any text. */
export const TEXT = z.string();

/** Anything but `1` is `false`: not an opt-in, and no reason to stop. */
export const OPT_IN = parsed('1', (text) => text === '1');

/** A consent that cannot be given by mistake. */
export const CONSENT = z.literal('1', '1, or left out');

/** Matches what looks like a wallet key. It is refused where a name is expected: logs and messages would show it. */
export const KEY_LIKE = /^(?:0x)?[0-9a-f]{64}$/i;

/** A host name or an IP address. */
export const HOST = parsed('a host name or an IP address', (text) =>
  /^[A-Za-z0-9.:-]{1,255}$/.test(text) && !KEY_LIKE.test(text) ? text : undefined,
);

/** A port number; 0 takes a free one. */
export const PORT = wholeNumber(0, 65_535);

function parseHost(text: string): string | undefined {
  const host = text.toLowerCase();
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) === 6) return `[${bare}]`;
  return /^[\w.-]{1,255}$/.test(host) ? host : undefined;
}

/** Host names in lower case, IPv6 addresses in brackets as they stand in URLs. */
export const HOSTS = listOf('host names or IP addresses without port', parseHost);

/** A host with an optional port as in URLs, in lower case; the default ports of http and https are dropped. */
export const AUTHORITY = parsed('a host with an optional port, such as api.example.com', (text) => {
  const authority = text.toLowerCase().replace(/:(?:80|443)$/, '');
  // Each challenge would show a wallet key.
  const isPlain = /^[\w.:[\]-]+$/.test(authority) && !KEY_LIKE.test(authority);
  return isPlain && URL.parse(`http://${authority}`)?.host === authority ? authority : undefined;
});

/** Exact origins of web pages. */
export const ORIGINS = listOf('exact origins such as https://app.example', (origin) => {
  // A URL's host may hold an asterisk, but nothing would ever match it.
  return !origin.includes('*') && URL.parse(origin)?.origin === origin ? origin : undefined;
});

/** Matches hosts that no other machine can reach; an IPv6 address may be in brackets. */
export const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[?::1\]?)$/i;

/** The base URL of an upstream, without a trailing slash. Off loopback, `http` would expose orders and credentials. */
export const UPSTREAM = parsed('an https URL, or http on loopback, without user, query or fragment', (text) => {
  const url = /[\s?#]/.test(text) ? null : URL.parse(text);
  if (!url) return undefined;
  const { protocol, hostname, username, password, href } = url;
  const trusted = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  return trusted && username === '' && password === '' ? href.replace(/\/+$/, '') : undefined;
});

/** The prefix of a store that is a table of DynamoDB. */
export const TABLE_PREFIX = 'dynamodb:';

/** Returns the name of the table of a store; `undefined` for a store that is a file. */
export function tableOf(store: string): string | undefined {
  return store.startsWith(TABLE_PREFIX) ? store.slice(TABLE_PREFIX.length) : undefined;
}

/** The name of a DynamoDB table. */
export const TABLE = matching('the name of a DynamoDB table', /^[\w.-]{3,255}$/);

/**
 * A store of orders. A text that looks like a wallet key is refused, and so is a misspelt prefix of a table:
 * each process would create a file of that name, and processes that share no store place an order of one key twice.
 */
export const STORE = parsed('the path of a file, or dynamodb: and the name of a table', (text) => {
  if (/^dynamodb:/i.test(text)) return z.safeParse(TABLE, tableOf(text)).success ? text : undefined;
  // One letter and a colon begin a path of Windows.
  return KEY_LIKE.test(text) || /^\s*(?:dynamo|[a-z][\w+.-]+:)/i.test(text) ? undefined : text;
});

/** An EVM address in any case; its checksum is checked where it is used. */
export const ADDRESS = matching('an address: 0x and 40 hex digits', /^0x[0-9a-fA-F]{40}$/);

/** Addresses of clients; checksums are checked where the kinds of wallets are known. */
export const CLIENTS = listOf('EVM or Solana addresses', (address) =>
  /^(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/.test(address) ? address : undefined,
);

/** 32 bytes, as `0x` and lower-case hex. */
export const BYTES32 = parsed('32 bytes as 64 hex digits, with or without 0x', (text) => {
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  return hex && `0x${hex.toLowerCase()}`;
});

/** An amount above zero, in collateral units. */
export const AMOUNT = parsed('a decimal above zero, such as 250 or 99.5', (text) => {
  const amount = parseDecimal(text);
  return amount && compareDecimals(amount, ZERO) > 0 ? amount : undefined;
});
