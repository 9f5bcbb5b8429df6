import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLineWriter } from '../../shared/log.ts';

const lossOf = (lost: number) => ({ level: 'error', lost, message: expect.any(String), time: expect.any(String) });

/** A stream like stdout, which can be written to again after an error: it takes, refuses or holds what it is given. */
function openStream() {
  const taken: string[] = [];
  const state: { error?: Error; held?: () => void; holds: boolean } = { holds: false };
  const stream = new Writable({
    decodeStrings: false,
    autoDestroy: false,
    write: (text: string, _encoding, done) => {
      if (state.error) return done(state.error);
      taken.push(...text.trimEnd().split('\n'));
      if (state.holds) state.held = done;
      else done();
    },
  });
  // What `process.stdout` does after an error, instead of being destroyed.
  stream.on('error', () =>
    Object.assign(Reflect.get(stream, '_writableState'), { errored: null, errorEmitted: false }),
  );
  return { taken, state, stream };
}

async function settle() {
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
}

describe('lines', () => {
  it('are written as they come', () => {
    const { taken, stream } = openStream();
    const { write } = createLineWriter(stream);
    write('a');
    write('b');
    expect(taken).toStrictEqual(['a', 'b']);
  });

  it('are rewritten for their reader, those about lost ones too', async () => {
    const { taken, state, stream } = openStream();
    const { write } = createLineWriter(stream, (line) => `<${line}>`);
    state.error = new Error('write EPIPE');
    write('a');
    await settle();
    delete state.error;
    write('b');
    expect(taken).toStrictEqual([expect.stringMatching(/^<\{.*"lost":1\}>$/), '<b>']);
  });

  it('that cannot be written are dropped, and counted before the next one that can', async () => {
    const { taken, state, stream } = openStream();
    const { write } = createLineWriter(stream);
    state.error = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    for (const line of ['a', 'b', 'c']) {
      write(line);
      await settle();
    }
    delete state.error;
    write('d');
    write('e');
    const [loss = '', ...rest] = taken;
    expect(rest).toStrictEqual(['d', 'e']);
    expect(JSON.parse(loss)).toStrictEqual(lossOf(3));
  });

  it('do not pile up in memory before a reader that stands still', async () => {
    const { taken, state, stream } = openStream();
    const { write } = createLineWriter(stream, (line) => line, 10);
    state.holds = true;
    for (const line of ['held', '0123456789', 'lost', 'lost']) write(line);
    expect(taken).toStrictEqual(['held']);
    state.holds = false;
    state.held?.();
    await settle();
    write('next');
    expect(taken).toStrictEqual(['held', '0123456789', expect.stringContaining('"lost":2'), 'next']);
  });

  it('end nobody where they cannot be written, though nobody else listens for errors of the stream', async () => {
    const stream = new Writable({ write: (_text, _encoding, done) => done(new Error('write EPIPE')) });
    const { write, tellLost } = createLineWriter(stream);
    write('a');
    await settle();
    const elsewhere: string[] = [];
    tellLost({ write: (text: string) => elsewhere.push(text) > 0 });
    expect(elsewhere.map((text) => JSON.parse(text))).toStrictEqual([lossOf(1)]);
  });

  it('are counted on stderr when they are lost for good', async () => {
    const { state, stream } = openStream();
    const { write, tellLost } = createLineWriter(stream);
    const elsewhere: string[] = [];
    const tell = () => tellLost({ write: (text: string) => elsewhere.push(text) > 0 });
    write('a');
    await settle();
    tell();
    expect(elsewhere).toStrictEqual([]);
    state.error = new Error('write EPIPE');
    write('b');
    await settle();
    tell();
    expect(elsewhere.map((text) => JSON.parse(text))).toStrictEqual([lossOf(1)]);
  });
});
