import { COMMON_SETTINGS, defaultOf, SERVER_SETTINGS } from '../../shared/settings/table.ts';

const HEADER = `# Settings of the local server; every one may be left out, and an empty one counts as absent.
# npm start reads them from a copy of this file named .env; a variable of the environment wins.
`;

/** The text of `.env.example`. */
export function renderEnvironment(): string {
  const blocks = SERVER_SETTINGS.map(({ name, fallback = '', meaning }) => `# ${meaning}\n# ${name}=${fallback}\n`);
  return [HEADER, ...blocks].join('\n');
}

/** The table of settings in Markdown, with the options by which a deployment takes them. */
export function renderTable(): string {
  const options = new Map<string, string>(Object.entries(COMMON_SETTINGS).map(([option, { name }]) => [name, option]));
  const code = (text: string | undefined) => text && `\`${text}\``;
  const rows = SERVER_SETTINGS.map((setting) => {
    const { name, fallback, meaning } = setting;
    return [code(name), code(fallback) || defaultOf(setting), meaning, code(options.get(name)) ?? '-'];
  });
  const lines = [['variable', 'default', 'meaning', '`-c`'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

const BLOCK = /(?<=<!-- settings -->\n).*?(?=<!-- \/settings -->)/s;

/** Puts the table between the markers of a page; a page without them stays as it is. */
export function insertTable(page: string): string {
  return page.replace(BLOCK, () => renderTable());
}
