import { API_SECRET, type ApiCredentials, SECP256K1_ORDER } from '../account.ts';
import { KEY_LIKE, Secret } from '../secret.ts';
import { ConfigError, formatBy } from './formats.ts';

/** A file or a paste leaves blanks and line ends around a text. */
function trimmed<T>(rule: string, parse: (text: string) => T | undefined) {
  return formatBy(rule, (text) => parse(text.trim()));
}

/** A private key: the value has `0x`, whether or not the text has it. */
export const PRIVATE_KEY = trimmed('a private key: 32 bytes as 64 hex digits, with or without 0x', (text) => {
  const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
  const scalar = hex === undefined ? 0n : BigInt(`0x${hex}`);
  return scalar === 0n || scalar >= SECP256K1_ORDER ? undefined : new Secret(`0x${hex}`);
});

// The credentials travel in HTTP headers.

/** The name of the credentials. A wallet key is refused: it would be sent to the venue with each order. */
export const CLOB_KEY = trimmed('printable ASCII without spaces, and no wallet key', (text) =>
  /^[\x21-\x7e]{1,128}$/.test(text) && !KEY_LIKE.test(text) ? text : undefined,
);

export const CLOB_SECRET = trimmed('base64', (text) => (API_SECRET.test(text) ? new Secret(text) : undefined));

export const CLOB_PASSPHRASE = trimmed('printable ASCII without spaces', (text) =>
  /^[\x21-\x7e]{1,256}$/.test(text) ? new Secret(text) : undefined,
);

/** The secrets that sign webhooks, in base64: the new one and the one that it replaces. */
export const WEBHOOK_SECRETS = formatBy(
  'whsec_ and 24 to 64 random bytes in base64, or two of these with a blank between them',
  (text) => {
    const keys = text.split(' ').map((one) => /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(one)?.[1] ?? '');
    const lengths = keys.map((key) => Buffer.byteLength(key, 'base64'));
    const isUsable = keys.length <= 2 && lengths.every((length) => length >= 24 && length <= 64);
    return isUsable ? keys.map((key) => new Secret(key)) : undefined;
  },
);

export const CREDENTIAL_NAMES = [
  'SERVICE_CLOB_API_KEY',
  'SERVICE_CLOB_API_SECRET',
  'SERVICE_CLOB_API_PASSPHRASE',
] as const;

/** Returns the API credentials, `undefined` without any; throws `ConfigError` naming those that are missing. */
export function completeCredentials(
  [key, secret, passphrase]: readonly [string | undefined, Secret | undefined, Secret | undefined],
  names: readonly [string, string, string] = CREDENTIAL_NAMES,
): ApiCredentials | undefined {
  if (key !== undefined && secret && passphrase) return { key, secret, passphrase };
  const missing = names.filter((_, index) => [key, secret, passphrase][index] === undefined);
  if (missing.length === names.length) return undefined;
  throw new ConfigError(`${missing.join(' and ')} must be set too: API credentials are all three or none.`);
}
