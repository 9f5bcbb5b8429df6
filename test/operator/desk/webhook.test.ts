import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { openFollowFile, type Queue } from '../../../operator/desk/follow-file.ts';
import type { OrderEvent } from '../../../operator/desk/follow-state.ts';
import { deliver, webhookSecrets } from '../../../operator/desk/webhook.ts';
import { verifyEvent } from '../../../packages/client/client.ts';
import { desk } from '../../support/operator/desk.ts';
import { HAS_PYTHON } from '../../support/python.ts';
import { type Reply, startVenue } from '../../support/venue/scripted-venue.ts';

const [FIRST, SECOND] = [secretOf(24), secretOf(64)];

function secretOf(bytes: number): string {
  return `whsec_${randomBytes(bytes).toString('base64')}`;
}

let folder = '';
const open: { close(): void }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-test-'));
});

afterEach(() => {
  for (const file of open.splice(0)) file.close();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function event(number: number): OrderEvent {
  return {
    id: `evt_${number}`,
    type: 'order.filled',
    timestamp: '2026-11-18T11:06:40Z',
    data: { order_id: `0x${number}` },
  };
}

function queueOf(name: string): Queue {
  const file = openFollowFile(join(folder, name));
  open.push(file);
  return file.queue;
}

/** Delivers to a receiver until `isDone`; returns the sentences. */
async function deliveredTo(
  url: string,
  queue: Queue,
  isDone: (sentences: readonly string[]) => boolean | Promise<boolean>,
  secret = FIRST,
) {
  const sentences: string[] = [];
  const terminal = { args: [], out: () => undefined, err: (text: string) => sentences.push(text) };
  const stop = new AbortController();
  const target = { url, secrets: webhookSecrets({ ORDERS_WEBHOOK_SECRET: secret }) };
  const running = deliver({ terminal }, queue, target, { stop: stop.signal });
  while (!(await isDone(sentences))) await sleep(5);
  stop.abort();
  await running;
  return sentences;
}

/** Delivers to a receiver with these answers, in their order, until it has got as many requests. */
async function delivered(queue: Queue, answers: readonly Reply[], secret = FIRST) {
  const { url, seen } = await startVenue((_, index) => answers[index] ?? { status: 500 });
  const sentences = await deliveredTo(`${url}/hook`, queue, () => seen.length >= answers.length, secret);
  return { seen, sentences };
}

/** Runs the Python of the documents on a free port. */
async function startPythonReceiver(secret: string) {
  const page = await readFile(join(import.meta.dirname, '../../../docs/fills.md'), 'utf8');
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
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  open.push({ close: () => void child.kill() });
  const next = async () => String((await lines.next()).value);
  return { url: `http://127.0.0.1:${await next()}/`, next };
}

describe('a webhook', () => {
  (HAS_PYTHON ? it : it.skip)('is taken by the Python of the documents, and only with its secret', async () => {
    const { url, next } = await startPythonReceiver(FIRST);
    const queue = queueOf('python.follow');
    queue.add([event(1)], 0);
    const sentences = await deliveredTo(url, queue, ({ length }) => length > 0, SECOND);
    expect(sentences).toStrictEqual(['The receiver answered 400: evt_1 is sent again later.\n']);
    queue.add([{ ...event(2), data: { order_id: '0x2', client_address: 'alice', filled_size: '6' } }], 0);
    await deliveredTo(url, queue, async () => (await next()) === 'order.filled alice 6');
  });

  it('is what the library of the specification and our client verify, with both secrets of a rotation', async () => {
    const queue = queueOf('verified.follow');
    queue.add([event(1)], 0);
    const { seen } = await delivered(queue, [{ status: 204 }], `${FIRST} ${SECOND}`);
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

  it('is sent again with growing pauses until a 2xx, while others arrive', async () => {
    const queue = queueOf('repeated.follow');
    queue.add([event(1), event(2)], 0);
    const redirect = { status: 302, headers: { location: 'http://127.0.0.1:9/' } };
    const { seen, sentences } = await delivered(queue, [redirect, { status: 204 }]);
    expect(seen.map(({ headers }) => headers['webhook-id'])).toStrictEqual(['evt_1', 'evt_2']);
    expect(sentences).toStrictEqual(['The receiver answered 302: evt_1 is sent again later.\n']);
    expect(queue.next(Date.now())).toBeUndefined();
    // Kept on the disk: another process goes on with it.
    const again = queueOf('repeated.follow');
    expect(again.next(Date.now() + 6_000)).toMatchObject({ id: 'evt_1', attempts: 1 });
    for (let attempts = 1; attempts < 9; attempts += 1) again.postpone('evt_1', 0);
    const last = await delivered(again, ['reset']);
    expect(last.sentences).toStrictEqual(['The receiver gave no answer for three days: evt_1 is given up.\n']);
    expect(again.next(Number.MAX_SAFE_INTEGER)).toBeUndefined();
  });

  it('ends after 410', async () => {
    const queue = queueOf('gone.follow');
    queue.add([event(1), event(2)], 0);
    const { sentences } = await delivered(queue, [{ status: 410 }]);
    expect(sentences).toStrictEqual(['The receiver answered 410: it gets no more events.\n']);
    expect(queue.next(Number.MAX_SAFE_INTEGER)).toBeUndefined();
  });

  it('waits as long as the receiver asks, up to a day', async () => {
    const queue = queueOf('asked.follow');
    queue.add([event(1)], 0);
    await delivered(queue, [{ status: 503, headers: { 'retry-after': '999999' } }]);
    const hours = (count: number) => Date.now() + count * 3_600_000;
    expect(queue.next(hours(23))).toBeUndefined();
    expect(queue.next(hours(24))).toMatchObject({ id: 'evt_1', attempts: 1 });
  });

  it('drops the oldest of too many', () => {
    const queue = queueOf('full.follow');
    const events = Array.from({ length: 100_002 }, (_, index) => event(index));
    expect(queue.add(events, 0)).toBe(2);
    expect(queue.next(0)).toMatchObject({ id: 'evt_2' });
    expect(queue.add([event(2)], 0)).toBe(0);
  });

  it.each([
    [['--webhook', 'no url'], FIRST, 2, /^--webhook must be an https URL/],
    [['--webhook', 'http://example.com/'], FIRST, 2, /^--webhook must be an https URL/],
    [['--webhook', 'https://user:pass@example.com/'], FIRST, 2, /^--webhook must be an https URL/],
    [['--interval', '0'], FIRST, 2, /^--interval must be a whole number from 1 to 3600\./],
    [['--webhook', 'https://example.com/'], undefined, 1, /^ORDERS_WEBHOOK_SECRET must be whsec_/],
    [['--webhook', 'https://example.com/'], 'whsec_c2hvcnQ=', 1, /^ORDERS_WEBHOOK_SECRET must be whsec_/],
    [['--webhook', 'https://example.com/'], `${FIRST} ${FIRST} ${FIRST}`, 1, /^ORDERS_WEBHOOK_SECRET must be whsec_/],
  ])('is refused in one sentence: %j', async (args, secret, code, words) => {
    const env = {
      SERVICE_CLOB_URL: 'http://127.0.0.1:9',
      SERVICE_STORE: join(folder, 'none.db'),
      SERVICE_WALLET_ADDRESS: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
      SERVICE_CLOB_API_KEY: 'key',
      SERVICE_CLOB_API_SECRET: 'c2VjcmV0',
      SERVICE_CLOB_API_PASSPHRASE: 'words',
      ...(secret !== undefined && { ORDERS_WEBHOOK_SECRET: secret }),
    };
    const ended = await desk(['follow', ...args], env);
    expect(ended).toStrictEqual({ code, out: '', err: expect.stringMatching(words) });
    expect(ended.err).not.toContain('whsec_c');
  });
});
