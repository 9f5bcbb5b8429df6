import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Looked } from '../../../operator/follow/read.ts';
import { type Output, openLines, run } from '../../../operator/follow/run.ts';
import { type FollowState, newState } from '../../../operator/follow/state.ts';
import { fakeOnly } from '../../support/jest.ts';
import { event } from '../../support/operator/events.ts';

afterEach(() => {
  jest.useRealTimers();
});

const SLOW = 'The output is blocked: its reader has stopped, or the disk is full. Events wait.';

/** An output of lines, whose lines are written once `written` is resolved. */
function lines(written: Promise<void>) {
  const [got, sentences]: [string[], string[]] = [[], []];
  const stopping = new AbortController();
  const host = { note: (sentence: string) => void sentences.push(sentence), stop: stopping.signal };
  const write = async (line: string) => {
    await written;
    got.push(line);
  };
  return { output: openLines(newState(0), write, host), got, sentences, stop: () => stopping.abort() };
}

describe('an output of lines', () => {
  const looked = { state: newState(0), events: [event(1), event(2)] };

  it('writes one event a line, and nothing else', async () => {
    fakeOnly(['setTimeout', 'clearTimeout']);
    const { output, got, sentences } = lines(Promise.resolve());
    expect(await output.take(looked)).toBe(true);
    expect(got).toStrictEqual([1, 2].map((number) => `${JSON.stringify(event(number))}\n`));
    jest.advanceTimersByTime(60_000);
    expect(sentences).toStrictEqual([]);
  });

  it('waits for a slow reader, and reports it after ten seconds', async () => {
    fakeOnly(['setTimeout', 'clearTimeout']);
    const { promise, resolve } = Promise.withResolvers<void>();
    const { output, got, sentences } = lines(promise);
    const taking = output.take(looked);
    jest.advanceTimersByTime(9_999);
    expect(sentences).toStrictEqual([]);
    jest.advanceTimersByTime(1);
    expect([sentences, got]).toStrictEqual([[SLOW], []]);
    resolve();
    expect(await taking).toBe(true);
    expect(got).toHaveLength(2);
  });

  it('ends although nobody reads its output', async () => {
    const { output, stop } = lines(new Promise(() => undefined));
    const taking = output.take(looked);
    stop();
    await taking;
  });

  it('ends during a pause', async () => {
    const { output, stop } = lines(Promise.resolve());
    const paused = output.pause(3_600_000);
    stop();
    await paused;
  });
});

describe('a follower', () => {
  it('resumes after the last event that the output has taken', async () => {
    const answers = [true, false, 'no look', true] as const;
    const seen: number[] = [];
    const stopping = new AbortController();
    const look = async (state: FollowState): Promise<Looked | undefined> => {
      const answer = answers[seen.length];
      if (answer === undefined) stopping.abort();
      seen.push(state.revision);
      return answer === 'no look' ? undefined : { state: newState(0, state.revision + 1), events: [] };
    };
    const take: Output['take'] = async () => answers[seen.length - 1] !== false;
    const output = { state: newState(0, 0), take, pause: async () => undefined, close: () => undefined };
    await run(look, output, 1, stopping.signal);
    expect(seen).toStrictEqual([0, 1, 1, 1, 2]);
  });
});
