import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ROUTES } from '../../functions/routes.ts';
import { BUILTINS_BY_CALL, FROM_LAYER, LAYER_ENTRIES, NO_CONFIG_FILES } from './plugins.ts';

/** The folder of the project: paths in the output are relative to it, so that they are the same on every machine. */
const ROOT = join(import.meta.dirname, '../..');
/** Names of chunks depend on the path from the output to the sources: esbuild always gets this output path. */
const OUTPUT = join(ROOT, 'build');

/** The curve that orders are signed with. Its loader looks for it beside the bundle. */
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
  // Keeps paths of links: a linked node_modules gives the same bytes.
  preserveSymlinks: true,
  // esbuild can drop unused code from a package's ES modules, but not from its CommonJS build.
  mainFields: ['module', 'main'],
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * Writes a file that everybody may read: Lambda runs code as a user of its own. The CDK keeps file modes but names an asset
 * by its contents alone, so an asset that a private umask made unreadable would stay so after the next deploy.
 */
async function writeReadable(path: string, contents: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, contents);
  await chmod(path, 0o644);
}

/** Packages that no endpoint uses: the official client's HTTP and signing, and the SDK's browser check and event streams. */
const UNUSED = ['axios', 'viem', '@ethersproject/*', 'browser-or-node', 'bowser', '@smithy/core/event-streams'];

/**
 * Bundles entry points for a folder of the output. Source maps lie in a folder of their own, to read a stack trace
 * with; they are not shipped.
 */
async function bundle(
  outdir: string,
  folder: string,
  entryPoints: Record<string, string>,
  [external, ...plugins]: readonly [string[], ...Plugin[]],
) {
  const { outputFiles } = await build({
    ...BUNDLE,
    entryPoints,
    outdir: join(OUTPUT, folder),
    minify: true,
    external,
    // Lambda puts the credentials into the environment, so the SDK's other providers are left out.
    alias: { '@aws-sdk/credential-provider-node': './infra/build/credentials.ts' },
    plugins: [BUILTINS_BY_CALL, NO_CONFIG_FILES, ...plugins],
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    legalComments: 'none',
    sourcemap: 'external',
    sourcesContent: false,
  });
  for (const { path, contents } of outputFiles) {
    const name = relative(OUTPUT, path);
    await writeReadable(join(outdir, name.endsWith('.map') ? 'maps' : '', name), contents);
  }
}

/**
 * Builds what is deployed into `outdir`: `functions/<name>` and `layer`, each a folder that becomes an asset as it is.
 * The same sources give the same bytes, wherever the project lies.
 */
export async function buildAssets(outdir: string): Promise<void> {
  // Deletes only its own output: other commands write to this folder.
  for (const folder of ['functions', 'layer', 'maps']) await rm(join(outdir, folder), { recursive: true, force: true });
  for (const name of [...Object.keys(ROUTES), 'events']) {
    const index = name === 'events' ? 'operator/topic/index.ts' : `functions/${name}/index.ts`;
    // Health calls nothing upstream: it imports nothing of the layer, so that its cold start is that of an empty function.
    await bundle(outdir, `functions/${name}`, { index }, [UNUSED, ...(name === 'health' ? [] : [FROM_LAYER])]);
  }
  await bundle(outdir, 'layer/nodejs', LAYER_ENTRIES, [UNUSED]);
  await writeReadable(join(outdir, 'layer/nodejs', CURVE.name), await readFile(CURVE.path));
}

if (import.meta.main) await buildAssets(OUTPUT);
