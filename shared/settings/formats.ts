import { isIP } from 'node:net';
import { compareDecimals, type Decimal, parseDecimal, ZERO } from '../decimal.ts';

/**
 * Settings that the operator has to change. The message is one sentence a line: each names a variable and says what it
 * takes, never the value.
 */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/** Reads a part of the settings. One that is malformed counts as absent until the others are read too. */
export type Attempt = <T>(readPart: () => T) => T | undefined;

/** Reads settings part by part; throws one `ConfigError` with the sentences about all of them. */
export function readAll<T>(read: (attempt: Attempt) => T): T {
  const sentences: string[] = [];
  const value = read((readPart) => {
    try {
      return readPart();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      sentences.push(...error.message.split('\n'));
      return undefined;
    }
  });
  if (sentences.length > 0) throw new ConfigError([...new Set(sentences)].join('\n'));
  return value;
}

/** A kind of value that is written as text. */
export interface Format<T> {
  /** Completes the sentence "… must be". */
  readonly rule: string;
  /** Returns the value, or `undefined` for a malformed text. */
  readonly parse: (text: string) => T | undefined;
}

/** Parses a text; throws `ConfigError` naming `name`. */
export function parseText<T>(text: string, name: string, { rule, parse }: Format<T>): T {
  const value = parse(text);
  if (value === undefined) throw new ConfigError(`${name} must be ${rule}.`);
  return value;
}

// These functions are marked as free of side effects, so that bundles leave out unused formats.

/** Creates the format of the texts that match. */
/* @__NO_SIDE_EFFECTS__ */
export function matching(rule: string, pattern: RegExp): Format<string> {
  return { rule, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** Creates the format of the texts that are listed. */
/* @__NO_SIDE_EFFECTS__ */
export function oneOf<T extends string>(values: readonly T[]): Format<T> {
  return { rule: `one of ${values.join(', ')}`, parse: (text) => values.find((value) => value === text) };
}

/** Creates the format of comma-separated lists; `parseEntry` returns `undefined` for a malformed entry. */
/* @__NO_SIDE_EFFECTS__ */
function listOf(rule: string, parseEntry: (entry: string) => string | undefined): Format<readonly string[]> {
  return {
    rule: `${rule}, comma-separated`,
    parse: (text) => {
      const entries = text.split(',').map((entry) => entry.trim());
      const parsed = entries.filter((entry) => entry !== '').map(parseEntry);
      return parsed.every((entry) => entry !== undefined) ? parsed : undefined;
    },
  };
}

/** Any text. */
export const TEXT = matching('a text', /./s);

/** Anything but `1` is `false`: not an opt-in, and no reason to stop. */
export const OPT_IN: Format<boolean> = { rule: '1', parse: (text) => text === '1' };

/** A consent that is easy to give and hard to give by mistake. */
export const CONSENT: Format<true> = { rule: '1, or left out', parse: (text) => (text === '1' ? true : undefined) };

/** Matches what looks like a wallet key. It is refused where a name is expected: logs and messages would show it. */
export const KEY_LIKE = /^(?:0x)?[0-9a-f]{64}$/i;

/** A host name or an IP address. */
export const HOST: Format<string> = {
  rule: 'a host name or an IP address',
  parse: (text) => (/^[A-Za-z0-9.:-]{1,255}$/.test(text) && !KEY_LIKE.test(text) ? text : undefined),
};

/** A port number; 0 takes a free one. */
export const PORT: Format<number> = {
  rule: 'a port number from 0 to 65535',
  parse: (text) => (/^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
};

function parseHost(text: string): string | undefined {
  const host = text.toLowerCase();
  const [, address = host, prefix] = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(host) ?? [];
  const bare = address.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(bare);
  if (prefix !== undefined)
    return family && Number(prefix) <= (family === 4 ? 32 : 128) ? `${bare}/${prefix}` : undefined;
  if (family === 6) return `[${bare}]`;
  return /^[\w.-]{1,255}$/.test(host) ? host : undefined;
}

/** Subjects of tokens. */
export const SUBJECTS = listOf('subjects of tokens', (subject) =>
  /^[\x21-\x7e]{1,255}$/.test(subject) ? subject : undefined,
);

/** Host names in lower case, IPv6 addresses in brackets as they stand in URLs, ranges of addresses without. */
export const HOSTS = listOf('host names, IP addresses or ranges such as 10.0.0.0/8, all without port', parseHost);

/** A host with an optional port as in URLs, in lower case; the default ports of http and https are dropped. */
export const AUTHORITY: Format<string> = {
  rule: 'a host with an optional port, such as api.example.com',
  parse: (text) => {
    const authority = text.toLowerCase().replace(/:(?:80|443)$/, '');
    // A wallet key would stand in each challenge.
    const isPlain = /^[\w.:[\]-]+$/.test(authority) && !KEY_LIKE.test(authority);
    return isPlain && URL.parse(`http://${authority}`)?.host === authority ? authority : undefined;
  },
};

/** Exact origins of web pages. */
export const ORIGINS = listOf('exact origins such as https://app.example', (origin) => {
  // A URL's host may hold an asterisk, but nothing would ever match it.
  return !origin.includes('*') && URL.parse(origin)?.origin === origin ? origin : undefined;
});

/** Matches hosts that no other machine can reach; an IPv6 address may be in brackets. */
export const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[?::1\]?)$/i;

/** The base URL of an upstream, without a trailing slash. Off loopback, `http` would expose orders and credentials. */
export const UPSTREAM: Format<string> = {
  rule: 'an https URL, or http on loopback, without user, query or fragment',
  parse: (text) => {
    const url = /[\s?#]/.test(text) ? null : URL.parse(text);
    if (!url) return undefined;
    const { protocol, hostname, username, password, href } = url;
    const trusted = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
    return trusted && username === '' && password === '' ? href.replace(/\/+$/, '') : undefined;
  },
};

/** The prefix of a store that is a table of DynamoDB. */
export const TABLE_PREFIX = 'dynamodb:';

/** Returns the name of the table of a store; `undefined` for a store that is a file. */
export function tableOf(store: string): string | undefined {
  return store.startsWith(TABLE_PREFIX) ? store.slice(TABLE_PREFIX.length) : undefined;
}

/**
 * A store of orders. A text that looks like a wallet key is refused, and so is a misspelt prefix of a table:
 * each process would create a file of that name, and processes that share no store place an order of one key twice.
 */
export const STORE: Format<string> = {
  rule: 'the path of a file, or dynamodb: and the name of a table',
  parse: (text) => {
    if (/^dynamodb:/i.test(text)) return /^[\w.-]{3,255}$/.test(tableOf(text) ?? '') ? text : undefined;
    // One letter and a colon begin a path of Windows.
    return KEY_LIKE.test(text) || /^\s*(?:dynamo|[a-z][\w+.-]+:)/i.test(text) ? undefined : text;
  },
};

/** An EVM address in any case; its checksum is checked where it is used. */
export const ADDRESS = matching('an address: 0x and 40 hex digits', /^0x[0-9a-fA-F]{40}$/);

/** 32 bytes, as `0x` and lower-case hex. */
export const BYTES32: Format<string> = {
  rule: '32 bytes as 64 hex digits, with or without 0x',
  parse: (text) => {
    const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
    return hex && `0x${hex.toLowerCase()}`;
  },
};

/** An amount above zero, in collateral units. */
export const AMOUNT: Format<Decimal> = {
  rule: 'a decimal above zero, such as 250 or 99.5',
  parse: (text) => {
    const amount = parseDecimal(text);
    return amount && compareDecimals(amount, ZERO) > 0 ? amount : undefined;
  },
};
