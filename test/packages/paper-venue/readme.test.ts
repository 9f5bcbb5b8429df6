import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { FAULT_NAMES } from '../../../packages/paper-venue/faults/faults.ts';
import { startPaper } from '../../support/venue/paper-venue.ts';

const run = promisify(execFile);

/** The text under a heading of the paper venue's README. */
async function section(heading: string): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../../../packages/paper-venue/README.md'), 'utf8');
  return readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

describe('the README of the paper venue', () => {
  it('shows requests that work as they stand', async () => {
    const { url } = await startPaper();
    const commands = /```sh\n(.*?)```/s.exec(await section('Paths of its own'))?.[1] ?? '';
    const { stdout } = await run('sh', ['-euc', commands.replace('http://127.0.0.1:8081', url)]);
    expect(stdout).toContain('"bids":[');
    expect(stdout.match(/\{"done":true\}/g)).toHaveLength(6);
    expect(stdout.match(/"armed":\[\{"fault":"hang-after"/g)).toHaveLength(2);
    expect(stdout).toContain('"path":"/time","query":"",');
    expect(stdout).toContain('"fault":"delay"');
  });

  it('names every fault', async () => {
    const rows = (await section('Faults')).split('\n').filter((line) => line.startsWith('|'));
    const named = rows.join('').match(/(?<=`)[a-z0-9-]+(?=`)/g);
    expect(named).toStrictEqual([...FAULT_NAMES]);
  });
});
