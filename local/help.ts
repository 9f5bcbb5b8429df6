import { COMMON_SETTINGS, LOCAL_SETTINGS, type Setting } from '../shared/settings.ts';

/** The settings of the local server. */
export const SETTINGS: readonly Setting[] = Object.values({ ...LOCAL_SETTINGS, ...COMMON_SETTINGS });

/** Says what counts where the variable is absent. */
export function defaultOf({ fallback, absent = '-' }: Setting): string {
  return fallback === undefined ? absent : fallback || 'empty';
}

function table(): string {
  const widthOf = (cells: readonly string[]) => Math.max(...cells.map((cell) => cell.length));
  const [names, defaults] = [widthOf(SETTINGS.map(({ name }) => name)), widthOf(SETTINGS.map(defaultOf))];
  const lines = SETTINGS.map((setting) => {
    return `  ${setting.name.padEnd(names)}  ${defaultOf(setting).padEnd(defaults)}  ${setting.meaning}`;
  });
  return lines.join('\n');
}

/** The text of `--help`. */
export const HELP = `Order book adapter: lists markets, reads order books and places limit orders on Polymarket.

Usage: npm start                 serve; read-only unless the key and the opt-in are both set
       npm run paper             serve on an embedded paper venue, with a throw-away key and no real money
       node local/start.js [--paper] [--help]

Settings (environment variable, default, meaning; an empty variable is an absent one):
${table()}
`;
