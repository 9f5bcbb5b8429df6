import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDocument } from './document.ts';

const PATH = join(import.meta.dirname, '../../../openapi.json');

const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values;
const text = `${JSON.stringify(createDocument(), null, 2)}\n`;
if (!check) {
  await writeFile(PATH, text);
} else if ((await readFile(PATH, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('openapi.json is not what the schemas say: run `npm run openapi` and commit the result.\n');
  process.exitCode = 1;
}
