import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
];
const WRITTEN = ['.env.example'];
/** Each step is a process or two that take seconds; a busy machine makes minutes of them. */
const PATIENCE_MS = 180_000;
const run = promisify(execFile);

let tree = '';

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'recipes-'));
  for (const name of [...COPIED, ...WRITTEN, 'jest.config.js'])
    await cp(join(ROOT, name), join(tree, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
}, PATIENCE_MS);

afterAll(() => rm(tree, { recursive: true, force: true }));

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
    return (await run(command, args, { cwd: tree })).stdout;
  } catch (failed) {
    const { stdout, stderr } = printed.parse(failed);
    throw new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: failed });
  }
}

/** The files that follow from a code, and one that throws it: a fraction of the tree, for a short type check. */
const TSCONFIG = {
  extends: './tsconfig.json',
  include: [],
  files: ['shared/use.ts', 'functions/problem.ts', 'tools/openapi/document.ts'],
};

describe('the recipe for a sentence of the venue', () => {
  it(
    'lets the sentence prove the end of an order',
    async () => {
      const row = await codeOf('Add a sentence of the venue');
      const file = 'shared/venue/polymarket/calls/sentences.ts';
      await insert(file, '  { says: /cancel[- ]only/i,', `  ${row}`);
      const ask = `import { fateSaidBy } from './${file}';
        const { kind, error } = fateSaidBy('The exchange is closed for the night', { reason: '', retryAfter: 7 });
        console.log(kind, error.code, error.retryAfter);`;
      expect(await output(process.execPath, '--input-type=module', '-e', ask)).toBe('not_taken venue_unavailable 7\n');
    },
    PATIENCE_MS,
  );
});

/** Prints what a process, a deployment and synth make of the setting. */
const PRINT_SETTING = `
  import { readSettings } from './infra/settings/settings.ts';
  import { parseDeployedConfig, parseLocalConfig } from './shared/settings/config.ts';
  import { ORDER_CONTEXT } from './tools/support/deployment.ts';
  const { orders } = readSettings({ ...ORDER_CONTEXT, minOrderNotional: 2.5 });
  const env = { SERVICE_MIN_ORDER_NOTIONAL: '2.5' };
  const values = [env, orders.variables].map((variables) => parseDeployedConfig(variables).minOrderNotional);
  console.log([parseLocalConfig(env).minOrderNotional, ...values].map(({ coefficient }) => coefficient).join());
  try {
    readSettings({ ...ORDER_CONTEXT, minOrderNotional: 0 });
  } catch (error) {
    console.log(error.message);
  }
`;

describe('the recipe for a setting', () => {
  const meaning = 'refuses an order with a smaller price times size, in pUSD';

  beforeAll(async () => {
    await insert('shared/settings/table.ts', '    clientVerification: ', await codeOf('Add a setting'));
    const malformed = '  SERVICE_MIN_ORDER_NOTIONAL: CAP,\n';
    await insert('test/shared/settings/config.test.ts', '  SERVICE_LOG_LEVEL: [', malformed);
    const check = "  'of the least': { proves: ['SERVICE_MIN_ORDER_NOTIONAL'], run: async () => {} },\n";
    await insert('test/contract/caps.ts', "  'of a day: counted", check);
    await output('npm', 'run', 'settings');
  }, PATIENCE_MS);

  it('brings the setting into the texts for people', async () => {
    expect(await readFile(join(tree, '.env.example'), 'utf8')).toContain(
      `# ${meaning}\n# SERVICE_MIN_ORDER_NOTIONAL=\n`,
    );
    const row = `| \`SERVICE_MIN_ORDER_NOTIONAL\` | \`minOrderNotional\` | - | ${meaning} |`;
    expect(await readFile(join(tree, 'docs/settings.md'), 'utf8')).toContain(row);
    expect(await output(process.execPath, 'local/start.js', '--help')).toMatch(
      new RegExp(`^  SERVICE_MIN_ORDER_NOTIONAL +- +${meaning}$`, 'm'),
    );
  });

  it('brings the setting into the configuration, and a malformed one to a stop at synth', async () => {
    const [values, refusal] = (await output(process.execPath, '--input-type=module', '-e', PRINT_SETTING)).split('\n');
    expect(values).toBe('25,25,25');
    expect(refusal).toBe(
      'minOrderNotional must be a decimal above zero, such as 250 or 99.5, with at most 18 digits before the point.',
    );
  });

  it(
    'ends with the tests that it names, green, and with types that fit',
    async () => {
      const [, tests = ''] = /npm test -- (test\/shared\/settings .*?) &&/.exec(await recipe('Add a setting')) ?? [];
      await output('npm', 'test', '--', ...tests.split(' '));
      await output(process.execPath, 'node_modules/typescript/bin/tsc');
    },
    PATIENCE_MS,
  );
});

describe('the recipe for an error code', () => {
  beforeAll(async () => {
    const entry = await codeOf('Add an error code');
    await insert('shared/errors.ts', '  venue_timeout: {\n', entry);
    await insert('test/shared/errors.test.ts', '  venue_timeout: 504,\n', '  venue_closed: 503,\n');
    const check = "  'a closed venue': { proves: ['venue_closed'], run: async () => {} },\n";
    await insert('test/contract/fates.ts', "  'post-only mode", check);
    const use =
      "import { refuse } from './errors.ts';\nexport const error = refuse('venue_closed', { opensAt: '08:00' });\n";
    await writeFile(join(tree, 'shared/use.ts'), use);
    await writeFile(join(tree, 'tsconfig.recipe.json'), JSON.stringify(TSCONFIG));
    await output('npm', 'run', 'openapi');
  }, PATIENCE_MS);

  it(
    'gives a tree that type-checks and keeps the closed set',
    async () => {
      await output(process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.recipe.json');
      await output('npm', 'test', '--', 'test/shared/errors.test.ts', 'test/contract/complete.test.ts');
    },
    PATIENCE_MS,
  );

  it('adds the code to its operation in the document, with its facts and its wait', async () => {
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
});
