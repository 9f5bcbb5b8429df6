import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Service, startService } from '../../local/service/service.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { LOCAL, variableOf } from '../../shared/settings/table.ts';
import { openRaw, send } from '../support/service/http-client.ts';
import { startProgram } from '../support/service/program.ts';
import { startVenue } from '../support/venue/scripted-venue.ts';
import { funderOf } from '../support/venue/signing.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'local/start.js');
/** Nothing listens there: a request to the venue fails at once instead of leaving the machine. */
const NOWHERE = { SERVICE_GAMMA_URL: 'http://127.0.0.1:9', SERVICE_CLOB_URL: 'http://127.0.0.1:9' };
const KEY = '11'.repeat(32);
const TRADING = { SERVICE_PRIVATE_KEY: KEY, SERVICE_PLACE_ORDER: '1' };
const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const OPEN = { SERVICE_HOST: '0.0.0.0', SERVICE_REMOTE_ORDERS: '1' };
const SAFE = funderOf(WALLET, 'safe');
const FOREIGN = `0x${'ab'.repeat(20)}`;
/** Has Node write the address of each module that it loads to the standard error. */
const NAME_MODULES = `data:text/javascript,
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({ load: (url, context, next) => (writeSync(2, url), next(url, context)) });
`;

const children: ChildProcess[] = [];
const directories: string[] = [];
const services: Service[] = [];

afterEach(async () => {
  await Promise.all(services.splice(0).map(({ stop }) => stop()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(directories.splice(0).map((path) => rm(path, { recursive: true, force: true })));
});

async function makeDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'main-test-'));
  directories.push(path);
  return path;
}

/** Starts the program with exactly these settings, in a directory of its own. */
function run(args: readonly string[], env?: Record<string, string>) {
  return runProgram([MAIN, '--settings', devNull, ...args], env);
}

async function runProgram(args: readonly string[], env: Record<string, string> = {}) {
  const cwd = await makeDirectory();
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      TMPDIR: cwd,
      SERVICE_PORT: '0',
      SERVICE_STORE: join(cwd, 'orders.db'),
      ...NOWHERE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  const output: string[] = [];
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[code], stderr]) => {
    return { code, stderr, stdout: output.join('\n') };
  });
  const waiting = new Set<() => void>();
  lines.on('line', (line) => {
    output.push(line);
    for (const check of waiting) check();
  });
  /** The first line that matches. */
  const line = (pattern: RegExp): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const check = () => {
      const found = output.find((candidate) => pattern.test(candidate));
      if (found !== undefined) resolve(found);
    };
    waiting.add(check);
    check();
    ended.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
    return promise;
  };
  return { child, ended, line, output };
}

/** Starts the service in this process with exactly these settings, as the program does. */
async function startHere(env: Record<string, string>, output: string[]): Promise<Service> {
  const settings = { SERVICE_PORT: '0', SERVICE_STORE: join(await makeDirectory(), 'orders.db'), ...NOWHERE, ...env };
  const service = await startService(settings, { write: (line) => output.push(line) });
  services.push(service);
  return service;
}

/** Returns the sentences with which the service refuses settings; nothing listens then. */
async function refusalOf(env: Record<string, string>): Promise<string> {
  const output: string[] = [];
  const error: unknown = await startHere(env, output).catch((refusal: unknown) => refusal);
  expect(output.filter((line) => !line.includes('The service is read-only'))).toStrictEqual([]);
  if (error instanceof ConfigError) return error.message;
  throw error;
}

/** Returns the line of the log that says what is in force. */
function listeningIn(output: readonly string[]): unknown {
  return JSON.parse(output.find((line) => line.includes('"message":"listening"')) ?? '{}');
}

async function urlOf({ line }: Awaited<ReturnType<typeof run>>): Promise<string> {
  return JSON.parse(await line(/"message":"listening"/)).url;
}

