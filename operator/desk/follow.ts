import { randomBytes } from 'node:crypto';
import { storeFileOf } from '../../local/service/folders.ts';
import { ConfigError, tableOf } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { formatTime } from '../../shared/time.ts';
import { FIRST_MS, type Host, type Output, openLines, run } from '../follow/run.ts';
import { newState } from '../follow/state.ts';
import { webhookSecrets } from '../follow/webhook.ts';
import { openWebhookFile } from '../follow/webhook-file.ts';
import { openWebhook } from '../follow/webhook-output.ts';
import type { Access } from './access.ts';
import type { DeskTerminal } from './desk.ts';
import { accountOf, openLooks } from './follow-sources.ts';

/** How to follow; times in milliseconds. */
export interface FollowOptions {
  readonly since: number | undefined;
  readonly pauseMs: number;
  /** The receiver of a webhook, and the variables with its secret. */
  readonly url: string | undefined;
  readonly env: Environment;
  readonly isPaper: boolean;
}

/** Returns a signal for the first Ctrl-C, or the end of the terminal; `end` forgets it. */
function untilInterrupted(stop: AbortSignal | undefined) {
  const stopping = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const abort = () => stopping.abort();
  for (const signal of signals) process.once(signal, abort);
  const end = () => signals.forEach((signal) => void process.off(signal, abort));
  return { stop: AbortSignal.any(stop ? [stopping.signal, stop] : [stopping.signal]), end };
}

/** Opens what a webhook keeps, and its delivery. On paper a secret is made where there is none. */
function openReceiver(access: Access, { url = '', env, since, isPaper }: FollowOptions, host: Host) {
  const { ORDERS_WEBHOOK_SECRET: given = '' } = env;
  if (tableOf(access.store) !== undefined) {
    throw new ConfigError('--webhook needs a store in a file; for a table there is fillsTopic (docs/fills.md).');
  }
  const made = isPaper && given === '' ? `whsec_${randomBytes(32).toString('base64')}` : given;
  const receiver = { url, secrets: webhookSecrets({ ORDERS_WEBHOOK_SECRET: made }) };
  const path = `${storeFileOf(access.store)}.follow`;
  const file = openWebhookFile(path);
  try {
    const output = openWebhook(accountOf(access), since, { file, receiver, proxyEnv: access.proxyEnv, ...host });
    if (made !== given) host.note(`Made for this run: ORDERS_WEBHOOK_SECRET=${made}`);
    return { output, where: `${new URL(url).origin}, and wait in ${path}` };
  } catch (error) {
    file.close();
    throw error;
  }
}

function openOutput(access: Access, terminal: DeskTerminal, options: FollowOptions, host: Host): Output {
  const write = terminal.deliver ?? (async (line: string) => terminal.out(line));
  const lines = () => openLines(newState(options.since ?? Date.now() - FIRST_MS), write, host);
  const { output, where } =
    options.url === undefined ? { output: lines(), where: 'the standard output' } : openReceiver(access, options, host);
  const { start, revision } = output.state;
  host.note(
    `Following the orders of ${access.address} at ${new URL(access.clobUrl).host} since ${formatTime(revision || start)}. Events go to ${where}.`,
  );
  return output;
}

/** Reports what becomes of the orders until it is stopped. Returns 0; 1 if the output takes no more. */
export async function followOrders(access: Access, terminal: DeskTerminal, options: FollowOptions): Promise<number> {
  const { stop, end } = untilInterrupted(terminal.stop);
  let last = '';
  // A venue that is down for an hour is one sentence.
  const note = (sentence: string) => {
    if (sentence !== last) terminal.err(`${sentence}\n`);
    last = sentence;
  };
  try {
    const output = openOutput(access, terminal, options, { note, stop });
    return await run(openLooks(access, note), output, options.pauseMs, stop).finally(() => output.close());
  } finally {
    end();
  }
}
