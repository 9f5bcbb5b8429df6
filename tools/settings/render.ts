import { CONTEXT } from '../../infra/settings/table.ts';
import { LISTED, LOCAL, type Table, variableOf } from '../../shared/settings/table.ts';

const HEADER = `# Settings of the local server; every one may be left out, and an empty one counts as absent.
# npm start reads them from a copy of this file named .env; a variable of the environment wins.
`;

/** The text of `.env.example`. */
export function renderEnvironment(): string {
  const blocks = Object.entries(LISTED).map(
    ([name, { preset, meaning }]) => `# ${meaning}\n# ${variableOf(name)}=${preset}\n`,
  );
  return [HEADER, ...blocks].join('\n');
}

function renderTable(table: Table, nameOf: (name: string) => string): string {
  const rows = Object.entries(table).map(([name, { preset, meaning }]) => {
    const cells = [nameOf(name), name in CONTEXT ? name : '', preset].map((text) => text && `\`${text}\``);
    return `| ${[...cells, meaning].map((cell) => cell || '-').join(' | ')} |\n`;
  });
  return ['| variable | `-c` | default | meaning |\n', '| --- | --- | --- | --- |\n', ...rows].join('');
}

/** The tables of settings in Markdown: of the service, and what a deployment has besides. */
function renderTables(): string {
  const besides = Object.fromEntries(Object.entries(CONTEXT).filter(([name]) => !(name in LOCAL)));
  return `${renderTable(LISTED, variableOf)}\nA deployment has these besides:\n\n${renderTable(besides, () => '')}`;
}

const BLOCK = /(?<=<!-- settings -->\n).*?(?=<!-- \/settings -->)/s;

/** Puts the tables between the markers of a page; a page without them stays as it is. */
export function insertTables(page: string): string {
  return page.replace(BLOCK, () => renderTables());
}
