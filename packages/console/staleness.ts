import { say } from './dom.ts';
import { formatTime } from './figures.ts';

/** Whether a part of the page is up to date. */
export interface Staleness {
  /** Notes that the part is up to date now. */
  confirm(): void;
  /** Turns the part grey, and says since when and why. */
  fail(reason: string): void;
  /** Forgets what was shown: nothing of it is left. */
  reset(): void;
}

/** Watches over a part of the page; its note has the given id. `onStale` gets the time of the last good data. */
export function createStaleness(
  part: HTMLElement,
  noteId: string,
  onStale: (since: string | undefined) => void = () => undefined,
): Staleness {
  let at: Date | undefined;
  const renew = (time: Date | undefined) => {
    at = time;
    part.classList.remove('stale');
    say(noteId, '');
    onStale(undefined);
  };
  return {
    confirm: () => renew(new Date()),
    reset: () => renew(undefined),
    fail: (reason) => {
      part.classList.add('stale');
      say(noteId, at ? `Not up to date since ${formatTime(at)}: ${reason}` : reason);
      onStale(at && formatTime(at));
    },
  };
}
