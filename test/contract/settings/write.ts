import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { insertTable, renderEnvironment } from './render.ts';

const ROOT = join(import.meta.dirname, '../../..');
const README = join(ROOT, 'README.md');

await writeFile(join(ROOT, '.env.example'), renderEnvironment());
await writeFile(README, insertTable(await readFile(README, 'utf8')));
