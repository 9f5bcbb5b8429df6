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
async function plant(files: Tree): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'arrows-'));
  trees.push(tree);
  for (const name of ['package.json', 'tsconfig.json', '.dependency-cruiser.mjs'])
    await cp(join(ROOT, name), join(tree, name));
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  for (const folder of FOLDERS) await mkdir(join(tree, folder), { recursive: true });
  for (const [path, imported] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), textOf(path, imported));
  }
  return tree;
}

/** Writes a file with its imports: paths from the root of the tree, packages and aliases; `type` stands before some. */
function textOf(from: string, imported: readonly string[]): string {
  const lines = imported.map((each, index) => {
    const [path = '', type = ''] = each.split(' ').reverse();
    const isInTree = FOLDERS.some((name) => path.startsWith(`${name}/`));
    const specifier = isInTree ? relative(dirname(from), path).replace(/^(?=\w)/, './') : path;
    return `import ${type} * as x${index} from '${specifier}';`;
  });
  return `${lines.join('\n')}\nexport type Found = [${lines.map((_, index) => `typeof x${index}`)}];\n`;
}

/** Files with what they import. */
type Tree = Readonly<Record<string, readonly string[]>>;

/** Two files that need each other, if only for their types. */
const CYCLE: Tree = { 'shared/x.ts': ['type shared/y.ts'], 'shared/y.ts': ['type shared/x.ts'] };

/** Two folders that need each other through files that do not. */
const CYCLE_OF_FOLDERS: Tree = {
  ...{ 'shared/one/x.ts': ['shared/other/y.ts'], 'shared/one/z.ts': [] },
  ...{ 'shared/other/y.ts': [], 'shared/other/z.ts': ['shared/one/z.ts'] },
};

/** Files that keep the rules, for breaches to point at. */
const SOUND: Tree = {
  'functions/routes.ts': [],
  'functions/pipeline.ts': ['shared/a.ts'],
  'shared/a.ts': [],
  'shared/version.ts': [],
  'shared/settings/table.ts': ['shared/a.ts'],
  'shared/venue/polymarket/wire.ts': [],
  'shared/venue/polymarket/accounts.ts': ['shared/a.ts'],
  'shared/venue/polymarket/market-data.ts': ['shared/venue/polymarket/wire.ts'],
  'shared/venue/polymarket/operator-venue.ts': ['shared/venue/polymarket/wire.ts'],
  'local/http/server.ts': ['functions/pipeline.ts', '#venue/market-data'],
  'local/service/open-store.ts': [],
  'local/main.ts': ['packages/paper-venue/venue.ts'],
  'operator/command-line.ts': ['shared/version.ts'],
  'operator/doctor/doctor.ts': ['shared/venue/polymarket/operator-venue.ts'],
  'operator/desk/desk.ts': ['local/service/open-store.ts'],
  'packages/paper-venue/venue.ts': ['express'],
  'packages/client/client.ts': [],
  'packages/client/amounts.ts': [],
  'packages/console/app.ts': ['packages/client/client.ts'],
  'infra/stack.ts': ['functions/routes.ts', 'shared/venue/polymarket/accounts.ts', 'shared/settings/table.ts'],
  'tools/a.ts': ['infra/stack.ts'],
  'test/a.ts': ['infra/stack.ts', 'fast-check'],
};

const [SERVER, STACK, DOCTOR] = ['local/http/server.ts', 'infra/stack.ts', 'operator/doctor/doctor.ts'];
const [PIPELINE, COMMANDS, WIRE] = [
  'functions/pipeline.ts',
  'operator/command-line.ts',
  'shared/venue/polymarket/wire.ts',
];
const [CLIENT, AMOUNTS] = ['packages/client/client.ts', 'packages/client/amounts.ts'];
const [VENUE, CONSOLE] = ['packages/paper-venue/venue.ts', 'packages/console/app.ts'];
const OFFICIAL = '@polymarket/clob-client-v2';

/** A rule, a folder, and imports that its files may not have: paths of the tree, or packages. */
const BREACHES: readonly (readonly [rule: string, folder: string, ...imported: string[]])[] = [
  ['functions-use-shared-only', 'functions', SERVER, STACK, DOCTOR, CLIENT, 'test/a.ts'],
  ['shared-stands-alone', 'shared', PIPELINE, SERVER, DOCTOR, VENUE, 'tools/a.ts'],
  ['shared-stands-alone', 'shared/deep', STACK],
  ['local-adapts', 'local', STACK, DOCTOR, COMMANDS, CONSOLE, 'test/a.ts'],
  ['operator-uses-shared', 'operator/desk', PIPELINE, SERVER],
  ['operator-uses-shared', 'operator/doctor', STACK, VENUE],
  ['command-line-stands-alone', COMMANDS, 'shared/a.ts'],
  ['infra-knows-the-tables-only', 'infra', 'shared/a.ts', PIPELINE, SERVER],
  ['paper-venue-shares-no-code', 'packages/paper-venue', 'shared/a.ts', PIPELINE, COMMANDS, CONSOLE],
  ['client-stands-alone', 'packages/client', 'shared/a.ts', 'express'],
  ['console-uses-the-client-only', 'packages/console', 'shared/a.ts', AMOUNTS, 'zod'],
  ['mcp-uses-the-client-only', 'packages/mcp', AMOUNTS],
  ['tools-use-no-tests', 'tools', 'test/a.ts'],
  ...['functions', 'shared', 'local', 'operator/desk'].map(
    (folder) => ['wire-models-stay-in-the-venue-folder', folder, WIRE] as const,
  ),
  ['official-client-through-one-file', 'local/http', OFFICIAL],
  ['official-client-through-one-file', 'functions', OFFICIAL],
  ['official-client-through-one-file', 'operator/desk', OFFICIAL],
  ['official-client-through-one-file', 'shared', 'axios'],
  ['not-to-unresolvable', 'shared', './nowhere.ts'],
  ['runtime-uses-dependencies-only', 'shared', 'fast-check'],
  ['runtime-uses-dependencies-only', 'packages/paper-venue', 'fast-check'],
];

/** A file for each breach. */
const PLANTED = BREACHES.flatMap(([rule, folder, ...imported], row) =>
  imported.map((to, index) => ({
    rule,
    to,
    from: folder.endsWith('.ts') ? folder : `${folder}/breach-${row}-${index}.ts`,
  })),
);

describe('the arrows of the tree', () => {
  let violations: z.infer<typeof report>['summary']['violations'] = [];

  beforeAll(async () => {
    const breaches = PLANTED.map(({ from, to }) => [from, [to]]);
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
