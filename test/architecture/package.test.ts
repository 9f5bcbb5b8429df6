import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { VERSION } from '../../shared/version.ts';

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
