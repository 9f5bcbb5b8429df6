import { JOIN_WINDOW_MS } from '../../limits.ts';
/** Starts a read, or joins the one for the same key that has just begun: its answer, or its failure. */
export type ShareRead<T> = (key: string, start: () => Promise<T>) => Promise<T>;

/** Makes reads that identical concurrent requests share. Nothing is kept: what has been answered is forgotten. */
export function createSharedReads<T>(now: () => number = () => performance.now()): ShareRead<T> {
  const running = new Map<string, { readonly startedAt: number; readonly answer: Promise<T> }>();
  return (key, start) => {
    const other = running.get(key);
    if (other && now() - other.startedAt < JOIN_WINDOW_MS) return other.answer;
    const read = { startedAt: now(), answer: start() };
    running.set(key, read);
    const forget = () => {
      if (running.get(key) === read) running.delete(key);
    };
    read.answer.then(forget, forget);
    return read.answer;
  };
}
