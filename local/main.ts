import { flushCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { ConfigError } from '../shared/formats.ts';
import { defaultOf, SERVER_SETTINGS } from '../shared/settings.ts';
import type { Service } from './service.ts';
import { withSettingsFile } from './settings-file.ts';

/** A terminal's Ctrl-C reaches this process twice under npm, which passes its own copy on. */
const ECHO_MS = 100;

/** Stops on the first signal, after the requests in flight; exits at once on the second, or with nothing to stop yet. */
function stopOnSignals(running: () => Service | undefined): void {
  let stoppingSince: number | undefined;
  const onSignal = async (signal: string) => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > ECHO_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    const service = running();
    service?.log.info('stopping', { signal });
    await service?.stop();
    service?.log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void onSignal(signal));
}

interface Flags {
  readonly help: boolean;
  readonly paper: boolean;
  /** A file in the place of the project's own. */
  readonly settings?: string | undefined;
}

async function start({ paper, settings }: Flags): Promise<void> {
  let service: Service | undefined;
  stopOnSignals(() => service);
  const env = withSettingsFile(settings, process.env);
  if (paper) {
    const { startOnPaper } = await import('./paper-mode.ts');
    service = await startOnPaper(env, (text) => process.stdout.write(text));
  } else {
    const { startService } = await import('./service.ts');
    service = await startService(env);
  }
  flushCompileCache();
}

function settingsTable(): string {
  const widthOf = (cells: readonly string[]) => Math.max(...cells.map((cell) => cell.length));
  const [names, defaults] = [widthOf(SERVER_SETTINGS.map(({ name }) => name)), widthOf(SERVER_SETTINGS.map(defaultOf))];
  const lines = SERVER_SETTINGS.map((setting) => {
    return `  ${setting.name.padEnd(names)}  ${defaultOf(setting).padEnd(defaults)}  ${setting.meaning}`;
  });
  return lines.join('\n');
}

function helpText(): string {
  return `Order book adapter: lists markets, reads order books and places limit orders on Polymarket.

Usage: npm start                 serve; read-only unless the key and the opt-in are both set
       npm run paper             serve on an embedded paper venue, with a throw-away key and no real money
       node local/start.js [--paper] [--settings FILE] [--help]

Settings come from the environment, and else from FILE or from .env in the project's folder, if there is one
(environment variable, default, meaning; an empty variable is an absent one):
${settingsTable()}
`;
}

function parseFlags(): Flags {
  const flag = { type: 'boolean', default: false } as const;
  return parseArgs({ options: { help: flag, paper: flag, settings: { type: 'string' } } }).values;
}

function isUsageError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/** Explains in one sentence an error that the operator can mend; all else is a fault of ours and keeps its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof Error) return isUsageError(error) ? `${error.message}. See --help.` : String(error.stack);
  return String(error);
}

try {
  const flags = parseFlags();
  if (flags.help) process.stdout.write(helpText());
  else await start(flags);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
