import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { curlOf } from '../../../packages/console/curl.ts';

/** Runs a command with a `curl` that prints what it is given. */
function argumentsOf(command: string): readonly string[] {
  const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' });
  return printed.split('\0').slice(0, -1);
}

describe('the curl of a request', () => {
  it('gives a shell the request unchanged', () => {
    const texts = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
    fc.assert(
      fc.property(texts, texts, texts, (path, value, body) => {
        const url = `http://127.0.0.1:8080/${path}`;
        const command = curlOf(url, { 'idempotency-key': value }, body);
        expect(argumentsOf(command)).toStrictEqual([url, '-H', `idempotency-key: ${value}`, '-d', body]);
      }),
      { numRuns: 30, examples: [["'; rm -rf x; '", '$(id) `id` "', '-d @/etc/passwd \\']] },
    );
  });
});
