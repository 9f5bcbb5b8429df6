import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Random } from '../support/random.ts';
import type { ServiceOptions } from './options.ts';

/** The final answer to an order. */
export interface FinalReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The process of a service, which is killed after some answers and then starts again. */
export interface MortalService {
  /** Returns the final answer, or `undefined` where the outcome is open. Throws on an answer outside the contract. */
  ask(key: string, order: object): Promise<FinalReply | undefined>;
  readonly counts: { kills: number; clockSteps: number };
  stop(): Promise<void>;
}

const OPEN = new Set([409, 429, 502, 503, 504]);
/** Longer than an order takes. */
const ANSWER_MS = 20_000;
/** Answers of a process before it is killed. A number, not a time: a busy machine needs long to start a process. */
const LIFE = { least: 20, most: 200 } as const;
/** The share of the answers after which the process's clock is set. */
const CLOCK_SHARE = 0.02;
/** The venue's clock is near the middle: by the outer ones the service places no order. */
const CLOCK_STEPS_MS = [-60_000, -8_000, 0, 8_000, 60_000] as const;

/** What a mortal service runs among. */
export interface Surroundings {
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly random: Random;
  /** True where its clock is set now and then. */
  readonly setsClock: boolean;
}

/** Starts a service that dies again and again. */
export async function startMortalService(
  options: ServiceOptions,
  { env, random, setsClock }: Surroundings,
): Promise<MortalService> {
  let url = '';
  let child: ChildProcess;
  let isStopped = false;
  let { clockOffsetMs } = options;
  let answersLeft = 0;
  const counts = { kills: 0, clockSteps: 0 };

  async function start(): Promise<void> {
    const started = fork(join(import.meta.dirname, 'service.ts'), [JSON.stringify({ ...options, clockOffsetMs })], {
      env: { ...process.env, ...env },
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    answersLeft = Math.floor(LIFE.least + random() * (LIFE.most - LIFE.least));
    started.once('message', (message) => {
      url = String(message);
    });
    started.once('exit', (_code, signal) => {
      // A process that ended otherwise would do so again; its reason is on the error stream.
      if (!isStopped && signal === 'SIGKILL') start().catch(() => undefined);
    });
    await Promise.race([once(started, 'message'), once(started, 'exit')]);
    if (started.exitCode !== null) throw new Error(`The service ended by itself, with code ${started.exitCode}.`);
  }

  function disturb(): void {
    answersLeft -= 1;
    if (answersLeft === 0) {
      counts.kills += 1;
      child.kill('SIGKILL');
    } else if (setsClock && random() < CLOCK_SHARE && child.connected) {
      counts.clockSteps += 1;
      clockOffsetMs = random.pick(CLOCK_STEPS_MS);
      child.send(clockOffsetMs, () => undefined);
    }
  }

  async function send(key: string, order: object) {
    const response = await fetch(`${url}/v1/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: response.status, text: await response.text() };
  }

  await start();
  return {
    counts,
    ask: async (key, order) => {
      const answer = await send(key, order).catch(() => undefined);
      if (!answer) return undefined;
      disturb();
      const { status, text } = answer;
      if (OPEN.has(status)) return undefined;
      if (status !== 201 && status !== 422) throw new Error(`${status} ${text}`);
      return { status, body: JSON.parse(text) };
    },
    stop: async () => {
      isStopped = true;
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
