import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { devNull } from 'node:os';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { HAS_PYTHON } from '../support/python.ts';
import { send } from '../support/service/http-client.ts';
import { startProgram, WITH_THIS_NODE } from '../support/service/program.ts';

const MAIN = new URL('../../local/start.js', import.meta.url).pathname;
const HEADERS = { host: 'localhost', 'content-type': 'application/json' };

it('a service whose log has lost its reader places an order, and stops cleanly', async () => {
  const command = { command: process.execPath, args: [MAIN, '--paper'], cwd: '/', env: { SERVICE_PORT: '0' } };
  const { child, url, stop } = await startProgram(command);
  const { items } = JSON.parse((await send(url, { path: '/v1/markets?limit=1', headers: HEADERS })).text);
  const order = { token_id: items[0].outcomes[0].token_id, side: 'buy', price: '0.01', size: '100' };
  child.stdout.destroy();
  await once(child.stdout, 'close');
  for (const _ of [1, 2]) expect((await send(url, { path: '/health', headers: HEADERS })).status).toBe(200);
  const body = JSON.stringify(order);
  expect((await send(url, { method: 'POST', path: '/v1/orders', headers: HEADERS, body })).status).toBe(201);
  expect(await stop()).toBe(0);
});

/** Runs a command on a terminal of its own, of which it reads the line with the address, and then nothing any more. */
const UNREAD_TERMINAL = `
import os, pty, re, subprocess, sys
reader, terminal = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdout=terminal)
seen = ''
while not re.search('listening.*http://[0-9.]+:[0-9]+', seen, re.S):
    seen += os.read(reader, 4096).decode()
print(re.search('http://[0-9.]+:[0-9]+', seen).group(), flush=True)
sys.stdin.read()
child.kill()
`;

(HAS_PYTHON ? it : it.skip)('the service goes on where it writes to a terminal that nobody reads', async () => {
  const args = ['-c', UNREAD_TERMINAL, process.execPath, MAIN, '--settings', devNull];
  const env = { ...WITH_THIS_NODE, SERVICE_PORT: '0' };
  const terminal = spawn('python3', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  try {
    const [url] = await once(createInterface({ input: terminal.stdout }), 'line');
    const requests = Array.from({ length: 1_000 }, () => send(url, { path: '/health', headers: HEADERS, agent }));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toStrictEqual(new Set([200]));
  } finally {
    agent.destroy();
    terminal.stdin.end();
  }
});
