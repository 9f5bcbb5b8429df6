import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { VERSION } from '../../shared/version.ts';

describe('the version', () => {
  it('is that of package.json, which the deployed functions do not carry', async () => {
    const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(VERSION).toBe(manifest.version);
  });
});
