import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import * as z from 'zod/mini';
import { OPTIONS } from '../../local/doctor/options.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Lines of the README: what a visitor reads before deciding. */
const MAX_README_LINES = 110;
const MAX_PICTURE_BYTES = 150 * 1024;

const ROOMS = globSync('{functions,shared,infra,local,paper,console,tools,test}/**/README.md', { cwd: ROOT }).sort();
const DOCUMENTS = globSync(['*.md', 'docs/*.md', '{paper,client}/README.md'], { cwd: ROOT }).sort();

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** Leaves out code, in which a number sign or a bracket means something else. */
function proseOf(file: string): string {
  return read(file).replace(/^```.*?^```/gms, '');
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): ReadonlySet<string> {
  const headings = proseOf(file).matchAll(/^#+ (.+)$/gm);
  const slugs = [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(slugs);
}

interface Link {
  readonly from: string;
  readonly target: string;
}

/** The links of a document to this repository. */
function linksOf(from: string): readonly Link[] {
  const links = proseOf(from).matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].map(([, target = '']) => ({ from, target })).filter(({ target }) => !/^[a-z]+:/.test(target));
}

function resolves({ from, target }: Link): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(file).has(anchor);
}

const options = z.record(z.string(), z.object({ alias: z.optional(z.union([z.string(), z.array(z.string())])) }));
const registry = z.object({
  globalOptions: options,
  commands: z.record(z.string(), z.object({ options: z.optional(options) })),
});

/** Returns the options of a command of the CDK, from the list of its own; it only warns of one that it does not know. */
function cdkOptions(command: string): ReadonlySet<string> {
  const { globalOptions, commands } = registry.parse(
    JSON.parse(read('node_modules/aws-cdk/lib/cli/cli-type-registry.json')),
  );
  const all = Object.entries({ ...globalOptions, ...commands[command]?.options });
  const names = all.flatMap(([name, { alias = [] }]) => [name, alias].flat());
  return new Set(names.map((name) => (name.length === 1 ? `-${name}` : `--${name}`)));
}

describe('the documents', () => {
  it('are all read here', () => {
    const expected = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'client/README.md'];
    expect(DOCUMENTS).toStrictEqual(expect.arrayContaining(expected));
    expect(DOCUMENTS.filter((file) => file.startsWith('docs/')).length).toBeGreaterThanOrEqual(6);
  });

  it('link to what is there, anchors included', () => {
    const links = [...DOCUMENTS, ...ROOMS].flatMap(linksOf);
    expect(links.length).toBeGreaterThan(80);
    expect(links.filter((link) => !resolves(link))).toStrictEqual([]);
  });

  it.each(DOCUMENTS)('%s names no test that there is not', (file) => {
    const named = [...read(file).matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toStrictEqual([]);
  });

  it('have pictures that load at once', () => {
    const sizes = globSync('docs/*.png', { cwd: ROOT }).map((file) => statSync(join(ROOT, file)).size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PICTURE_BYTES);
  });

  it('are all found from the README', () => {
    const targets = new Set(linksOf('README.md').map(({ target }) => target.split('#')[0]));
    const others = DOCUMENTS.filter((file) => file !== 'README.md');
    expect(others.filter((file) => !targets.has(file))).toStrictEqual([]);
  });

  it.each(DOCUMENTS)('%s names no npm script that there is not', (file) => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(file).matchAll(/\bnpm (?:run (?:-s |--silent )?([\w:-]+)|(start|test)\b)/g)];
    const names = named.map(([, run, short]) => run ?? short ?? '');
    expect(names.filter((name) => !(name in scripts))).toStrictEqual([]);
  });

  it.each(DOCUMENTS)('%s calls the doctor as it can be called', (file) => {
    const calls = [...read(file).matchAll(/\bnpm run (?:-s )?doctor -- ([^`#\n]+)/g)];
    for (const [, args = ''] of calls) parseArgs({ args: args.trim().split(/ +/), options: OPTIONS });
  });

  it.each(DOCUMENTS)('%s sends the address of a client with each order of an example', (file) => {
    const examples = [...read(file).matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, code = '']) => code);
    const orders = examples.filter((code) => /placeOrder\(|requests\.post\(|\/v1\/orders\b.*-d /s.test(code));
    expect(orders.filter((code) => !/X-Client-Address|clientAddress|wallet/.test(code))).toStrictEqual([]);
  });

  it('name no option of the CDK that there is not', () => {
    const used = [
      ...DOCUMENTS.map(read)
        .join('\n')
        .matchAll(/\bnpx cdk (\w+)([^\n`#>]*)/g),
    ];
    const commands = new Set(used.map(([, command = '']) => command));
    expect([...commands].toSorted()).toStrictEqual(['bootstrap', 'deploy', 'destroy', 'diff']);
    const unknown = used.filter(([, command = '', rest = '']) =>
      rest.match(/(?<=\s)-[\w-]+/g)?.some((option) => !cdkOptions(command).has(option)),
    );
    expect(unknown.map(([text]) => text)).toStrictEqual([]);
    // It would run the app, which refuses to be a stack of a file without that file.
    for (const [text, command] of used) if (command === 'bootstrap') expect(text).toContain(' --app= ');
  });

  it.each(DOCUMENTS)('%s words the promise about orders as the others do', (file) => {
    const variants = read(file).match(/\b(exactly|at most)[ -]once\b|\bnever twice\b/gi) ?? [];
    expect(variants).toStrictEqual([]);
  });
});

describe('the README', () => {
  it('is short', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_README_LINES);
  });

  it.each(['npm ci --omit=dev && npm run paper', 'npm ci && npm test'])('has `%s` in a block of its own', (command) => {
    const blocks = [...read('README.md').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code]) => code);
    expect(blocks).toContain(`${command}\n`);
  });
});
