import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['packages/client/README.md', 'docs/clients.md', 'docs/app.md'];
const IMPORT = "import { createClient } from 'order-book-adapter-client';\n";
/** What an example takes from the first one of its page, and what those of wallets find in a browser. */
const PAGE = `
  declare const client: import('order-book-adapter-client').Client;
  declare const token_id: string;
  declare const baseUrl: string;
  declare const ethereum: { request(call: { method: string; params?: readonly string[] }): Promise<any> };
  declare const solana: {
    connect(): Promise<{ publicKey: object }>;
    signMessage(text: Uint8Array): Promise<{ signature: Uint8Array }>;
  };`;

let project = '';
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'typed-examples-'));
  await symlink(join(ROOT, 'node_modules'), join(project, 'node_modules'));
});
afterAll(() => rm(project, { recursive: true, force: true }));

/** Writes each program of a page as TypeScript; returns how many there are. */
async function writePrograms(page: string): Promise<number> {
  const fences = [...(await readFile(join(ROOT, page), 'utf8')).matchAll(/```[jt]s\n(.*?)```/gs)];
  const parts = fences.map(([, code = '']) => code);
  const programs = page === 'docs/app.md' ? [parts.join('')] : parts; // The parts of a backend.
  const written = programs.map((code, index) => {
    const text = code.includes('import ') ? code : IMPORT + code;
    return writeFile(join(project, `${basename(page, '.md')}-${index}.ts`), text);
  });
  await Promise.all(written);
  return written.length;
}

it('the programs of the documents compile in strict TypeScript', async () => {
  const counts = await Promise.all(PAGES.map(writePrograms));
  expect(counts.map((count) => count > 0)).toStrictEqual(PAGES.map(() => true));
  await writeFile(join(project, 'page.d.ts'), PAGE);
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'nodenext', types: ['node'] },
    paths: { 'order-book-adapter-client': [join(ROOT, 'packages/client/client.ts')] },
  };
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', 'false'];
  const { stdout } = await promisify(execFile)(process.execPath, tsc).catch((failed) => failed);
  expect(stdout).toBe('');
});
