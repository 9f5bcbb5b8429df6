import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../local/command-line.ts';
import { insertTables, renderEnvironment } from './render.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/settings.md');

const COMMAND = {
  purpose: 'Writes .env.example and the table of settings in docs/settings.md, after a change of a setting.',
  usage: 'npm run settings',
  options: {},
} as const;

process.exitCode = await runCommand(COMMAND, async () => {
  await writeFile(join(ROOT, '.env.example'), renderEnvironment());
  await writeFile(PAGE, insertTables(await readFile(PAGE, 'utf8')));
  return 0;
});
