import { execFile } from 'node:child_process';
import dns from 'node:dns';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { runDoctor } from '../../../operator/doctor/command.ts';
import { createRun, type DoctorLimits } from '../../../operator/doctor/run.ts';
import type { FaultOrder } from '../../../packages/paper-venue/faults/faults.ts';
import { DOCTOR_MS } from '../../../shared/limits.ts';
import { deriveAccounts } from '../../../shared/venue/polymarket/accounts.ts';
import { startDynamoDb } from '../../../tools/support/dynamodb.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { fakeOnly } from '../../support/jest.ts';
import { type RunningPaper, sharedPaper } from '../../support/venue/paper-venue.ts';
import { createCertificate, type Reply, startVenue } from '../../support/venue/scripted-venue.ts';

const ROOT = join(import.meta.dirname, '../../..');
const KEY = `0x${'5e'.repeat(32)}`;
const WALLET = new Wallet(KEY);
/** Variables of Node, with its compile cache: the next process takes half the time. */
const OF_NODE = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
/** Limits that a host which answers does not reach, also on a slow machine. */
const PATIENT: DoctorLimits = { run: 80_000, check: 60_000 };
/** A closed port. */
const NOWHERE = 'http://127.0.0.1:9';
/** A run ends within 10 s. */
const PROMISE_MS = 10_000;

function accountOf(kind: string): string {
  return deriveAccounts(WALLET.address).find(({ signatureType }) => signatureType === kind)?.address ?? '';
}

const FUNDER = accountOf('deposit-wallet');
const SAFE = accountOf('safe');
const FOREIGN = '0x00000000000000000000000000000000000f00D5';

const report = z.strictObject({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      id: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'skip']),
      message: z.string(),
      fix: z.string().nullable(),
    }),
  ),
});

/** The ids of the checks, in their order. */
const IDS = [
  'config',
  'key',
  'account_kind',
  'signatures',
  'runtime',
  'clock',
  'region',
  'credentials',
  'funds',
  'approvals',
  'reads',
  'outcomes',
  'builder_code',
];

let paper: RunningPaper;
let folder: string;
let creds: { key: string; secret: string; passphrase: string };

/** One venue for all tests, reset before each. */
beforeAll(async () => {
  paper = await sharedPaper();
});

beforeEach(async () => {
  // On a busy machine a late answer would look like a difference of the clocks.
  fakeOnly(['Date', 'performance'], Math.floor(Date.now() / 1_000) * 1_000 + 500);
  folder = await mkdtemp(join(tmpdir(), 'doctor-test-'));
  await paper.send('POST', '/paper/reset');
  ({ creds } = await officialClient(paper, { wallet: WALLET }));
  await paper.send('DELETE', '/paper/requests');
});

afterEach(async () => {
  jest.useRealTimers();
  await rm(folder, { recursive: true });
});

/** The settings of an account that works. */
function healthy(): Record<string, string> {
  return {
    SERVICE_GAMMA_URL: paper.url,
    SERVICE_CLOB_URL: paper.url,
    SERVICE_PRIVATE_KEY: KEY,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_SIGNATURE_TYPE: 'deposit-wallet',
    SERVICE_FUNDER_ADDRESS: FUNDER,
    SERVICE_STORE: join(folder, 'orders.db'),
  };
}

function withCredentials(): Record<string, string> {
  return {
    SERVICE_CLOB_API_KEY: creds.key,
    SERVICE_CLOB_API_SECRET: creds.secret,
    SERVICE_CLOB_API_PASSPHRASE: creds.passphrase,
  };
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Expects output without secrets. */
function withoutSecrets(ended: Ended): Ended {
  for (const secret of [KEY.slice(2), creds.secret, creds.passphrase]) {
    expect(ended.stdout + ended.stderr).not.toContain(secret);
  }
  return ended;
}

/** Runs the command in this process. */
async function run(args: readonly string[], env: Record<string, string>, limits = PATIENT): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const out = (text: string) => {
    written.stdout += text;
  };
  const err = (text: string) => {
    written.stderr += text;
  };
  return withoutSecrets({ code: await runDoctor(env, { args, out, err }, limits), ...written });
}

