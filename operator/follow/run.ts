import { setTimeout as sleep } from 'node:timers/promises';
import { DeskError, type Note } from '../account/access.ts';
import type { Looked, MakeLook } from './read.ts';
import type { FollowState } from './state.ts';

/** Where events go. Its calls throw `DeskError` once it takes no more. */
export interface Output {
  /** The state at the start. */
  readonly state: FollowState;
  /** Takes the events of a look; returns false if it cannot, and the look is repeated. */
  take(looked: Looked): Promise<boolean>;
  /** Waits until the next look is due. */
  pause(pauseMs: number): Promise<void>;
  close(): void;
}

/** The parts of the process that an output or a look needs. */
export interface Host {
  readonly note: Note;
  readonly stop: AbortSignal;
}

const SLOW_MS = 10_000;
const SLOW = 'The output is blocked: its reader has stopped, or the disk is full. Events wait.';

/** Writes events as lines. `write` resolves once a line is written, and rejects if its reader has gone. */
export function openLines(state: FollowState, write: (line: string) => Promise<unknown>, { note, stop }: Host): Output {
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
  return {
    state,
    async take({ events }) {
      const slow = setTimeout(note, SLOW_MS, SLOW);
      try {
        for (const event of events) await Promise.race([write(`${JSON.stringify(event)}\n`), stopped]);
        return true;
      } catch (cause) {
        throw new DeskError('Output closed by the reading program.', { cause });
      } finally {
        clearTimeout(slow);
      }
    },
    pause: (pauseMs) => sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined),
    close: () => undefined,
  };
}

/** Looks and sends the events on until `stop`. */
export async function run(look: MakeLook, output: Output, pauseMs: number, stop: AbortSignal): Promise<void> {
  for (let { state } = output; !stop.aborted; ) {
    const looked = await look(state, Date.now());
    if (looked && (await output.take(looked))) ({ state } = looked);
    await output.pause(pauseMs);
  }
}
