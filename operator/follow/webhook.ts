import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyEnv } from '../../shared/proxy.ts';
import { ConfigError, LOOPBACK } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { UsageError } from '../command-line.ts';
import { openHttp } from '../venue/official.ts';
import type { Host } from './run.ts';
import type { Waiting, WebhookFile } from './webhook-file.ts';

// Standard Webhooks 1.0.0 (https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md).

const CALL_MS = 10_000;
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
/** The pauses after each failed attempt, of three days and 3.6 hours together; then the event is given up. */
const PAUSES_MS = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
/** A receiver may ask for a longer pause, up to this. */
const LONGEST_PAUSE_MS = 24 * HOUR_MS;
/** The pause before the file is tried again, where it cannot be used. */
const RETRY_MS = 1_000;

/** Where a webhook goes, and the secrets that sign it. */
interface Receiver {
  readonly url: string;
  readonly secrets: readonly Buffer[];
}

/** Reads the URL of a receiver; throws `UsageError` without the URL, which may hold a token. */
export function receiverUrl(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url && isSafe && url.username + url.password === '') return url.href;
  throw new UsageError('--webhook must be an https URL without a user; http is for loopback.');
}

const SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/** Reads one or two secrets; throws `ConfigError`. */
export function webhookSecrets({ ORDERS_WEBHOOK_SECRET: text = '' }: Environment): readonly Buffer[] {
  const secrets = text.split(' ').map((one) => Buffer.from(SECRET.exec(one)?.[1] ?? '', 'base64'));
  if (secrets.length <= 2 && secrets.every(({ length }) => length >= 24 && length <= 64)) return secrets;
  throw new ConfigError(
    'ORDERS_WEBHOOK_SECRET must be whsec_ and 24 to 64 random bytes in base64, or two of these with a blank between them.',
  );
}

/** Returns the header that proves an event: a signature by each secret. */
function signatureOf(secrets: readonly Buffer[], id: string, seconds: number, body: string): string {
  const sign = (secret: Buffer) => createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ');
}

/** Returns the pause that a receiver asks for: in seconds, or until a date (RFC 9110, section 10.2.3). */
function pauseOf(retryAfter: string): number {
  const pauseMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(pauseMs) ? 0 : pauseMs;
}

/** Sends one event. Returns the status of the answer, 0 without one, and the pause that the receiver asks for. */
function createSender({ url, secrets }: Receiver, proxyEnv: ProxyEnv | undefined) {
  const http = openHttp(proxyEnv);
  return async ({ id, body }: Waiting): Promise<{ readonly status: number; readonly pauseMs: number }> => {
    const seconds = Math.floor(Date.now() / 1_000);
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signatureOf(secrets, id, seconds, body),
    };
    try {
      const signal = AbortSignal.timeout(CALL_MS);
      const answer = await http.post(url, Buffer.from(body), { headers, signal, responseType: 'stream' });
      // The body says nothing.
      answer.data.destroy();
      return { status: answer.status, pauseMs: pauseOf(String(answer.headers['retry-after'] ?? '')) };
    } catch {
      return { status: 0, pauseMs: 0 };
    }
  };
}

/** What a delivery works with. */
export interface Delivery extends Host {
  readonly file: WebhookFile;
  readonly receiver: Receiver;
  readonly proxyEnv?: ProxyEnv | undefined;
}

/** Returns a function that repeats an act on the file until it succeeds: a full disk or a lock delays the events. */
function createPatience({ note, stop }: Delivery) {
  return async <T>(act: () => T): Promise<T | undefined> => {
    do {
      try {
        return act();
      } catch (error) {
        const why = Error.isError(error) ? error.message : 'unknown';
        note(`The file of the webhook cannot be used (${why}): trying again.`);
        await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    } while (!stop.aborted);
    return undefined;
  };
}

/**
 * Sends what waits, one event at a time, until `stop`. A receiver that is down delays only itself. `wake` is called after an
 * event was added; `ended` resolves to true once the receiver wants no more events.
 */
export function startDelivery(delivery: Delivery): { readonly wake: () => void; readonly ended: Promise<boolean> } {
  const { file, receiver, proxyEnv, note, stop } = delivery;
  const send = createSender(receiver, proxyEnv);
  const insist = createPatience(delivery);
  const added = new EventEmitter();
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    added.emit('event');
  };

  /** Judges an answer. Returns true if it ends the delivery. */
  async function conclude({ id, attempts }: Waiting, status: number, pauseMs: number): Promise<boolean> {
    const pause = PAUSES_MS[attempts];
    const why = status === 0 ? 'gave no answer' : `answered ${status}`;
    if (status >= 200 && status < 300) await insist(() => file.remove(id));
    else if (status === 410) {
      await insist(() => file.clear());
      note('The receiver answered 410: it gets no more events.');
    } else if (pause === undefined) {
      await insist(() => file.remove(id));
      note(`The receiver ${why} for three days: ${id} is given up.`);
    } else {
      // Random, so that a receiver that comes back is not met by all at once.
      const wait = Math.min(Math.max(pause * (0.9 + Math.random() / 5), pauseMs), LONGEST_PAUSE_MS);
      const due = Math.round(Date.now() + wait);
      await insist(() => file.postpone(id, due));
      note(`The receiver ${why}: ${id} is sent again later.`);
    }
    return status === 410;
  }

  async function run(): Promise<boolean> {
    while (!stop.aborted) {
      isWoken = false;
      const waiting = await insist(() => file.next());
      const delay = (waiting?.due ?? Number.POSITIVE_INFINITY) - Date.now();
      if (waiting && delay <= 0) {
        const { status, pauseMs } = await send(waiting);
        if (await conclude(waiting, status, pauseMs)) return true;
        continue;
      }
      const signal = AbortSignal.any([stop, AbortSignal.timeout(Math.min(delay, HOUR_MS))]);
      if (!isWoken) await once(added, 'event', { signal }).catch(() => undefined);
    }
    return false;
  }

  return { wake, ended: run() };
}
