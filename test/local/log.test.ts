import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createReadableLog } from '../../local/readable-log.ts';
import { createPaperVenue } from '../../packages/paper-venue/venue.ts';
import { AppError } from '../../shared/errors.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { paperSettings } from '../../tools/support/paper-settings.ts';
import { HAS_PYTHON } from '../support/python.ts';
import { send } from '../support/service/http-client.ts';

const NOON = new Date(2026, 10, 21, 12, 34, 36).getTime();

/** The lines that a terminal gets for what `use` logs, with each colour named around its text. */
function written(use: (log: Log) => void): string[] {
  const lines: string[] = [];
  const format = createReadableLog((style, text) => (style === 'dim' ? text : `<${style} ${text}>`));
  use(createLog({ level: 'debug', write: (line) => lines.push(format(line)), now: () => NOON }));
  return lines;
}

describe('a log line at a terminal', () => {
  it.each([
    ['info', 201, 'green'],
    ['info', 422, 'yellow'],
    ['info', 504, 'red'],
    ['warn', undefined, 'yellow'],
    ['error', undefined, 'red'],
  ] as const)('has the colour of its level and status: %s %j', (level, status, colour) => {
    const [line] = written((log) => log[level]('request', { ...(status && { status }) }));
    expect(line).toBe(`12:34:36 <${colour} ${level}> request${status ? ` status=${status}` : ''}`);
  });

  it('has the members that have a value', () => {
    const fields = {
      url: 'http://127.0.0.1:8080',
      funder_address: null,
      cors_origins: [],
      reason: 'a b',
      order: { size: '5' },
    };
    expect(written((log) => log.info('listening', fields))).toStrictEqual([
      '12:34:36 <green info> listening url=http://127.0.0.1:8080 reason="a b" order={"size":"5"}',
    ]);
  });

  it('has an error with its cause', () => {
    const error = new AppError('The venue failed.', { code: 'venue_error', cause: new Error('reset') });
    const [line] = written((log) => log.warn('request failed', { error }));
    expect(line).toMatch(/error=\{"name":"AppError","code":"venue_error",.*"message":"reset"/);
  });

  it('is as it came where it is no line of the log', () => {
    expect(createReadableLog((_style, text) => text)('{"a":\u001b')).toBe('{"a":\\u{1b}');
  });

  it('has no control characters for any values', () => {
    const hostile = fc.string({
      unit: fc.constantFrom('a', ' ', '\n', '\r', '\u001b', '\u009b', '\u202e', '\u2028', '"'),
    });
    const value = fc.oneof(hostile, fc.dictionary(hostile, hostile), fc.array(hostile));
    fc.assert(
      fc.property(hostile, fc.dictionary(hostile, value), (message, fields) => {
        const error = { message, stack: `${message}\n    at ${message}`, cause: fields };
        const lines = written((log) => log.warn(message, { ...fields, error }));
        expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const MAIN = new URL('../../local/start.js', import.meta.url).pathname;
const HEADERS = { host: 'localhost', 'content-type': 'application/json' };

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Starts the program on a paper venue; resolves with its address when it listens. */
async function run() {
  const directory = await mkdtemp(join(tmpdir(), 'log-reader-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const venue = createPaperVenue({ still: true });
  const { url: venueUrl } = await venue.listen({ host: '127.0.0.1', port: 0 });
  stops.push(() => venue.close());
  const env = { PATH: process.env['PATH'], ...paperSettings(venueUrl, directory) };
  const child = spawn(process.execPath, [MAIN, '--settings', devNull], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  stops.push(() => child.kill('SIGKILL'));
  const url = await listeningUrl(child);
  return { child, url, venue };
}

async function listeningUrl({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<string> {
  for await (const line of createInterface({ input: stdout ?? process.stdin })) {
    const { message, url } = JSON.parse(line);
    if (message === 'listening') return url;
  }
  throw new Error('It ended before it listened.');
}

it('goes on without the reader of its log: an order is placed, and the stop is orderly', async () => {
  const { child, url, venue } = await run();
  const { items } = JSON.parse((await send(url, { path: '/v1/markets?limit=1', headers: HEADERS })).text);
  const order = { token_id: items[0].outcomes[0].token_id, side: 'buy', price: '0.01', size: '100' };
  child.stdout.destroy();
  await once(child.stdout, 'close');
  expect((await send(url, { path: '/health', headers: HEADERS })).status).toBe(200);
  expect((await send(url, { path: '/health', headers: HEADERS })).status).toBe(200);
  const body = JSON.stringify(order);
  expect((await send(url, { method: 'POST', path: '/v1/orders', headers: HEADERS, body })).status).toBe(201);
  expect(venue.orders()).toHaveLength(1);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toStrictEqual([0, null]);
});

/** Runs a command on a terminal of its own, of which it reads the line with the address, and then nothing any more. */
const UNREAD_TERMINAL = `
import os, pty, re, subprocess, sys
reader, terminal = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=terminal)
seen = ''
while not re.search('listening.*http://', seen, re.S):
    seen += os.read(reader, 4096).decode()
while not re.search('http://[0-9.]+:[0-9]+', seen):
    seen += os.read(reader, 4096).decode()
print(re.search('http://[0-9.]+:[0-9]+', seen).group(), flush=True)
sys.stdin.read()
child.kill()
`;

(HAS_PYTHON ? it : it.skip)('goes on where it writes to a terminal that nobody reads', async () => {
  const args = ['-c', UNREAD_TERMINAL, process.execPath, MAIN, '--settings', devNull];
  const env = { PATH: process.env['PATH'], SERVICE_PORT: '0' };
  const terminal = spawn('python3', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  stops.push(() => terminal.stdin.end());
  const [url] = await once(createInterface({ input: terminal.stdout }), 'line');
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  stops.push(() => agent.destroy());
  const requests = Array.from({ length: 1_000 }, () => send(url, { path: '/health', headers: HEADERS, agent }));
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  expect(new Set(statuses)).toStrictEqual(new Set([200]));
});
