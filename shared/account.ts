import type { Secret } from './secret.ts';

/** The kinds of account that hold the funds (the venue's signature types 0 to 3). */
export const SIGNATURE_TYPES = ['eoa', 'proxy', 'safe', 'deposit-wallet'] as const;
export type SignatureType = (typeof SIGNATURE_TYPES)[number];

/** Order of the secp256k1 group: a private key is above zero and below it. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The venue's API credentials (L2). */
export interface ApiCredentials {
  readonly key: string;
  readonly secret: Secret;
  readonly passphrase: Secret;
}

/** The secret of API credentials: base64 of the HMAC key, in either alphabet. */
export const API_SECRET = /^(?=.{8,256}$)(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;
