import { Secret } from '../secret.ts';
import { ConfigError, type Format, KEY_LIKE } from './formats.ts';

/** The venue's API credentials (L2). */
export interface ApiCredentials {
  readonly key: string;
  readonly secret: Secret;
  readonly passphrase: Secret;
}

/** The secret of API credentials: base64 of the HMAC key, in either alphabet. */
export const API_SECRET = /^(?=.{8,256}$)(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

/** Order of the secp256k1 group: a private key is above zero and below it. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A private key: the value has `0x`, whether or not the text has it. */
export const PRIVATE_KEY: Format<Secret> = {
  rule: 'a private key: 32 bytes as 64 hex digits, with or without 0x',
  parse: (text) => {
    const hex = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(text)?.[1];
    const scalar = hex === undefined ? 0n : BigInt(`0x${hex}`);
    return scalar === 0n || scalar >= CURVE_ORDER ? undefined : new Secret(`0x${hex}`);
  },
};

/** The variables of the API credentials. */
export const CREDENTIAL_NAMES = [
  'SERVICE_CLOB_API_KEY',
  'SERVICE_CLOB_API_SECRET',
  'SERVICE_CLOB_API_PASSPHRASE',
] as const;

/** Parses the three parts of the API credentials; throws `ConfigError` naming those that are wrong. */
export function parseCredentials(
  parts: readonly [string | undefined, string | undefined, string | undefined],
  names: readonly [string, string, string] = CREDENTIAL_NAMES,
): ApiCredentials | undefined {
  const [key, secret, passphrase] = parts;
  if (key === undefined && secret === undefined && passphrase === undefined) return undefined;
  const missing = names.filter((_, index) => parts[index] === undefined);
  if (key === undefined || secret === undefined || passphrase === undefined) {
    throw new ConfigError(`${missing.join(' and ')} must be set too: API credentials are all three or none.`);
  }
  const [keyName, secretName, passphraseName] = names;
  // Key and passphrase travel in HTTP headers.
  const malformed = [
    /^[\x21-\x7e]{1,128}$/.test(key) ? [] : `${keyName} must be printable ASCII without spaces.`,
    KEY_LIKE.test(key) ? `${keyName} must not be a wallet key: it is sent to the venue with each order.` : [],
    API_SECRET.test(secret) ? [] : `${secretName} must be base64.`,
    /^[\x21-\x7e]{1,256}$/.test(passphrase) ? [] : `${passphraseName} must be printable ASCII without spaces.`,
  ].flat();
  if (malformed.length > 0) throw new ConfigError(malformed.join('\n'));
  return { key, secret: new Secret(secret), passphrase: new Secret(passphrase) };
}
