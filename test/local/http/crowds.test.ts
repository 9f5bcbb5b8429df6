import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { MAX_CONNECTIONS, MAX_WAITING } from '../../../local/http/connections.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { openRaw, send } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';
import { startProgram } from '../../support/service/program.ts';
import { fakeMarketData } from '../../support/venue/fake-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CONNECTIONS = FULL_EXTENT ? 500 : 50;
/** As much as Node reads at once. */
const CHUNK_BYTES = 65_536;
const LIST = 'GET /v1/markets?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const SMALL = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Kinds of clients that pipeline more than may wait. */
const FLOODS = {
  'as many small requests as are read at once': LIST + SMALL.repeat((CHUNK_BYTES - LIST.length) / SMALL.length),
  'one list more than may wait': LIST.repeat(MAX_WAITING + 1),
} as const;

describe('a service on paper that a crowd floods', () => {
  it.each(Object.entries(FLOODS))(
    'closes their connections and goes on within its memory: %s',
    async (_kind, payload) => {
      // Node's own limit where a machine has 512 MB, as in compose.yaml; with 24 GB it collects garbage later.
      const args = ['--max-semi-space-size=16', '--max-old-space-size=256', 'local/start.js', '--paper'];
      const env = { SERVICE_PORT: '0' };
      const service = await startProgram({ command: process.execPath, args, cwd: ROOT, env });
      const port = Number(new URL(service.url).port);
      const crowd = Array.from({ length: CONNECTIONS }, () => {
        const socket = connect({ host: '127.0.0.1', port }, () => socket.resume().write(payload));
        return socket.on('error', () => socket.destroy());
      });
      const closed = crowd.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (let turn = 0; turn < 10; turn += 1) {
        expect((await send(service.url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
      }
      const { pid } = service;
      // Linux alone tells the most that a process has ever used.
      const status = process.platform === 'linux' ? await readFile(`/proc/${pid}/status`, 'utf8') : 'VmHWM: 0 kB';
      expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(350 * 1024);
      await Promise.all(closed);
      expect(await service.stop()).toBe(0);
    },
    300_000,
  );
});

describe('connections', () => {
  it('make room for a new one where the most are open: the one that is idle longest goes, with a log line', async () => {
    const { url, lines } = await startTestServer();
    const asked = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const idle = [];
    for (let i = 0; i < MAX_CONNECTIONS; i += 1) {
      const raw = openRaw(url);
      raw.socket.write(asked);
      while (raw.received() === '') await once(raw.socket, 'data');
      idle.push(raw);
    }
    const [first, second] = idle;
    first?.socket.write(asked);
    await once(first?.socket ?? new EventEmitter(), 'data');
    expect((await send(url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
    await second?.closed;
    expect(first?.socket.closed).toBe(false);
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'connection closed: too many are open', address: '127.0.0.1' },
    ]);
    for (const { socket } of idle) socket.destroy();
  });

  it('with 10,000 pipelined lists do not delay the health of the service', async () => {
    let lists = 0;
    const listMarkets = async () => {
      lists += 1;
      return { markets: [], hasMore: false };
    };
    const { url } = await startTestServer({ marketData: fakeMarketData({ listMarkets }) });
    const crowd = Array.from({ length: 100 }, () => openRaw(url).socket);
    for (const socket of crowd) socket.write('GET /v1/markets HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100));
    while (lists === 0) await setImmediate();
    expect((await send(url, { path: '/health', headers: { host: 'localhost' } })).status).toBe(200);
    expect(lists).toBeLessThan(2_000);
    for (const socket of crowd) socket.destroy();
  });
});

describe('a server', () => {
  it('refuses two lengths of one body, also with a lenient Node', async () => {
    const script = `
      const { startServer } = await import('./local/http/server.ts');
      const { connect } = await import('node:net');
      const log = { info() {}, warn() {}, error() {} };
      const server = await startServer({ handlers: {}, config: { host: '127.0.0.1', port: 0, allowedHosts: [] }, log });
      const socket = connect(new URL(server.url).port, '127.0.0.1');
      socket.write('POST /v1/orders HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n');
      socket.once('data', (data) => { console.log(String(data).split('\\r\\n')[0]); process.exit(); });`;
    const args = ['--insecure-http-parser', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe('HTTP/1.1 400 Bad Request\n');
  });
});
