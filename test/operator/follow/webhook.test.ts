import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { OrderEvent } from '../../../operator/follow/event.ts';
import { encodeState, newState } from '../../../operator/follow/state.ts';
import { openWebhook, receiverUrl } from '../../../operator/follow/webhook.ts';
import { openWebhookFile, type WebhookFile } from '../../../operator/follow/webhook-file.ts';
import { signEvent, verifyEvent } from '../../../packages/client/client.ts';
import type { ProxyEnv } from '../../../shared/proxy.ts';
import { Secret } from '../../../shared/secret.ts';
import { WEBHOOK_SECRETS } from '../../../shared/settings/credentials.ts';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { event } from '../../support/operator/events.ts';
import { HAS_PYTHON } from '../../support/python.ts';
import { until } from '../../support/until.ts';
import { type Reply, startVenue } from '../../support/venue/scripted-venue.ts';

const [FIRST, SECOND] = [secretOf(24), secretOf(64)];
const NOTHING = { revision: 1, text: '' };

function secretOf(bytes: number): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`;
}

let folder = '';
const open: { close(): void }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-test-'));
});

afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function opened(name: string, ...events: readonly OrderEvent[]): WebhookFile {
  const file = openWebhookFile(join(folder, name));
  open.push(file);
  if (events.length > 0) file.save('', NOTHING, events);
  return file;
}

/** Opens a webhook to a receiver, and collects its sentences. */
function webhookTo(url: string, file: WebhookFile, secret = FIRST, proxyEnv: ProxyEnv = {}) {
  const sentences: string[] = [];
  const stopping = new AbortController();
  const receiver = { url, secrets: WEBHOOK_SECRETS.parse(secret) ?? [], proxyEnv };
  const note = (sentence: string) => void sentences.push(sentence);
  const output = openWebhook('account', undefined, { file, receiver, note, stop: stopping.signal });
  return { output, sentences, stop: () => stopping.abort() };
}

/** Lets a webhook send until `isDone`, and stops it. */
async function sendUntil({ output, stop }: ReturnType<typeof webhookTo>, isDone: () => boolean | Promise<boolean>) {
  const pausing = output.pause(60_000);
  await until(isDone);
  stop();
  await pausing;
}

/** Sends what waits to a receiver until `isDone`; returns the sentences. */
async function deliveredTo(
  url: string,
  file: WebhookFile,
  isDone: (sentences: readonly string[]) => boolean | Promise<boolean>,
  secret?: string,
) {
  const webhook = webhookTo(url, file, secret);
  await sendUntil(webhook, () => isDone(webhook.sentences));
  return webhook.sentences;
}

/** Delivers to a receiver with these answers, in their order, until it has got as many requests. */
async function delivered(file: WebhookFile, answers: readonly Reply[], secret = FIRST) {
  const { url, seen } = await startVenue((_, index) => answers[index] ?? { status: 500 });
  const sentences = await deliveredTo(`${url}/hook`, file, () => seen.length >= answers.length, secret);
  return { seen, sentences };
}

/** Starts the Python of the documents on a free port. */
async function startPython(secret: string) {
  const page = await readFile(join(import.meta.dirname, '../../../docs/events.md'), 'utf8');
  const [, code = ''] = /```python\n(.*?)```/s.exec(page) ?? [];
  const printsPort = code
    .replace('3000)', '0)')
    .replace(
      /^(HTTPServer.*)\.serve_forever\(\)$/m,
      'server = $1\nprint(server.server_port, flush=True)\nserver.serve_forever()',
    )
    .replace("['filled_size'])", "['filled_size'], flush=True)");
  const child = spawn('python3', ['-c', printsPort], {
    env: { PATH: process.env['PATH'], ORDERS_WEBHOOK_SECRET: secret },
  });
  open.push({ close: () => void child.kill() });
  return child;
}

(HAS_PYTHON ? describe : describe.skip)('the Python of the documents', () => {
  it('takes events of each secret of a rotation, and of no other', async () => {
    const child = await startPython(`${FIRST} ${SECOND}`);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => String((await lines.next()).value);
    const url = `http://127.0.0.1:${await next()}/`;
    const file = opened('python', event(1, { client_address: 'alice', filled_size: '6' }));
    await deliveredTo(url, file, async () => (await next()) === 'order.closed alice 6', SECOND);
    const statuses = [];
    for (const secrets of [FIRST, `${secretOf(32)} ${SECOND}`, secretOf(24)]) {
      const { status } = await fetch(url, { method: 'POST', ...(await signEvent(event(2), secrets)) });
      statuses.push(status);
    }
    const { body, headers } = await signEvent(event(2), FIRST);
    for (const wrong of [{ 'webhook-timestamp': '1' }, { 'webhook-id': 'evt_3' }, { 'webhook-signature': 'é' }])
      statuses.push((await fetch(url, { method: 'POST', body, headers: { ...headers, ...wrong } })).status);
    statuses.push((await fetch(url, { method: 'POST' })).status);
    expect(statuses).toStrictEqual([204, 204, 400, 400, 400, 400, 400]);
  });

  it.each(['', 'whsec_', secretOf(16), `${FIRST} `, `${FIRST}!`])('stops with a bad secret: %#', async (secret) => {
    const child = await startPython(secret);
    expect(await text(child.stderr)).toMatch(/^ORDERS_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes.*\n$/);
  });
});

