import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import * as z from 'zod/mini';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CRUISER = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const FOLDERS = ['functions', 'shared', 'local', 'infra', 'operator', 'packages', 'tools', 'test'] as const;
const WIRE = 'shared/venue/polymarket/wire.ts';
const OFFICIAL = '@polymarket/clob-client-v2';

const rules = z.object({ default: z.object({ forbidden: z.array(z.object({ name: z.string() })) }) });
const violation = z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string() }) });
const report = z.object({ summary: z.object({ violations: z.array(violation) }) });

/** A rule, a folder, and what its files may not import: paths of the tree, or packages. The tree itself keeps the rules. */
const BREACHES: readonly (readonly [rule: string, folder: string, ...imported: string[]])[] = [
  ['functions-use-shared-only', 'functions', 'local/a.ts', 'infra/a.ts', 'operator/a.ts', 'packages/client/client.ts'],
  ['shared-stands-alone', 'shared', 'functions/a.ts', 'local/a.ts', 'infra/a.ts', 'operator/a.ts', 'tools/a.ts'],
  ['local-adapts', 'local', 'infra/a.ts', 'operator/a.ts', 'packages/console/a.ts', 'test/a.ts'],
  ['operator-uses-shared', 'operator', 'functions/a.ts', 'local/a.ts', 'infra/a.ts', 'packages/paper-venue/a.ts'],
  ['command-line-stands-alone', 'local/command-line.ts', 'shared/a.ts'],
  ['infra-knows-the-tables-only', 'infra', 'shared/a.ts', 'functions/a.ts', 'local/a.ts'],
  ['paper-venue-shares-no-code', 'packages/paper-venue', 'shared/a.ts', 'functions/a.ts', 'packages/console/a.ts'],
  ['client-stands-alone', 'packages/client', 'shared/a.ts', 'express'],
  ['console-uses-the-client-only', 'packages/console', 'shared/a.ts', 'packages/client/a.ts', 'zod'],
  ['mcp-uses-the-client-only', 'packages/mcp', 'packages/client/a.ts'],
  ['tools-use-no-tests', 'tools', 'test/a.ts'],
  ...['functions', 'shared', 'local', 'operator'].map(
    (folder) => ['wire-models-stay-in-the-venue-folder', folder, WIRE] as const,
  ),
  ...['functions', 'local', 'operator'].map(
    (folder) => ['official-client-through-one-file', folder, OFFICIAL] as const,
  ),
  ['not-to-unresolvable', 'shared', './nowhere.ts'],
  ['runtime-uses-dependencies-only', 'shared', 'fast-check'],
];

/** Files with what they import; `type` stands before some. Two that need each other, and two folders that do. */
const CYCLES = {
  ...{ 'shared/x.ts': 'type shared/y.ts', 'shared/y.ts': 'type shared/x.ts' },
  ...{ 'shared/one/x.ts': 'shared/other/y.ts', 'shared/other/z.ts': 'shared/one/z.ts' },
} as const;

const isInTree = (path: string) => FOLDERS.some((name) => path.startsWith(`${name}/`));

/** Writes a file of a tree with its import, or none. */
async function write(tree: string, from: string, imported = ''): Promise<void> {
  const [path = '', type = ''] = imported.split(' ').reverse();
  const specifier = isInTree(path) ? relative(dirname(from), path).replace(/^(?=\w)/, './') : path;
  const text = `import ${type} * as x from '${specifier}';\nexport type X = typeof x;\n`;
  await mkdir(dirname(join(tree, from)), { recursive: true });
  await writeFile(join(tree, from), imported === '' ? 'export {};\n' : text);
}

it('each rule of the arrows finds the imports that it forbids, and cycles of files and of folders', async () => {
  const tree = await mkdtemp(join(tmpdir(), 'arrows-'));
  for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs'])
    await cp(join(ROOT, name), join(tree, name));
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  const planted = BREACHES.flatMap(([rule, folder, ...imported], row) =>
    imported.map((to, index) => {
      const from = folder.endsWith('.ts') ? folder : `${folder}/breach-${row}-${index}.ts`;
      return { rule, from, to };
    }),
  );
  const targets = [...planted.map(({ to }) => to), 'shared/one/z.ts', 'shared/other/y.ts'];
  for (const path of targets.filter(isInTree)) await write(tree, path);
  for (const { from, to } of planted) await write(tree, from, to);
  for (const [from, to] of Object.entries(CYCLES)) await write(tree, from, to);
  const args = [CRUISER, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...FOLDERS];
  const { promise, resolve } = Promise.withResolvers<string>();
  // It ends with the number of violations as its code.
  execFile(process.execPath, args, { cwd: tree, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => resolve(stdout));
  const { violations } = report.parse(JSON.parse(await promise)).summary;
  await rm(tree, { recursive: true });
  for (const { rule, from, to } of planted) {
    const found = violations.filter((each) => each.from === from).map((each) => [each.rule.name, each.to]);
    expect([from, found]).toStrictEqual([from, [[rule, expect.stringContaining(to)]]]);
  }
  const cycles = violations.map(({ from, rule }) => `${rule.name} ${from}`);
  // A cycle is reported where it is entered first.
  expect(cycles.filter((cycle) => /^no-cycles shared\/[xy]\.ts$/.test(cycle))).toHaveLength(1);
  for (const folder of ['one', 'other']) expect(cycles).toContain(`no-cycles-of-folders shared/${folder}`);
  const names = rules
    .parse(await import(join(ROOT, '.dependency-cruiser.mjs')))
    .default.forbidden.map(({ name }) => name);
  const caught = [...BREACHES.map(([rule]) => rule), 'no-cycles', 'no-cycles-of-folders'];
  expect(new Set(names)).toStrictEqual(new Set(caught));
});

/** Reads all sources that match, by their paths. */
async function readSources(pattern: string): Promise<ReadonlyMap<string, string>> {
  const sources = new Map<string, string>();
  for await (const path of glob(pattern, { cwd: ROOT })) sources.set(path, await readFile(join(ROOT, path), 'utf8'));
  return sources;
}

it("no file outside the venue's folder names a member of its records that is none of ours", async () => {
  const schemas = [...(await readSources('shared/venue/polymarket/**/*.ts')).values()].join('\n');
  const members = [...schemas.matchAll(/^ +([a-z]+(?:_[a-z]+)+): /gm)].map(([, name = '']) => name);
  const openapi = await readFile(join(ROOT, 'openapi.json'), 'utf8');
  // A column of the desk's reports has the name of the venue's member.
  const ours = (name: string) => name === 'transaction_hash' || openapi.includes(`"${name}":`);
  const wire = [...new Set(members)].filter((name) => !ours(name));
  expect(wire).toStrictEqual(expect.arrayContaining(['asset_id', 'size_matched', 'matched_amount', 'maker_orders']));
  const word = new RegExp(`\\b(?:${wire.join('|')})\\b`, 'g');
  const sources = await readSources('{functions,local,infra,operator,shared/orders}/**/*.ts');
  expect(sources.size).toBeGreaterThan(80);
  const breaches = [...sources].flatMap(([path, text]) => (text.match(word) ?? []).map((name) => `${path}: ${name}`));
  expect(breaches).toStrictEqual([]);
});
