import { setTimeout as sleep } from 'node:timers/promises';
import type { Looked } from './read.ts';
import type { FollowState } from './state.ts';

/** Where events go. */
export interface Output {
  /** What was known at the start. */
  readonly state: FollowState;
  /** Takes the events of a look: `later` if it took none, and the look is made again; `over` if it takes no more. */
  take(looked: Looked): Promise<'taken' | 'later' | 'over'>;
  close(): Promise<void>;
}

/** What an output, or a look, needs of its process. */
export interface Host {
  /** Writes a sentence for the operator. */
  readonly note: (sentence: string) => void;
  readonly stop: AbortSignal;
}

/** A first start reports what happened this long before it: clocks differ, and a start takes time. */
export const FIRST_MS = 120_000;
const SLOW_MS = 10_000;

/** Writes events as lines. `write` resolves once a line is written, and rejects if its reader has gone. */
export function openLines(state: FollowState, write: (line: string) => Promise<unknown>, { note, stop }: Host): Output {
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
  return {
    state,
    async take({ events }) {
      const slow = setTimeout(
        note,
        SLOW_MS,
        'The output takes nothing: nobody reads it, or its disk is full. Events wait.',
      );
      try {
        for (const event of events) await Promise.race([write(`${JSON.stringify(event)}\n`), stopped]);
        return 'taken';
      } catch {
        note('Output closed by the reading program.');
        return 'over';
      } finally {
        clearTimeout(slow);
      }
    },
    close: async () => undefined,
  };
}

/** Makes a look, or returns `undefined` after a sentence if it cannot be made. */
export type MakeLook = (state: FollowState, now: number) => Promise<Looked | undefined>;

/** Looks and hands on the events until `stop`. Returns 0; 1 if the output takes no more. */
export async function run(look: MakeLook, output: Output, pauseMs: number, stop: AbortSignal): Promise<number> {
  for (let { state } = output; !stop.aborted; ) {
    const looked = await look(state, Date.now());
    const how = looked && (await output.take(looked));
    if (how === 'over') return 1;
    if (looked && how === 'taken') ({ state } = looked);
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
  return 0;
}
