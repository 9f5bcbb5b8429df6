import { randomBytes } from 'node:crypto';
import type { Terminal } from '../../local/command-line.ts';
import { storeFileOf } from '../../local/service/folders.ts';
import { ConfigError, parseText } from '../../shared/settings/formats.ts';
import { readSome } from '../../shared/settings/read.ts';
import { type Environment, SETTINGS } from '../../shared/settings/table.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { formatTime } from '../../shared/time.ts';
import type { Access } from '../account/access.ts';
import { accountOf, openLooks } from './read.ts';
import { type Host, openLines, run } from './run.ts';
import { newState } from './state.ts';
import { openWebhook } from './webhook.ts';
import { openWebhookFile } from './webhook-file.ts';

/** How to follow; times in milliseconds. */
export interface FollowOptions {
  readonly since: number | undefined;
  readonly pauseMs: number;
  /** The receiver of a webhook, and the variables with its secret. */
  readonly url: string | undefined;
  readonly env: Environment;
  readonly isPaper: boolean;
}

/** Opens a webhook and its file. A paper session creates a missing secret. */
function openReceiver(access: Access, { env, since, isPaper }: FollowOptions, url: string, host: Host) {
  if (tableNameOf(access.store) !== undefined) {
    throw new ConfigError('--webhook needs a store in a file; for a table there is fillsTopic (docs/topic.md).');
  }
  const { ordersWebhookSecret: given } = readSome(env, SETTINGS.follow);
  const made = isPaper && !given ? `whsec_${randomBytes(32).toString('base64')}` : '';
  const secrets = given ?? parseText(made, 'ORDERS_WEBHOOK_SECRET', SETTINGS.follow.ordersWebhookSecret);
  const path = `${storeFileOf(access.store)}.follow`;
  using opening = new DisposableStack();
  const file = opening.adopt(openWebhookFile(path), ({ close }) => close());
  const receiver = { url, secrets, proxyEnv: access.proxyEnv };
  const output = openWebhook(accountOf(access), since, { file, receiver, ...host });
  opening.move();
  if (made !== '') host.note(`Made for this run: ORDERS_WEBHOOK_SECRET=${made}`);
  return { output, where: `${new URL(url).origin}, and wait in ${path}` };
}

function openOutput(access: Access, terminal: Terminal, options: FollowOptions, host: Host) {
  if (options.url !== undefined) return openReceiver(access, options, options.url, host);
  const write = terminal.deliver ?? (async (line: string) => terminal.out(line));
  return { output: openLines(newState(options.since), write, host), where: 'the standard output' };
}

/** Reports what becomes of the orders until Ctrl-C, or the end of the terminal. Throws `ConfigError` and `DeskError`. */
export async function followOrders(access: Access, terminal: Terminal, options: FollowOptions): Promise<number> {
  const stopping = new AbortController();
  const abort = () => stopping.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = AbortSignal.any([stopping.signal, ...(terminal.stop ? [terminal.stop] : [])]);
  let last = '';
  // Reports a failure once, even if the venue is down for an hour.
  const note = (sentence: string) => {
    if (sentence !== last) terminal.err(`${sentence}\n`);
    last = sentence;
  };
  for (const signal of signals) process.once(signal, abort);
  using closing = new DisposableStack();
  closing.defer(() => signals.forEach((signal) => void process.off(signal, abort)));
  const { output, where } = openOutput(access, terminal, options, { note, stop });
  closing.defer(output.close);
  const { start, revision } = output.state;
  note(
    `Following the orders of ${access.address} at ${new URL(access.clobUrl).host} since ${formatTime(revision || start)}. Events go to ${where}.`,
  );
  await run(openLooks(access, note), output, options.pauseMs, stop);
  return 0;
}
