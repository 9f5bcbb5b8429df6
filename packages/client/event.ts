import type { components } from './api.ts';

/** An event about an order, as `npm run orders -- follow --webhook` sends it: a union by `type`. */
export type OrderEvent = components['schemas']['OrderEvent'];

/** Headers as servers have them: a `Headers`, or an object with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A stranger may replay an older request. */
const TOLERANCE_S = 300;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
/** 24 to 64 bytes, and the 32 bytes of an HMAC. */
const SECRET = /^whsec_((?:[A-Za-z\d+/]{4}){8,21}(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?)$/;
const SIGNATURE = /^v1,([A-Za-z\d+/]{43}=)$/;

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const isMap = (all: WebhookHeaders): all is { get(name: string): string | null } =>
    typeof Reflect.get(all, 'get') === 'function';
  const values = isMap(headers)
    ? [headers.get(name) ?? []]
    : Object.entries(headers).map(([key, value = []]) => (key.toLowerCase() === name ? value : []));
  const value = values.flat().join(' ');
  if (value === '') throw new Error(`The webhook has no header ${name}.`);
  return value;
}

function keysOf(secrets: string): readonly Uint8Array<ArrayBuffer>[] {
  return String(secrets)
    .split(' ')
    .map((secret) => {
      const [, base64] = SECRET.exec(secret) ?? [];
      if (base64 !== undefined) return bytesOf(base64);
      throw new Error(
        'The secret must be whsec_ and 24 to 64 bytes in base64, or two of these with a blank between them.',
      );
    });
}

/**
 * Signs an event as `follow --webhook` does now, so that a receiver can be tested: returns the `body` and the `headers` of the
 * `POST`. `secrets` is as for `verifyEvent`; of two, each signs. Throws an `Error` for malformed ones.
 */
export async function signEvent(event: OrderEvent, secrets: string) {
  const [body, seconds] = [JSON.stringify(event), String(Math.floor(Date.now() / 1_000))];
  const signed = new TextEncoder().encode(`${event.id}.${seconds}.${body}`);
  const sign = async (bytes: Uint8Array<ArrayBuffer>) => {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign']);
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
    return `v1,${btoa(String.fromCharCode(...mac))}`;
  };
  const signatures = await Promise.all(keysOf(secrets).map(sign));
  const headers = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
  return { body, headers };
}

/**
 * Verifies a request of a webhook and returns its event. `body` is the text as it came; `secrets` is one `whsec_…`, or two
 * with a blank between them while one replaces the other. Throws an `Error` where a header is missing, the request is older
 * than five minutes, or no signature is that of a secret.
 */
export async function verifyEvent(body: string, headers: WebhookHeaders, secrets: string): Promise<OrderEvent> {
  if (typeof body !== 'string') throw new Error('The body must be the text as it came, before a framework parses it.');
  const [id, seconds] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')];
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const keys = keysOf(secrets);
  const isRecent = Math.abs(Date.now() / 1_000 - Number(seconds)) <= TOLERANCE_S;
  if (!isRecent)
    throw new Error('The webhook was not sent within the last five minutes, by the clock of this machine.');
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify']);
    for (const signature of signatures) {
      const [, base64] = SIGNATURE.exec(signature) ?? [];
      if (base64 !== undefined && (await crypto.subtle.verify('HMAC', key, bytesOf(base64), signed)))
        return JSON.parse(body);
    }
  }
  throw new Error('The webhook has no valid signature.');
}
