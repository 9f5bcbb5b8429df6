import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const FOLDERS = ['functions', 'shared', 'local', 'infra', 'paper', 'client', 'console', 'tools', 'test'] as const;

const configuration = z.object({ default: z.object({ forbidden: z.array(z.object({ name: z.string() })) }) });

const report = z.object({
  summary: z.object({
    totalCruised: z.number(),
    violations: z.array(z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) })),
  }),
});

/** Returns the report of dependency-cruiser on a tree, with this project's rules. */
function cruise(cwd: string): Promise<z.infer<typeof report>['summary']> {
  const { promise, resolve, reject } = Promise.withResolvers<z.infer<typeof report>['summary']>();
  const args = [CRUISER, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...FOLDERS];
  execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
    if (stdout === '') reject(new Error(stderr, { cause: error }));
    else resolve(report.parse(JSON.parse(stdout)).summary);
  });
  return promise;
}

const trees: string[] = [];

afterAll(async () => {
  await Promise.all(trees.splice(0).map((path) => rm(path, { recursive: true })));
});

/** Writes a tree of the same folders that holds just these files. */
async function plant(files: Readonly<Record<string, string>>): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'arrows-'));
  trees.push(tree);
  for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs'])
    await cp(join(ROOT, name), join(tree, name));
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  for (const folder of FOLDERS) await mkdir(join(tree, folder), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
  }
  return tree;
}

/** Two files that need each other, if only for their types. */
const CYCLE = {
  'shared/x.ts': "import type { Y } from './y.ts';\nexport type X = Y;\n",
  'shared/y.ts': "import type { X } from './x.ts';\nexport type Y = X;\n",
};

/** Two folders that need each other through files that do not. */
const CYCLE_OF_ROOMS = {
  'shared/one/x.ts': "import { y } from '../other/y.ts';\nexport const x = y;\n",
  'shared/one/z.ts': 'export const z = 1;\n',
  'shared/other/y.ts': 'export const y = 1;\n',
  'shared/other/z.ts': "import { z } from '../one/z.ts';\nexport const other = z;\n",
};

/** Files that keep the rules, for breaches to point at. */
const SOUND = {
  'functions/routes.ts': 'export const ROUTES = {};\n',
  'functions/pipeline.ts': "import { a } from '../shared/a.ts';\nexport const pipeline = a;\n",
  'shared/a.ts': 'export const a = 1;\n',
  'shared/venue/polymarket/wire.ts': 'export const wire = 1;\n',
  'shared/venue/polymarket/market-data.ts': "export { wire } from './wire.ts';\n",
  'shared/venue/polymarket/inspection/inspection.ts': "export { wire } from '../wire.ts';\n",
  'local/doctor/doctor.ts':
    "import { wire } from '../../shared/venue/polymarket/inspection/inspection.ts';\nexport const doctor = wire;\n",
  'local/desk/venue.ts': "import { ClobClient } from '@polymarket/clob-client-v2';\nexport const desk = ClobClient;\n",
  'local/http/server.ts':
    "import { pipeline } from '../../functions/pipeline.ts';\nimport { wire } from '#venue/market-data';\nexport const server = [pipeline, wire];\n",
  'shared/command-line.ts': "import { a } from './version.ts';\nexport const command = a;\n",
  'shared/version.ts': 'export const a = 1;\n',
  'paper/venue.ts': "import express from 'express';\nexport const venue = express;\n",
  'paper/main.ts': "import { command } from '../shared/command-line.ts';\nexport const main = command;\n",
  'client/client.ts': 'export const client = 1;\n',
  'client/amounts.ts': 'export const amounts = 1;\n',
  'console/app.ts': "import { client } from '../client/client.ts';\nexport const app = client;\n",
  'shared/settings/table.ts': "import { a } from '../a.ts';\nexport const settings = a;\n",
  'shared/venue/polymarket/accounts.ts': "import { a } from '../../a.ts';\nexport const accounts = a;\n",
  'infra/stack.ts':
    "import { ROUTES } from '../functions/routes.ts';\nimport { accounts } from '../shared/venue/polymarket/accounts.ts';\nimport { settings } from '../shared/settings/table.ts';\nexport const stack = [ROUTES, accounts, settings];\n",
  'infra/build/build.ts': "import { command } from '../../shared/command-line.ts';\nexport const build = command;\n",
  'tools/a.ts': "import { stack } from '../infra/stack.ts';\nexport const tool = stack;\n",
  'test/a.ts':
    "import { stack } from '../infra/stack.ts';\nimport fc from 'fast-check';\nexport const test = [stack, fc];\n",
};

