import { flushCompileCache } from 'node:module';
import { ConfigError } from '../shared/settings/formats.ts';
import { LISTED, variableOf } from '../shared/settings/table.ts';
import { flag, option, runCommand, THIS_PROCESS } from './command-line.ts';
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

async function start(paper: boolean, settings: string | undefined): Promise<number> {
  let service: Service | undefined;
  stopOnSignals(() => service);
  try {
    const env = withSettingsFile(settings, process.env);
    if (paper) {
      const { startOnPaper } = await import('./paper/paper-mode.ts');
      service = await startOnPaper(env, THIS_PROCESS.out);
    } else {
      const { startService } = await import('./service/service.ts');
      service = await startService(env);
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    THIS_PROCESS.err(`${error.message}\n`);
    return 1;
  }
  flushCompileCache();
  return 0;
}

function listSettings(): string {
  const lines = Object.entries(LISTED).map(
    ([name, { preset, meaning }]) => `  ${variableOf(name).padEnd(39)} ${(preset || '-').padEnd(32)} ${meaning}\n`,
  );
  return lines.join('');
}

/** Returns the option that people type for a setting, such as `max-order-notional`. */
function optionOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, '-$&').toLowerCase();
}

const COMMAND = {
  purpose: 'Order book adapter: lists markets, reads order books and places limit orders on Polymarket.',
  usage: `npm start -- [options]
  serves; read-only unless the key and the opt-in are both set
       npm run paper -- [options]
  serves on an embedded paper venue (next port, with a console for a browser), with a throw-away key and no real money
       npm run orders, npm run doctor, npm run paper:venue
  are the operator's desk, the checks before the first order, and the paper venue alone`,
  options: {
    paper: flag('serve on the paper venue'),
    settings: option('FILE', "read FILE instead of .env in the project's folder"),
  },
  words: ['orders', 'doctor', 'paper-venue'],
  meant: Object.fromEntries(Object.keys(LISTED).map((name) => [optionOf(name), `the setting ${variableOf(name)}`])),
  notes: `Settings come from the environment, then from FILE or .env (environment variable, default,
meaning; an empty variable is an absent one):
${listSettings()}`,
} as const;

const code = await runCommand(COMMAND, ({ paper, settings }) => start(paper, settings));
if (code !== 0) process.exit(code);