/** Starts the service and sends it a read, which the venue answers when the test says so. */
async function runWithRead(env: Record<string, string> = {}) {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const venue = await startVenue(async () => {
    asked.resolve();
    await released.promise;
    return { status: 404, body: { error: 'No orderbook exists for the requested token id' } };
  });
  const service = await run([], { SERVICE_CLOB_URL: venue.url, ...env });
  const { socket, closed } = openRaw(await urlOf(service));
  socket.write('GET /v1/book/1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await asked.promise;
  return { service, closed, release: released.resolve };
}

describe('the command line', () => {
  it('prints every setting of the configuration for --help', async () => {
    const names = Object.keys(LOCAL).map(variableOf);
    const { stdout, stderr, code } = await (await run(['--help'])).ended;
    expect([code, stderr]).toStrictEqual([0, '']);
    for (const name of names) expect(stdout).toContain(`  ${name} `);
  });

  it('answers a command line that it cannot understand with the options, without its arguments', async () => {
    for (const args of [[KEY], ['--nonsense'], ['--settings', '']]) {
      const { ended } = await runProgram([MAIN, ...args]);
      const { code, stdout, stderr } = await ended;
      expect([code, stdout]).toStrictEqual([2, '']);
      expect(stderr).toMatch(/^The command line cannot be understood\.\n\nUsage: npm start /);
      expect(stderr).not.toContain(KEY);
    }
  });

  it('stops at malformed settings with one sentence for each that does not hold its value', async () => {
    const env = { SERVICE_PRIVATE_KEY: 'hunter2', SERVICE_LOG_LEVEL: 'loud' };
    const { stdout, stderr, code } = await (await run([], env)).ended;
    expect([code, stdout]).toStrictEqual([1, '']);
    expect(stderr).toBe(
      'SERVICE_PRIVATE_KEY must be a private key: 32 bytes as 64 hex digits, with or without 0x.\n' +
        'SERVICE_LOG_LEVEL must be one of debug, info, warn, error.\n',
    );
  });

  it('stops where the key would be published as the code of a builder', async () => {
    expect(await refusalOf({ ...TRADING, SERVICE_BUILDER_CODE: `0x${KEY}` })).toBe(
      'SERVICE_BUILDER_CODE must not be the private key: it is published with each order.',
    );
  });
});

describe('the service', () => {
  it('says at the start what is in force', async () => {
    const env = {
      ...TRADING,
      SERVICE_HOST: '0.0.0.0',
      SERVICE_REMOTE_ORDERS: '1',
      SERVICE_FUNDER_ADDRESS: SAFE.toLowerCase(),
      SERVICE_MAX_ORDER_NOTIONAL: '99.50',
      SERVICE_MAX_DAILY_NOTIONAL: '1000.00',
      SERVICE_CLIENT_VERIFICATION: 'required',
      SERVICE_PUBLIC_AUTHORITY: 'api.example.org',
      SERVICE_CORS_ORIGINS: 'https://app.example',
      SERVICE_MAX_DAILY_NOTIONAL_PER_CLIENT: '20',
      SERVICE_ALLOWED_CLIENTS: `${WALLET}, ${SAFE}`,
      SERVICE_ALLOWED_HOSTS: 'api.example.org',
      SERVICE_BUILDER_CODE: '5b'.repeat(32),
      https_proxy: 'http://trader:hunter2@proxy.example:3128',
    };
    const output: string[] = [];
    await startHere(env, output);
    expect(listeningIn(output)).toStrictEqual({
      time: expect.any(String),
      level: 'info',
      message: 'listening',
      url: expect.stringMatching(/^http:\/\/0\.0\.0\.0:[1-9]\d+$/),
      mode: 'order-placing',
      wallet_address: WALLET,
      funder_address: SAFE,
      signature_type: 'safe',
      builder_code: `0x${'5b'.repeat(32)}`,
      max_order_notional: '99.5',
      max_daily_notional: '1000',
      max_daily_notional_per_client: '20',
      client_verification: 'required',
      allowed_clients: 2,
      client_chain_id: null,
      public_authority: 'api.example.org',
      gamma_url: NOWHERE.SERVICE_GAMMA_URL,
      clob_url: NOWHERE.SERVICE_CLOB_URL,
      proxy: 'proxy.example:3128',
      store: expect.stringMatching(/^\/.*\/orders\.db$/),
      cors_origins: ['https://app.example'],
      allowed_hosts: ['api.example.org'],
    });
    expect(output.join()).not.toMatch(/hunter2|1111111|unverified|without a cap/);
  });

  it.each([
    ['without a cap', {}, /^orders without a cap: set SERVICE_MAX_ORDER_NOTIONAL or SERVICE_MAX_DAILY_NOTIONAL$/],
    [
      'of clients that nobody verifies',
      OPEN,
      /^unverified orders beyond loopback: anyone who reaches the port can trade/,
    ],
    [
      'of clients that nobody verifies, behind a proxy on this machine',
      { SERVICE_ALLOWED_HOSTS: 'trading.example' },
      /^unverified orders beyond loopback/,
    ],
    ['without the proxy that is set', { ALL_PROXY: 'socks5://127.0.0.1:1' }, /^ALL_PROXY is set, but has no effect/],
    ['as a plain account', {}, /^signature type eoa: .* only from its allowlist/],
    [
      'as one that it does not know',
      { SERVICE_SIGNATURE_TYPE: 'deposit-wallet', SERVICE_FUNDER_ADDRESS: FOREIGN },
      new RegExp(
        `^SERVICE_FUNDER_ADDRESS is none of the accounts of the key, which are eoa ${WALLET}, .* safe ${SAFE}`,
      ),
    ],
    [
      'read-only as one that it does not know',
      { SERVICE_PLACE_ORDER: '', SERVICE_SIGNATURE_TYPE: 'safe', SERVICE_FUNDER_ADDRESS: FOREIGN },
      /^SERVICE_FUNDER_ADDRESS is none/,
    ],
  ])('warns once of orders %s', async (_name, env, sentence) => {
    const output: string[] = [];
    await startHere({ ...TRADING, ...env }, output);
    const messages = output.map((line) => JSON.parse(line).message);
    expect(messages.filter((message) => sentence.test(message))).toHaveLength(1);
  });

  it.each([
    [
      'a wrong kind',
      { SERVICE_SIGNATURE_TYPE: 'deposit-wallet', SERVICE_FUNDER_ADDRESS: SAFE },
      'SERVICE_SIGNATURE_TYPE must be safe, or left out: SERVICE_FUNDER_ADDRESS is the Safe of the key.',
    ],
    [
      'a kind without its address',
      { SERVICE_SIGNATURE_TYPE: 'safe' },
      `SERVICE_FUNDER_ADDRESS must be set unless SERVICE_SIGNATURE_TYPE is eoa: the Safe of the key is ${SAFE}.`,
    ],
    [
      'an address of no kind',
      { SERVICE_FUNDER_ADDRESS: FOREIGN },
      `SERVICE_SIGNATURE_TYPE must be set, or another SERVICE_FUNDER_ADDRESS: SERVICE_FUNDER_ADDRESS is none of the accounts of the key, which are eoa ${WALLET}, `,
    ],
  ])('stops at %s, also where it would only read', async (_name, env, sentence) => {
    for (const optIn of ['', '1']) {
      const refusal = await refusalOf({ ...TRADING, SERVICE_PLACE_ORDER: optIn, ...env });
      expect(refusal).toMatch(/^[^\n]*\.$/);
      expect(refusal.startsWith(sentence)).toBe(true);
    }
  });

  it.each([
    ['read-only without cryptography', {}, false],
    ['order-placing with it', TRADING, true],
  ])('runs %s, and stops on a signal', async (_name, env, hasCryptography) => {
    const service = await runProgram(['--import', NAME_MODULES, MAIN, '--settings', devNull], env);
    await urlOf(service);
    service.child.kill('SIGINT');
    const { code, stdout, stderr } = await service.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/"message":"stopping".*\n.*"message":"stopped"/);
    expect(stderr).toContain('/node_modules/zod/');
    for (const name of ['ethers', 'tiny-secp256k1', '@noble'])
      expect(stderr.includes(`/node_modules/${name}/`)).toBe(hasCryptography);
  });

  it('finishes the request in flight when its terminal closes, also at a second SIGHUP', async () => {
    const { service, closed, release } = await runWithRead();
    service.child.kill('SIGHUP');
    await service.line(/"message":"stopping"/);
    // Longer than the copy that npm sends can take.
    await setTimeout(200);
    service.child.kill('SIGHUP');
    release();
    expect(await closed).toContain('HTTP/1.1 404 ');
    expect((await service.ended).code).toBe(0);
  });

  // A signal to npm goes on to its child: the scripts replace the shell, which would keep it to itself.
  it.each(['start', 'paper'])('stops with npm run %s on SIGTERM', async (script) => {
    const { output, stop } = await startProgram({
      command: 'npm',
      args: ['run', '--silent', script, '--', '--settings', devNull],
      cwd: ROOT,
      env: { ...NOWHERE, SERVICE_PORT: '0', HOME: await makeDirectory() },
    });
    await stop();
    const stopped = () => output.filter((line) => /"message":"stopp(?:ing|ed)"/.test(line));
    while (stopped().length < 2) await setTimeout(20);
    expect(stopped()).toMatchObject([expect.stringContaining('SIGTERM'), expect.anything()]);
  });

  it("ignores npm's copy of a signal and finishes the request in flight", async () => {
    // The clock of the process stands still: on a busy machine the two signals would be too far apart.
    const stopped = `--import=data:text/javascript,${encodeURIComponent('performance.now = () => 0;')}`;
    const { service, closed, release } = await runWithRead({ NODE_OPTIONS: stopped });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) service.child.kill(signal);
    await service.line(/"message":"stopping"/);
    release();
    expect(await closed).toContain('HTTP/1.1 404 ');
    expect((await service.ended).code).toBe(0);
  });

  it('exits at once on a second signal', async () => {
    // A request that does not end keeps the first stop waiting.
    const { service } = await runWithRead();
    service.child.kill('SIGINT');
    await service.line(/"message":"stopping"/);
    // Until the copy that npm sends of a Ctrl-C can no longer be meant.
    const again = setInterval(() => service.child.kill('SIGINT'), 20);
    const { code } = await service.ended;
    clearInterval(again);
    expect(code).toBe(1);
  });
});

