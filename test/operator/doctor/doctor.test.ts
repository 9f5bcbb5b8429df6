import dns from 'node:dns';
import { chmod, link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { judge } from '../../../operator/doctor/check.ts';
import { runDoctor } from '../../../operator/doctor/doctor.ts';
import type { FaultOrder } from '../../../packages/paper-venue/faults/faults.ts';
import { deriveAccounts } from '../../../shared/venue/polymarket/accounts.ts';
import { listenOnLoopback } from '../../../tools/support/loopback.ts';
import { officialClient } from '../../../tools/support/paper-client.ts';
import { fakeOnly } from '../../support/jest.ts';
import { collect, type Ended, runProgram } from '../../support/operator/desk.ts';
import { WITH_THIS_NODE } from '../../support/service/program.ts';
import { type RunningPaper, sharedPaper } from '../../support/venue/paper-venue.ts';
import { CERTIFICATE, type Reply, startVenue } from '../../support/venue/scripted-venue.ts';

const KEY = `0x${'5e'.repeat(32)}`;
const WALLET = new Wallet(KEY);
/** A limit that a host which answers does not reach, also on a slow machine. */
const PATIENT_MS = 60_000;
const FOREIGN = '0x00000000000000000000000000000000000f00D5';

function accountOf(kind: string): string {
  return deriveAccounts(WALLET.address).find(({ signatureType }) => signatureType === kind)?.address ?? '';
}

const [FUNDER, SAFE] = [accountOf('deposit-wallet'), accountOf('safe')] as const;

const status = z.enum(['ok', 'warn', 'fail', 'skip']);
const check = z.strictObject({ id: z.string(), status, message: z.string(), fix: z.string().nullable() });
const report = z.strictObject({ ok: z.boolean(), checks: z.array(check) });

const IDS = ['start', 'credentials', 'funds', 'restrictions', 'region', 'books'];

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

const { lookup } = dns;
const closing: { close(): unknown }[] = [];

afterEach(async () => {
  Object.assign(dns, { lookup });
  for (const server of closing.splice(0)) server.close();
  jest.useRealTimers();
  await rm(folder, { recursive: true });
});

type Settings = Readonly<Record<string, string>>;

/** The settings of an account that works. */
function healthy(): Settings {
  return {
    SERVICE_GAMMA_URL: paper.url,
    SERVICE_CLOB_URL: paper.url,
    SERVICE_PRIVATE_KEY: KEY,
    SERVICE_PLACE_ORDER: '1',
    SERVICE_SIGNATURE_TYPE: 'deposit-wallet',
    SERVICE_FUNDER_ADDRESS: FUNDER,
    SERVICE_STORE: join(folder, 'orders.db'),
    SERVICE_MAX_ORDER_NOTIONAL: '5',
  };
}

function withCredentials(): Settings {
  return {
    SERVICE_CLOB_API_KEY: creds.key,
    SERVICE_CLOB_API_SECRET: creds.secret,
    SERVICE_CLOB_API_PASSPHRASE: creds.passphrase,
  };
}

/** Runs the command in this process. */
function run(args: readonly string[], env: Settings, limitMs = PATIENT_MS): Promise<Ended> {
  return collect((terminal) => runDoctor(env, { ...terminal, args }, limitMs));
}

/** Runs the program as `npm run doctor` does, with only these settings. */
function runProcess(args: readonly string[], env: Settings): Promise<Ended> {
  return runProgram(process.execPath, ['operator/start.js', 'doctor', ...args], { ...WITH_THIS_NODE, ...env });
}

/** Runs the doctor. Returns its report, the checks that are not `ok`, and what it says. */
async function examine(
  env: Settings,
  args: readonly string[] = [],
  how: (...of: Parameters<typeof run>) => Promise<Ended> = run,
) {
  const ended = await how(['--json', '--settings', devNull, ...args], env);
  for (const secret of [KEY.slice(2), creds.secret, creds.passphrase]) expect(ended.out).not.toContain(secret);
  expect(ended.err).toBe('');
  const { ok, checks } = report.parse(JSON.parse(ended.out));
  expect([ended.code, ok]).toStrictEqual(checks.some(({ status }) => status === 'fail') ? [1, false] : [0, true]);
  const found = checks.flatMap(({ id, status }) => (status === 'ok' ? [] : `${status} ${id}`)).join(', ');
  const said = checks
    .map(({ id, status, message, fix }) => `${status} ${id} ${message}${fix ? ` ${fix}` : ''}\n`)
    .join('');
  return { checks, found, said };
}

/** The files of a folder, with their modes and sizes. */
async function filesIn(path: string): Promise<readonly unknown[]> {
  const names = (await readdir(path)).toSorted();
  return Promise.all(names.map(async (name) => (({ mode, size }) => [name, mode, size])(await stat(join(path, name)))));
}

function requests(): readonly string[] {
  return paper.venue.requests().map(({ method, path }) => `${method} ${path}`);
}

type Arrange = () => Settings | Promise<Settings>;

/** Has the venue restrict the account. */
function restricted(restriction: string): Arrange {
  return async () => {
    await paper.send('POST', '/paper/accounts', { address: WALLET.address, restriction });
    return {};
  };
}

/** Has the venue misbehave; the settings stay healthy. */
function fault(name: FaultOrder['fault'], more: Omit<FaultOrder, 'fault'> = {}): Arrange {
  return () => {
    paper.venue.arm({ fault: name, times: 99, ...more });
    return {};
  };
}

/** Settings with a venue that gives every request this reply. */
function atVenue(reply: Reply): Arrange {
  return async () => {
    const { url } = await startVenue(() => reply);
    return { SERVICE_CLOB_URL: url, SERVICE_GAMMA_URL: url };
  };
}

/** Settings with a host of a name, for which the name server has this error. */
function atName(error: Error): Arrange {
  return () => {
    const answer = (_host: string, _options: unknown, done: (error: Error) => void) =>
      process.nextTick(() => done(error));
    Object.assign(dns, { lookup: answer });
    return { SERVICE_CLOB_URL: 'https://venue.invalid:9' };
  };
}

async function atUntrusted(): Promise<Settings> {
  const server = createServer(CERTIFICATE);
  closing.push(server);
  const { port } = new URL(await listenOnLoopback(server));
  return { SERVICE_CLOB_URL: `https://localhost:${port}` };
}

/** A venue whose order book names the outcomes the other way round. */
async function atSwapped(): Promise<Settings> {
  const { url } = await startVenue(async ({ path, query, headers }): Promise<Reply> => {
    const signed = Object.entries(headers).filter(([name]) => name.startsWith('poly_'));
    const init = { headers: Object.fromEntries(signed.map(([name, value]) => [name, String(value)])) };
    const answer = await fetch(`${paper.url}${path}?${query}`, init);
    const text = await answer.text();
    const swapped = text.replace('"o":"Yes"', '"o":"-"').replace('"o":"No"', '"o":"Yes"').replace('"-"', '"No"');
    return { status: answer.status, body: path.startsWith('/clob-markets/') ? swapped : text };
  });
  return { SERVICE_CLOB_URL: url };
}

async function withForeignCredentials(): Promise<Settings> {
  ({ creds } = await officialClient(paper, { wallet: new Wallet(`0x${'5f'.repeat(32)}`) }));
  return withCredentials();
}

/** Writes the store of the settings with this text and mode. */
function withStore(text: string, mode = 0o600): Arrange {
  return async () => {
    await writeFile(join(folder, 'orders.db'), text);
    await chmod(join(folder, 'orders.db'), mode);
    return {};
  };
}

/** The settings of an account. */
function account(kind: string, funder = ''): Arrange {
  return () => ({ SERVICE_SIGNATURE_TYPE: kind, SERVICE_FUNDER_ADDRESS: funder });
}

const NO_CREDENTIALS = 'fail credentials, skip funds, skip restrictions';
const NO_START = 'fail start';
/** One outage is one failure; the region is asked of another host. */
const NO_VENUE = `${NO_CREDENTIALS}, skip region, skip books`;
const NO_ADDRESS = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
const PAGE = { headers: { 'content-type': 'text/html' }, body: '<html>Access blocked</html>' };
/** What is arranged, the checks that are not `ok`, and what the report says. */
const CASES: Readonly<Record<string, readonly [Arrange, found: string, said: RegExp]>> = {
  'a clock minutes apart': [
    fault('clock-skew', { seconds: 120 }),
    NO_CREDENTIALS,
    /credentials This machine's clock is 1[12]\d s behind the one of the CLOB .*: no order is signed\. Turn on NTP/,
  ],
  'a restricted country': [fault('geoblock-country', { text: 'GB' }), 'fail region', /in GB, from where .* eu-west-1/],
  'a firewall before the website': [
    fault('firewall', { path: '/api/geoblock' }),
    'warn region',
    /region The website is behind a firewall that refuses this machine/,
  ],
  'a firewall before the website and before the venue: a warning hides no failure': [
    async () => {
      await fault('firewall', { path: '/api/geoblock' })();
      return fault('firewall', { path: '/book' })();
    },
    'warn region, fail books',
    /books The venue is behind a firewall that refuses this machine/,
  ],
  'a signature that is refused': [
    fault('unauthorized', { path: '/auth/derive-api-key' }),
    NO_CREDENTIALS,
    /The venue refuses 0x\S+ and its API credentials\. Try again in two minutes\.\nskip funds The venue reports on an account only with/,
  ],
  "credentials that are another key's": [
    withForeignCredentials,
    NO_CREDENTIALS,
    /that are set: they belong to another address than 0x.{40}, or .* two minutes ago\. Use the credentials of the key's own .* Unset SERVICE_CLOB_API_KEY/,
  ],
  'a key without credentials': [
    () => ({ SERVICE_PRIVATE_KEY: 'ab'.repeat(32), SERVICE_SIGNATURE_TYPE: '', SERVICE_FUNDER_ADDRESS: '' }),
    'warn start, warn credentials, skip funds, skip restrictions',
    /has no API credentials for 0x\S+ yet\. The first order creates them, and so does --print-credentials FILE\.\n/,
  ],
  'no funds': [fault('no-funds'), 'fail funds', /0x\S+ holds no pUSD at the venue\. Deposit pUSD, .* --refresh/],
  'a missing approval': [
    fault('missing-approval'),
    'warn funds',
    /\. These contracts may not spend it: 0xe1\w{38}\. Trade once .* --refresh/,
  ],
  'an account that the venue does not know yet': [
    fault('refuse', { path: '/balance-allowance', code: 404, text: 'not found' }),
    'fail funds',
    /knows no deposit-wallet account for these API credentials\. Trade once .* which deploys the account/,
  ],
  "another signer's account": [
    async () => {
      await fault('refuse', { path: '/balance-allowance', code: 404, text: 'not found' })();
      return withCredentials();
    },
    'fail funds',
    /knows no deposit-wallet account for these API credentials\. .* Unset SERVICE_CLOB_API_KEY/,
  ],
  'credentials that work for some calls only': [
    fault('unauthorized', { path: '/balance-allowance' }),
    'fail funds',
    /funds The CLOB \S+ refuses the API credentials, or the clock is wrong\. Try again in two minutes; then see "Rotating/,
  ],
  'an account that may only sell': [
    restricted('closed-only'),
    'fail restrictions',
    /restrictions The venue takes only sales of this account \(closed only\)\. Ask the venue why/,
  ],
  'a banned account, which only an order shows': [
    restricted('banned'),
    '',
    /ok restrictions The account may buy and sell\. Only an order shows a ban\.\n/,
  ],
  'a venue without the question about restrictions': [
    fault('refuse', { path: '/auth/ban-status/closed-only', code: 404, text: 'not found' }),
    'warn restrictions',
    /restrictions The CLOB sent an unusable answer \(status 404/,
  ],
  'two outages, which are two failures': [
    async () => {
      await fault('refuse', { path: '/balance-allowance', code: 500, text: 'no' })();
      return fault('firewall', { path: '/book' })();
    },
    'fail funds, fail books',
    /funds The CLOB .*\(status 500.*\n.*books The venue is behind a firewall/s,
  ],
  'outcomes of other names': [atSwapped, 'fail books', /the outcomes of market \d+ differently\. Do not trade/],
  'a page in place of the answer': [
    atVenue(PAGE),
    NO_VENUE,
    /credentials The CLOB .* answered with a web page instead of JSON \(status 200\)\. Some providers block.*books It failed for the reason above\.\n/s,
  ],
  'a name without an address': [
    atName(NO_ADDRESS),
    NO_VENUE,
    /no address for the CLOB .*\(ENOTFOUND\)\. Some providers/,
  ],
  'a certificate that is not trusted': [
    atUntrusted,
    NO_VENUE,
    /credentials .* that this machine does not trust \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .* NODE_EXTRA_CA_CERTS /,
  ],
  'a closed port': [
    () => ({ SERVICE_CLOB_URL: 'http://127.0.0.1:9' }),
    NO_VENUE,
    /credentials The CLOB \(SERVICE_CLOB_URL\) is unreachable or .* Check the network/,
  ],
  'a deposit wallet that does not follow from the key': [
    account('deposit-wallet', FOREIGN),
    'warn start',
    new RegExp(`is not one of the key's accounts, which are eoa .*${FUNDER}.*safe ${SAFE}, proxy.*\\(EIP-7702\\)`),
  ],
  'the address of the key': [
    account('eoa'),
    'warn start',
    /Signature type eoa: the venue accepts it only from its allowlist\. .* to its address\. Set SERVICE_FUNDER/,
  ],
  'no key: the service only reads': [
    () => ({ SERVICE_PRIVATE_KEY: '', SERVICE_PLACE_ORDER: '' }),
    'skip credentials, skip funds, skip restrictions',
    /ok start .* Without a wallet key the service is read-only\.\nskip credentials Without a wallet key/,
  ],
  'an account before the opt-in': [
    () => ({ ...withCredentials(), SERVICE_PLACE_ORDER: '' }),
    'warn start',
    /read-only: SERVICE_PLACE_ORDER=1.*\nok credentials The API credentials that are set work\.\n/s,
  ],
  'orders without a cap': [
    () => ({ SERVICE_MAX_ORDER_NOTIONAL: '' }),
    'warn start',
    /start 0x.* Orders without a cap: set SERVICE_MAX_ORDER_NOTIONAL or SERVICE_MAX_DAILY_NOTIONAL\. npm start/,
  ],
  'a chain of the clients that does not answer': [
    () => ({
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_CLIENT_RPC_URL: 'http://127.0.0.1:9',
      SERVICE_CLIENT_CHAIN_ID: '137',
    }),
    'warn start',
    /Client chain unavailable\./,
  ],
  'a key that is not that of the wallet to trade with': [
    () => ({ SERVICE_WALLET_ADDRESS: FOREIGN }),
    NO_START,
    /The wallet key is that of 0x\S+: SERVICE_WALLET_ADDRESS names another wallet\. See .*Rotating keys/,
  ],
  'a store that is no database': [
    withStore('a letter, not a database, but long enough to be one'.repeat(100)),
    NO_START,
    /start SERVICE_STORE cannot be opened at \S+: file is not a database\. npm start/,
  ],
  'a store below a file': [
    async () => {
      await writeFile(join(folder, 'taken'), '');
      return { SERVICE_STORE: join(folder, 'taken', 'below', 'orders.db') };
    },
    NO_START,
    /start SERVICE_STORE cannot be opened at \S+/,
  ],
  'a store with a second name': [
    async () => {
      await writeFile(join(folder, 'orders.db'), '');
      await link(join(folder, 'orders.db'), join(folder, 'second.db'));
      return {};
    },
    NO_START,
    /start SERVICE_STORE cannot be opened at \S+: it has a second name \(a hard link\)/,
  ],
  'a log of orders without its store': [
    async () => {
      await writeFile(join(folder, 'orders.db-wal'), 'orders');
      return {};
    },
    NO_START,
    /start SERVICE_STORE cannot be opened at \S+: it is missing or empty beside its -wal/,
  ],
  'an empty store': [withStore(''), '', /ok start 0x.* Orders are kept in \S+orders\.db\.\n/],
};

it.each(Object.entries(CASES))('reports what it finds, and changes nothing: %s', async (_what, one) => {
  const [arrange, expected, sentence] = one;
  const settings = { ...healthy(), SERVICE_BUILDER_CODE: `0x${'b1'.repeat(32)}`, ...(await arrange()) };
  const before = await filesIn(folder);
  await paper.send('DELETE', '/paper/requests');
  const { found, said } = await examine(settings);
  expect(found).toBe(expected);
  expect(said).toMatch(sentence);
  expect(requests().filter((request) => !request.startsWith('GET '))).toStrictEqual([]);
  expect(await filesIn(folder)).toStrictEqual(before);
});

it('passes a healthy account, and reads the chain again only with --refresh', async () => {
  const { checks } = await examine({ ...healthy(), ...withCredentials() });
  expect(checks.map(({ id, status, fix }) => [id, status, fix])).toStrictEqual(IDS.map((id) => [id, 'ok', null]));
  const paths = ['/auth/api-keys', '/balance-allowance'];
  expect(requests()).toStrictEqual(expect.arrayContaining(paths.map((path) => `GET ${path}`)));
  expect(requests()).not.toContain('GET /balance-allowance/update');
  await examine(healthy(), ['--refresh']);
  expect(requests()).toContain('GET /balance-allowance/update');
});

it('prints a line for each check and a summary', async () => {
  const file = join(folder, 'settings');
  const settings = { ...healthy(), SERVICE_PLACE_ORDER: '' };
  await writeFile(
    file,
    Object.entries(settings).map(([name, value]) => `${name}=${value}\n`),
  );
  const { out, code } = await run(['--settings', file], {});
  const lines = out.trimEnd().split('\n');
  expect(lines.slice(0, IDS.length).map((line) => line.split(/ +/)[1])).toStrictEqual(IDS);
  expect([code, lines.at(-1)]).toStrictEqual([0, '5 ok, 1 to look at, 0 failed, 0 skipped.']);
  expect(out).toMatch(/^warn {2}start {13}0x.* The service is read-only: .* npm start -- --help lists/m);
});

it('reports all malformed settings at once with exit code 1, and sends no request', async () => {
  const malformed = { ...healthy(), SERVICE_PRIVATE_KEY: 'hunter2', SERVICE_MAX_NOTIONAL: '5' };
  const { found, said } = await examine(malformed, [], runProcess);
  expect(found).toBe(NO_START);
  expect(said).toMatch(/fail start SERVICE_MAX_NOTIONAL is not a setting.*SERVICE_PRIVATE_KEY must be a private key/);
  expect(said).not.toContain('hunter2');
  expect(requests()).toStrictEqual([]);
});

it.each([400, 401, 503])('prints no secret that the venue quotes in its answers: %d', async (code) => {
  const text = [KEY, creds.secret, creds.passphrase].join(' ');
  await fault('refuse', { code, text })();
  const file = join(folder, 'credentials.json');
  const args = ['--refresh', '--print-credentials', file];
  const { found } = await examine({ ...healthy(), ...withCredentials() }, args);
  expect(found).toMatch(/fail credentials, \w+ credentials_file, skip funds, /);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

it('ends in time if the venue hangs', async () => {
  await fault('hang')();
  const { found, said } = await examine(healthy(), [], (args, env) => run(args, env, 500));
  expect(found).toBe(NO_VENUE);
  expect(said).toMatch(/fail credentials .* did not answer in time\. Check/);
});

it('writes API credentials to a new file with mode 0600, in the members of the secret, and to no existing one', async () => {
  const file = join(folder, 'credentials.json');
  const { found, checks } = await examine(healthy(), ['--print-credentials', file]);
  expect([found, checks.map(({ id }) => id)]).toStrictEqual(['', IDS.toSpliced(2, 0, 'credentials_file')]);
  const members = { apiKey: creds.key, apiSecret: creds.secret, apiPassphrase: creds.passphrase };
  expect(JSON.parse(await readFile(file, 'utf8'))).toStrictEqual(members);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(requests()).not.toContain('POST /auth/api-key');
  await writeFile(file, 'mine');
  const again = await examine(healthy(), ['--print-credentials', file]);
  expect(again.found).toBe('fail credentials_file');
  expect(again.said).toMatch(/is not written \(EEXIST\)\./);
  expect(await readFile(file, 'utf8')).toBe('mine');
});

it('creates missing API credentials where --print-credentials asks for them', async () => {
  const file = join(folder, 'credentials.json');
  const key = { SERVICE_PRIVATE_KEY: `0x${'ab'.repeat(32)}`, SERVICE_SIGNATURE_TYPE: '', SERVICE_FUNDER_ADDRESS: '' };
  const { found, said } = await examine({ ...healthy(), ...key }, ['--print-credentials', file]);
  expect(found).toBe('warn start, warn credentials, skip funds, skip restrictions');
  expect(said).toMatch(/ok credentials_file The API credentials are in /);
  const { apiKey } = z.object({ apiKey: z.string() }).parse(JSON.parse(await readFile(file, 'utf8')));
  const { creds: made } = await officialClient(paper, { wallet: new Wallet(key.SERVICE_PRIVATE_KEY) });
  expect(made.key).toBe(apiKey);
});

it.each([
  [[KEY], /^Unexpected argument\.\n/],
  [['--print-credentials', KEY], /^Option '--print-credentials' takes a name, not a key\.\n/],
])('exits with 2 for a wrong option and repeats no key', async (args, sentence) => {
  const { code, out, err } = await run(args, {});
  expect([code, out]).toStrictEqual([2, '']);
  expect(err).toMatch(sentence);
  expect(err).not.toContain(KEY.slice(2));
  expect(err).toContain('\n  --print-credentials FILE ');
});

it('reports only the kind of an unexpected error, whose message might quote a secret', () => {
  for (const error of [new TypeError(`cannot read ${KEY}`), KEY])
    expect(judge('the host')(error)).toStrictEqual({
      status: 'fail',
      message: `The check itself failed (${typeof error === 'string' ? 'unknown' : 'TypeError'}).`,
      fix: 'This is a fault of this program: please report it.',
    });
});
