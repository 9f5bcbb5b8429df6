import { build } from 'esbuild';

/** The client as `npm run build:client` builds it, but for the place: a file of its own for every test. */
export async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['client/client.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
