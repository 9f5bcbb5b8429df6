import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');

async function build(): Promise<Readonly<Record<string, string>>> {
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

let built: ReturnType<typeof build> | undefined;

/** Returns the files of the console as `npm run build:console` builds them, by their paths; built once for all tests of a file. */
export function buildConsole(): ReturnType<typeof build> {
  built ??= build();
  return built;
}
