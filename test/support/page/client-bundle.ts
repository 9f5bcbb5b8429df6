import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The client as `npm run build:client` builds it, but for the place: a file of its own for every test. */
export async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
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
