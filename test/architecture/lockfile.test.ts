import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

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