/** Runs the program as `npm run doctor` does, with only these settings. */
async function runProcess(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const command = ['operator/start.js', 'doctor', ...args];
  const options = { cwd: ROOT, env: { ...OF_NODE, ...env } };
  const { promise, resolve } = Promise.withResolvers<Ended>();
  execFile(process.execPath, command, options, (error, stdout, stderr) => {
    resolve({ code: Number(error?.code ?? 0), stdout, stderr });
  });
  return withoutSecrets(await promise);
}

/** Runs the doctor on the paper venue. Returns its report, and the status of each check that is not `ok`. */
async function examine(
  env: Record<string, string>,
  args: readonly string[] = [],
  how: (args: readonly string[], env: Record<string, string>) => Promise<Ended> = run,
) {
  const { code, stdout, stderr } = await how(['--json', '--settings', devNull, ...args], env);
  expect(stderr).toBe('');
  const { ok, checks } = report.parse(JSON.parse(stdout));
  expect([code, ok]).toStrictEqual(checks.some(({ status }) => status === 'fail') ? [1, false] : [0, true]);
  const found = Object.fromEntries(checks.filter((c) => c.status !== 'ok').map(({ id, status }) => [id, status]));
  const said = (id: string) => {
    const check = checks.find((candidate) => candidate.id === id);
    return `${check?.message}${check?.fix ? ` ${check.fix}` : ''}`;
  };
  return { checks, found, said };
}

function requests(): readonly string[] {
  return paper.venue.requests().map(({ method, path }) => `${method} ${path}`);
}

/** The headers of the account, for a venue that passes requests on. */
function signedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => name.startsWith('poly_'));
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

describe('a healthy account', () => {
  it('passes every check', async () => {
    const { checks } = await examine({ ...healthy(), ...withCredentials() }, ['--refresh']);
    expect(checks.map(({ id }) => id)).toStrictEqual(IDS);
    expect(checks.filter(({ status, fix }) => status !== 'ok' || fix !== null)).toStrictEqual([]);
  });

  it('is reported in a line for each check, and a summary', async () => {
    const { stdout, code } = await run(['--settings', devNull], { ...healthy(), SERVICE_PLACE_ORDER: '' });
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.slice(0, IDS.length).map((line) => line.split(/ +/)[1])).toStrictEqual(IDS);
    expect(lines.at(-1)).toBe('12 ok, 1 to look at, 0 failed, 0 skipped.');
    expect(stdout).toMatch(/^warn {2}config {12}The service is read-only: .* npm start -- --help lists/m);
  });
});

describe('every request', () => {
  it('is a GET', async () => {
    await examine(healthy());
    const paths = requests();
    expect(paths.filter((request) => !request.startsWith('GET '))).toStrictEqual([]);
    const made = ['/auth/derive-api-key', '/auth/api-keys', '/balance-allowance'];
    expect(paths).toStrictEqual(expect.arrayContaining(made.map((path) => `GET ${path}`)));
    expect(paths).not.toContain('GET /balance-allowance/update');
    await examine(healthy(), ['--refresh']);
    expect(requests()).toContain('GET /balance-allowance/update');
  });

  it('creates no API credentials for a key that has none', async () => {
    const { found, said } = await examine({
      ...healthy(),
      SERVICE_PRIVATE_KEY: 'ab'.repeat(32),
      SERVICE_SIGNATURE_TYPE: '',
      SERVICE_FUNDER_ADDRESS: '',
    });
    expect(found).toStrictEqual({ account_kind: 'warn', credentials: 'warn', funds: 'skip', approvals: 'skip' });
    expect(said('credentials')).toMatch(/has no API credentials for 0x\S+ yet\. The first order makes them\.$/);
    expect(requests().filter((request) => !request.startsWith('GET '))).toStrictEqual([]);
  });
});

