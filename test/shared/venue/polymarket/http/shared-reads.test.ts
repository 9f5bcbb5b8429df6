import { describe, expect, it } from '@jest/globals';
import { createSharedReads } from '../../../../../shared/venue/polymarket/http/reads.ts';

function setUp() {
  let time = 0;
  const share = createSharedReads<string>(() => time);
  const started: PromiseWithResolvers<string>[] = [];
  return {
    started,
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
    read: (key: string) =>
      share(key, () => {
        const read = Promise.withResolvers<string>();
        started.push(read);
        return read.promise;
      }),
  };
}

describe('a shared read', () => {
  it('is one for all who ask for the same thing at the same time', async () => {
    const { read, started, wait } = setUp();
    const answers = [read('a'), read('a')];
    wait(4.9);
    answers.push(read('a'));
    expect(started).toHaveLength(1);
    started[0]?.resolve('book');
    await expect(Promise.all(answers)).resolves.toStrictEqual(['book', 'book', 'book']);
  });

  it('is not joined for another thing', () => {
    const { read, started } = setUp();
    void read('a');
    void read('b');
    expect(started).toHaveLength(2);
  });

  it('is not joined when it began so long ago that its answer may be older than the question', async () => {
    const { read, started, wait } = setUp();
    const first = read('a');
    wait(5);
    const second = read('a');
    const third = read('a');
    expect(started).toHaveLength(2);
    started[1]?.resolve('new');
    await expect(Promise.all([second, third])).resolves.toStrictEqual(['new', 'new']);
    started[0]?.resolve('old');
    await expect(first).resolves.toBe('old');
  });

  it('keeps nothing once it is answered', async () => {
    const { read, started } = setUp();
    const first = read('a');
    started[0]?.resolve('one');
    await first;
    void read('a');
    expect(started).toHaveLength(2);
  });

  it('shares a failure, and does not keep it', async () => {
    const { read, started } = setUp();
    const answers = Promise.allSettled([read('a'), read('a')]);
    started[0]?.reject(new Error('no answer'));
    expect((await answers).map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
    const again = read('a');
    started[1]?.resolve('book');
    await expect(again).resolves.toBe('book');
  });

  it('is not forgotten because an older one for the same thing has ended', async () => {
    const { read, started, wait } = setUp();
    const first = read('a');
    wait(5);
    void read('a');
    started[0]?.resolve('old');
    await first;
    void read('a');
    expect(started).toHaveLength(2);
  });

  it('goes by the clock of the process', () => {
    let started = 0;
    const share = createSharedReads<string>(undefined, 60_000);
    for (const _ of [1, 2]) {
      void share('a', () => {
        started += 1;
        return new Promise(() => undefined);
      });
    }
    expect(started).toBe(1);
  });
});