describe('the file of settings', () => {
  let tree: string;

  /** A copy of the program, so that a file can lie in its folder that is not a developer's own. */
  beforeAll(async () => {
    tree = await mkdtemp(join(tmpdir(), 'main-test-'));
    for (const name of ['functions', 'local', 'operator', 'packages', 'shared', 'package.json']) {
      await cp(join(ROOT, name), join(tree, name), { recursive: true });
    }
    await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  });

  afterAll(() => rm(tree, { recursive: true, force: true }));

  async function copyWith(settings: string): Promise<string> {
    await writeFile(join(tree, '.env'), settings);
    return join(tree, 'local/start.js');
  }

  it("is .env in the project's folder, wherever the process was started; the environment wins", async () => {
    const program = await copyWith(`SERVICE_PRIVATE_KEY=${KEY}\nSERVICE_PORT=not a port\n`);
    const service = await runProgram([program], { SERVICE_PLACE_ORDER: '1', SERVICE_PORT: '0' });
    expect(JSON.parse(await service.line(/"message":"listening"/))).toMatchObject({ mode: 'order-placing' });
    const reader = await runProgram([program], { SERVICE_PRIVATE_KEY: '' });
    expect(JSON.parse(await reader.line(/"message":"listening"/))).toMatchObject({ mode: 'read-only' });
  });

  it('is read on paper too, but for the account and the venue', async () => {
    const settings = ['PRIVATE_KEY=hunter2', 'CLOB_URL=nowhere', 'STORE=/nowhere/x', 'HOST=0.0.0.0', 'LOG_LEVEL=warn'];
    const program = await copyWith(settings.map((setting) => `SERVICE_${setting}\n`).join(''));
    const service = await runProgram([program, '--paper'], { SERVICE_GAMMA_URL: '', SERVICE_CLOB_URL: '' });
    await service.line(/^curl "\$V\/paper\/faults/);
    expect(service.output.join()).not.toContain('listening');
    // Where it listens is not where one can connect.
    expect(service.output.join('\n')).toMatch(/^S=http:\/\/127\.0\.0\.1:\d+ /m);
  });
});

describe('the store of an order-placing service', () => {
  const WARNING = 'new order store: keys of earlier orders are not known here';

  it("is found from the project's folder, is named in the log, and warns where it is new", async () => {
    const store = join(await makeDirectory(), 'data', 'orders.db');
    const env = { ...TRADING, SERVICE_STORE: relative(ROOT, store) };
    const [first, second]: [string[], string[]] = [[], []];
    await (await startHere(env, first)).stop();
    expect(listeningIn(first)).toMatchObject({ level: 'info', store });
    const warnings = first.map((line) => JSON.parse(line)).filter(({ message }) => message === WARNING);
    expect(warnings).toMatchObject([{ level: 'warn', store }]);
    await startHere(env, second);
    expect(listeningIn(second)).toMatchObject({ store });
    expect(second.join()).not.toContain(WARNING);
  });

  it('that cannot be opened stops the start with one sentence', async () => {
    const store = join(await makeDirectory(), 'orders.db');
    await writeFile(store, 'a letter, not a database, but long enough to be one'.repeat(100));
    const sentence = `SERVICE_STORE cannot be opened at ${store}: file is not a database.`;
    expect(await refusalOf({ ...TRADING, SERVICE_STORE: store })).toBe(sentence);
  });

  it('is neither made nor missed by a service that only reads', async () => {
    const directory = await makeDirectory();
    const output: string[] = [];
    await startHere({ SERVICE_STORE: join(directory, 'orders.db') }, output);
    expect(listeningIn(output)).toMatchObject({ mode: 'read-only', store: null, max_order_notional: null });
    expect(await readdir(directory)).toStrictEqual([]);
  });
});

describe('the service on paper', () => {
  it("places an order as printed, with a key of its own and none of the operator's settings", async () => {
    const service = await run(['--paper'], {
      SERVICE_PRIVATE_KEY: KEY,
      SERVICE_SIGNATURE_TYPE: 'safe',
      SERVICE_FUNDER_ADDRESS: FOREIGN,
      SERVICE_CLOB_API_KEY: 'operators-key',
      SERVICE_CLOB_API_SECRET: 'b3BlcmF0b3Jz',
      SERVICE_CLOB_API_PASSPHRASE: 'operators-passphrase',
    });
    const url = await urlOf(service);
    const printed = await service.line(/"token_id"/);
    const token = (await service.line(/^T=\d+$/)).slice(2);
    expect(await send(url, { path: '/v1/markets?limit=3', headers: { host: 'localhost' } })).toMatchObject({
      status: 200,
    });
    const [, body = ''] = /-d '(.*)'$/.exec(printed.replace("'$T'", token)) ?? [];
    const { token_id, price, size } = JSON.parse(body);
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const placed = await send(url, { method: 'POST', path: '/v1/orders', headers, body });
    expect([placed.status, placed.text]).toStrictEqual([201, expect.stringContaining('"status":"live"')]);
    const book = JSON.parse((await send(url, { path: `/v1/book/${token_id}`, headers })).text);
    expect(book.bids).toContainEqual({ price: String(price), size: expect.any(String) });
    const bid = book.bids.find((level: { price: string }) => level.price === String(price));
    expect(Number(bid.size)).toBeGreaterThanOrEqual(size);
    const health = JSON.parse((await send(url, { path: '/health', headers })).text);
    expect(health).toMatchObject({ mode: 'order-placing', wallet_address: expect.stringMatching(/^0x/) });
    expect(health.wallet_address).not.toBe(WALLET);
    expect(health.funder_address).toBeUndefined();
    service.child.kill('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    expect([code, stderr]).toStrictEqual([0, '']);
    // A store and an account that are new by design are nothing to warn of.
    expect(stdout).not.toMatch(/new order store|signature type eoa/);
    expect(stdout).not.toMatch(/operators|b3BlcmF0b3Jz|abababab/);
    expect(stdout.match(/^curl /gm)).toHaveLength(5);
    // The first screen stands above the log, in which only the requests of the reader are.
    expect(stdout).toMatch(/^Trading on paper: .*\n\n\{[^\n]*"message":"listening"/s);
    const routes = [...stdout.matchAll(/"route":"(\w+)"/g)].map(([, route]) => route);
    expect(routes).toStrictEqual(['markets', 'orders', 'book', 'health']);
    expect(stdout).not.toContain('"level":"warn"');
  });
});

const ENTRY_POINTS = ['start', 'paper', 'doctor', 'paper:venue', 'test', 'soak', 'bench', 'build', 'conformance'];
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const { app, build } = JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8'));

/** The command that `exec` replaces npm's shell by. */
const withoutExec = (script: string): string => script.replace(/^exec /, '');

/** The commands that run Node on a file of ours. */
const COMMANDS = [...Object.values<string>(scripts), app, build].flatMap((script: string) =>
  withoutExec(script)
    .split(' && ')
    .filter((command) => command.startsWith('node ')),
);

let folder: string;
let asOldNode: string;

/** Loaded first, makes this Node say that it is another. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'old-node-'));
  asOldNode = join(folder, 'as-old-node.cjs');
  await writeFile(
    asOldNode,
    `Object.defineProperty(process, 'version', { value: 'v20.20.2' });
     Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
  );
});

afterAll(() => rm(folder, { recursive: true }));

describe('an older Node', () => {
  it('is looked for by every script', () => {
    const commands = ENTRY_POINTS.map((name) => withoutExec(scripts[name]).split(' && ').at(-1));
    expect(COMMANDS).toStrictEqual(expect.arrayContaining(commands));
  });

  it.each(COMMANDS)('gets one sentence that names the Node it needs: %s', async (command) => {
    // Without the check this would run the tests, and these the tests again.
    const [, ...args] = (command.endsWith('/jest.js') ? `${command} --listTests` : command).split(' ');
    const ended = promisify(execFile)(process.execPath, ['-r', asOldNode, ...args], { cwd: ROOT });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        `Needs Node 24.5 or later; this is v20.20.2 (${process.execPath}). In a clone on Linux x64 npm ci ` +
        'brings it along: use npm start, npx cdk, or npx node in the place of node.\n',
    });
  });
});

describe('a package that is not installed', () => {
  const loadFirst = ['-r', join(ROOT, 'local/node-version.cjs')];

  async function run(source: string) {
    const script = join(folder, 'command.mjs');
    await writeFile(script, source);
    return promisify(execFile)(process.execPath, [...loadFirst, script]);
  }

  it('is named in one sentence that says how to install it', async () => {
    await expect(run("import '@no-such/package/part.js';")).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The package @no-such\/package is not installed: run npm ci\. .*\.\n$/),
    });
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const operators = Object.keys(scripts).filter((name) =>
      /(?:local|operator)\/start\.js/.test(String(scripts[name])),
    );
    const { stderr } = await run("import '@no-such/package/part.js';").catch((error) => error);
    expect(operators.filter((name) => !stderr.includes(`npm ${name === 'start' ? '' : 'run '}${name}`))).toStrictEqual(
      [],
    );
  });

  it('is nothing that other errors are taken for', async () => {
    await expect(run("import './no-such-file.mjs';")).rejects.toMatchObject({
      stderr: expect.stringMatching(/^node:.*ERR_MODULE_NOT_FOUND/s),
    });
    await expect(run("throw new Error('its own');")).rejects.toMatchObject({
      stderr: expect.stringMatching(/Error: its own\n/),
    });
  });
});