/** Each a file that breaks one rule by what it imports. */
const BREACHES: readonly (readonly [rule: string, from: string, specifier: string, to: string])[] = [
  ['functions-use-shared-only', 'functions/breach-1.ts', '../local/http/server.ts', 'local/http/server.ts'],
  ['functions-use-shared-only', 'functions/breach-2.ts', '../infra/stack.ts', 'infra/stack.ts'],
  ['functions-use-shared-only', 'functions/breach-3.ts', '../test/a.ts', 'test/a.ts'],
  ['shared-stands-alone', 'shared/breach-4.ts', '../functions/pipeline.ts', 'functions/pipeline.ts'],
  ['shared-stands-alone', 'shared/breach-5.ts', '../local/http/server.ts', 'local/http/server.ts'],
  ['shared-stands-alone', 'shared/deep/breach-6.ts', '../../infra/stack.ts', 'infra/stack.ts'],
  ['local-adapts', 'local/breach-7.ts', '../infra/stack.ts', 'infra/stack.ts'],
  ['tools-use-no-tests', 'tools/breach-30.ts', '../test/a.ts', 'test/a.ts'],
  ['shared-stands-alone', 'shared/breach-31.ts', '../tools/a.ts', 'tools/a.ts'],
  ['local-adapts', 'local/breach-8.ts', '../test/a.ts', 'test/a.ts'],
  ['infra-knows-the-tables-only', 'infra/breach-9.ts', '../shared/a.ts', 'shared/a.ts'],
  ['infra-knows-the-tables-only', 'infra/breach-10.ts', '../functions/pipeline.ts', 'functions/pipeline.ts'],
  ['infra-knows-the-tables-only', 'infra/breach-11.ts', '../local/http/server.ts', 'local/http/server.ts'],
  ['paper-shares-no-code', 'paper/breach-12.ts', '../shared/a.ts', 'shared/a.ts'],
  ['paper-shares-no-code', 'paper/breach-13.ts', '../functions/pipeline.ts', 'functions/pipeline.ts'],
  ['paper-shares-no-code', 'paper/breach-25.ts', '../local/http/server.ts', 'local/http/server.ts'],
  ['command-line-stands-alone', 'shared/command-line.ts', './a.ts', 'shared/a.ts'],
  ['client-stands-alone', 'client/breach-19.ts', '../shared/a.ts', 'shared/a.ts'],
  ['client-stands-alone', 'client/breach-20.ts', 'express', '/node_modules/express/'],
  ['shared-stands-alone', 'shared/breach-21.ts', '../paper/venue.ts', 'paper/venue.ts'],
  ['functions-use-shared-only', 'functions/breach-22.ts', '../client/client.ts', 'client/client.ts'],
  ['runtime-uses-dependencies-only', 'paper/breach-23.ts', 'fast-check', '/node_modules/fast-check/'],
  [
    'wire-models-stay-in-the-venue-folder',
    'functions/breach-14.ts',
    '../shared/venue/polymarket/wire.ts',
    'shared/venue/polymarket/wire.ts',
  ],
  [
    'wire-models-stay-in-the-venue-folder',
    'shared/breach-15.ts',
    './venue/polymarket/wire.ts',
    'shared/venue/polymarket/wire.ts',
  ],
  [
    'wire-models-stay-in-the-venue-folder',
    'local/breach-16.ts',
    '../shared/venue/polymarket/wire.ts',
    'shared/venue/polymarket/wire.ts',
  ],
  [
    'inspection-is-for-the-doctor',
    'functions/breach-24.ts',
    '../shared/venue/polymarket/inspection/inspection.ts',
    'shared/venue/polymarket/inspection/inspection.ts',
  ],
  [
    'official-client-through-one-file',
    'local/http/breach-32.ts',
    '@polymarket/clob-client-v2',
    '/node_modules/@polymarket/clob-client-v2/',
  ],
  [
    'official-client-through-one-file',
    'functions/breach-33.ts',
    '@polymarket/clob-client-v2',
    '/node_modules/@polymarket/clob-client-v2/',
  ],
  ['official-client-through-one-file', 'shared/breach-34.ts', 'axios', '/node_modules/axios/'],
  ['console-uses-the-client-alone', 'console/breach-25.ts', '../shared/a.ts', 'shared/a.ts'],
  ['console-uses-the-client-alone', 'console/breach-26.ts', '../client/amounts.ts', 'client/amounts.ts'],
  ['console-uses-the-client-alone', 'console/breach-27.ts', 'zod', '/node_modules/zod/'],
  ['local-adapts', 'local/breach-28.ts', '../console/app.ts', 'console/app.ts'],
  ['paper-shares-no-code', 'paper/breach-29.ts', '../console/app.ts', 'console/app.ts'],
  ['not-to-unresolvable', 'shared/breach-17.ts', './nowhere.ts', './nowhere.ts'],
  ['runtime-uses-dependencies-only', 'shared/breach-18.ts', 'fast-check', '/node_modules/fast-check/'],
];

