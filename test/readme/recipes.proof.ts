import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ROUTES } from '../../functions/routes.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'functions',
  'shared',
  'local',
  'infra',
  'operator',
  'packages',
  'tools',
  'test',
  'deploy',
  'docs',
  '.github',
  'package.json',
  'tsconfig.json',
  'cdk.json',
  'jest.config.js',
  '.env.example',
];
/** Each step is a process or two that take seconds; a busy machine makes minutes of them. */
const PATIENCE_MS = 300_000;
const run = promisify(execFile);

let tree = '';

/** The text of a recipe of CONTRIBUTING.md. */
async function recipe(title: string): Promise<string> {
  const text = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  return text.split(`\n### ${title}\n`)[1]?.split('\n### ')[0] ?? '';
}

/** The code in a recipe, without its indentation. */
async function codeOf(title: string): Promise<string> {
  const [, code] = /```ts\n(.*?)```/s.exec(await recipe(title)) ?? [];
  if (code === undefined) throw new Error(`CONTRIBUTING.md has no code in "${title}".`);
  return code.replace(/^ {3}/gm, '');
}

/** Puts a line, or several, before the one place where `anchor` stands. */
async function insert(file: string, anchor: string, lines: string): Promise<void> {
  const text = await readFile(join(tree, file), 'utf8');
  if (text.split(anchor).length !== 2) throw new Error(`"${anchor}" does not stand once in ${file}.`);
  await writeFile(
    join(tree, file),
    text.replace(anchor, () => `${lines}${anchor}`),
  );
}

const printed = z.object({ stdout: z.string(), stderr: z.string() });
const operations = z.record(z.string(), z.unknown());

/** Returns what a command in the copied tree prints; throws with all of it when it fails. */
async function output(command: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await run(command, args, { cwd: tree, env: { ...process.env, FULL_EXTENT: '' } })).stdout;
  } catch (failed) {
    const { stdout, stderr } = printed.parse(failed);
    throw new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: failed });
  }
}

const MEANING = 'refuses an order with a smaller price times size, in pUSD';
const SENTENCES = 'shared/venue/polymarket/calls/sentences.ts';

async function addSetting(): Promise<void> {
  await insert('shared/settings/table.ts', '    clientVerification: ', await codeOf('Add a setting'));
  await insert('test/shared/settings/config.test.ts', '  SERVICE_LOG_LEVEL: [', '  SERVICE_MIN_ORDER_NOTIONAL: CAP,\n');
  const check = "  'of the least': { proves: ['SERVICE_MIN_ORDER_NOTIONAL'], run: async () => {} },\n";
  await insert('test/contract/caps.ts', "  'of a day: counted", check);
}

async function addErrorCode(): Promise<void> {
  await insert('shared/errors.ts', '  venue_timeout: {\n', await codeOf('Add an error code'));
  await insert('test/shared/errors.test.ts', '  venue_timeout: 504,\n', '  venue_closed: 503,\n');
  const check = "  'a closed venue': { proves: ['venue_closed'], run: async () => {} },\n";
  await insert('test/contract/fates.ts', "  'post-only mode", check);
  const use = "export const error = refuse('venue_closed', { opensAt: '08:00' });\n";
  await writeFile(join(tree, 'shared/use.ts'), `import { refuse } from './errors.ts';\n${use}`);
}

/** One copy for all recipes: each is followed, and then what they say is written and checked once. */
beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'recipes-'));
  const copies = COPIED.map((name) => cp(join(ROOT, name), join(tree, name), { recursive: true }));
  await Promise.all([...copies, symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'))]);
  await insert(SENTENCES, '  { says: /cancel[- ]only/i,', `  ${await codeOf('Add a sentence of the venue')}`);
  await addSetting();
  await addErrorCode();
  await Promise.all([output('npm', 'run', 'settings'), output('npm', 'run', 'openapi')]);
}, PATIENCE_MS);

afterAll(() => rm(tree, { recursive: true, force: true }));

it('lets a sentence prove the end of an order', async () => {
  const ask = `import { fateSaidBy } from './${SENTENCES}';
    const { kind, error } = fateSaidBy('The exchange is closed for the night', { reason: '', retryAfter: 7 });
    console.log(kind, error.code, error.retryAfter);`;
  expect(await output(process.execPath, '--input-type=module', '-e', ask)).toBe('not_taken venue_unavailable 7\n');
});

it('brings a setting into the texts for people', async () => {
  const example = await readFile(join(tree, '.env.example'), 'utf8');
  expect(example).toContain(`# ${MEANING}\n# SERVICE_MIN_ORDER_NOTIONAL=\n`);
  const row = `| \`SERVICE_MIN_ORDER_NOTIONAL\` | \`minOrderNotional\` | - | ${MEANING} |`;
  expect(await readFile(join(tree, 'docs/settings.md'), 'utf8')).toContain(row);
  const help = new RegExp(`^  SERVICE_MIN_ORDER_NOTIONAL +- +${MEANING}$`, 'm');
  expect(await output(process.execPath, 'local/start.js', '--help')).toMatch(help);
});

it('adds a code to its operation in the document, with its facts and its wait', async () => {
  const { components, paths } = JSON.parse(await readFile(join(tree, 'openapi.json'), 'utf8'));
  const { properties, description } = components.schemas.VenueClosedProblem;
  expect(description).toBe('Answered when the venue rests for the night.');
  expect(Object.keys(properties)).toContain('opens_at');
  const answers = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(operations.parse(methods)).flatMap(([method, operation]) =>
      JSON.stringify(operation).includes('VenueClosedProblem') ? [`${method} ${path}`] : [],
    ),
  );
  expect(answers).toStrictEqual([`post ${ROUTES.orders.path}`]);
  expect(paths[ROUTES.orders.path].post.responses['503'].headers).toHaveProperty('Retry-After');
  expect(await readFile(join(tree, 'packages/client/api.ts'), 'utf8')).toContain('code: "venue_closed"');
});

/** What follows from a code and a setting: a part of the tree, for a short type check. */
const TSCONFIG = {
  extends: './tsconfig.json',
  include: ['functions', 'shared', 'infra', 'tools/openapi', 'tools/settings'],
};

it(
  'ends with types that fit, and with the tests that the recipes name, green',
  async () => {
    const [, tests = ''] = /npm test -- (test\/shared\/settings .*?) &&/.exec(await recipe('Add a setting')) ?? [];
    await writeFile(join(tree, 'tsconfig.recipe.json'), JSON.stringify(TSCONFIG));
    await Promise.all([
      output(process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.recipe.json'),
      output('npm', 'test', '--', 'test/shared/errors.test.ts', ...tests.split(' ')),
    ]);
  },
  PATIENCE_MS,
);
