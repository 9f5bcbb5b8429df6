/** An event about an order, as `npm run orders -- follow --webhook` sends it. */
export interface OrderEvent {
  /** The same for the same fact, however often it is sent. */
  readonly id: string;
  readonly type: 'order.filled' | 'order.settled' | 'order.settlement_failed' | 'order.closed' | 'order.unreadable';
  readonly timestamp: string;
  readonly data: Readonly<Record<string, string | boolean | null>>;
}

/** A request of another age may be a repeat by a stranger. */
const TOLERANCE_S = 300;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/**
 * Verifies a request of a webhook and returns its event. `body` is the text as it came, `headers` have lower-case names.
 * Throws an `Error` where the signature is not that of `secret` (`whsec_…`), or the request is older than five minutes.
 */
export async function verifyEvent(
  body: string,
  headers: Readonly<Record<string, string | undefined>>,
  secret: string,
): Promise<OrderEvent> {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '', 'webhook-signature': signatures = '' } = headers;
  const isRecent = Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_S;
  if (!isRecent) throw new Error('The webhook was not sent within the last five minutes.');
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), hmac, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  for (const signature of signatures.split(' ').filter((one) => one.startsWith('v1,'))) {
    if (await crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), signed)) return JSON.parse(body);
  }
  throw new Error('The webhook has no valid signature.');
}
