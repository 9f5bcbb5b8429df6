import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type OutputFile } from 'esbuild';
import { ROUTES } from '../../functions/routes.ts';
import { runCommand } from '../../shared/command-line.ts';
import { builtinModulesByCall } from './builtin-modules.ts';
import { fromLayer, LAYER_ENTRIES } from './layer-imports.ts';

/** The folder of the project: paths in the output are relative to it, so that they are the same on every machine. */
const ROOT = join(import.meta.dirname, '../..');
/** Names of chunks depend on the way from here to the sources: esbuild believes that it always writes here. */
const OUTPUT = join(ROOT, 'build');

/**
 * The SDK finds its credentials where Lambda puts them. What it would bring for other uses is left out.
 */
const STUBS = './infra/build/stubs.ts';

/** The curve that orders are signed with. What loads it looks for it beside the bundle. */
export const CURVE = {
  name: 'secp256k1.wasm',
  path: join(ROOT, 'node_modules/tiny-secp256k1/lib/secp256k1.wasm'),
} as const;

/** Bundles for Node, wherever they run. */
export const BUNDLE = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Paths as they are written: who links node_modules from elsewhere builds the same bytes.
  preserveSymlinks: true,
  // The ES modules of a package leave what nobody uses behind, its CommonJS build does not.
  mainFields: ['module', 'main'],
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const COMMON = {
  ...BUNDLE,
  minify: true,
  alias: { '@aws-sdk/credential-provider-node': STUBS },
  plugins: [builtinModulesByCall()],
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outExtension: { '.js': '.mjs' },
  legalComments: 'none',
  sourcemap: 'external',
  sourcesContent: false,
} as const satisfies BuildOptions;

/** Health calls nothing upstream: it has no layer, so that its cold start is that of an empty function. */
const WITHOUT_LAYER: ReadonlySet<string> = new Set(['health']);

function functionOptions(name: string) {
  return {
    ...COMMON,
    entryPoints: { index: `functions/${name}/index.ts` },
    outdir: join(OUTPUT, 'functions', name),
    plugins: [...COMMON.plugins, ...(WITHOUT_LAYER.has(name) ? [] : [fromLayer(ROOT)])],
  };
}

function layerOptions() {
  const entryPoints = { ...LAYER_ENTRIES };
  return { ...COMMON, entryPoints, outdir: join(OUTPUT, 'layer', 'nodejs') };
}

/**
 * Writes a file that everybody may read: Lambda runs code as a user of its own. The CDK ships modes as it finds them, and
 * names an asset by its contents alone, so that one of a private umask would stay unreadable with the next deploy too.
 */
async function writeReadable(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
  await chmod(path, 0o644);
}

/** Source maps lie in a folder of their own, to read a stack trace with; they are not shipped. */
async function write(files: readonly OutputFile[], outdir: string): Promise<void> {
  for (const { path, contents } of files) {
    const name = relative(OUTPUT, path);
    await writeReadable(join(outdir, name.endsWith('.map') ? 'maps' : '', name), contents);
  }
}

/**
 * Builds what is deployed into `outdir`: `functions/<name>` and `layer`, each a folder that becomes an asset as it is.
 * The same sources give the same bytes, wherever the project lies.
 */
export async function buildAssets(outdir: string): Promise<void> {
  // Not all of it: the client and the figures of the benchmark lie there too.
  for (const folder of ['functions', 'layer', 'maps']) await rm(join(outdir, folder), { recursive: true, force: true });
  for (const name of Object.keys(ROUTES)) {
    await write((await build(functionOptions(name))).outputFiles, outdir);
  }
  await write((await build(layerOptions())).outputFiles, outdir);
  await writeReadable(join(outdir, 'layer/nodejs', CURVE.name), await readFile(CURVE.path));
}

const COMMAND = {
  purpose: 'Builds what is deployed into build/: the functions and their layer.',
  usage: 'npm run build -- [options]',
  options: {},
} as const;

if (import.meta.main) {
  process.exitCode = await runCommand(COMMAND, async () => {
    await buildAssets(OUTPUT);
    return 0;
  });
}
