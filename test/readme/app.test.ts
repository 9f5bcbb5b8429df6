import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startOnPaper } from '../../local/paper/paper-mode.ts';
import { createClient, signEvent } from '../../packages/client/client.ts';
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
let [backend, service, venue] = ['', '', ''];
let [fills, rests] = [terms('', ''), terms('', '')];
let startBackend: () => ChildProcess;
let running: ChildProcess;

function terms(token_id: string, price: string) {
  return { token_id, side: 'buy' as const, size: '5', price };
}

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

const answers = () =>
  fetch(backend).then(
    () => true,
    () => false,
  );

/** A paper session, a follower, and the program of the page in a project that has installed the client. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'app-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  await installClient(folder);
  let screen = '';
  const session = await startOnPaper(
    { SERVICE_PORT: '0' },
    (text) => {
      screen += text;
    },
    { write: () => undefined },
  );
  ends.push(session.stop);
  service = session.url;
  [, venue = ''] = /^ {2}venue +(http:\S+) /m.exec(screen) ?? [];
  const page = await readFile(join(ROOT, 'docs/app.md'), 'utf8');
  const fences = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  const ofApp = (code: string) => code.startsWith('// In the app.');
  const port = await freePort();
  const program = fences.filter((code) => !ofApp(code)).join('\n');
  const here = program.replace('http://127.0.0.1:8080', service).replace('listen(3000', `listen(${port}`);
  await writeFile(join(folder, 'backend.ts'), here.replace('settle, 60_000', 'settle, 1_000'));
  await writeFile(join(folder, 'app.ts'), fences.filter(ofApp).join('\n'));
  app = await import(pathToFileURL(join(folder, 'app.ts')).href);
  backend = `http://127.0.0.1:${port}`;
  const { items } = await createClient({ baseUrl: service }).markets({ limit: 1 });
  const tokenId = items[0]?.outcomes[0]?.token_id ?? '';
  [fills, rests] = [terms(tokenId, '0.7'), terms(tokenId, '0.01')];
  const env = { SERVICE_PORT: new URL(service).port, ORDERS_WEBHOOK_SECRET: SECRET };
  const desk = `${process.execPath} ${join(ROOT, 'operator/start.js')} orders --paper`;
  startBackend = () => start(['backend.ts'], folder, { ...env, DESK: desk });
  running = startBackend();
  start(
    ['operator/start.js', 'orders', '--paper', 'follow', '--interval', '1', '--webhook', `${backend}/events`],
    ...[ROOT, env],
  );
  await until(answers);
});

afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** Tells the paper venue to behave in a way. */
async function tell(path: string, body: object): Promise<void> {
  const { ok } = await fetch(`${venue}/paper/${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect(ok).toBe(true);
}

/** Sends an event to the backend as the follower does; returns the status of the answer. */
async function receive(one: object): Promise<number> {
  const signed = await Reflect.apply(signEvent, undefined, [one, SECRET]);
  return (await fetch(`${backend}/events`, { method: 'POST', ...signed })).status;
}

/** Reads the database of the backend. */
function read(sql: string): readonly unknown[] {
  using db = new DatabaseSync(join(folder, 'app.db'), { readOnly: true, timeout: 5_000 });
  return db.prepare(sql).all();
}

const orders = async (): Promise<readonly { readonly id: string }[]> =>
  Object(await (await fetch(`${venue}/paper/orders`)).json()).orders;

it('places the order of a user once, and pushes its fill to that user', async () => {
  const placed = await app.placeOrder(backend, 'alice', 'fill-1', fills);
  expect(placed).toStrictEqual({ orderId: expect.stringMatching(/^0x[0-9a-f]{64}$/), status: 'matched' });
  expect(await app.placeOrder(backend, 'alice', 'fill-1', fills)).toStrictEqual(placed);
  expect(await app.placeOrder(backend, 'bob', 'fill-1', fills)).toMatchObject({ code: 'not_yours' });
  expect(await app.placeOrder(backend, 'alice', 'fill-1', rests)).toMatchObject({ code: 'other_terms' });
  await until(() => printed.includes('push to alice: Bought 5 Yes: Will'));
  expect(printed.match(/push to/g)).toHaveLength(1);
});

it('pushes the fill of an order whose answer was lost, which the user never repeats', async () => {
  await tell('look-ups', { lag_ms: 600_000 });
  await tell('faults', { fault: 'reset-after', path: '/order', method: 'POST' });
  const before = (await orders()).length;
  expect(await app.placeOrder(backend, 'lost', 'lost-1', fills)).toMatchObject({ mayBeLive: true });
  // The id is that of the error: no look-up shows the order yet.
  const rows = read("SELECT answer, order_id FROM orders WHERE key = 'lost-1'");
  expect(rows).toMatchObject([{ answer: null, order_id: expect.stringMatching(/^0x/) }]);
  await tell('look-ups', { lag_ms: 0 });
  await until(() => printed.includes('push to lost: Bought 5 Yes: Will'));
  expect((await orders()).length).toBe(before + 1);
});

it('settles an order that was on its way when the backend crashed', async () => {
  await tell('faults', { fault: 'delay-after', ms: 2_000, path: '/order', method: 'POST' });
  const before = (await orders()).length;
  const lost = app.placeOrder(backend, 'crash', 'crash-1', fills);
  await until(async () => (await orders()).length > before);
  running.kill('SIGKILL');
  await expect(lost).rejects.toThrow();
  running = startBackend();
  await until(() => printed.includes('push to crash: Bought 5 Yes: Will'));
  expect(await app.placeOrder(backend, 'crash', 'crash-1', fills)).toMatchObject({ status: 'matched' });
  expect((await orders()).length).toBe(before + 1);
});

it("takes the events of a stranger's order, and pushes them to nobody", async () => {
  const { order_id } = await createClient({ baseUrl: service }).placeOrder(fills);
  await until(() => read(`SELECT id FROM events WHERE order_id = '${order_id}'`).length === 2);
  expect(printed.match(/push to (?!alice|lost|crash)/)).toBeNull();
});

it('pushes each fill once, though several have one revision or come late', async () => {
  const { orderId } = Object(await app.placeOrder(backend, 'carol', 'rest-2', rests));
  const send = (id: string, revision: number, order_id: string | null, type = 'order.filled') =>
    receive({ id, type, data: { order_id, revision, side: 'buy', size: id, outcome: 'Yes' } });
  const statuses = [
    await send('f1', 7, orderId),
    await send('f2', 7, orderId),
    await send('f2', 7, orderId),
    await send('f3', 6, orderId),
    await send('c1', 7, orderId, 'order.closed'),
    await send('u1', 8, null, 'order.unreadable'),
  ];
  expect(statuses).toStrictEqual([204, 204, 204, 204, 204, 204]);
  await until(() => printed.includes('Bought f3'));
  expect(printed.match(/push to carol: Bought \w+/g)).toStrictEqual(
    ['f1', 'f2', 'f3'].map((id) => `push to carol: Bought ${id}`),
  );
});

it('pushes a fill whose event came before the answer to its order', async () => {
  await tell('faults', { fault: 'delay-after', ms: 1_000, path: '/order', method: 'POST' });
  const before = (await orders()).length;
  const placing = app.placeOrder(backend, 'erin', 'rest-3', rests);
  await until(async () => (await orders()).length > before);
  const order_id = (await orders()).at(-1)?.id;
  const data = { order_id, revision: 1, side: 'sell', size: 'early', outcome: 'No' };
  expect(await receive({ id: 'e1', type: 'order.filled', data })).toBe(204);
  expect(printed).not.toContain('push to erin');
  expect(await placing).toStrictEqual({ orderId: order_id, status: 'live' });
  expect(read("SELECT is_pushed FROM events WHERE id = 'e1'")).toMatchObject([{ is_pushed: 1 }]);
  await until(() => printed.includes('push to erin: Sold early No'));
});

it('lets a user cancel their own order alone', async () => {
  const { orderId } = Object(await app.placeOrder(backend, 'alice', 'rest-1', rests));
  const cancel = async (authorization: string) =>
    (await fetch(`${backend}/orders/${orderId}`, { method: 'DELETE', headers: { authorization } })).json();
  expect(await cancel('bob')).toMatchObject({ code: 'not_yours' });
  expect(await cancel('alice')).toStrictEqual({ result: 'cancelled', rests: false, reason: null });
  expect(await cancel('alice')).toMatchObject({ result: 'not_cancelled', rests: false, reason: expect.any(String) });
});

it.each<[number, string, string, string, object]>([
  [401, 'PUT', '/orders/none-1', '{}', {}],
  [400, 'PUT', '/orders/none-2', '{', { authorization: 'dave' }],
  [404, 'PUT', '/orders/', '{}', { authorization: 'dave' }],
  [403, 'DELETE', '/orders/0x1', '', { authorization: 'dave' }],
  [409, 'PUT', '/orders/none-3', '{"side":"hold"}', { authorization: 'dave' }],
  [400, 'POST', '/events', '{}', {}],
])('answers %i to %s %s %s', async (status, method, path, body, headers) => {
  expect((await fetch(backend + path, { method, body, headers: { ...headers } })).status).toBe(status);
});
