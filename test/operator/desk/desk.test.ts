import { mkdtemp, rm } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { z } from 'zod';
import type { Environment } from '../../../shared/settings/table.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY, paperSettings } from '../../../tools/support/paper-settings.ts';
import { desk, deskRows, runProgram } from '../../support/operator/desk.ts';
import { HAS_PYTHON } from '../../support/python.ts';
import { type PaperService, sharedPaperService } from '../../support/service/paper-service.ts';

const OWN = new Wallet(PAPER_KEY);
const OTHER = new Wallet(`0x${'3c'.repeat(32)}`);
const ALICE = '0x1563915e194D8CfBA1943570603F7606A3115508';
const QUESTION = 'Will the Copper Lake ferry run on Founders Day?';
const SOLANA = 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew';

const placed = z.object({ order_id: z.string(), status: z.string() });
const market = z.object({ slug: z.string().nullable(), outcomes: z.array(z.object({ token_id: z.string() })) });

const folder = await mkdtemp(join(tmpdir(), 'desk-test-'));
const STORE = join(folder, 'orders.db');
const running = sharedPaperService({ SERVICE_STORE: STORE });
let service: PaperService;
let env: Environment;
let yes = '';
let no = '';

beforeAll(async () => {
  service = running();
  const { SERVICE_PORT: _port, SERVICE_PLACE_ORDER: _optIn, ...settings } = paperSettings(service.venueUrl, folder);
  env = { ...settings, SERVICE_STORE: STORE };
  const answer = await fetch(`${service.url}/v1/markets?limit=50`);
  const { items } = z.object({ items: z.array(market) }).parse(await answer.json());
  const plain = items.find(({ slug }) => slug === 'will-the-copper-lake-ferry-run-on-founders-day');
  [yes = '', no = ''] = plain?.outcomes.map(({ token_id }) => token_id) ?? [];
});

