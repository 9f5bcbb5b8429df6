import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { startPaper } from '../../support/venue/paper-venue.ts';

const run = promisify(execFile);
const PROGRAM = ['operator/start.js', 'paper-venue', '--port'];

it('npm run paper:venue prints its URL, stops on SIGTERM, and says in one sentence that its port is taken', async () => {
  const child = spawn(process.execPath, [...PROGRAM, '0', '--seed', '5', '--still']);
  const ended = once(child, 'close');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const [, url = '', port = ''] = /listening on (http:\/\/127\.0\.0\.1:(\d+))$/.exec(line) ?? [];
  expect(await (await fetch(`${url}/ok`)).json()).toBe('OK');
  const stderr = `Port ${port} on 127.0.0.1 is taken: stop what uses it or choose another with --port.\n`;
  await expect(run(process.execPath, [...PROGRAM, port])).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  child.kill('SIGTERM');
  expect(await ended).toStrictEqual([0, null]);
});

it('the README of the paper venue shows requests that work as they stand', async () => {
  const { url } = await startPaper();
  const readme = await readFile('packages/paper-venue/README.md', 'utf8');
  const [, commands = ''] = /\n## Paths of its own\n.*?```sh\n(.*?)```/s.exec(readme) ?? [];
  const { stdout } = await run('sh', ['-euc', commands.replace('http://127.0.0.1:8081', url)]);
  expect(stdout).toContain('"bids":[');
  expect(stdout.match(/\{"done":true\}/g)).toHaveLength(6);
  expect(stdout.match(/"armed":\[\{"fault":"hang-after"/g)).toHaveLength(2);
  expect(stdout).toContain('"path":"/time","query":"",');
  expect(stdout).toContain('"fault":"delay"');
});
