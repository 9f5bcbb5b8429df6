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

  it('is that of the client, which is packed without the rest', async () => {
    expect(VERSION).toBe(await versionIn('client/package.json'));
  });
});
