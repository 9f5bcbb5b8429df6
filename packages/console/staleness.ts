import { say } from './dom.ts';
import { formatTime } from './figures.ts';

/** A part of the page, and whether it shows what was read just now. */
export type Staleness = ReturnType<typeof createStaleness>;

interface Watched {
  readonly element: HTMLElement;
  readonly noteId: string;
  /** Age at which a source that was not read again counts as failed. */
  readonly maxAgeMs: number;
  /** Called with the time of the oldest data while the part is not up to date, else with `undefined`. */
  readonly onStale?: (since: string | undefined) => void;
}

type Source = {
  readonly at?: Date | undefined;
  readonly reason?: string;
  readonly timer?: ReturnType<typeof setTimeout>;
};

/** Turns a part of the page grey, and says since when and why, while one of its sources has failed. */
export function createStaleness({ element, noteId, maxAgeMs, onStale }: Watched) {
  const sources = new Map<string, Source>();

  function set(source: string, state: Source): void {
    clearTimeout(sources.get(source)?.timer);
    sources.set(source, state);
    const failed = [...sources.values()].filter(({ reason }) => reason !== undefined);
    const [oldest] = failed.flatMap(({ at }) => at ?? []).toSorted((one, other) => Number(one) - Number(other));
    const [since, reason] = [oldest && formatTime(oldest), failed[0]?.reason ?? ''];
    element.classList.toggle('stale', failed.length > 0);
    element.style.setProperty('--since', since === undefined ? '""' : `" as of ${since}"`);
    say(noteId, since === undefined ? reason : `Not up to date since ${since}: ${reason}`);
    onStale?.(since);
  }

  const fail = (source: string, reason: string) => set(source, { at: sources.get(source)?.at, reason });
  return {
    fail,
    /** Notes that a source was read now. */
    confirm: (source: string) =>
      set(source, { at: new Date(), timer: setTimeout(() => fail(source, 'no answer yet.'), maxAgeMs) }),
    /** Forgets a source whose data the page no longer shows. */
    reset: (source: string) => set(source, {}),
  };
}
