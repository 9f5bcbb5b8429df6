import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxyEnv } from '../../shared/proxy.ts';
import { ConfigError, LOOPBACK } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { UsageError } from '../command-line.ts';
import { openHttp } from '../venue/official.ts';
import { type Desk, note } from './desk.ts';
import type { Queue, Waiting } from './follow-file.ts';

// Standard Webhooks 1.0.0 (https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md).

const CALL_MS = 10_000;
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
/** The pauses after each failed attempt, of three days and 3.6 hours together; then the event is given up. */
const PAUSES_MS = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
/** A receiver may ask for a longer pause, up to this. */
const LONGEST_PAUSE_MS = 24 * HOUR_MS;
/** How often the queue is looked at. */
const TICK_MS = 250;

/** Where a webhook goes, and the secrets that sign it. */
export interface Receiver {
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
      const asked = Number(answer.headers['retry-after']);
      return { status: answer.status, pauseMs: asked > 0 ? asked * 1_000 : 0 };
    } catch {
      return { status: 0, pauseMs: 0 };
    }
  };
}

/** Sends what waits, one event at a time, until `stop`. A receiver that is down delays only itself. */
export async function deliver(
  desk: Pick<Desk, 'terminal'>,
  queue: Queue,
  receiver: Receiver,
  { stop, proxyEnv }: { readonly stop: AbortSignal; readonly proxyEnv?: ProxyEnv | undefined },
): Promise<void> {
  const send = createSender(receiver, proxyEnv);
  while (!stop.aborted) {
    const waiting = queue.next(Date.now());
    if (!waiting) {
      await sleep(TICK_MS, undefined, { signal: stop }).catch(() => undefined);
      continue;
    }
    const { status, pauseMs } = await send(waiting);
    if (status >= 200 && status < 300) {
      queue.remove(waiting.id);
      continue;
    }
    const pause = PAUSES_MS[waiting.attempts];
    const why = status === 0 ? 'gave no answer' : `answered ${status}`;
    if (status === 410) {
      queue.clear();
      note(desk, 'The receiver answered 410: it gets no more events.');
      return;
    }
    if (pause === undefined) {
      queue.remove(waiting.id);
      note(desk, `The receiver ${why} for three days: ${waiting.id} is given up.`);
      continue;
    }
    // Random, so that a receiver that comes back is not met by all at once.
    const wait = Math.min(Math.max(pause * (0.9 + Math.random() / 5), pauseMs), LONGEST_PAUSE_MS);
    queue.postpone(waiting.id, Math.round(Date.now() + wait));
    note(desk, `The receiver ${why}: ${waiting.id} is sent again later.`);
  }
}
