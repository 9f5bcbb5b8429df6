import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../functions/routes.ts';
import { codeSamples } from '../../../tools/openapi/code-samples.ts';
import { EXAMPLES, type Exchange } from '../../../tools/openapi/examples.ts';
import { installClient } from '../../support/page/client-bundle.ts';
import { HAS_PYTHON, PYTHON_ENV } from '../../support/python.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

/** The moment of the examples, so that the invented markets are always the same. */
const NOW = Date.parse('2026-10-05T09:10:10.525Z');

function ask(url: string, { target, headers, send }: Exchange): Promise<Response> {
  const common = { 'x-request-id': 'example-1', ...headers };
  if (!send) return fetch(url + target, { headers: common });
  const body = JSON.stringify(send);
  return fetch(url + target, { method: 'POST', headers: { ...common, 'content-type': 'application/json' }, body });
}

/** An order is salted: its id is another each time; a challenge ends with the time. */
function comparable(body: object): object {
  if ('order_id' in body) return { ...body, order_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) };
  if (!('challenge' in body)) return body;
  const upToTime = String(body.challenge).replace(/[^ ]*$/, '');
  return { ...body, challenge: expect.stringMatching(new RegExp(`^${upToTime}[0-9TZ:-]{20}$`)) };
}

describe('every example of the document', () => {
  it.each(EXAMPLES)('is what a service on paper answers: $operation $name', async (example) => {
    const { url } = await startPaperService(example.settings, { now: () => NOW });
    const response = await ask(url, example);
    expect(await response.json()).toStrictEqual(comparable(example.answer));
    expect(response.status).toBe(example.status);
  });
});

const run = promisify(execFile);
const SAMPLES = Object.values(ROUTES).flatMap(({ name }) => codeSamples(name).map((sample) => ({ name, ...sample })));

/** A word of each answer. */
const ANSWERED = { health: 'order-placing', markets: 'has_more', book: 'tick_size', orders: 'remaining_size' } as const;

if (!HAS_PYTHON) process.stderr.write('SKIPPED: the document’s samples in Python: python3 is not installed.\n');
const RUNNABLE = SAMPLES.filter(({ label }) => HAS_PYTHON || label !== 'Python');

describe('every code sample of the document', () => {
  let project = '';
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'code-samples-'));
    await installClient(project);
  });
  afterAll(() => rm(project, { recursive: true, force: true }));

  it.each(RUNNABLE)('runs: $name in $label', async ({ name, label, source }) => {
    const { url, venue } = await startPaperService();
    const code = source.replace('http://127.0.0.1:8080', url);
    const file = join(project, label === 'TypeScript' ? 'sample.ts' : 'sample');
    await writeFile(file, code);
    const command = { curl: 'sh', TypeScript: process.execPath, Python: 'python3' }[label] ?? '';
    const env = label === 'Python' ? PYTHON_ENV : process.env;
    const { stdout } = await run(command, [file], { cwd: project, env });
    expect(stdout).toContain(ANSWERED[name]);
    expect(venue.orders()).toHaveLength(name === 'orders' ? 1 : 0);
  });
});
