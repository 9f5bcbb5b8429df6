import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { VERSION } from '../../shared/version.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

it('the version is that of the manifests, which a deployed function does not carry, of the document and the changelog', () => {
  const lock = JSON.parse(read('package-lock.json'));
  const mcpLock = JSON.parse(read('packages/mcp/package-lock.json'));
  const [, newest] = /^## (\d+\.\d+\.\d+) - (?:\d{4}-\d{2}-\d{2}|unreleased)$/m.exec(read('CHANGELOG.md')) ?? [];
  const packages = ['package.json', 'packages/client/package.json', 'packages/mcp/package.json'].map(
    (path) => JSON.parse(read(path)).version,
  );
  const versions = [
    ...packages,
    lock.version,
    lock.packages[''].version,
    mcpLock.version,
    mcpLock.packages[''].version,
    JSON.parse(read('openapi.json')).info.version,
    newest,
  ];
  expect(versions).toStrictEqual(versions.map(() => VERSION));
});
