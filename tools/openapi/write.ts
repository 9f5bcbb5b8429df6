import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flag, runCommand } from '../../local/command-line.ts';

const ROOT = join(import.meta.dirname, '../..');

const COMMAND = {
  purpose:
    "Writes openapi.json, the client's types and the table of codes in docs/agents.md, after a change of a schema, a code or a description.",
  usage: 'npm run openapi -- [options]',
  options: { check: flag('write nothing; exit with 1 where a file is not what the schemas say') },
} as const;

/** Makes the text of each generated file, by its path. Loads only here what `--help` does without. */
async function generate(): Promise<Readonly<Record<string, string>>> {
  const { default: openapiTS, astToString, COMMENT_HEADER } = await import('openapi-typescript');
  const { createDocument } = await import('./document.ts');
  const document = `${JSON.stringify(createDocument(), null, 2)}\n`;
  const types = await openapiTS(document);
  const { insertCodes, PAGE_OF_CODES } = await import('./codes-table.ts');
  return {
    [PAGE_OF_CODES]: insertCodes(await readFile(join(ROOT, PAGE_OF_CODES), 'utf8')),
    'openapi.json': document,
    'packages/client/api.ts': COMMENT_HEADER + astToString(types),
  };
}

process.exitCode = await runCommand(COMMAND, async ({ check }) => {
  let differing = 0;
  for (const [path, text] of Object.entries(await generate())) {
    const file = join(ROOT, path);
    if (!check) await writeFile(file, text);
    else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      process.stderr.write(`${path} is not what the schemas say: run \`npm run openapi\` and commit the result.\n`);
      differing += 1;
    }
  }
  return differing > 0 ? 1 : 0;
});
