import { privateKeyToAccount } from 'viem/accounts';
import { type ChallengedOrder, challengeText } from '../../functions/orders/verification.ts';

/** A client's wallet, made without the cryptography of the service. */
export interface ClientWallet {
  readonly address: string;
  sign(text: string): Promise<string>;
}

/** Made by viem. `digit`: of its key, which is that digit 64 times. */
export function evmWallet(digit: string): ClientWallet {
  const account = privateKeyToAccount(`0x${digit.repeat(64)}`);
  return { address: account.address, sign: (message) => account.signMessage({ message }) };
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Writes bytes in base58. */
export function toBase58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0);
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${ALPHABET[Number(rest % 58n)]}${text}`;
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** Reads base58 of a number of bytes. */
export function fromBase58(text: string, bytes: number): Uint8Array<ArrayBuffer> {
  const value = [...text].reduce((sum, digit) => 58n * sum + BigInt(ALPHABET.indexOf(digit)), 0n);
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex'));
}

/** Before the 32 bytes of an ed25519 key in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Made by WebCrypto. `byte`: of its key, which is that byte 32 times. */
export async function solanaWallet(
  byte: number,
): Promise<ClientWallet & { verify(text: string, signature: string): Promise<boolean> }> {
  const { subtle } = globalThis.crypto;
  const secret = new Uint8Array([...PKCS8, ...new Uint8Array(32).fill(byte)]);
  const key = await subtle.importKey('pkcs8', secret, 'Ed25519', true, ['sign']);
  const { x = '' } = await subtle.exportKey('jwk', key);
  const publicKey = await subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, 'Ed25519', true, ['verify']);
  return {
    address: toBase58(Buffer.from(x, 'base64url')),
    sign: async (text) => toBase58(new Uint8Array(await subtle.sign('Ed25519', key, new TextEncoder().encode(text)))),
    verify: (text, signature) =>
      subtle.verify('Ed25519', publicKey, fromBase58(signature, 64), new TextEncoder().encode(text)),
  };
}

/** Writes a time as the header of a signature has it. */
export function secondsFromNow(seconds: number, now = Date.now()): string {
  return `${new Date(now + 1_000 * seconds).toISOString().slice(0, 19)}Z`;
}

/** What is signed, and by whom. */
export interface Signing {
  readonly wallet: ClientWallet;
  readonly url: string;
  readonly order: ChallengedOrder;
  readonly key: string;
  readonly expires?: string;
  /** The address as it is written, where that is not the wallet's own. */
  readonly address?: string;
  /** Changes the text before it is signed. */
  readonly change?: (text: string) => string;
}

/** Makes the headers of a client that has signed its order. */
export async function signedHeaders(signing: Signing): Promise<Record<string, string>> {
  const { wallet, url, order, key, expires = secondsFromNow(300), address = wallet.address, change } = signing;
  const text = challengeText({
    authority: new URL(url).host,
    clientAddress: address,
    order,
    idempotencyKey: key,
    validUntil: expires,
  });
  return {
    'x-client-address': address,
    'idempotency-key': key,
    'x-client-signature': await wallet.sign(change?.(text) ?? text),
    'x-client-signature-expires': expires,
  };
}