describe('a webhook', () => {
  it('passes the verification of the official library and of our client, with both secrets of a rotation', async () => {
    const { seen } = await delivered(opened('verified', event(1)), [{ status: 204 }], `${FIRST} ${SECOND}`);
    const [{ body, headers, method, path } = { body: '', headers: {}, method: '', path: '' }] = seen;
    expect([method, path, headers['content-type']]).toStrictEqual(['POST', '/hook', 'application/json']);
    const own = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'));
    const signed = Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
    for (const secret of [FIRST, SECOND]) {
      expect(new Webhook(secret).verify(body, signed)).toStrictEqual(event(1));
      expect(await verifyEvent(body, signed, secret)).toStrictEqual(event(1));
      await expect(verifyEvent(`${body} `, signed, secret)).rejects.toThrow('signature');
      await expect(verifyEvent(body, { ...signed, 'webhook-timestamp': '1' }, secret)).rejects.toThrow('minutes');
    }
    await expect(verifyEvent(body, signed, secretOf(32))).rejects.toThrow('signature');
  });

  it('is sent again with growing pauses until a 2xx, without delaying others', async () => {
    const file = opened('repeated', event(1), event(2));
    const redirect = { status: 302, headers: { location: 'http://127.0.0.1:9/' } };
    const { seen, sentences } = await delivered(file, [redirect, { status: 204 }]);
    expect(seen.map(({ headers }) => headers['webhook-id'])).toStrictEqual([event(1).id, event(2).id]);
    expect(sentences).toStrictEqual([`The receiver answered 302: ${event(1).id} will be sent again.`]);
    expect(file.next()).toMatchObject({ id: event(1).id, attempts: 1 });
  });

  it.each([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null])(
    'is sent again after attempt %# in about %s s',
    async (seconds) => {
      const attempts = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null].indexOf(seconds);
      const file = opened(`pause-${attempts}`, event(1));
      for (let count = 0; count < attempts; count += 1) file.postpone(event(1).id, 0);
      const { sentences } = await delivered(file, ['reset']);
      const pause = (file.next()?.due ?? Number.NaN) - Date.now();
      if (seconds === null)
        expect([pause, ...sentences]).toStrictEqual([
          Number.NaN,
          `The receiver gave no answer for three days: ${event(1).id} was dropped.`,
        ]);
      else expect(Math.abs(pause / 1_000 / seconds - 1)).toBeLessThan(0.1 + 5 / seconds);
    },
  );

  it.each([
    ['7200', 7_200],
    ['999999', 86_400],
    ['in two hours', 7_200],
    ['two hours ago', 5],
    ['soon', 5],
  ])('waits as long as the receiver asks, up to a day: %s', async (words, seconds) => {
    const hours = { 'in two hours': 2, 'two hours ago': -2 }[words];
    const asked = hours === undefined ? words : new Date(Date.now() + hours * 3_600_000).toUTCString();
    const file = opened(`asked ${words}`, event(1));
    await delivered(file, [{ status: 503, headers: { 'retry-after': asked } }]);
    const pause = (file.next()?.due ?? 0) - Date.now();
    expect(Math.abs(pause / 1_000 - seconds)).toBeLessThan(4 + seconds / 1_000);
  });

  it.each([400, 401, 403, 404, 429, 500])('is sent again after a %i', async (status) => {
    const file = opened(`not gone ${status}`, event(1));
    const { sentences } = await delivered(file, [{ status }]);
    expect(sentences).toStrictEqual([`The receiver answered ${status}: ${event(1).id} will be sent again.`]);
    expect(file.next()).toMatchObject({ id: event(1).id, attempts: 1 });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['never ends', (response) => void response.writeHead(200).write('o')],
    ['breaks off', (response) => void response.writeHead(200).write('o', () => response.destroy())],
    ['is large', (response) => void response.writeHead(200).end(Buffer.alloc(3_000_000))],
  ])('counts as delivered once the head of the answer is there, whose body %s', async (name, reply) => {
    const file = opened(`body ${name}`, event(1), event(2));
    const before = performance.now();
    const { seen, sentences } = await delivered(file, [reply, reply]);
    // Less than the time of one call: nothing waits for the body.
    expect(performance.now() - before).toBeLessThan(9_000);
    expect([seen.length, sentences, file.next()]).toStrictEqual([2, [], undefined]);
  });

  it('stops sending after a 410', async () => {
    const { url } = await startVenue(() => ({ status: 410 }));
    const file = opened('gone', event(1), event(2));
    await expect(webhookTo(url, file).output.pause(60_000)).rejects.toThrow(
      'The receiver answered 410: it gets no more events.',
    );
    expect(file.next()).toBeUndefined();
  });

  it('goes through the proxy', async () => {
    const tunnels: unknown[] = [];
    const proxy = createServer().on('connect', ({ url }, socket) => {
      tunnels.push(url);
      socket.destroy();
    });
    const proxyEnv = { HTTPS_PROXY: new Secret(await listenOnLoopback(proxy)) };
    const webhook = webhookTo('https://receiver.test/', opened('proxied', event(1)), FIRST, proxyEnv);
    await sendUntil(webhook, () => webhook.sentences.length > 0);
    expect(tunnels).toStrictEqual(['receiver.test:443']);
    await shut(proxy);
  });

  it('sleeps until an event is due', async () => {
    const { url, seen } = await startVenue(() => ({ status: 204 }));
    const file = opened('asleep', event(1));
    let reads = 0;
    const next = () => {
      reads += 1;
      return file.next();
    };
    file.postpone(event(1).id, Date.now() + 200);
    await sendUntil(webhookTo(url, { ...file, next }), () => seen.length > 0);
    expect(reads).toBeLessThan(10);
  });
});

