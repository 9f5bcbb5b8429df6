import { flushCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { ConfigError } from '../shared/settings/formats.ts';
import { LOCAL, variableOf } from '../shared/settings/table.ts';
import { VERSION } from '../shared/version.ts';
import type { Service } from './service/service.ts';
import { withSettingsFile } from './service/settings-file.ts';

/** Stops on the first signal after the requests in flight. npm repeats a Ctrl-C, and a closing terminal sends several signals. */
function stopOnSignals(running: () => Service | undefined): void {
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    const service = running();
    service?.log.info('stopping', { signal });
    await service?.stop();
    service?.log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
}

async function start(paper: boolean, settings: string | undefined): Promise<void> {
  let service: Service | undefined;
  stopOnSignals(() => service);
  const env = withSettingsFile(settings, process.env);
  if (paper) {
    const { startOnPaper } = await import('./paper/paper-mode.ts');
    service = await startOnPaper(env, (text) => process.stdout.write(text));
  } else {
    const { startService } = await import('./service/service.ts');
    service = await startService(env);
  }
  flushCompileCache();
}

const USAGE = `Usage: npm start -- [options]
  serves; read-only unless the key and the opt-in are both set
       npm run paper -- [options]
  serves on an embedded paper venue (next port, with a console for a browser), with a throw-away key and no real money
       npm run orders, npm run doctor, npm run paper:venue
  are the operator's desk, the checks before the first order, and the paper venue alone

  --paper          serve on the paper venue
  --settings FILE  read FILE instead of .env in the project's folder
  --help           print this
  --version        print the version
`;

/** Writes the help: the usage, then a line for each setting. */
function helpText(): string {
  const lines = Object.entries(LOCAL).map(
    ([name, { preset, meaning }]) => `  ${variableOf(name).padEnd(39)} ${(preset || '-').padEnd(32)} ${meaning}\n`,
  );
  return `Order book adapter: lists markets, reads order books and places limit orders on Polymarket.

${USAGE}
Settings come from the environment, then from FILE or .env (environment variable, default,
meaning; an empty variable is an absent one):
${lines.join('')}`;
}

const OPTIONS = {
  paper: { type: 'boolean', default: false },
  settings: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** Returns the options, or `undefined` for a command line that cannot be understood. */
function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    return values.settings === '' ? undefined : values;
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    // The message leaves out the arguments: one may be a secret.
    process.stderr.write(`The command line is malformed.\n\n${USAGE}`);
    return 2;
  }
  if (options.help || options.version) {
    process.stdout.write(options.help ? helpText() : `${VERSION}\n`);
    return 0;
  }
  try {
    await start(options.paper, options.settings);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

const code = await main();
if (code !== 0) process.exit(code);
