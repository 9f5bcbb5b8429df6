import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
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
        `Needs Node 24 or later; this is v20.20.2 (${process.execPath}). In a clone on Linux x64 npm ci ` +
        'brings it along: use npm start, npx cdk, or npx node in the place of node.\n',
    });
  });

  it('meets no import by name in front of that: it would refuse what it has not got before anything runs', async () => {
    const source = await readFile(join(ROOT, 'local/start.js'), 'utf8');
    expect(source.match(/^import .*$/gm)).toStrictEqual(["import './node-version.cjs';"]);
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
    const operators = Object.keys(scripts).filter((name) => String(scripts[name]).includes(' local/start.js'));
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