describe('the URL of a receiver', () => {
  it.each([
    'https://example.com/a?token=1',
    'https://8.8.8.8/',
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://127.8.0.1/',
    'http://[::1]:3000/',
    'http://10.0.0.1/',
    'http://10.255.255.255/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://[fc00::1]/',
    'http://[fdff::1]/',
    'http://backend:3000/events',
    'http://order-book/',
  ])('is taken: %s', (url) => {
    expect(receiverUrl(url)).toBe(url);
  });

  it.each([
    'no url',
    'ftp://backend/',
    'http://example.com/',
    'http://backend.example/',
    'http://backend./',
    'http://10.0.0.1.example.com/',
    'http://9.255.255.255/',
    'http://11.0.0.1/',
    'http://172.15.255.255/',
    'http://172.32.0.1/',
    'http://192.167.255.255/',
    'http://192.169.0.1/',
    'http://169.254.169.254/',
    'http://134744072/',
    'http://[2001:db8::1]/',
    'http://[::ffff:808:808]/',
    'http://[fbff::1]/',
    'http://[fe00::1]/',
    'http://user@backend/',
    'https://user:pass@example.com/',
  ])('is refused: %s', (url) => {
    expect(() => receiverUrl(url)).toThrow(
      /^--webhook must be an https URL without a user; http is for loopback, private/,
    );
  });
});

