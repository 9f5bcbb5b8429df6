import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const FOLDERS = ['functions', 'shared', 'local', 'infra', 'operator', 'packages', 'tools', 'test'] as const;

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
const CYCLE_OF_FOLDERS = {
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
  'shared/version.ts': 'export const a = 1;\n',
  'shared/settings/table.ts': "import { a } from '../a.ts';\nexport const settings = a;\n",
  'shared/venue/polymarket/wire.ts': 'export const wire = 1;\n',
  'shared/venue/polymarket/accounts.ts': "import { a } from '../../a.ts';\nexport const accounts = a;\n",
  'shared/venue/polymarket/market-data.ts': "export { wire } from './wire.ts';\n",
  'local/http/server.ts':
    "import { pipeline } from '../../functions/pipeline.ts';\nimport { wire } from '#venue/market-data';\nexport const server = [pipeline, wire];\n",
  'local/order-store/store.ts': 'export const records = 1;\n',
  'local/main.ts': "import { venue } from '../packages/paper-venue/venue.ts';\nexport const main = venue;\n",
  'operator/command-line.ts': "import { a } from '../shared/version.ts';\nexport const command = a;\n",
  'operator/venue/inspection.ts':
    "import { wire } from '../../shared/venue/polymarket/wire.ts';\nexport const inspection = wire;\n",
  'operator/desk/desk.ts':
    "import { ClobClient } from '@polymarket/clob-client-v2';\nimport { records } from '../../local/order-store/store.ts';\nexport const desk = [ClobClient, records];\n",
  'packages/paper-venue/venue.ts': "import express from 'express';\nexport const venue = express;\n",
  'packages/client/client.ts': 'export const client = 1;\n',
  'packages/client/amounts.ts': 'export const amounts = 1;\n',
  'packages/console/app.ts': "import { client } from '../client/client.ts';\nexport const app = client;\n",
  'infra/stack.ts':
    "import { ROUTES } from '../functions/routes.ts';\nimport { accounts } from '../shared/venue/polymarket/accounts.ts';\nimport { settings } from '../shared/settings/table.ts';\nexport const stack = [ROUTES, accounts, settings];\n",
  'tools/a.ts': "import { stack } from '../infra/stack.ts';\nexport const tool = stack;\n",
  'test/a.ts':
    "import { stack } from '../infra/stack.ts';\nimport fc from 'fast-check';\nexport const test = [stack, fc];\n",
};

