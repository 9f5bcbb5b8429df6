import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { openOrderStore } from '../../../local/file-store/store.ts';
import { keepPaperSession } from '../../../local/paper/session-file.ts';
import { openAccess } from '../../../operator/account/access.ts';
import { runDesk } from '../../../operator/commands/commands.ts';
import { orderEvent } from '../../../operator/follow/event.ts';
import { openLooks } from '../../../operator/follow/read.ts';
import { newState } from '../../../operator/follow/state.ts';
import type { OrderRecord } from '../../../shared/orders/record.ts';
import type { Environment } from '../../../shared/settings/table.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { afterTests } from '../../support/jest.ts';
import { desk, lateStop } from '../../support/operator/desk.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../../support/orders/order-records.ts';
import { until } from '../../support/until.ts';
import { plainMarket, type RunningPaper, sharedPaper } from '../../support/venue/paper-venue.ts';
import { startVenue } from '../../support/venue/scripted-venue.ts';

// The command, beside a venue on paper and a store in a file.

const SECRET = `whsec_${'A'.repeat(32)}`;
const OWN = new Wallet(PAPER_KEY);

let folder = '';
let paper: RunningPaper;
let env: Environment = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'follow-test-'));
  paper = await sharedPaper();
});

beforeEach(() => {
  env = {
    SERVICE_CLOB_URL: paper.url,
    SERVICE_GAMMA_URL: paper.url,
    SERVICE_PRIVATE_KEY: PAPER_KEY,
    SERVICE_STORE: join(folder, `${expect.getState().currentTestName?.replaceAll(/\W+/g, '-')}.db`),
  };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Places an order of five shares, by default one that is filled at once. */
async function place(price = 0.53) {
  const { client: official } = await officialClient(paper, { wallet: OWN });
  const { yes, conditionId } = await plainMarket(paper);
  const { orderID } = await official.createAndPostOrder({ tokenID: yes, price, size: 5, side: Side.BUY });
  return { official, orderID, conditionId };
}

/** Stores the record of an order, by default of one that was placed. */
async function keep(
  orderId: string,
  conditionId: string,
  more: Partial<Pick<OrderRecord, 'client' | 'walletAddress'>>,
  record: OrderRecord = finishedOrder(PLACED, Date.now() + 9e9),
): Promise<void> {
  const store = openOrderStore(env['SERVICE_STORE'] ?? '');
  await store.write(orderId, { ...record, orderId, signedAt: Date.now(), conditionId, ...more }, 'nothing');
  await store.close();
}

/** Places an order that is filled at once, with the record of a client. */
async function buy(client = 'alice'): Promise<string> {
  const { orderID, conditionId } = await place();
  await keep(orderID, conditionId, { client: { address: client, isVerified: true } });
  return orderID;
}

const running: { stop(): Promise<number> }[] = [];

afterTests(() => Promise.all(running.splice(0).map((one) => one.stop())));

/** Starts the command, with an output that is written as `write` says. */
function start(args: readonly string[], write?: (line: string) => Promise<void>, more: Environment = {}) {
  const [lines, sentences]: [string[], string[]] = [[], []];
  const stop = new AbortController();
  const deliver = write ?? (async (line: string) => void lines.push(line));
  const where = args.includes('--paper') ? [] : ['--settings', '/dev/null'];
  const whole = ['follow', '--interval', '1', ...where, ...args];
  const err = (text: string) => void sentences.push(text);
  const signal = AbortSignal.any([stop.signal, lateStop()]);
  const ended = runDesk({ ...env, ...more }, { args: whole, out: () => undefined, err, deliver, stop: signal });
  const one = {
    lines,
    sentences,
    ended,
    events: () => lines.map((line) => orderEvent.parse(JSON.parse(line))),
    stop: () => {
      stop.abort();
      return ended;
    },
  };
  running.push(one);
  return one;
}

/** Starts a receiver; returns its URL and the `type` and client of what it got. */
async function startReceiver(status = () => 204) {
  const { url, seen } = await startVenue(() => ({ status: status() }));
  const data = z.object({
    type: z.string(),
    data: z.object({ order_id: z.string(), client_address: z.nullable(z.string()) }),
  });
  const got = (id: string) =>
    seen.flatMap((request) => {
      const { type, data: order } = data.parse(JSON.parse(request?.body ?? '{}'));
      return order.order_id === id ? [`${type} ${order.client_address}`] : [];
    });
  return { url, seen, got };
}

describe('follow', () => {
  it('writes what happened since two minutes before its start, then what happens, and keeps nothing', async () => {
    const before = await buy();
    const first = start([]);
    await until(() => first.lines.length >= 2);
    expect(first.sentences[0]).toMatch(
      new RegExp(
        `^Following the orders of ${OWN.address} at 127.0.0.1:\\d+ since 20.*Z\\. Events go to the standard output\\.\n$`,
      ),
    );
    const after = await buy('bob');
    await until(() => first.lines.length >= 4);
    expect(first.events().map(({ type, data }) => [type, data.order_id, data.client_address])).toStrictEqual([
      ['order.filled', before, 'alice'],
      ['order.settled', before, 'alice'],
      ['order.filled', after, 'bob'],
      ['order.settled', after, 'bob'],
    ]);
    expect(first.events()[0]?.data).toMatchObject({
      question: 'Will the Copper Lake ferry run on Founders Day?',
      outcome: 'Yes',
      size: '5',
    });
    expect(await first.stop()).toBe(0);
    const again = start([]);
    await until(() => again.lines.length >= 4);
    expect(again.events().map(({ id }) => id)).toStrictEqual(first.events().map(({ id }) => id));
    expect(Math.min(...again.events().map(({ data }) => data.revision))).toBeGreaterThan(
      first.events()[3]?.data.revision ?? 0,
    );
  });

  it('closes an order that left the book before a look, but none of another wallet, or in doubt', async () => {
    const { official, orderID, conditionId } = await place(0.01);
    await official.cancelOrder({ orderID });
    const own = { walletAddress: OWN.address.toLowerCase() };
    const [others, unsure] = [`0x${'0b'.repeat(32)}`, `0x${'0c'.repeat(32)}`];
    await keep(orderID, conditionId, own);
    await keep(others, conditionId, {});
    await keep(unsure, conditionId, own, unfinishedOrder('nobody'));
    const look = openLooks(await openAccess({}, env), (sentence) => {
      throw new Error(sentence);
    });
    const first = await look(newState(Date.now() - 60_000), Date.now());
    const second = await look(first?.state ?? newState(), Date.now() + 200_000);
    // The account has orders of other tests too.
    const ours: readonly unknown[] = [orderID, others, unsure];
    const told = second?.events.filter(({ data }) => ours.includes(data.order_id));
    expect(told).toMatchObject([{ type: 'order.closed', data: { order_id: orderID, reason: 'cancelled' } }]);
  });

  it('begins at --since', async () => {
    await buy();
    const later = start(['--since', new Date(Date.now() + 60_000).toISOString()]);
    await until(() => later.sentences.length > 0);
    await sleep(1_500);
    expect(await later.stop()).toBe(0);
    expect(later.lines).toStrictEqual([]);
  });

  it('ends with exit code 1 if the reader closes its output', async () => {
    await buy();
    const broken = start([], () => Promise.reject(new Error('EPIPE')));
    expect(await broken.ended).toBe(1);
    expect(broken.sentences.at(-1)).toBe('Output closed by the reading program.\n');
  });

  it('keeps trying while the venue does not answer, until it is stopped', async () => {
    const waiting = start(['--since', '2026-01-01'], undefined, { SERVICE_CLOB_URL: 'http://127.0.0.1:9' });
    await until(() => waiting.sentences.length >= 2);
    await sleep(2_500);
    expect(await waiting.stop()).toBe(0);
    expect(waiting.sentences).toStrictEqual([
      expect.stringMatching(/^Following .* since 2026-01-01T00:00:00Z\./),
      expect.stringMatching(/^The API credentials: .*\n$/),
    ]);
  });
});

describe('follow --webhook', () => {
  const webhook = { ORDERS_WEBHOOK_SECRET: SECRET };

  it('resumes after each stop, and sends again what a receiver did not take', async () => {
    let status = 500;
    const receiver = await startReceiver(() => status);
    const args = ['--webhook', receiver.url];
    const first = start(args, undefined, webhook);
    await until(() => first.sentences.length >= 1);
    expect(first.sentences[0]).toContain(
      `. Events go to ${receiver.url}, and wait in ${env['SERVICE_STORE']}.follow.\n`,
    );
    expect(await first.stop()).toBe(0);
    // As if it had been stopped for an hour.
    const db = new DatabaseSync(`${env['SERVICE_STORE']}.follow`);
    expect(db.prepare('SELECT count(*) AS count FROM states').get()?.['count']).toBe(1);
    db.close();
    const id = await buy();
    const second = start(args, undefined, webhook);
    await until(() => receiver.got(id).length >= 2);
    expect(second.lines).toStrictEqual([]);
    expect(await second.stop()).toBe(0);
    status = 204;
    const third = start(args, undefined, webhook);
    await until(() => receiver.got(id).length >= 4);
    expect(new Set(receiver.got(id))).toStrictEqual(new Set(['order.filled alice', 'order.settled alice']));
    await third.stop();
  });

  it('refuses a second follower beside a store, and names the process of the first', async () => {
    const receiver = await startReceiver();
    const first = start(['--webhook', receiver.url], undefined, webhook);
    await until(() => first.sentences.length >= 1);
    const second = start(['--webhook', receiver.url], undefined, webhook);
    expect(await second.ended).toBe(1);
    expect(second.sentences).toStrictEqual([
      expect.stringContaining(`process ${process.pid} has it open; stop that process`),
    ]);
    const plain = start([]);
    await until(() => plain.sentences.length >= 1);
  });

  it('says that its state is damaged, and starts over with --since', async () => {
    const receiver = await startReceiver();
    const args = ['--webhook', receiver.url];
    const first = start(args, undefined, webhook);
    await until(() => first.sentences.length >= 1);
    await first.stop();
    const db = new DatabaseSync(`${env['SERVICE_STORE']}.follow`);
    db.exec(`UPDATE states SET state = '{"version":2}', revision = 1795000000000`);
    db.close();
    const damaged = start(args, undefined, webhook);
    expect(await damaged.ended).toBe(1);
    expect(damaged.sentences).toStrictEqual([
      'The saved state of the follower is damaged, or of another version. Start over with --since 2026-11-18T11:06:40Z.\n',
    ]);
    const anew = start([...args, '--since', '2026-11-18T11:06:40Z'], undefined, webhook);
    await until(() => anew.sentences.length >= 1);
  });

  it('starts over for another wallet', async () => {
    const receiver = await startReceiver();
    for (const key of [PAPER_KEY, `0x${'22'.repeat(32)}`]) {
      const one = start(['--webhook', receiver.url], undefined, { ...webhook, SERVICE_PRIVATE_KEY: key });
      await until(() => one.sentences.length >= 1);
      expect(one.sentences[0]).toMatch(/^Following/);
      expect(await one.stop()).toBe(0);
    }
  });

  it('makes a secret on paper, and prints it', async () => {
    const probe = createServer().listen(0);
    const address = probe.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    probe.close();
    using _session = keepPaperSession(port, env);
    const receiver = await startReceiver();
    const id = await buy();
    const one = start(['--paper', '--webhook', receiver.url], undefined, { SERVICE_PORT: String(port) });
    await until(() => receiver.got(id).length >= 2);
    expect(one.sentences[0]).toMatch(/^Made for this run: ORDERS_WEBHOOK_SECRET=whsec_[A-Za-z0-9+/]{43}=\n$/);
  });

  it.each([
    [['--webhook', 'no url'], SECRET, 2, /^--webhook must be an https URL/],
    [
      ['--webhook', 'https://example.com/', '--stack', 'orders'],
      SECRET,
      2,
      /^--webhook is for a store in a file\. .*fillsTopic/,
    ],
    [['--interval', '0'], SECRET, 2, /^--interval must be a whole number from 1 to 3600\./],
    [['--webhook', 'https://example.com/'], undefined, 1, /^ORDERS_WEBHOOK_SECRET must be whsec_/],
    [['--webhook', 'https://example.com/'], 'whsec_cc', 1, /^ORDERS_WEBHOOK_SECRET must be whsec_/],
    [
      ['--webhook', 'https://example.com/'],
      'a table',
      1,
      /^--webhook needs a store in a file; for a table there is fillsTopic/,
    ],
  ])('is refused in one sentence: %j', async (args, secret, code, words) => {
    const store = secret === 'a table' ? { SERVICE_STORE: 'dynamodb:orders' } : {};
    const ended = await desk(['follow', ...args], { ...env, ...store, ORDERS_WEBHOOK_SECRET: secret });
    expect(ended).toStrictEqual({ code, out: '', err: expect.stringMatching(words) });
    expect(ended.err).not.toContain('whsec_c');
  });
});

describe('the program', () => {
  it('writes whole lines to a file, and ends with Ctrl-C', async () => {
    await buy();
    const out = join(folder, 'events.jsonl');
    const command = `exec ${process.execPath} operator/start.js orders follow --settings /dev/null > ${out}`;
    const cwd = join(import.meta.dirname, '../../..');
    const child = spawn('sh', ['-c', command], { env: { ...process.env, ...env }, cwd, stdio: 'ignore' });
    const exited = once(child, 'exit');
    await until(async () => (await readFile(out, 'utf8').catch(() => '')).includes('order.settled'));
    child.kill('SIGINT');
    expect(await exited).toStrictEqual([0, null]);
    const lines = (await readFile(out, 'utf8')).trim().split('\n');
    expect(lines.map((line) => orderEvent.parse(JSON.parse(line)).type)).toContain('order.settled');
  });
});