describe('the secrets of a webhook', () => {
  const read = (text: string) => WEBHOOK_SECRETS.parse(text)?.map((key) => Buffer.from(key.reveal(), 'base64').length);

  it.each<[string, readonly number[]]>([
    [FIRST, [24]],
    [SECOND, [64]],
    [`${FIRST} ${SECOND}`, [24, 64]],
  ])('are taken: %#', (text, lengths) => {
    expect(read(text)).toStrictEqual(lengths);
  });

  it.each([
    '',
    secretOf(16),
    secretOf(23),
    secretOf(65),
    FIRST.replace('whsec_', ''),
    `${FIRST} ${secretOf(16)}`,
    `${FIRST} `,
    `${FIRST},${SECOND}`,
    `${FIRST} ${FIRST} ${SECOND}`,
  ])('are refused: %#', (text) => {
    expect(read(text)).toBeUndefined();
  });
});

describe('the file of a webhook', () => {
  it('has mode 0600, and its folder 0700', () => {
    const before = process.umask(0);
    opened('new/modes', event(1));
    process.umask(before);
    const modes = ['new', 'new/modes', 'new/modes.lock'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toStrictEqual([0o700, 0o600, 0o600]);
  });

  it('is refused in one sentence if it is no database', async () => {
    await writeFile(join(folder, 'damaged'), 'no database'.repeat(100));
    expect(() => openWebhookFile(join(folder, 'damaged'))).toThrow(
      `(${join(folder, 'damaged')}) cannot be used: file is not a database; move it away and start over with --since.`,
    );
  });

  it('stores events and state together or not at all while it is locked, and continues afterwards', async () => {
    const { url, seen } = await startVenue(() => ({ status: 204 }));
    const file = opened('busy');
    const webhook = webhookTo(url, file);
    const { output, sentences } = webhook;
    const saved = file.load('account');
    const looked = { events: [event(1)], state: { ...newState(0, 7), newestRecord: 5 } };
    const other = new DatabaseSync(join(folder, 'busy'));
    other.exec('BEGIN EXCLUSIVE');
    expect(await output.take(looked)).toBe(false);
    expect(sentences).toStrictEqual(['State not saved (database is locked): events wait.']);
    other.exec('COMMIT');
    expect([file.load('account'), file.next()]).toStrictEqual([saved, undefined]);
    expect(await output.take(looked)).toBe(true);
    // An event that waits is not added again, and a look without news writes nothing.
    expect(await output.take(looked)).toBe(true);
    expect(await output.take({ events: [], state: { ...looked.state, revision: 8 } })).toBe(true);
    await sendUntil(webhook, () => seen.length > 0 && file.next() === undefined);
    expect(seen).toHaveLength(1);
    expect(file.load('account')?.revision).toBe(7);
    expect(await output.take({ events: [], state: { ...looked.state, revision: 9, newestRecord: 6 } })).toBe(true);
    expect(file.load('account')?.revision).toBe(9);
  });

  it('opens while another process writes, and stores its start once that process has ended', async () => {
    const file = opened('held');
    const other = new DatabaseSync(join(folder, 'held'));
    other.exec('BEGIN IMMEDIATE');
    const { output, sentences } = webhookTo('http://127.0.0.1:9', file);
    expect(sentences).toStrictEqual(['The file of the webhook cannot be used (database is locked): trying again.']);
    other.exec('COMMIT');
    await output.pause(50);
    expect(file.load('account')).toStrictEqual(encodeState(output.state));
  });

  it('holds events back while it cannot be written', async () => {
    const { url, seen } = await startVenue(() => ({ status: 204 }));
    const file = opened('unwritable', event(1));
    let isFull = true;
    const remove = (id: string) => {
      if (!isFull) return file.remove(id);
      isFull = false;
      throw new Error('disk is full');
    };
    const webhook = webhookTo(url, { ...file, remove });
    const { output, sentences } = webhook;
    await sendUntil(webhook, () => sentences.length > 0);
    expect(sentences).toStrictEqual(['The file of the webhook cannot be used (disk is full): trying again.']);
    await output.pause(0);
    expect(seen).toHaveLength(1);
    expect(file.next()).toBeUndefined();
  });
});
