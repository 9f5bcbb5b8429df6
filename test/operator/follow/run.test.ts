import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Looked } from '../../../operator/follow/read.ts';
import { type Output, openLines, run } from '../../../operator/follow/run.ts';
import { type FollowState, newState } from '../../../operator/follow/state.ts';
import { fakeOnly } from '../../support/jest.ts';
import { event } from '../../support/operator/events.ts';
import { until } from '../../support/until.ts';

afterEach(() => {
  jest.useRealTimers();
});

const SLOW = 'The output takes nothing: nobody reads it, or its disk is full. Events wait.';

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

  it('writes an event a line, and says nothing', async () => {
    fakeOnly(['setTimeout', 'clearTimeout']);
    const { output, got, sentences } = lines(Promise.resolve());
    expect(await output.take(looked)).toBe('taken');
    expect(got).toStrictEqual([1, 2].map((number) => `${JSON.stringify(event(number))}\n`));
    jest.advanceTimersByTime(60_000);
    expect(sentences).toStrictEqual([]);
  });

  it('waits for a reader, and says so after ten seconds', async () => {
    fakeOnly(['setTimeout', 'clearTimeout']);
    const { promise, resolve } = Promise.withResolvers<void>();
    const { output, got, sentences } = lines(promise);
    const taking = output.take(looked);
    jest.advanceTimersByTime(9_999);
    expect(sentences).toStrictEqual([]);
    jest.advanceTimersByTime(1);
    expect([sentences, got]).toStrictEqual([[SLOW], []]);
    resolve();
    expect(await taking).toBe('taken');
    expect(got).toHaveLength(2);
  });

  it('ends while nobody reads', async () => {
    const { output, stop } = lines(new Promise(() => undefined));
    const taking = output.take(looked);
    stop();
    await taking;
  });

  it('is over once its reader has gone', async () => {
    const { output, sentences } = lines(Promise.reject(new Error('EPIPE')));
    expect(await output.take(looked)).toBe('over');
    expect(sentences).toStrictEqual(['Output closed by the reading program.']);
  });
});

describe('a follower', () => {
  /** Runs looks, each of which has the next revision, until the output has answered each of these. */
  async function states(answers: readonly ('taken' | 'later' | 'over' | 'no look')[]) {
    const seen: number[] = [];
    const left = [...answers];
    const stopping = new AbortController();
    const look = async (state: FollowState): Promise<Looked | undefined> => {
      seen.push(state.revision);
      if (left.length === 0) stopping.abort();
      if (left[0] !== 'no look') return { state: newState(0, state.revision + 1), events: [] };
      left.shift();
      return undefined;
    };
    const take: Output['take'] = async () => {
      const answer = left.shift();
      return answer === 'later' || answer === 'over' ? answer : 'taken';
    };
    const output = { state: newState(0, 0), take, close: async () => undefined };
    return { seen, code: await run(look, output, 1, stopping.signal) };
  }

  it('goes on from what the output has taken', async () => {
    expect(await states(['taken', 'later', 'no look', 'taken'])).toStrictEqual({ seen: [0, 1, 1, 1, 2], code: 0 });
    expect(await states(['taken', 'over'])).toStrictEqual({ seen: [0, 1], code: 1 });
  });

  it('ends in the middle of its pause', async () => {
    const stopping = new AbortController();
    let looks = 0;
    const look = async () => {
      looks += 1;
      return undefined;
    };
    const output = { state: newState(0), take: async () => 'taken' as const, close: async () => undefined };
    const running = run(look, output, 3_600_000, stopping.signal);
    await until(() => looks > 0);
    stopping.abort();
    expect(await running).toBe(0);
  });
});
