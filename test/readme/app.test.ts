import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import { createClient } from '../../packages/client/client.ts';
import { listenOnLoopback, shut } from '../../tools/support/loopback.ts';
import { installClient } from '../support/page/builds.ts';
import { WITH_THIS_NODE } from '../support/service/program.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ends: (() => unknown)[] = [];
let folder = '';
let printed = '';
let app: { placeOrder(backend: string, session: string, key: string, terms: object): Promise<unknown> };
let backend = '';
let tokenId = '';

async function freePort(): Promise<string> {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  await shut(server);
  return port;
}

function start(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, args, { cwd, env: { ...WITH_THIS_NODE, ...env } });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  ends.push(() => child.kill('SIGKILL'));
  return child;
}

/** A paper session, a follower, and the program of the page in a project that has installed the client. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'app-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await installClient(folder);
  const session = await startOnPaper({ SERVICE_PORT: '0' }, () => undefined, { write: () => undefined });
  ends.push(session.stop);
  const page = await readFile(join(ROOT, 'docs/app.md'), 'utf8');
  const fences = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  const ofApp = (code: string) => code.startsWith('// In the app.');
  const port = await freePort();
  const program = fences.filter((code) => !ofApp(code)).join('\n');
  const here = program.replace('http://127.0.0.1:8080', session.url).replace('listen(3000', `listen(${port}`);
  await writeFile(join(folder, 'backend.ts'), here);
  await writeFile(join(folder, 'app.ts'), fences.filter(ofApp).join('\n'));
  app = await import(pathToFileURL(join(folder, 'app.ts')).href);
  backend = `http://127.0.0.1:${port}`;
  const { items } = await createClient({ baseUrl: session.url }).markets({ limit: 1 });
  tokenId = items[0]?.outcomes[0]?.token_id ?? '';
  const env = { SERVICE_PORT: new URL(session.url).port, ORDERS_WEBHOOK_SECRET: SECRET };
  const desk = `${process.execPath} ${join(ROOT, 'operator/start.js')} orders --paper`;
  start(['backend.ts'], folder, { ...env, DESK: desk });
  start(
    ['operator/start.js', 'orders', '--paper', 'follow', '--interval', '1', '--webhook', `${backend}/events`],
    ...[ROOT, env],
  );
  await until(() =>
    fetch(backend, { method: 'DELETE' }).then(
      () => true,
      () => false,
    ),
  );
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

it('places the order of a user once, and pushes its fill to that user', async () => {
  const [key, terms] = ['fill-1', { token_id: tokenId, side: 'buy', price: '0.7', size: '5' }];
  const placed = await app.placeOrder(backend, 'alice', key, terms);
  expect(placed).toStrictEqual({ orderId: expect.stringMatching(/^0x[0-9a-f]{64}$/), status: 'matched' });
  expect(await app.placeOrder(backend, 'alice', key, terms)).toStrictEqual(placed);
  expect(await app.placeOrder(backend, 'bob', key, terms)).toMatchObject({ code: 'not_yours' });
  await until(() => printed.includes('push to alice: Bought 5 Yes: Will'));
  expect(printed.match(/push to/g)).toHaveLength(1);
});

it('pushes each fill once, though several have one revision or come late, and keeps no event that nobody can use', async () => {
  const terms = { token_id: tokenId, side: 'buy', price: '0.01', size: '5' };
  const { orderId } = Object(await app.placeOrder(backend, 'carol', 'rest-2', terms));
  const send = async (id: string, revision: number, order_id: string | null, type = 'order.filled') => {
    const body = JSON.stringify({ id, type, data: { order_id, revision, side: 'buy', size: id, outcome: 'Yes' } });
    const at = new Date();
    const signature = new Webhook(SECRET).sign(id, at, body);
    const headers = {
      ...{ 'webhook-id': id, 'webhook-signature': signature },
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    };
    return (await fetch(`${backend}/events`, { method: 'POST', headers, body })).status;
  };
  const statuses = [
    await send('f1', 7, orderId),
    await send('f2', 7, orderId),
    await send('f2', 7, orderId),
    await send('f3', 6, orderId),
    await send('c1', 7, orderId, 'order.closed'),
    await send('u1', 8, null, 'order.unreadable'),
    await send('x1', 8, `0x${'1'.repeat(64)}`),
  ];
  expect(statuses).toStrictEqual([204, 204, 204, 204, 204, 204, 503]);
  await until(() => printed.includes('Bought f3'));
  expect(printed.match(/push to carol: Bought \w+/g)).toStrictEqual(
    ['f1', 'f2', 'f3'].map((id) => `push to carol: Bought ${id}`),
  );
});

it('lets a user cancel their own order alone', async () => {
  const terms = { token_id: tokenId, side: 'buy', price: '0.01', size: '5' };
  const { orderId } = Object(await app.placeOrder(backend, 'alice', 'rest-1', terms));
  const cancel = async (authorization: string) =>
    (await fetch(`${backend}/orders/${orderId}`, { method: 'DELETE', headers: { authorization } })).json();
  expect(await cancel('bob')).toMatchObject({ code: 'not_yours' });
  expect(await cancel('alice')).toStrictEqual({ result: 'cancelled' });
});