/** Each a file of a folder that breaks one rule by one import, from a path of the tree or from a package. */
const BREACHES: readonly (readonly [rule: string, folder: string, to: string])[] = [
  ['functions-use-shared-only', 'functions', 'local/http/server.ts'],
  ['functions-use-shared-only', 'functions', 'infra/stack.ts'],
  ['functions-use-shared-only', 'functions', 'operator/venue/inspection.ts'],
  ['functions-use-shared-only', 'functions', 'packages/client/client.ts'],
  ['functions-use-shared-only', 'functions', 'test/a.ts'],
  ['shared-stands-alone', 'shared', 'functions/pipeline.ts'],
  ['shared-stands-alone', 'shared', 'local/http/server.ts'],
  ['shared-stands-alone', 'shared/deep', 'infra/stack.ts'],
  ['shared-stands-alone', 'shared', 'operator/venue/inspection.ts'],
  ['shared-stands-alone', 'shared', 'packages/paper-venue/venue.ts'],
  ['shared-stands-alone', 'shared', 'tools/a.ts'],
  ['local-adapts', 'local', 'infra/stack.ts'],
  ['local-adapts', 'local', 'operator/venue/inspection.ts'],
  ['local-adapts', 'local', 'operator/command-line.ts'],
  ['local-adapts', 'local', 'packages/console/app.ts'],
  ['local-adapts', 'local', 'test/a.ts'],
  ['operator-uses-shared', 'operator/desk', 'functions/pipeline.ts'],
  ['operator-uses-shared', 'operator/desk', 'local/http/server.ts'],
  ['operator-uses-shared', 'operator/doctor', 'infra/stack.ts'],
  ['operator-uses-shared', 'operator/doctor', 'packages/paper-venue/venue.ts'],
  ['command-line-stands-alone', 'operator/command-line.ts', 'shared/a.ts'],
  ['infra-knows-the-tables-only', 'infra', 'shared/a.ts'],
  ['infra-knows-the-tables-only', 'infra', 'functions/pipeline.ts'],
  ['infra-knows-the-tables-only', 'infra', 'local/http/server.ts'],
  ['paper-venue-shares-no-code', 'packages/paper-venue', 'shared/a.ts'],
  ['paper-venue-shares-no-code', 'packages/paper-venue', 'functions/pipeline.ts'],
  ['paper-venue-shares-no-code', 'packages/paper-venue', 'operator/command-line.ts'],
  ['paper-venue-shares-no-code', 'packages/paper-venue', 'packages/console/app.ts'],
  ['client-stands-alone', 'packages/client', 'shared/a.ts'],
  ['console-uses-the-client-only', 'packages/console', 'shared/a.ts'],
  ['mcp-uses-the-client-only', 'packages/mcp', 'packages/client/amounts.ts'],
  ['client-stands-alone', 'packages/client', 'express'],
  ['console-uses-the-client-only', 'packages/console', 'packages/client/amounts.ts'],
  ['console-uses-the-client-only', 'packages/console', 'zod'],
  ['tools-use-no-tests', 'tools', 'test/a.ts'],
  ['wire-models-stay-in-the-venue-folder', 'functions', 'shared/venue/polymarket/wire.ts'],
  ['wire-models-stay-in-the-venue-folder', 'shared', 'shared/venue/polymarket/wire.ts'],
  ['wire-models-stay-in-the-venue-folder', 'local', 'shared/venue/polymarket/wire.ts'],
  ['wire-models-stay-in-the-venue-folder', 'operator/desk', 'shared/venue/polymarket/wire.ts'],
  ['official-client-through-one-file', 'local/http', '@polymarket/clob-client-v2'],
  ['official-client-through-one-file', 'functions', '@polymarket/clob-client-v2'],
  ['official-client-through-one-file', 'shared', 'axios'],
  ['not-to-unresolvable', 'shared', './nowhere.ts'],
  ['runtime-uses-dependencies-only', 'shared', 'fast-check'],
  ['runtime-uses-dependencies-only', 'packages/paper-venue', 'fast-check'],
];

/** A file for each breach. */
const PLANTED = BREACHES.map(([rule, folder, to], index) => {
  const from = folder.endsWith('.ts') ? folder : `${folder}/breach-${index}.ts`;
  const inTree = to.split('/')[0] ?? '';
  const specifier = FOLDERS.some((name) => name === inTree) ? relative(dirname(from), to) : to;
  const text = `import * as found from '${/^[\w@]/.test(specifier) && specifier !== to ? './' : ''}${specifier}';\nexport const breach = found;\n`;
  return { rule, from, to, text };
});

describe('the arrows of the tree', () => {
  let violations: z.infer<typeof report>['summary']['violations'] = [];

  beforeAll(async () => {
    const breaches = PLANTED.map(({ from, text }) => [from, text]);
    ({ violations } = await cruise(await plant({ ...SOUND, ...CYCLE, ...Object.fromEntries(breaches) })));
  });

  it('are kept by a sound tree', async () => {
    expect((await cruise(await plant(SOUND))).violations).toStrictEqual([]);
  });

  it.each(PLANTED)('$rule: $from may not import $to', ({ rule, from, to }) => {
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

  it('have no cycles of folders', async () => {
    const { violations: found } = await cruise(await plant({ ...SOUND, ...CYCLE_OF_FOLDERS }));
    expect(found.map(({ rule, from, to }) => [rule.name, from, to])).toStrictEqual([
      ['no-cycles-of-folders', 'shared/one', 'shared/other'],
      ['no-cycles-of-folders', 'shared/other', 'shared/one'],
    ]);
  });

  it('have no rule without a breach that it catches', async () => {
    const loaded = await import(new URL('../../.dependency-cruiser.mjs', import.meta.url).href);
    const names = configuration.parse(loaded).default.forbidden.map(({ name }) => name);
    expect(new Set(names)).toStrictEqual(
      new Set([...BREACHES.map(([rule]) => rule), 'no-cycles', 'no-cycles-of-folders']),
    );
  });
});
