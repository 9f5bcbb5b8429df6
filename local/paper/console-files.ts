import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SOURCES } from '../service/folders.ts';

async function buildFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  // Loaded with the first page, so that the start does not wait for it.
  const { buildSync } = await import('esbuild');
  const { outputFiles } = buildSync({
    entryPoints: ['app.ts', 'index.html', 'style.css'].map((name) => join(folder, name)),
    bundle: true,
    splitting: true,
    chunkNames: '[name]',
    minify: true,
    format: 'esm',
    charset: 'utf8',
    target: 'es2022',
    loader: { '.html': 'copy' },
    outdir: folder,
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
}

/** Reads the files of the console as the package has them, or builds them as `npm run build:console` does. */
export async function loadConsole(): Promise<ReadonlyMap<string, string>> {
  const folder = join(SOURCES, 'packages/console');
  const names = await readdir(folder);
  if (names.includes('app.ts')) return buildFiles(folder);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}
