import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { VERSION } from '../../shared/version.ts';

/** What the recipe of a release changes: all else must not name the version. */
const CHANGED = /^(?:CHANGELOG\.md|package\.json|packages\/(?:client|mcp)\/package\.json)$/;

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

it('no document, manifest or file for a host names the version, which a release would leave behind', () => {
  const globs = ['*.{md,json}', 'docs/*.md', 'deploy/*.*', 'packages/*/*.{md,json}', '.github/**/*.yml'];
  const generated = /(?:^openapi|package-lock)\.json$/;
  const files = globSync(globs).filter((path) => !generated.test(path));
  expect(files.length).toBeGreaterThan(40);
  const stale = files.filter((path) => read(path).includes(VERSION));
  expect(stale.filter((path) => !CHANGED.test(path))).toStrictEqual([]);
});