describe('the arrows of the tree', () => {
  let violations: z.infer<typeof report>['summary']['violations'] = [];

  beforeAll(async () => {
    const breaches = BREACHES.map(([, from, specifier]) => [
      from,
      `import * as found from '${specifier}';\nexport const breach = found;\n`,
    ]);
    ({ violations } = await cruise(await plant({ ...SOUND, ...CYCLE, ...Object.fromEntries(breaches) })));
  });

  it('are kept by a sound tree', async () => {
    expect((await cruise(await plant(SOUND))).violations).toStrictEqual([]);
  });

  it.each(BREACHES)('%s: %s may not import %s', (rule, from, _specifier, to) => {
    const found = violations.filter((violation) => violation.from === from);
    expect(found.map((violation) => [violation.rule.name, violation.to])).toStrictEqual([
      [rule, expect.stringContaining(to)],
    ]);
  });

  it('have no cycles, not even of types', () => {
    const found = violations.filter(({ from, rule }) => from in CYCLE || rule.name === 'no-cycles');
    // A cycle is reported where it is entered first.
    expect(found.map(({ from, rule }) => [rule.name, from])).toStrictEqual([
      ['no-cycles', expect.stringMatching(/^shared\/[xy]\.ts$/)],
    ]);
  });

  it('have no cycles of rooms', async () => {
    const { violations: found } = await cruise(await plant({ ...SOUND, ...CYCLE_OF_ROOMS }));
    expect(found.map(({ rule, from, to }) => [rule.name, from, to])).toStrictEqual([
      ['no-cycles-of-rooms', 'shared/one', 'shared/other'],
      ['no-cycles-of-rooms', 'shared/other', 'shared/one'],
    ]);
  });

  it('have no rule without a breach that it catches', async () => {
    const loaded = await import(new URL('../../.dependency-cruiser.mjs', import.meta.url).href);
    const names = configuration.parse(loaded).default.forbidden.map(({ name }) => name);
    expect(new Set(names)).toStrictEqual(
      new Set([...BREACHES.map(([rule]) => rule), 'no-cycles', 'no-cycles-of-rooms']),
    );
  });
});
