import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const JEST = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];

/** Suites whose services log orders and faults. */
const SUITES = ['test/tools/openapi/examples.test.ts', 'test/paper/bounds.test.ts'];
/** Those whose services answer the test itself; programs would take most of the time, and print into pipes. */
const IN_PROCESS = '--testNamePattern=^(?!every code sample)';

/** A line that jest writes by itself where all is well. */
const OWN = /^(?:PASS test\/\S+(?: \([\d.]+ s\))?|(?:Test Suites|Tests|Snapshots|Time): .*|Ran all test suites.*|)$/;

function runJest(args: readonly string[]): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const env = { PATH: process.env['PATH'], NO_COLOR: '1', FORCE_COLOR: '0' };
  execFile(process.execPath, [...JEST, ...args], { cwd: ROOT, env }, (error, stdout, stderr) => {
    if (error) reject(new Error(stderr, { cause: error }));
    else resolve(`${stdout}${stderr}`.split('\n'));
  });
  return promise;
}

describe('a green run', () => {
  it('prints the lines of jest and no other: an error line is one to look at', async () => {
    const lines = await runJest(['--runInBand', IN_PROCESS, ...SUITES]);
    expect(lines.filter((line) => !OWN.test(line))).toStrictEqual([]);
    expect(lines.filter((line) => line.startsWith('PASS'))).toHaveLength(SUITES.length);
  });

  it('warns of no package that was built, and bears the name of the project', async () => {
    await mkdir(join(ROOT, 'build'), { recursive: true });
    const built = await mkdtemp(join(ROOT, 'build/package-'));
    try {
      await writeFile(join(built, 'package.json'), '{"name":"order-book-adapter"}');
      const lines = await runJest(['--listTests', import.meta.filename]);
      expect(lines.filter((line) => line !== '')).toStrictEqual([import.meta.filename]);
    } finally {
      await rm(built, { recursive: true });
    }
  });

  it.each([
    [1, []],
    [107, [expect.stringMatching(/^107 suites: about .* minutes .*\.\n$/)]],
  ])('says at the start how long it takes, where it takes long: %d suites', async (numTotalTestSuites, said) => {
    const { default: Duration } = await import(new URL('../support/duration.mjs', import.meta.url).href);
    const written: unknown[] = [];
    const write = jest.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(text) > 0);
    new Duration().onRunStart({ numTotalTestSuites });
    write.mockRestore();
    expect(written).toStrictEqual(said);
  });
});