type Case = readonly [
  what: string,
  faults: readonly FaultOrder[],
  expected: Readonly<Record<string, string>>,
  said: Readonly<Record<string, RegExp>>,
];

const OFTEN = { times: 30 };
const OF_CREDENTIALS = { credentials: 'fail', funds: 'skip', approvals: 'skip' };

const FAULTS: readonly Case[] = [
  [
    'a clock that is seconds apart',
    [{ fault: 'clock-skew', seconds: -15, ...OFTEN, times: 99 }],
    { clock: 'warn' },
    // A busy machine reads the answer late: fewer seconds then.
    { clock: /^The clock of this machine is \d+ s ahead of the venue's\. Have it set by NTP/ },
  ],
  [
    'a clock that is two minutes apart',
    [{ fault: 'clock-skew', seconds: 120, times: 99 }],
    { clock: 'fail' },
    { clock: /is 1[23]\d s behind the venue's/ },
  ],
  [
    'a restricted country',
    [{ fault: 'geoblock-country', text: 'GB' }],
    { region: 'fail' },
    { region: /sees this machine in GB, from where it takes no new orders\. .* eu-west-1/ },
  ],
  [
    'a firewall before the website',
    [{ fault: 'firewall', path: '/api/geoblock', ...OFTEN }],
    { region: 'warn' },
    { region: /^The website is behind a firewall that refuses this machine/ },
  ],
  [
    'a signature that is refused',
    [{ fault: 'unauthorized', path: '/auth/derive-api-key', ...OFTEN }],
    OF_CREDENTIALS,
    {
      credentials: /^The venue refuses the signature of 0x\S+\. Check the clock/,
    },
  ],
  [
    'API credentials that it has just derived and refuses, as it does with new ones',
    [{ fault: 'unauthorized', path: '/auth/api-keys', ...OFTEN }],
    OF_CREDENTIALS,
    { credentials: /^The venue refuses the API credentials that it gave to 0x\S+\. .* try again in two minutes/ },
  ],
  [
    'no funds',
    [{ fault: 'no-funds', ...OFTEN }],
    { funds: 'warn' },
    {
      funds: /^Balance at the venue: no pUSD \(0x\S+\)\. Deposit pUSD, .* --refresh/,
    },
  ],
  [
    "another signer's account",
    [{ fault: 'refuse', path: '/balance-allowance', code: 404, text: 'not found' }],
    { funds: 'fail', approvals: 'skip' },
    { funds: /knows no deposit-wallet account for these API credentials\. SERVICE_CLOB_API_KEY/ },
  ],
  [
    'a missing approval',
    [{ fault: 'missing-approval', ...OFTEN }],
    { approvals: 'warn' },
    {
      approvals: /^These contracts are not approved to spend pUSD: 0xe1\w{38} \(markets of protocol v1\)\. Trade once/,
    },
  ],
  [
    'a firewall before the catalogue',
    [{ fault: 'firewall', path: '/markets/keyset', ...OFTEN }],
    { reads: 'fail', outcomes: 'skip' },
    { reads: /^The venue is behind a firewall that refuses this machine\. Run it from another network/ },
  ],
  [
    'books that cannot be read',
    [{ fault: 'truncated', path: '/book', ...OFTEN }],
    { reads: 'fail', outcomes: 'skip' },
    { reads: /gave an answer that cannot be used/ },
  ],
  [
    'an unknown builder code',
    [{ fault: 'refuse', path: '/fees/builder-fees', code: 404, text: 'not found', ...OFTEN }],
    { builder_code: 'warn' },
    { builder_code: /^The venue does not know SERVICE_BUILDER_CODE: it would be signed into each order/ },
  ],
];

const BUILDER = { SERVICE_BUILDER_CODE: `0x${'b1'.repeat(32)}` };

describe('the doctor', () => {
  it.each(FAULTS)('fails or warns by its own check: %s', async (_what, faults, expected, said) => {
    paper.venue.arm(faults);
    const { found, said: sentence } = await examine({ ...healthy(), ...BUILDER });
    expect(found).toStrictEqual(expected);
    for (const [id, pattern] of Object.entries(said)) expect(sentence(id)).toMatch(pattern);
  });

  it('fails if catalogue and order book name the outcomes differently', async () => {
    const { url } = await startVenue(async ({ path, query, headers }): Promise<Reply> => {
      const answer = await fetch(`${paper.url}${path}?${query}`, { headers: signedHeaders(headers) });
      const text = await answer.text();
      const swapped = text
        .replace('"o":"Yes"', '"o":"-"')
        .replace('"o":"No"', '"o":"Yes"')
        .replace('"o":"-"', '"o":"No"');
      return { status: answer.status, body: path.startsWith('/clob-markets/') ? swapped : text };
    });
    const { found, said } = await examine({ ...healthy(), SERVICE_CLOB_URL: url });
    expect(found).toStrictEqual({ outcomes: 'fail' });
    expect(said('outcomes')).toMatch(/^Catalogue and order book name the outcomes of market [\d, ]+ differently: /);
  });

  it('names a page that comes in place of the answer', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<html>Access blocked</html>' };
    const { url } = await startVenue(() => page);
    const { said } = await examine({ ...healthy(), SERVICE_CLOB_URL: url, SERVICE_GAMMA_URL: url });
    for (const [id, host] of [
      ['clock', 'The CLOB (SERVICE_CLOB_URL)'],
      ['credentials', 'The CLOB (SERVICE_CLOB_URL)'],
      ['reads', 'The venue'],
    ] as const) {
      expect(said(id)).toBe(
        `A page came in place of the answer of ${host} (status 200, not JSON). Some providers block the venue: try another network or name server.`,
      );
    }
  });

  it.each([
    ['has no address', 'has no address for The CLOB (SERVICE_CLOB_URL) (ENOTFOUND)', undefined],
    ['leads nowhere', 'leads The CLOB (SERVICE_CLOB_URL) to 0.0.0.0, which is no host', '0.0.0.0'],
  ])('names a host whose name %s', async (_what, words, address) => {
    const { lookup } = dns;
    const answer = (_host: string, _options: unknown, done: (error: Error | null, found?: unknown) => void) =>
      process.nextTick(() =>
        address === undefined
          ? done(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))
          : done(null, [{ address, family: 4 }]),
      );
    Object.assign(dns, { lookup: answer });
    try {
      const { said } = await examine({ ...healthy(), SERVICE_CLOB_URL: 'https://venue.invalid:9' });
      expect(said('clock')).toBe(
        `The name server of this network ${words}. Some providers block the venue: try another network or name server.`,
      );
    } finally {
      Object.assign(dns, { lookup });
    }
  });

  it.each([
    ['before its answer', (response: ServerResponse) => response.destroy()],
    ['in its answer', (response: ServerResponse) => response.write('{', () => response.destroy())],
  ])('names a host that closes the connection %s', async (_when, reply) => {
    const { url } = await startVenue(() => reply);
    const { said } = await examine({ ...healthy(), SERVICE_CLOB_URL: url });
    expect(said('clock')).toBe(
      'The CLOB (SERVICE_CLOB_URL) closed the connection before its answer was whole. Check the network of this machine, and https://status.polymarket.com.',
    );
  });

  it('names a host whose certificate is not trusted', async () => {
    const server = createServer(createCertificate());
    const { port } = new URL(await listenOnLoopback(server));
    const { found, said } = await examine({ ...healthy(), SERVICE_CLOB_URL: `https://localhost:${port}` });
    server.close();
    expect(found).toMatchObject({ clock: 'fail', credentials: 'fail' });
    expect(said('clock')).toMatch(
      /^The CLOB \(SERVICE_CLOB_URL\) has a certificate that this machine does not trust \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .* NODE_EXTRA_CA_CERTS /,
    );
  });

  it.each([400, 401, 503])('prints no secret that the venue quotes in its answers: %d', async (code) => {
    const text = [KEY, creds.secret, creds.passphrase].join(' ');
    paper.venue.arm({ fault: 'refuse', code, text, times: 99 });
    const file = join(folder, 'credentials.json');
    const args = ['--refresh', '--print-credentials', file];
    const { found } = await examine({ ...healthy(), ...withCredentials() }, args);
    expect(found).toMatchObject({ clock: 'fail', credentials: 'fail', credentials_file: 'fail', reads: 'fail' });
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it("names credentials that are another key's", async () => {
    const foreign = await officialClient(paper, { wallet: new Wallet(`0x${'5f'.repeat(32)}`) });
    creds = foreign.creds;
    const { found, said } = await examine({ ...healthy(), ...withCredentials() });
    expect(found).toStrictEqual(OF_CREDENTIALS);
    const theirs = `belong to another address than ${WALLET.address}, or were created less than two minutes ago\\. They belong to the key's own`;
    expect(said('credentials')).toMatch(new RegExp(theirs));
  });

  it('names a host that cannot be reached', async () => {
    const { found, said } = await examine({ ...healthy(), SERVICE_CLOB_URL: NOWHERE, SERVICE_GAMMA_URL: NOWHERE });
    expect(found).toMatchObject({ clock: 'fail', credentials: 'fail', reads: 'fail' });
    expect(said('clock')).toMatch(/^The CLOB \(SERVICE_CLOB_URL\) cannot be reached, or .* Check the network/);
  });

  it('names a venue that hangs, and ends the run', async () => {
    paper.venue.arm({ fault: 'hang', times: 99 });
    const { found, said } = await examine(healthy(), [], (args, env) => run(args, env, { ...PATIENT, check: 500 }));
    expect(found).toMatchObject({ clock: 'fail', region: 'warn', credentials: 'fail' });
    expect(found).toMatchObject({ funds: 'skip', reads: 'fail' });
    for (const id of ['clock', 'credentials', 'reads']) expect(said(id)).toMatch(/^The .* did not answer\. Check the/);
  });
});

describe('a run', () => {
  it('ends within 10 s, even if a check waits for ever', async () => {
    jest.useFakeTimers();
    const { check, newCall } = createRun();
    const hung = check('hung', { asks: 'A disk' }, () => new Promise<never>(() => undefined));
    jest.advanceTimersByTime(PROMISE_MS - 1_000);
    expect((await hung.result).finding).toMatchObject({
      status: 'fail',
      message: 'A disk did not answer within the time of the run.',
    });
    expect(newCall().deadline).toBeLessThanOrEqual(performance.now());
  });

  it('gives a call the time of a check, at most the rest of the run', () => {
    jest.useFakeTimers();
    const { newCall } = createRun();
    expect(newCall().deadline).toBe(performance.now() + DOCTOR_MS.check);
    jest.advanceTimersByTime(DOCTOR_MS.run - 1_000);
    expect(newCall().deadline).toBe(performance.now() + 1_000);
  });
});

describe('the account', () => {
  const WRONG: readonly (readonly [string, Record<string, string>, string, RegExp])[] = [
    [
      'the Safe of the key under another kind',
      { SERVICE_FUNDER_ADDRESS: SAFE },
      'fail',
      /^SERVICE_SIGNATURE_TYPE must be safe, or left out: SERVICE_FUNDER_ADDRESS is the Safe of the key\./,
    ],
    [
      'none of the accounts of the key',
      { SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_FUNDER_ADDRESS: FOREIGN },
      'fail',
      new RegExp(`is none of the accounts of the key, which are eoa .*${FUNDER}.*safe ${SAFE}, proxy`),
    ],
    [
      'a deposit wallet that does not follow from the key',
      { SERVICE_FUNDER_ADDRESS: FOREIGN },
      'warn',
      /is none of the accounts of the key.* one share of several.* session key cannot place orders here.* delegated code \(EIP-7702\)/,
    ],
    [
      'the address of the key',
      { SERVICE_SIGNATURE_TYPE: 'eoa', SERVICE_FUNDER_ADDRESS: '' },
      'warn',
      /trades by itself: the venue allows that to few/,
    ],
    [
      'a kind without an address',
      { SERVICE_FUNDER_ADDRESS: '' },
      'fail',
      /^SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa/,
    ],
  ];

  it.each(WRONG)('is %s', async (_what, changes, status, sentence) => {
    const { found, said } = await examine({ ...healthy(), ...changes });
    expect(said('account_kind')).toMatch(sentence);
    const after = status === 'fail' ? { funds: 'skip', approvals: 'skip' } : {};
    expect(found).toStrictEqual({ account_kind: status, ...after });
  });

  it('is skipped without a key: the service only reads', async () => {
    const { found, said } = await examine({ ...healthy(), SERVICE_PRIVATE_KEY: '', SERVICE_PLACE_ORDER: '' });
    const skipped = ['key', 'account_kind', 'credentials', 'funds', 'approvals'];
    expect(found).toStrictEqual(Object.fromEntries(skipped.map((id) => [id, 'skip'])));
    for (const id of skipped) expect(said(id)).toMatch(/^There is no wallet key: neither SERVICE_PRIVATE_KEY/);
    expect(requests().filter((request) => /auth|balance/.test(request))).toStrictEqual([]);
  });

  it('is checked before the opt-in, with the API credentials that are set', async () => {
    const { found, said } = await examine({ ...healthy(), ...withCredentials(), SERVICE_PLACE_ORDER: '' });
    expect(found).toStrictEqual({ config: 'warn' });
    expect(said('config')).toMatch(/The service is read-only: SERVICE_PLACE_ORDER=1/);
    expect(said('credentials')).toBe('The API credentials that are set work.');
  });
});

describe('this machine', () => {
  it('fails with all malformed settings at once, and skips the rest', async () => {
    const malformed = { ...healthy(), SERVICE_PRIVATE_KEY: 'hunter2', SERVICE_MAX_NOTIONAL: '5' };
    const { checks, said } = await examine(malformed, [], runProcess);
    expect(checks.map(({ status }) => status)).toStrictEqual(['fail', ...IDS.slice(1).map(() => 'skip')]);
    expect(said('config')).toMatch(/SERVICE_MAX_NOTIONAL is not a setting.*SERVICE_PRIVATE_KEY must be a private key/);
    expect(said('config')).not.toContain('hunter2');
    expect(requests()).toStrictEqual([]);
  });

  it('fails for a store that is no database', async () => {
    const file = join(folder, 'orders.db');
    await writeFile(file, 'a letter, not a database, but long enough to be one'.repeat(100), { mode: 0o600 });
    const { found, said } = await examine(healthy());
    expect(found).toStrictEqual({ runtime: 'fail' });
    expect(said('runtime')).toMatch(/^The store of orders \(\S+\) cannot be used: file is not a database\./);
  });

  it('fails for a store that is a folder', async () => {
    const { found, said } = await examine({ ...healthy(), SERVICE_STORE: folder });
    expect(found).toStrictEqual({ runtime: 'fail' });
    expect(said('runtime')).toMatch(/ cannot be used: there is no such file\. Set SERVICE_STORE to a file /);
  });

  it('fails for a store that others may read', async () => {
    const file = join(folder, 'orders.db');
    await writeFile(file, '', { mode: 0o644 });
    await chmod(file, 0o644);
    const { found, said } = await examine(healthy());
    expect(found).toStrictEqual({ runtime: 'fail' });
    expect(said('runtime')).toBe(`Others may read ${file}, which holds signed orders. chmod 600 ${file}`);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  it('leaves an empty store empty', async () => {
    const file = join(folder, 'orders.db');
    await writeFile(file, '', { mode: 0o600 });
    expect((await examine(healthy())).found).toStrictEqual({});
    expect((await stat(file)).size).toBe(0);
  });

  it('fails for a table that cannot be read', async () => {
    const db = await startDynamoDb();
    const aws = {
      AWS_ENDPOINT_URL_DYNAMODB: String(db.client.endpoint),
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
    const withTable = (table: string) => examine({ ...healthy(), SERVICE_STORE: `dynamodb:${table}` });
    Object.assign(process.env, aws);
    const [there, missing] = [await withTable(db.tableName), await withTable('missing')];
    await db.close();
    // Loading the client of AWS takes seconds on a busy machine, which the check of the clock sees.
    expect([there.found['runtime'], there.said('runtime')]).toStrictEqual([
      undefined,
      expect.stringContaining('orders are kept in dynamodb:orders.'),
    ]);
    expect([missing.found['runtime'], missing.said('runtime')]).toStrictEqual([
      'fail',
      expect.stringMatching(/^The store of orders \(dynamodb:missing\) cannot be used: .+\. Set AWS_REGION and/),
    ]);
  });

  it('fails for a store below a file, and creates no store', async () => {
    const taken = join(folder, 'taken');
    await writeFile(taken, '');
    const { found } = await examine({ ...healthy(), SERVICE_STORE: join(taken, 'below', 'orders.db') });
    expect(found).toStrictEqual({ runtime: 'fail' });
    await examine(healthy());
    await expect(stat(join(folder, 'orders.db'))).rejects.toThrow('ENOENT');
  });

  it('warns of a settings file with the key that others may read', async () => {
    const file = join(folder, 'settings');
    const lines = Object.entries(healthy()).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(file, lines.join(''));
    await chmod(file, 0o640);
    const { stdout } = await run(['--settings', file], {});
    expect(stdout).toMatch(
      /^warn {2}runtime {11}Others may read \S+settings, which holds the wallet key\. chmod 600 /m,
    );
    expect(stdout).toMatch(/^12 ok, 1 to look at/m);
  });
});

describe('--print-credentials', () => {
  it('writes a new file with mode 0600, in the members of the secret', async () => {
    const file = join(folder, 'credentials.json');
    const { found, checks } = await examine(healthy(), ['--print-credentials', file]);
    expect(found).toStrictEqual({});
    expect(checks.map(({ id }) => id)).toStrictEqual(IDS.toSpliced(8, 0, 'credentials_file'));
    expect(JSON.parse(await readFile(file, 'utf8'))).toStrictEqual({
      apiKey: creds.key,
      apiSecret: creds.secret,
      apiPassphrase: creds.passphrase,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('refuses an existing file', async () => {
    const file = join(folder, 'credentials.json');
    await writeFile(file, 'mine');
    const { found, said } = await examine(healthy(), ['--print-credentials', file]);
    expect(found).toStrictEqual({ credentials_file: 'fail' });
    expect(said('credentials_file')).toMatch(/is not written \(EEXIST\)\./);
    expect(await readFile(file, 'utf8')).toBe('mine');
  });
});

describe('the command line', () => {
  it.each([
    [[KEY], /^An argument belongs to no option\.\n/],
    [['--settings', KEY.slice(2)], /^--stack and --settings take names, not a key\.\n/],
    [['--print-credentials', KEY], /^--print-credentials takes a name, not a key\.\n/],
  ])('exits with 2 and repeats no key', async (args, sentence) => {
    const { code, stdout, stderr } = await run(args, {});
    expect([code, stdout]).toStrictEqual([2, '']);
    expect(stderr).toMatch(sentence);
    expect(stderr).toContain('\n  --print-credentials FILE ');
  });
});
