import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATA, storeFileOf } from '../../local/service/folders.ts';
import { tableOf } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import type { Access } from './access.ts';
import { type Desk, type DeskTerminal, note, orNote } from './desk.ts';
import { look } from './follow.ts';
import { openFollowFile, type Queue } from './follow-file.ts';
import { type FollowState, newMemory } from './follow-state.ts';
import { loadState, openTablePlace, type Place } from './place.ts';
import { type DeskVenue, openVenue } from './venue.ts';
import { deliver, webhookSecrets } from './webhook.ts';

/** How to follow; times in milliseconds. */
export interface FollowOptions {
  /** Without a place that was kept, and without `since`, what happens from then on is told. */
  readonly begun: number;
  readonly since: number | undefined;
  readonly pauseMs: number;
  /** The receiver of a webhook. */
  readonly url: string | undefined;
  /** The time of this machine. */
  readonly now?: () => number;
}

/** Opens the place of what was told, and the queue of a webhook, which is a file in any case. */
function openPlaces({ access }: Desk, isQueued: boolean) {
  const table = tableOf(access.store);
  if (table === undefined) return openFollowFile(`${storeFileOf(access.store)}.follow`);
  const file = isQueued ? openFollowFile(join(DATA, `${table}.follow`)) : undefined;
  return { place: openTablePlace(table, 'desk', access), queue: file?.queue, close: () => file?.close() };
}

/** Returns a signal for the first Ctrl-C, which `end` forgets again. */
function untilInterrupted() {
  const stop = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const abort = () => stop.abort();
  for (const signal of signals) process.once(signal, abort);
  const end = () => signals.forEach((signal) => void process.off(signal, abort));
  return { signal: stop.signal, end };
}

/** Opens the venue as soon as it can be: a key that has not placed an order yet has no API credentials. */
export async function openPatiently(access: Access, terminal: DeskTerminal, pauseMs: number): Promise<DeskVenue> {
  for (;;) {
    const venue = await orNote({ terminal }, openVenue(access), 'Waiting. ');
    if (venue) return venue;
    await sleep(pauseMs, undefined, terminal.stop && { signal: terminal.stop });
  }
}

/** Keeps what was told. Where that fails it is told again after a restart. */
async function keep(desk: Desk, place: Place, state: FollowState): Promise<void> {
  try {
    await place.save(JSON.stringify(state));
  } catch (error) {
    const why = error instanceof Error ? error.name : 'unknown';
    note(desk, `What was told cannot be kept (${why}): after a restart it is told again.`);
  }
}

/** Tells what becomes of the orders until it is stopped. Returns 0; 1 if the reader of the output has gone. */
export async function follow(desk: Desk, options: FollowOptions, env: Environment): Promise<number> {
  const { url, begun, since, pauseMs, now = Date.now } = options;
  const { terminal } = desk;
  const receiver = url === undefined ? undefined : { url, secrets: webhookSecrets(env) };
  const { signal, end } = untilInterrupted();
  const stop = terminal.stop ? AbortSignal.any([signal, terminal.stop]) : signal;
  const files = openPlaces(desk, receiver !== undefined);
  const delivery = new AbortController();
  let queue: Queue | undefined = receiver && files.queue;
  const delivering = (async () => {
    const until = { stop: AbortSignal.any([stop, delivery.signal]), proxyEnv: desk.access.proxyEnv };
    if (queue && receiver) await deliver(desk, queue, receiver, until);
    queue = undefined;
  })();
  // The queue cannot be used: nothing more is told, since a restart would not know what the receiver has.
  delivering.catch(() => delivery.abort());
  try {
    let state = await loadState(desk.access, files.place, begun, since);
    const memory = newMemory();
    while (!stop.aborted && !delivery.signal.aborted) {
      const tell = async () => {
        const seen = await look(desk, state, memory, now());
        if (JSON.stringify(seen.state) === JSON.stringify(state)) return;
        const dropped = queue?.add(seen.events, now()) ?? 0;
        if (dropped > 0) note(desk, `${dropped} events had to leave the queue of the receiver, which is full.`);
        for (const event of seen.events) await (terminal.deliver ?? terminal.out)(`${JSON.stringify(event)}\n`);
        ({ state } = seen);
        await keep(desk, files.place, state);
      };
      await orNote(desk, tell());
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
    }
    return 0;
  } finally {
    delivery.abort();
    await delivering;
    files.close();
    end();
  }
}
