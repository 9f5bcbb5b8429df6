import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosOptions } from './chaos-options.ts';

const SCRIPT = join(import.meta.dirname, 'chaos-service.ts');

/** A service that starts again after each kill. */
export interface MortalService {
  url(): string;
  kill(): void;
  /** Sets the clock of this process and the ones after it. */
  setClock(offsetMs: number): void;
  stop(): Promise<void>;
}

/** Runs the service in a process of its own, and a new one after each kill. `env` is added to the environment. */
export async function runMortalService(
  options: ChaosOptions,
  env: Readonly<Record<string, string>>,
): Promise<MortalService> {
  let url = '';
  let child: ChildProcess;
  let stopped = false;
  let clockOffsetMs = options.clockOffsetMs ?? 0;
  const start = async (): Promise<void> => {
    const started = fork(SCRIPT, [JSON.stringify({ ...options, clockOffsetMs })], {
      env: { ...process.env, ...env },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    started.once('message', (message) => {
      url = String(message);
    });
    started.once('exit', (_code, signal) => {
      // A process that ended otherwise would do so again; its reason is on the error stream.
      if (!stopped && signal === 'SIGKILL') start().catch(() => undefined);
    });
    await Promise.race([once(started, 'message'), once(started, 'exit')]);
    if (started.exitCode !== null) throw new Error(`The service ended by itself, with code ${started.exitCode}.`);
  };
  await start();
  return {
    url: () => url,
    kill: () => child.kill('SIGKILL'),
    setClock: (offsetMs) => {
      clockOffsetMs = offsetMs;
      // A process that is just ending has no channel any more.
      if (child.connected) child.send(offsetMs, () => undefined);
    },
    stop: async () => {
      stopped = true;
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The final answer that a client got. */
export interface FinalReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly replayed: boolean;
}

const OPEN = new Set([409, 429, 502, 503, 504]);
/** Longer than an order takes: a process that was killed may leave a connection that says nothing any more. */
const ANSWER_MS = 20_000;

/** The address of a service: the one of now, after restarts. */
type Reachable = Pick<MortalService, 'url'>;

/** One request; `undefined` where its answer is open, and an error on an answer that nobody promised. */
export async function askOnce(service: Reachable, key: string, body: object): Promise<FinalReply | undefined> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`${service.url()}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  if (OPEN.has(response.status)) return undefined;
  if (response.status !== 201 && response.status !== 422) throw new Error(`${response.status} ${text}`);
  const replayed = response.headers.get('idempotency-replayed') === 'true';
  return { status: response.status, body: JSON.parse(text), replayed };
}

/**
 * Repeats a request, `copies` of it at the same time, until one has a final answer; returns all final answers. `goesOn` says
 * whether to go on after that many attempts: a number, not a time, so that it does not matter how busy the machine is.
 */
export async function askUntilFinal(
  service: Reachable,
  key: string,
  body: object,
  { copies, goesOn }: { readonly copies: number; readonly goesOn: (attempts: number) => boolean },
): Promise<readonly FinalReply[]> {
  let pause = 50;
  for (let attempts = 0; goesOn(attempts); attempts += 1) {
    const asked = Array.from({ length: copies }, () => askOnce(service, key, body));
    const replies = (await Promise.all(asked)).filter((reply) => reply !== undefined);
    if (replies.length > 0) return replies;
    await sleep(pause);
    pause = Math.min(pause * 1.5, 800);
  }
  throw new Error(`no final answer for ${key} in time`);
}
