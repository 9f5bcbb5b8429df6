import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';

const stops: (() => unknown)[] = [];

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function start(...flags: string[]) {
  const child = spawn(process.execPath, ['packages/paper-venue/main.ts', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stops.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output += String(chunk);
  });
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, output }));
  const listening = async (): Promise<string> => {
    for (;;) {
      const url = /listening on (\S+)\n/.exec(output)?.[1];
      if (url) return url;
      await once(child.stdout, 'data');
    }
  };
  return { child, ended, listening };
}

describe('npm run paper:venue', () => {
  it('prints its URL, answers, and stops on SIGTERM', async () => {
    const { child, ended, listening } = start('--port', '0', '--seed', '5', '--still');
    const url = await listening();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${url}/ok`)).json()).toBe('OK');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  it('says in one sentence that the port is taken', async () => {
    const server = createServer();
    stops.push(() => server.close());
    const { port } = new URL(await listenOnLoopback(server));
    expect(await start('--port', port).ended).toStrictEqual({
      code: 1,
      output: `Port ${port} on 127.0.0.1 is taken: stop what uses it or choose another with --port.\n`,
    });
  });

  it.each(['192.0.2.77', '300.1.1.1'])('says in one sentence that it cannot listen on %s', async (host) => {
    expect(await start('--host', host).ended).toStrictEqual({
      code: 1,
      output: `${host} is not an address of this machine: choose another with --host.\n`,
    });
  });

  it('explains its flags, and refuses those that it does not know', async () => {
    expect(await start('--help').ended).toMatchObject({ code: 0, output: expect.stringContaining('--seed N') });
    for (const [flags, words] of [
      [['--port', 'http'], /^--port must be a whole number from 0 to 65535\.\n\nUsage: .*\n {2}--port PORT {2}/s],
      [['--sead', '1'], /^Unknown option '--sead'\n\nUsage: .*\n {2}--seed N {5}/s],
    ] as const) {
      expect(await start(...flags).ended).toStrictEqual({ code: 2, output: expect.stringMatching(words) });
    }
  });
});
