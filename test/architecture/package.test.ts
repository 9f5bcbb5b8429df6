import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { VERSION } from '../../shared/version.ts';

const Lockfile = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).default({}) })),
});

describe('the lock file', () => {
  // npm leaves out what its registry does not serve, and then refuses its own lock file: "Missing: … from lock file".
  it('holds every optional package that a locked one names, so that a clean install is not refused', async () => {
    const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
    const { packages } = Lockfile.parse(JSON.parse(text));
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(packages, path, name)),
    );
    expect(missing).toStrictEqual([]);
  });
});

/** As Node resolves: beside the package that asks, then upwards. */
function isLocked(packages: Readonly<Record<string, unknown>>, path: string, name: string): boolean {
  const place = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  if (place in packages) return true;
  if (path === '') return false;
  const parent = path.lastIndexOf('/node_modules/');
  return isLocked(packages, parent < 0 ? '' : path.slice(0, parent), name);
}

async function versionIn(manifest: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`../../${manifest}`, import.meta.url), 'utf8')).version;
}

describe('the version', () => {
  it('is that of package.json, which the deployed functions do not carry', async () => {
    expect(VERSION).toBe(await versionIn('package.json'));
  });

  it('is that of the lock file, which a clean install reads', async () => {
    const { version, packages } = JSON.parse(
      await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'),
    );
    expect([version, packages[''].version]).toStrictEqual([VERSION, VERSION]);
  });

  it('is that of the document', async () => {
    const { info } = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
    expect(info.version).toBe(VERSION);
  });

  it('is the newest of the changelog', async () => {
    const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
    const [, newest] = /^## (\d+\.\d+\.\d+) - (?:\d{4}-\d{2}-\d{2}|unreleased)$/m.exec(changelog) ?? [];
    expect(newest).toBe(VERSION);
  });

  it('is that of the client, which is packed without the rest', async () => {
    expect(VERSION).toBe(await versionIn('packages/client/package.json'));
  });
});
