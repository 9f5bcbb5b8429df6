import type { components } from './api.ts';

type OrderRequest = components['schemas']['OrderRequest'];

/** A wallet that shows a text to its user and signs it. */
export interface Wallet {
  /** `0x` and 40 hex digits, or a Solana address in base58. */
  readonly address: string;
  /** Returns the signature: EIP-191 in hex, or ed25519 in base58 or as bytes. */
  signMessage(text: string): Promise<string | Uint8Array>;
}

/** A signature as the headers of an order carry it. */
export interface SignedText {
  readonly signature: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly validUntil: string;
}

/** Life of a signature: a repeat within a minute or two needs no new one. */
const VALID_MS = 300_000;

/** Formats a decimal as the service does: without superfluous zeros. Other texts stay, for the service to refuse. */
function canonical(value: number | string): string {
  const [, whole, fraction = ''] = /^0*(\d+?)(?:\.(\d*?)0*)?$/.exec(String(value)) ?? [];
  if (whole === undefined) return String(value);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function timeIn(delayMs: number): string {
  return `${new Date(Date.now() + delayMs).toISOString().slice(0, 19)}Z`;
}

/** The text that the service wants signed for one order, byte for byte. */
export interface Challenge {
  /** Host of the service as the client knows it, with any non-default port. */
  readonly authority: string;
  readonly address: string;
  readonly order: OrderRequest;
  readonly idempotencyKey: string;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Encodes bytes as Solana does. */
function base58(bytes: Uint8Array): string {
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; rest > 0n; rest /= 58n) text = `${BASE58[Number(rest % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

function textOf({ authority, address, order, idempotencyKey }: Challenge, validUntil: string): string {
  return [
    `Place one order on ${authority}`,
    '',
    `Client: ${address}`,
    `Side: ${order.side.toLowerCase()}`,
    `Size: ${canonical(order.size)} shares`,
    `Price: ${canonical(order.price)}`,
    `Post only: ${order.post_only ? 'yes' : 'no'}`,
    // The service cuts off a fraction as JavaScript writes it.
    `Expires at: ${order.expires_at?.replace(/\.\d{3}Z$/, 'Z') ?? 'never'}`,
    `Token: ${order.token_id}`,
    `Idempotency key: ${idempotencyKey}`,
    `Signature valid until: ${validUntil}`,
  ].join('\n');
}

/** Signs an order; `validUntil` is the end of the signature, in five minutes by the clock of this machine unless given. */
export async function signOrder(
  wallet: Wallet,
  challenge: Challenge,
  validUntil = timeIn(VALID_MS),
): Promise<SignedText> {
  const signature = await wallet.signMessage(textOf(challenge, validUntil));
  return { signature: typeof signature === 'string' ? signature : base58(signature), validUntil };
}

/**
 * Reads the time out of a text that the service sends: ours may be wrong. `undefined` for a text that differs from ours in
 * anything else: it is not what the user asked for, and is not signed.
 */
export function timeOf(challenge: Challenge, text: unknown): string | undefined {
  const validUntil = String(text).slice(-'2026-12-01T12:00:00Z'.length);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(validUntil);
  return isTime && text === textOf(challenge, validUntil) ? validUntil : undefined;
}
