import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';

/** The client as `npm run build:client` builds it, but for the place: a file of its own for every test. */
export async function bundleClient(): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: ['packages/client/client.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Installs the client into the project in a folder. */
export async function installClient(folder: string): Promise<void> {
  const installed = join(folder, 'node_modules/order-book-adapter-client');
  await mkdir(join(installed, 'build'), { recursive: true });
  await cp('packages/client/package.json', join(installed, 'package.json'));
  await writeFile(join(installed, 'build/client.js'), await bundleClient());
}

const ROOT = join(import.meta.dirname, '../../..');

/** Returns the files of the console as `npm run build:console` builds them, by their paths. */
export async function buildConsole(): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'));
  try {
    await promisify(execFile)('npm', ['run', '--silent', 'build:console', '--', `--outdir=${folder}`], { cwd: ROOT });
    const names = await readdir(folder);
    const files = names.map(async (name) => [`/${name}`, await readFile(join(folder, name), 'utf8')] as const);
    return Object.fromEntries(await Promise.all(files));
  } finally {
    await rm(folder, { recursive: true });
  }
}
