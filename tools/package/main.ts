import { execFile } from 'node:child_process';
import { chmod, copyFile, glob, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import * as z from 'zod/mini';
import { BUNDLE, CURVE } from '../../infra/build/build.ts';
import { BUILTINS_BY_CALL } from '../../infra/build/plugins.ts';
import { runCommand } from '../../local/command-line.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** Names of chunks depend on the way from here to the sources: esbuild believes that it always writes here. */
const OUTPUT = join(ROOT, 'build/package');

/** The programs, by their names in the package. */
const START = 'server/start';
const ENTRIES = { [START]: 'operator/start.js' } as const;

/** Documents and their files; they link to each other. */
const TEXTS = [
  '*.md',
  'LICENSE',
  '.env.example',
  'openapi.json',
  'docs/{*.md,*.png}',
  'deploy/{README.md,kubernetes.yaml,nginx.conf,order-book-adapter.service,Caddyfile}',
  'packages/{client,console,paper-venue}/README.md',
];

/** Node gives an ES module no `require`, which dependencies that are CommonJS call. */
const BANNER =
  "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);";

/** What our sentences say of a clone, and what they say in the package. It has no npm scripts; npx finds it where it is installed. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/'In a clone [^']*\\n'/, "'Install a newer one.\\n'"],
  [/npm start(?: --)?/g, 'npx order-book-adapter'],
  [/npm run paper(?!:)(?: --)?/g, 'npx order-book-adapter --paper'],
  [/npm run (doctor|orders)(?: --)?/g, 'npx order-book-adapter $1'],
  [/npm run paper:venue(?: --)?/g, 'npx order-book-adapter paper-venue'],
];

/** Names the commands of the package in our sentences. */
const COMMANDS_OF_PACKAGE: Plugin = {
  name: 'commands-of-package',
  setup(build) {
    build.onLoad({ filter: /\.(?:ts|js|cjs)$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const source = await readFile(path, 'utf8');
      const contents = WORDS.reduce((text, [ofClone, ofPackage]) => text.replace(ofClone, ofPackage), source);
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

const OPTIONS = {
  ...BUNDLE,
  metafile: true,
  entryPoints: ENTRIES,
  outdir: OUTPUT,
  // Colours of lines that nobody asks for, and the build of the console, which is built here.
  external: ['supports-color', 'esbuild'],
  // The start to listening, read-only: 152 ms to 138 ms.
  plugins: [BUILTINS_BY_CALL, COMMANDS_OF_PACKAGE],
  entryNames: '[dir]/[name]',
  // As deep as the sources, which find the project's folder by it.
  chunkNames: 'server/chunks/[name]-[hash]',
  banner: { js: BANNER },
  // Not minified: an operator with a wallet key may read it, and a stack trace says where.
  legalComments: 'inline',
} as const satisfies BuildOptions;

async function writeTo(path: string, contents: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
}

/** Finds the folders of the packages whose files went into the bundle. */
function packagesOf(inputs: readonly string[]): readonly string[] {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

const manifestShape = z.looseObject({ name: z.string(), version: z.string(), license: z.string() });

async function readManifest(folder: string) {
  return manifestShape.parse(JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')));
}

/** Reads the licence of a package as its authors ask: with their notice. */
async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = await readManifest(folder);
  const notices = (await readdir(join(ROOT, folder))).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = await Promise.all(notices.toSorted().map((file) => readFile(join(ROOT, folder, file), 'utf8')));
  return [`${name} ${version} (${license})`, ...texts.map((text) => text.trim())].join('\n\n');
}

/** Returns the licence of what the curve was compiled from, which its package does not bring; both are MIT's. */
async function licenceOfCurve(): Promise<string> {
  const text = await readFile(join(ROOT, 'node_modules/tiny-secp256k1/LICENSE'), 'utf8');
  const own = text.trim().replace(/^Copyright .*$/m, 'Copyright (c) 2013 Pieter Wuille');
  return `libsecp256k1, in ${CURVE.name} (MIT)\n\n${own}`;
}

/** Makes the manifest: that of the project, without what is only for its folder, and without dependencies. */
async function makeManifest(): Promise<string> {
  const { name, version, description, license, repository, type, engines } = await readManifest('.');
  const bin = { [name]: `${START}.js` };
  return `${JSON.stringify({ name, version, description, license, repository, type, engines, bin }, null, 2)}\n`;
}

/**
 * Builds the service as a package without dependencies into `outdir`: bundled programs, documents, licences. The same
 * sources give the same bytes, wherever the project lies.
 */
export async function buildPackage(outdir: string): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  const { outputFiles, metafile } = await build(OPTIONS);
  for (const { path, contents } of outputFiles) await writeTo(join(outdir, relative(OUTPUT, path)), contents);
  await copyFile(CURVE.path, join(outdir, 'server/chunks', CURVE.name));
  await run('npm', ['run', '--silent', 'build:console', '--', `--outdir=${join(outdir, 'packages/console')}`], {
    cwd: ROOT,
  });
  await chmod(join(outdir, `${START}.js`), 0o755);
  for await (const path of glob(TEXTS, { cwd: ROOT })) {
    await mkdir(dirname(join(outdir, path)), { recursive: true });
    await copyFile(join(ROOT, path), join(outdir, path));
  }
  // The page of the console has a library too.
  const packages = [...packagesOf(Object.keys(metafile.inputs)), 'node_modules/uplot'];
  const licences = await Promise.all([...packages.map(licenceOf), licenceOfCurve()]);
  await writeTo(join(outdir, 'THIRD-PARTY-LICENSES.txt'), `${licences.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
  await writeTo(join(outdir, 'package.json'), await makeManifest());
}

const COMMAND = {
  purpose:
    'Builds the service as a package without dependencies into build/package, for npm pack and for the container.',
  usage: 'npm run build:package -- [options]',
  options: {},
} as const;

if (import.meta.main) {
  process.exitCode = await runCommand(COMMAND, async () => {
    await buildPackage(OUTPUT);
    process.stdout.write(`${relative(process.cwd(), OUTPUT)}\n`);
    return 0;
  });
}
