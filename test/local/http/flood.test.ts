import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MAX_WAITING } from '../../../local/http/connections.ts';
import { send } from '../../support/service/http-client.ts';
import { startProgram } from '../../support/service/program.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CONNECTIONS = 500;
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
