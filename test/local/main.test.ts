import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LISTED, variableOf } from '../../shared/settings/table.ts';
import { openRaw } from '../support/service/http-client.ts';
import { startProgram, WITH_THIS_NODE } from '../support/service/program.ts';
import { until } from '../support/until.ts';
import { startVenue } from '../support/venue/scripted-venue.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'local/start.js');
/** Nothing listens there: a request to the venue fails at once instead of leaving the machine. */
const NOWHERE = { SERVICE_GAMMA_URL: 'http://127.0.0.1:9', SERVICE_CLOB_URL: 'http://127.0.0.1:9' };
const KEY = '11'.repeat(32);
/** Has Node write the address of each module that it loads to the standard error. */
const NAME_MODULES = `data:text/javascript,
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => (process.stderr.write(url), next(url, context)) });
`;

let folder: string;
let asOldNode: string;
/** A copy of the program, so that a file can lie in its folder that is not a developer's own. */
let tree: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'main-test-'));
  asOldNode = join(folder, 'as-old-node.cjs');
  await writeFile(
    asOldNode,
    `Object.defineProperty(process, 'version', { value: 'v20.20.2' });
     Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
  );
  tree = join(folder, 'tree');
  for (const name of ['functions', 'local', 'operator', 'packages', 'shared', 'package.json']) {
    await cp(join(ROOT, name), join(tree, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
});

afterAll(() => rm(folder, { recursive: true }));

/** Runs Node to its end, with exactly these settings. */
async function ended(args: readonly string[], env: Record<string, string> = {}) {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string; stderr: string }>();
  execFile(process.execPath, args, { cwd: ROOT, env: { ...WITH_THIS_NODE, ...env } }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return promise;
}

/** Starts the program with these settings. */
function run(args: readonly string[] = [MAIN, '--settings', devNull], env: Record<string, string> = {}) {
  const settings = { TMPDIR: folder, SERVICE_PORT: '0', SERVICE_STORE: join(folder, 'orders.db'), ...NOWHERE, ...env };
  return startProgram({ command: process.execPath, args, cwd: folder, env: settings });
}

/** Starts the service and sends it a read, which the venue answers when the test says so. */
async function runWithRead() {
  const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const venue = await startVenue(async () => {
    asked.resolve();
    await released.promise;
    return { status: 404, body: { error: 'No orderbook exists for the requested token id' } };
  });
  const service = await run(undefined, { SERVICE_CLOB_URL: venue.url });
  const { socket, closed } = openRaw(service.url);
  socket.write('GET /v1/book/1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await asked.promise;
  return { service, closed, release: released.resolve };
}

describe('the command line', () => {
  it('prints every setting of the configuration for --help', async () => {
    const { stdout, stderr, code } = await ended([MAIN, '--help']);
    expect([code, stderr]).toStrictEqual([0, '']);
    for (const name of Object.keys(LISTED).map(variableOf)) expect(stdout).toContain(`  ${name} `);
  });

  it.each([[[KEY]], [['--settings', '']]])(
    'prints the options for a malformed command line, and repeats no argument',
    async (args) => {
      const { code, stdout, stderr } = await ended([MAIN, ...args]);
      expect([code, stdout]).toStrictEqual([2, '']);
      expect(stderr).toMatch(/^(?:Unexpected argument|Option '--settings' needs a value)\.\n\nUsage: npm start /);
      expect(stderr).not.toContain(KEY);
    },
  );

  it('stops at malformed settings with one sentence for each, without its value', async () => {
    const env = { SERVICE_PRIVATE_KEY: 'hunter2', SERVICE_LOG_LEVEL: 'loud' };
    expect(await ended([MAIN, '--settings', devNull], env)).toStrictEqual({
      code: 1,
      stdout: '',
      stderr:
        'SERVICE_PRIVATE_KEY must be a private key: 32 bytes as 64 hex digits, with or without 0x.\n' +
        'SERVICE_LOG_LEVEL must be one of debug, info, warn, error.\n',
    });
  });
});

describe('a signal', () => {
  it.each([
    ['read-only, without cryptography', '', false],
    ["order-placing, by .env of the project's folder, over which the environment wins", KEY, true],
  ])('stops a service: %s', async (_name, key, hasCryptography) => {
    await writeFile(join(tree, '.env'), `SERVICE_PRIVATE_KEY=${key}\nSERVICE_PORT=not a port\n`);
    const program = ['--import', NAME_MODULES, join(tree, 'local/start.js')];
    const service = await run(program, { SERVICE_PLACE_ORDER: '1' });
    expect(service.mode).toBe(hasCryptography ? 'order-placing' : 'read-only');
    service.child.kill('SIGINT');
    const { code, stderr } = await service.ended;
    expect(code).toBe(0);
    expect(service.output.slice(-2).join('\n')).toMatch(/"message":"stopping".*\n.*"message":"stopped"/);
    expect(stderr).toContain('/node_modules/zod/');
    for (const name of ['ethers', 'tiny-secp256k1', '@noble'])
      expect(stderr.includes(`/node_modules/${name}/`)).toBe(hasCryptography);
  });

  it.each([
    ['again when a terminal closes', 'SIGHUP', 'SIGHUP'],
    ["as npm's copy", 'SIGINT', 'SIGTERM'],
  ] as const)('that comes %s lets the request in flight finish', async (_when, first, second) => {
    const { service, closed, release } = await runWithRead();
    service.child.kill(first);
    await service.line(/"message":"stopping"/);
    service.child.kill(second);
    await setTimeout(100);
    release();
    expect(await closed).toContain('HTTP/1.1 404 ');
    expect((await service.ended).code).toBe(0);
  });

  // A signal to npm goes on to its child: the scripts replace the shell, which would keep it to itself.
  it('to npm run paper stops the service, which reads .env but for the account and the venue', async () => {
    const settings = ['PRIVATE_KEY=hunter2', 'CLOB_URL=nowhere', 'STORE=/nowhere/x', 'HOST=0.0.0.0'];
    await writeFile(join(tree, '.env'), settings.map((setting) => `SERVICE_${setting}\n`).join(''));
    const args = ['run', '--silent', 'paper'];
    const env = { SERVICE_PORT: '0', HOME: folder, TMPDIR: folder };
    const { output, stop, line } = await startProgram({ command: 'npm', args, cwd: tree, env });
    // Where it listens is not where one can connect.
    expect(await line(/^S=/)).toMatch(/^S=http:\/\/127\.0\.0\.1:\d+ /);
    await stop();
    const stopped = () => output.filter((text) => /"message":"stopp(?:ing|ed)"/.test(text));
    await until(() => stopped().length === 2);
    expect(stopped()).toMatchObject([expect.stringContaining('SIGTERM'), expect.anything()]);
  });
});

const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const { app, build } = JSON.parse(await readFile(join(ROOT, 'cdk.json'), 'utf8'));

/** The commands that run Node on a file of ours, after npm's shell was replaced. */
const COMMANDS = [...Object.values<string>(scripts), app, build].flatMap((script: string) =>
  script
    .replace(/^exec /, '')
    .split(' && ')
    .filter((command) => command.startsWith('node ')),
);

/** A command for each thing that looks for an older Node: a module that is loaded first, or the file that is run. */
const LOOKERS = new Map(
  COMMANDS.map((command) => [/-r \.\/local\/node-version\.cjs|\S+\.js(?= |$)/.exec(command)?.[0], command]),
);

describe('an older Node', () => {
  it('is detected by every script, and those of the service replace the shell', () => {
    for (const name of ['test', 'soak', 'bench', 'build', 'conformance'])
      expect(COMMANDS).toContain(scripts[name].split(' && ').at(-1));
    for (const name of ['start', 'paper', 'doctor', 'orders', 'paper:venue'])
      expect(scripts[name]).toMatch(/^exec node .*(?:local|operator)\/start\.js/);
  });

  it.each([...LOOKERS.values()])('gets one sentence that names the Node it needs: %s', async (command) => {
    // Without the check this would run the tests, and these the tests again.
    const [, ...args] = (command.endsWith('/jest.js') ? `${command} --listTests` : command).split(' ');
    expect(await ended(['-r', asOldNode, ...args])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr:
        `Needs Node 24.15 or later; this is v20.20.2 (${process.execPath}). In a clone on Linux x64 npm ci ` +
        'brings it along: use npm start, npx cdk, or npx node in the place of node.\n',
    });
  });
});
