import { createHmac } from 'node:crypto';
import { BlockList } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../../local/command-line.ts';
import { openExchange } from '../../shared/http/exchange.ts';
import { LOOPBACK } from '../../shared/loopback.ts';
import type { ProxyEnv } from '../../shared/proxy.ts';
import type { Secret } from '../../shared/secret.ts';
import { DeskError } from '../account/access.ts';
import type { Host, Output } from './run.ts';
import { encodeState } from './state.ts';
import { openState, type Waiting, type WebhookFile } from './webhook-file.ts';

// Standard Webhooks 1.0.0 (https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md).

const CALL_MS = 10_000;
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
/** The pauses after each failed attempt, of three days and 3.6 hours together; then the event was dropped. */
const PAUSES_MS = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];

interface Receiver {
  readonly url: string;
  readonly secrets: readonly Secret[];
  readonly proxyEnv?: ProxyEnv | undefined;
}

const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8); // RFC 1918.
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('fc00::', 7, 'ipv6'); // RFC 4193.

/** Returns whether a URL's host is on loopback, in a private network, or has a name without a dot. */
function isNear(hostname: string): boolean {
  const [, ipv6] = /^\[(.*)\]$/.exec(hostname) ?? [];
  if (LOOPBACK.test(hostname)) return true;
  return ipv6 === undefined ? !hostname.includes('.') || PRIVATE.check(hostname) : PRIVATE.check(ipv6, 'ipv6');
}

/** Reads the URL of a receiver; throws `UsageError` without the URL, which may hold a token. */
export function receiverUrl(text: string): string {
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isNear(url.hostname));
  if (url && isSafe && url.username + url.password === '') return url.href;
  throw new UsageError(
    '--webhook must be an https URL without a user; http is for loopback, private addresses and names without a dot.',
  );
}

/** Creates a function that sends an event, and returns the head of the answer; its status is 0 without an answer. */
function createSender({ url, secrets, proxyEnv }: Receiver) {
  const exchange = openExchange(url, { proxyEnv });
  const keys = secrets.map((secret) => Buffer.from(secret.reveal(), 'base64'));
  return ({ id, body }: Waiting) => {
    const seconds = Math.floor(Date.now() / 1_000);
    const sign = (key: Buffer) => createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': keys.map((key) => `v1,${sign(key)}`).join(' '),
    };
    const unanswered = { status: 0, retryAfter: undefined };
    return exchange({ method: 'POST', headers, body, headOnly: true }, CALL_MS).catch(() => unanswered);
  };
}

function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : 'unknown';
}

export interface WebhookHost extends Host {
  readonly file: WebhookFile;
  readonly receiver: Receiver;
}

/**
 * Keeps events in the file, and sends them between the looks, one at a time. Throws `ConfigError` for a damaged state, what
 * SQLite throws, and `DeskError` once the receiver wants no more events.
 */
export function openWebhook(account: string, since: number | undefined, host: WebhookHost): Output {
  const { file, receiver, note, stop } = host;
  const state = openState(file, account, since);
  let saved = encodeState(state);
  const send = createSender(receiver);
  /** The pending change of the file. The first one saves the state, so that a restart misses nothing. */
  let change: (() => void) | undefined = () => file.save(account, saved, []);

  /** Makes the pending change, or retries it. Returns the event that is due first. */
  function settle(): Waiting | undefined {
    try {
      change?.();
      change = undefined;
      return file.next();
    } catch (error) {
      note(`The file of the webhook cannot be used (${messageOf(error)}): trying again.`);
      return undefined;
    }
  }
  settle();

  /** Sends an event. Returns the change of the file that follows from the answer. */
  async function attempt(waiting: Waiting): Promise<() => void> {
    const { id, attempts } = waiting;
    const { status, retryAfter = 0 } = await send(waiting);
    if (status >= 200 && status < 300) return () => file.remove(id);
    if (status === 410) {
      change = file.clear;
      settle();
      throw new DeskError('The receiver answered 410: it gets no more events.');
    }
    const why = status === 0 ? 'gave no answer' : `answered ${status}`;
    const pause = PAUSES_MS[attempts];
    note(
      pause === undefined
        ? `The receiver ${why} for three days: ${id} was dropped.`
        : `The receiver ${why}: ${id} will be sent again.`,
    );
    if (pause === undefined) return () => file.remove(id);
    // Random, so that a recovered receiver does not get all events at once.
    const due = Math.round(Date.now() + Math.max(pause * (0.9 + Math.random() / 5), retryAfter * 1_000));
    return () => file.postpone(id, due);
  }

  return {
    state,
    async take({ events, state }) {
      const next = encodeState(state);
      try {
        if (events.length > 0 || next.text !== saved.text) file.save(account, next, events);
        saved = next;
        return true;
      } catch (error) {
        note(`State not saved (${messageOf(error)}): events wait.`);
        return false;
      }
    },
    async pause(pauseMs) {
      const end = performance.now() + pauseMs;
      for (let waiting = settle(); ; waiting = settle()) {
        const leftMs = end - performance.now();
        if (stop.aborted || leftMs <= 0) return;
        const dueMs = (waiting?.due ?? Number.POSITIVE_INFINITY) - Date.now();
        if (waiting && dueMs <= 0) change = await attempt(waiting);
        else await sleep(Math.min(dueMs, leftMs), undefined, { signal: stop }).catch(() => undefined);
      }
    },
    close: () => file.close(),
  };
}
