import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Side } from '@polymarket/clob-client-v2';
import type { Environment } from '../../../shared/settings/table.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { PAPER_KEY, paperSettings } from '../../../tools/support/paper-settings.ts';
import { desk, deskRows, runProgram } from '../../support/operator/desk.ts';
import { ALICE, OWN, SOLANA, sharedDeskWorld } from '../../support/operator/desk-world.ts';
import { HAS_PYTHON } from '../../support/python.ts';

const { at, folder, place, resting, trade } = sharedDeskWorld();
let env: Environment = {};
let [yes, no] = ['', ''];

beforeAll(() => {
  ({ env, yes, no } = at());
});

describe('open', () => {
  it('needs neither the service nor, with API credentials, the wallet key', async () => {
    await place({}, ALICE);
    const { creds } = await officialClient({ url: at().venueUrl }, { wallet: OWN });
    await fetch(`${at().venueUrl}/paper/requests`, { method: 'DELETE' });
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
    expect(
      at()
        .venue.requests()
        .map(({ path }) => path),
    ).not.toContain('/auth/derive-api-key');
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
  it('are listed from --since until before --until', async () => {
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
  it('have a null question if the market cannot be looked up', async () => {
    await place({ price: '0.53' }, ALICE);
    at().venue.arm({ fault: 'error-500', path: '/markets/keyset', times: 9 });
    const rows = [{ bought: '10', question: null, resolved: null }];
    expect(await deskRows(['positions'], env)).toMatchObject({ code: 0, rows });
  });
});

describe('show', () => {
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
    expect(unread.err).toMatch(/The clients of the open orders are unknown\.\n$/);
    expect(resting()).toHaveLength(3);
  });

  it('cancels the orders for a token', async () => {
    await place({}, ALICE);
    const other = await place({ token_id: no }, ALICE);
    expect((await deskRows(['cancel', '--token', yes, '--yes'], env)).code).toBe(0);
    expect(resting()).toStrictEqual([other.order_id]);
  });

  it('cancels all orders of the account, also those placed elsewhere, without a store and without listing them', async () => {
    await place({}, ALICE);
    await trade(yes, 0.12, 10, Side.BUY, OWN);
    await trade(yes, 0.12, 10, Side.BUY);
    const cancelAll = (changes: Environment = {}) => deskRows(['cancel', '--all', '--yes'], { ...env, ...changes });
    const known = await cancelAll();
    const cells = { result: 'cancelled', rests: false };
    const rows = [true, false].map((recorded) => ({ ...cells, recorded }));
    expect(known).toMatchObject({ code: 0, rows });
    expect(known.err).toContain('These are all orders of the account, including those placed elsewhere.');
    expect(known.err).toMatch(/\n2 cancelled; none of them is still open\.\n$/);
    // That of the other account.
    expect(resting()).toHaveLength(1);
    await place({}, ALICE);
    at().venue.arm({ fault: 'error-500', path: '/data/orders', times: 1 });
    const blind = await cancelAll({ SERVICE_STORE: join(folder, 'x.db') });
    expect(blind).toMatchObject({ code: 0, rows: [cells] });
    expect(blind.err).toMatch(/^The open orders: the venue sent an unusable answer \(status 500\)/);
    expect(resting()).toHaveLength(1);
  });

  it('finds the orders that still rest after a lost answer', async () => {
    await place({}, ALICE);
    at().venue.arm({ fault: 'reset-after', method: 'DELETE' });
    const lost = await deskRows(['cancel', '--all', '--yes'], env);
    expect(lost).toMatchObject({ code: 1, rows: [{ result: 'unknown', rests: false }] });
    await place({}, ALICE);
    at().venue.arm({ fault: 'rate-limit', method: 'DELETE' });
    const limited = await deskRows(['cancel', '--all', '--yes'], env);
    expect(limited).toMatchObject({ code: 1, rows: [{ result: 'unknown', rests: true }] });
    expect(limited.err).toMatch(/The cancellation: the venue limits the rate of requests.*0 cancelled; 1 still open/s);
    at().venue.arm({ fault: 'error-500', method: 'GET', path: '/data/order', times: 9 });
    const blind = await deskRows(['cancel', '--all', '--yes'], env);
    expect(blind).toMatchObject({ code: 1, rows: [{ result: 'cancelled', rests: null }] });
    expect(blind.err).toMatch(
      /Which orders are still open is unknown\. The open orders: the venue sent an unusable answer/,
    );
  });
});

describe('the command line', () => {
  const ID = `0x${'ab'.repeat(32)}`;
  /** A venue on a closed port: a request would end with 1. */
  const CLOSED = paperSettings('http://127.0.0.1:9', tmpdir());

  it.each([
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

  it('needs --yes without a terminal, and prints only JSON for --format json', async () => {
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

  it('exit with 1 and a sentence if the key has no API credentials yet', async () => {
    const { code, err } = await desk(['open'], { ...env, SERVICE_PRIVATE_KEY: 'ab'.repeat(32) });
    expect([code, err]).toStrictEqual([
      1,
      expect.stringMatching(/^0x\w+ has no API credentials at the venue: it has never/),
    ]);
  });
});