/** A venue without orders. It gives the account the same API credentials again, which the service has. */
beforeEach(async () => {
  await control('/paper/reset', {});
  await officialClient({ url: service.venueUrl }, { wallet: OWN });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Places an order through the service. */
async function place(order: object, client?: string) {
  const headers = { 'content-type': 'application/json', ...(client !== undefined && { 'x-client-address': client }) };
  const body = JSON.stringify({ token_id: yes, side: 'buy', price: '0.1', size: '10', ...order });
  const answer = await fetch(`${service.url}/v1/orders`, { method: 'POST', headers, body });
  return placed.parse(await answer.json());
}

/** An order of the other side, by the official client. */
async function trade(tokenID: string, price: number, size: number, side: Side, wallet = OTHER) {
  const { client } = await officialClient({ url: service.venueUrl }, { wallet });
  return client.createAndPostOrder({ tokenID, price, size, side });
}

function control(path: string, body: object) {
  return fetch(`${service.venueUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
}

function resting(): readonly string[] {
  return service.venue.orders().flatMap(({ id, status }) => (status === 'LIVE' ? [id] : []));
}

const PLACE_AND_TIME = { market: expect.stringMatching(/^0x[0-9a-f]{64}$/), question: QUESTION, outcome: 'Yes' };

describe('open', () => {
  it('lists the orders that rest with their clients, also orders without a record', async () => {
    const alice = await place({}, ALICE);
    const unnamed = await place({ price: '0.11' });
    const elsewhere = await trade(yes, 0.12, 10, Side.BUY, OWN);
    await place({ price: '0.53' }, SOLANA);
    const { code, rows } = await deskRows(['open'], env);
    const terms = { ...PLACE_AND_TIME, token_id: yes, side: 'buy', size: '10', filled_size: '0', status: 'live' };
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const nobody = { client_address: null, client_address_verified: null };
    const claimed = { client_address: ALICE, client_address_verified: false };
    expect([code, rows]).toStrictEqual([
      0,
      [
        { ...terms, since, order_id: alice.order_id, ...claimed, recorded: true, price: '0.1' },
        { ...terms, since, order_id: unnamed.order_id, ...nobody, recorded: true, price: '0.11' },
        { ...terms, since, order_id: elsewhere.orderID, ...nobody, recorded: false, price: '0.12' },
      ],
    ]);
    const { out } = await desk(['open'], env);
    for (const text of [alice.order_id, yes, `${ALICE} (claimed)`]) expect(out).toContain(text);
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('needs neither the service nor, with API credentials, the wallet key', async () => {
    await place({}, ALICE);
    const { creds } = await officialClient({ url: service.venueUrl }, { wallet: OWN });
    await fetch(`${service.venueUrl}/paper/requests`, { method: 'DELETE' });
    const credentials = {
      ...env,
      // A malformed key would stop a command that reads it.
      SERVICE_PRIVATE_KEY: 'unread',
      SERVICE_WALLET_ADDRESS: OWN.address,
      SERVICE_CLOB_API_KEY: creds.key,
      SERVICE_CLOB_API_SECRET: creds.secret,
      SERVICE_CLOB_API_PASSPHRASE: creds.passphrase,
    };
    const secrets = [creds.secret, creds.passphrase];
    const rows = [{ client_address: ALICE }];
    expect(await deskRows(['open'], credentials, { secrets })).toMatchObject({ code: 0, rows });
    expect(service.venue.requests().map(({ path }) => path)).not.toContain('/auth/derive-api-key');
  });

  it('lists the orders and exits with 1 if the records cannot be read; a report of fills has no row then', async () => {
    await place({}, ALICE);
    const unread = { ...env, SERVICE_STORE: join(folder, 'nowhere.db') };
    const { code, rows, err } = await deskRows(['open'], unread);
    expect([code, rows]).toMatchObject([1, [{ client_address: null, recorded: null }]]);
    expect(err).toMatch(/^The records of orders \(\S+nowhere\.db\) cannot be read: there is no such file\.\n/);
    const fills = await desk(['fills'], unread);
    expect([fills.code, fills.out]).toStrictEqual([1, '']);
  });

  it('writes CSV without formulas, and with quoted cells', async () => {
    const { order_id } = await place({}, '=1+1 "x"');
    const [head, row, ...rest] = (await desk(['open', '--format', 'csv'], env)).out.split('\n');
    expect(head).toMatch(/^order_id,client_address,client_address_verified,recorded,token_id,/);
    expect(row).toMatch(new RegExp(`^${order_id},"'=1\\+1 ""x""",false,true,${yes},0x`));
    expect(rest).toStrictEqual(['']);
  });

  it('prints an empty list if no order rests', async () => {
    await place({ price: '0.53' });
    expect(await desk(['open', '--format', 'json'], env)).toStrictEqual({
      code: 0,
      out: '[]\n',
      err: 'No open orders.\n',
    });
  });
});

describe('fills', () => {
  it('have all cells, and are summed by client without trades whose settlement failed', async () => {
    const failed = await place({ price: '0.53' }, ALICE);
    const { order_id } = await place({ price: '0.53', size: '20' }, ALICE.toLowerCase());
    await place({ price: '0.53', size: '5' });
    await trade(yes, 0.53, 5, Side.BUY, OWN);
    await control('/paper/trades', { order_id: failed.order_id, status: 'FAILED' });
    const { rows } = await deskRows(['fills', '--by-client'], env);
    const bought = (size: string) => ({ bought: size, sold: '0', net: size, shares: size });
    expect(rows).toMatchObject([
      { client_address: ALICE.toLowerCase(), orders: 1, fills: 1, ...bought('20'), value: '10.6', fees: '0.19928' },
      { client_address: null, recorded: true, orders: 1, fills: 1, ...bought('5'), value: '2.65', fees: '0.04982' },
      { client_address: null, recorded: false, orders: 1, fills: 1, ...bought('5'), value: '2.65', fees: '0.04982' },
    ]);
    const ofAlice = await deskRows(['fills', '--client', ALICE], env);
    expect(ofAlice.rows[0]).toMatchObject({ status: 'failed', fee: null });
    expect(ofAlice.rows.slice(1)).toStrictEqual([
      {
        ...PLACE_AND_TIME,
        ...{ time: expect.stringMatching(/Z$/), client_address: ALICE.toLowerCase(), client_address_verified: false },
        ...{ caller: null, order_id, token_id: yes, side: 'buy', price: '0.53', size: '20', value: '10.6' },
        // 20 × 0.04 × 0.53 × 0.47
        ...{
          fee: '0.19928',
          fee_source: 'computed',
          trade_id: expect.any(String),
          status: 'confirmed',
          recorded: true,
        },
        transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      },
    ]);
    expect(Object.keys(ofAlice.rows[0] ?? {}).join()).toMatch(
      /^time,client_address,.*,trade_id,transaction_hash,status,recorded$/,
    );
    const { out, err } = await desk(['fills'], env);
    expect(out).toContain('\n3 fills of 3 orders: 30 shares, value 15.9, fees 0.29892.\n');
    expect(out).toMatch(/^time +side +price +size +value +fee +status\n/);
    for (const label of ['client', 'order', 'outcome', 'question', 'market', 'trade', 'transaction', 'fee is'])
      expect(out).toMatch(new RegExp(`^ {2}${label}(?: |$)`, 'm'));
    const sums = (await desk(['fills', '--by-client'], env)).out;
    expect(sums).toMatch(/^orders +fills +bought +sold +net +value +fees\n/);
    expect(err).toContain('1 fill of trades with a failed settlement: in no sum.');
  });

  it('are taken from --since on, and before --until', async () => {
    await place({ price: '0.53' }, ALICE);
    const time = String((await deskRows(['fills'], env)).rows[0]?.['time']);
    const next = new Date(Date.parse(time) + 1_000).toISOString();
    const countOf = async (...args: readonly string[]) => (await deskRows(['fills', ...args], env)).rows.length;
    expect([
      await countOf('--since', time, '--until', next),
      await countOf('--since', time.slice(0, 10)),
      await countOf('--until', time),
      await countOf('--since', next),
    ]).toStrictEqual([1, 1, 0, 0]);
  });
});

describe('positions', () => {
  it('sums up what was bought and sold of each token, of the account or of each client', async () => {
    await place({ price: '0.53', size: '20' }, ALICE);
    await place({ price: '0.51', size: '30', side: 'sell' }, SOLANA);
    await place({ token_id: no, price: '0.49', size: '10' }, SOLANA);
    const failed = await place({ price: '0.53', size: '7' }, ALICE);
    await control('/paper/trades', { order_id: failed.order_id, status: 'FAILED' });
    const market = expect.stringMatching(/^0x/);
    const ofYes = { token_id: yes, market, question: QUESTION, outcome: 'Yes', resolved: false };
    const none = { bought: '0', sold: '0' };
    const alice = { orders: 1, fills: 1, ...none, bought: '20', net: '20', average_price: '0.53', value: '10.6' };
    const solana = { orders: 1, fills: 1, ...none, sold: '30', net: '-30', average_price: '0.51', value: '15.3' };
    const ofNo = { ...ofYes, token_id: no, outcome: 'No', orders: 1, fills: 1, fees: '0.09996' };
    const noOfSolana = { ...ofNo, ...none, bought: '10', net: '10', average_price: '0.49', value: '4.9' };
    const account = { orders: 2, fills: 2, bought: '20', sold: '30', net: '-10', average_price: '0.53', value: '25.9' };
    expect(await deskRows(['positions'], env)).toMatchObject({
      code: 0,
      rows: [{ ...ofYes, ...account, fees: '0.49916' }, noOfSolana],
    });
    const { rows } = await deskRows(['positions', '--by-client'], env);
    const known = { client_address_verified: false, recorded: true };
    expect(rows).toStrictEqual([
      { client_address: ALICE, ...known, ...ofYes, ...alice, fees: '0.19928' },
      { client_address: SOLANA, ...known, ...ofYes, ...solana, fees: '0.29988' },
      { client_address: SOLANA, ...known, ...noOfSolana },
    ]);
    expect((await deskRows(['positions', '--client', SOLANA], env)).rows).toStrictEqual(rows.slice(1));
    const csv = (await desk(['positions', '--client', SOLANA, '--format', 'csv'], env)).out;
    // A negative number is no formula.
    expect(csv.split('\n')[1]).toMatch(/,Yes,false,1,1,0,30,-30,0\.51,15\.3,0\.29988$/);
  });

  it('have null for the question of a market that cannot be looked up', async () => {
    await place({ price: '0.53' }, ALICE);
    service.venue.arm({ fault: 'error-500', path: '/markets/keyset', times: 9 });
    const rows = [{ bought: '10', question: null, resolved: null }];
    expect(await deskRows(['positions'], env)).toMatchObject({ code: 0, rows });
  });
});

describe('show', () => {
  it('prints the record, the order of the venue, and our fills', async () => {
    const { order_id } = await place({ price: '0.52', size: '30', post_only: true }, ALICE);
    await trade(no, 0.48, 5, Side.BUY);
    const { code, rows } = await deskRows(['show', order_id.toUpperCase().replace('0X', '0x')], env);
    const ofRecord = {
      client_address: ALICE,
      recorded: true,
      post_only: true,
      expires_at: null,
      answer: 'placed, live',
    };
    const ofVenue = { side: 'buy', price: '0.52', size: '30', venue_status: 'live', filled_size: '5' };
    const fills = [{ order_id, outcome: 'Yes', side: 'buy', price: '0.52', size: '5', value: '2.6' }];
    expect([code, rows]).toMatchObject([0, [{ order_id, ...ofRecord, ...ofVenue, fills }]]);
    const { out } = await desk(['show', order_id], env);
    expect(out).toMatch(new RegExp(`^order_id +${order_id}\\nclient_address +${ALICE}\\n`));
    const csv = (await desk(['show', order_id, '--format', 'csv'], env)).out;
    expect(csv.split('\n')[1]).toContain(`${order_id},${ALICE},`);
  });

  it('prints an order that was placed elsewhere', async () => {
    const { orderID } = await trade(yes, 0.12, 10, Side.BUY, OWN);
    const rows = [{ recorded: false, answer: null, venue_status: 'live', price: '0.12', fills: [] }];
    expect(await deskRows(['show', orderID], env)).toMatchObject({ code: 0, rows });
  });

  it('exits with 1 for an order that neither the records nor the venue know', async () => {
    const end = await desk(['show', `0x${'ab'.repeat(32)}`], { ...env });
    expect(end).toStrictEqual({ code: 1, out: '', err: 'Neither the records nor the venue know this order.\n' });
  });
});

describe('cancel', () => {
  it('shows the orders, asks, and reports the result', async () => {
    const { order_id } = await place({}, ALICE);
    const other = await place({ price: '0.2' }, SOLANA);
    const declined = await desk(['cancel', order_id], env, { answer: 'n' });
    expect(declined).toMatchObject({ code: 1, out: '' });
    expect(declined.err).toMatch(
      new RegExp(`${order_id}.*Take 1 open order off the book\\? .*Nothing is cancelled`, 's'),
    );
    expect(resting()).toHaveLength(2);
    const { code, rows } = await deskRows(['cancel', order_id], env, { answer: 'y' });
    expect([code, rows]).toMatchObject([0, [{ order_id, result: 'cancelled', reason: null, rests: false }]]);
    expect(resting()).toStrictEqual([other.order_id]);
  });

  it('cancels only the orders of a client, and none without a record', async () => {
    await place({}, ALICE);
    await place({ price: '0.2' }, ALICE.toLowerCase());
    const others = [await place({}, SOLANA), await place({})].map(({ order_id }) => order_id);
    const { orderID } = await trade(yes, 0.12, 10, Side.BUY, OWN);
    const { code, rows } = await deskRows(['cancel', '--client', ALICE, '--yes'], env);
    const cancelled = [ALICE, ALICE.toLowerCase()].map((client_address) => ({ client_address, result: 'cancelled' }));
    expect([code, rows]).toMatchObject([0, cancelled]);
    expect(resting()).toStrictEqual([...others, orderID]);
    expect(await deskRows(['cancel', '--client', 'nobody', '--yes'], env)).toMatchObject({ code: 0, rows: [] });
    const unread = await desk(['cancel', '--client', SOLANA, '--yes'], { ...env, SERVICE_STORE: join(folder, 'x.db') });
    expect([unread.code, unread.out]).toStrictEqual([1, '']);
    expect(unread.err).toMatch(/Cannot tell whose orders are open\.\n$/);
    expect(resting()).toHaveLength(3);
  });

  it('cancels the orders for a token', async () => {
    await place({}, ALICE);
    const other = await place({ token_id: no }, ALICE);
    expect((await deskRows(['cancel', '--token', yes, '--yes'], env)).code).toBe(0);
    expect(resting()).toStrictEqual([other.order_id]);
  });

  it('cancels all orders of the account, also those of elsewhere, without a store and without a list of them', async () => {
    await place({}, ALICE);
    await trade(yes, 0.12, 10, Side.BUY, OWN);
    await trade(yes, 0.12, 10, Side.BUY);
    const cancelAll = (changes: Environment = {}) => deskRows(['cancel', '--all', '--yes'], { ...env, ...changes });
    const known = await cancelAll();
    const cells = { result: 'cancelled', rests: false };
    const rows = [true, false].map((recorded) => ({ ...cells, recorded }));
    expect(known).toMatchObject({ code: 0, rows });
    expect(known.err).toContain('These are all orders of the account, also those that were placed elsewhere.');
    expect(known.err).toMatch(/\n2 cancelled; none of them is still open\.\n$/);
    // That of the other account.
    expect(resting()).toHaveLength(1);
    await place({}, ALICE);
    service.venue.arm({ fault: 'error-500', path: '/data/orders', times: 1 });
    const blind = await cancelAll({ SERVICE_STORE: join(folder, 'x.db') });
    expect(blind).toMatchObject({ code: 0, rows: [cells] });
    expect(blind.err).toMatch(/^The open orders: the venue gave an answer that cannot be used \(status 500\)/);
    expect(resting()).toHaveLength(1);
  });

  it('finds the orders that still rest after a lost answer', async () => {
    await place({}, ALICE);
    service.venue.arm({ fault: 'reset-after', method: 'DELETE' });
    const lost = await deskRows(['cancel', '--all', '--yes'], env);
    expect(lost).toMatchObject({ code: 1, rows: [{ result: 'unknown', rests: false }] });
    await place({}, ALICE);
    service.venue.arm({ fault: 'rate-limit', method: 'DELETE' });
    const limited = await deskRows(['cancel', '--all', '--yes'], env);
    expect(limited).toMatchObject({ code: 1, rows: [{ result: 'unknown', rests: true }] });
    expect(limited.err).toMatch(/The cancellation: the venue limits the rate of requests.*0 cancelled; 1 still open/s);
    service.venue.arm({ fault: 'error-500', method: 'GET', path: '/data/order', times: 9 });
    const blind = await deskRows(['cancel', '--all', '--yes'], env);
    expect(blind).toMatchObject({ code: 1, rows: [{ result: 'cancelled', rests: null }] });
    expect(blind.err).toMatch(
      /Cannot tell which orders are still open\. The open orders: the venue gave an answer that/,
    );
  });
});

describe('the command line', () => {
  const ID = `0x${'ab'.repeat(32)}`;
  /** A venue on a closed port: a request would end with 1. */
  const CLOSED = paperSettings('http://127.0.0.1:9', tmpdir());

  it.each([
    [[], /^Name a command: open, show, cancel, fills, positions or follow\./],
    [['nope'], /^Name a command: open, show, cancel, fills, positions or follow\./],
    [['open', '--formt', 'csv'], /^Unknown option '--formt'/],
    [['open', '--format', 'xml'], /^--format must be one of: table, csv, json\./],
    [['open', '--region', 'eu-west-1'], /^--region needs --stack\./],
    [['open', '--stack', 'a', '--settings', 'b'], /^--settings and --stack exclude each other\./],
    [['open', '--paper', '--settings', 'b'], /^--paper excludes --settings and --stack\./],
    [['open', '--stack', PAPER_KEY], /^Option '--stack' takes a name, not a key\./],
    [['show'], /^Name one order\./],
    [['show', `0x${'5e'.repeat(31)}`], /^An order id is 0x and 64 hex digits\./],
    [['cancel', '--yes'], /^Name orders, or one of --client, --token and --all\./],
    [['cancel', ID, '--all', '--yes'], /^Name orders, or one of/],
    [['cancel', '--client', 'a', '--token', '1', '--yes'], /^Name orders, or one of/],
    [['cancel', '--client', 'a', '--client', 'b', '--yes'], /^Option '--client' is given twice\./],
    [['cancel', '--token', '0x1', '--yes'], /^--token must be the decimal id/],
    [['cancel', ID], /^Without a terminal to ask at, --yes is needed\./],
    [['fills', '--since', '2026-02-30'], /^--since must be a time such as/],
    [['fills', '--since', '2026-11-02', '--until', '2026-11-01'], /^--since must be before --until\./],
  ])('exits with 2 for %j', async (args, words) => {
    const { code, out, err } = await desk(args, CLOSED);
    expect([code, out]).toStrictEqual([2, '']);
    expect(err).toMatch(words);
  });

  const PROGRAM = ['operator/start.js', 'orders', 'cancel', '--all', '--settings', devNull];
  const run = (file: string, ...args: readonly string[]) =>
    runProgram(file, args, { PATH: process.env['PATH'], ...env });

  it('needs --yes without a terminal, and prints JSON as a program', async () => {
    const { order_id } = await place({}, ALICE);
    expect(await run(process.execPath, ...PROGRAM)).toMatchObject({ code: 2, out: '' });
    const { code, out } = await run(process.execPath, ...PROGRAM, '--yes', '--format', 'json');
    expect([code, JSON.parse(out)]).toMatchObject([0, [{ order_id, result: 'cancelled' }]]);
  });

  /** Runs a command on a terminal of its own, and presses a key at its question. */
  const ON_TERMINAL = `
import os, pty, sys
key, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
seen = b''
try:
    while b'[y/N] ' not in seen:
        seen += os.read(terminal, 4096)
    os.write(terminal, bytes.fromhex(key))
    while True:
        seen += os.read(terminal, 4096)
except OSError:
    sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

  (HAS_PYTHON ? it : it.skip)('cancels nothing after Ctrl-C at the question', async () => {
    const { order_id } = await place({}, ALICE);
    const ended = await run('python3', '-c', ON_TERMINAL, '03', process.execPath, ...PROGRAM);
    expect([ended.code, resting()]).toStrictEqual([1, [order_id]]);
    expect(ended.out).toMatch(/Nothing is cancelled\.\s*$/);
    expect(ended.out).not.toContain('Error');
  });
});

describe('the settings', () => {
  it.each([
    [
      { SERVICE_PRIVATE_KEY: '' },
      /^SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY must be set, or SERVICE_WALLET_ADDRESS with SERVICE_CLOB_API_KEY/,
    ],
    [
      { SERVICE_WALLET_ADDRESS: ALICE },
      /^The wallet key is that of 0x\w+: SERVICE_WALLET_ADDRESS names another wallet/,
    ],
    [{ SERVICE_CLOB_API_KEY: 'x' }, /^SERVICE_CLOB_API_SECRET and SERVICE_CLOB_API_PASSPHRASE must be set too/],
    [{ SERVICE_CLOB_ULR: 'x' }, /^SERVICE_CLOB_ULR is not a setting/],
  ])('are refused by a sentence that names the setting: %j', async (changes, words) => {
    const { code, out, err } = await desk(['open'], { ...env, ...changes });
    expect([code, out]).toStrictEqual([1, '']);
    expect(err).toMatch(words);
  });

  it('may have a key that has never placed an order, which has no API credentials', async () => {
    const { code, err } = await desk(['open'], { ...env, SERVICE_PRIVATE_KEY: 'ab'.repeat(32) });
    expect([code, err]).toStrictEqual([
      1,
      expect.stringMatching(/^0x\w+ has no API credentials at the venue: it has never/),
    ]);
  });
});
