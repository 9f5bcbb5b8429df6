import { ROUTES } from '../functions/routes.ts';
import { urlOf } from '../local/http/hosts.ts';
import { checkStore, storeError } from '../local/service/open-store.ts';
import { ask } from '../local/service/own-request.ts';
import { withSettingsFile } from '../local/service/settings-file.ts';
import { modeOf, parseLocalConfig } from '../shared/settings/config.ts';
import { ConfigError } from '../shared/settings/formats.ts';
import { option, runCommand } from './command-line.ts';

const COMMAND = {
  purpose: 'Exits with 0 where the service of this machine answers and its store of orders can be read, else with 1.',
  usage: 'order-book-adapter ready [options]    for probes: with the settings of the service',
  options: {
    settings: option('FILE', "read FILE instead of .env in the project's folder"),
  },
} as const;

async function check(settings: string | undefined): Promise<void> {
  const config = parseLocalConfig(withSettingsFile(settings, process.env));
  const url = urlOf(config.host, config.port);
  const status = await ask(url, ROUTES.health).catch(() => undefined);
  if (status !== 200) throw new ConfigError(`The service does not answer at ${url}${ROUTES.health.path}.`);
  if (modeOf(config) === 'read-only') return;
  try {
    await checkStore(config.store);
  } catch (cause) {
    throw storeError('read', config.store, cause);
  }
}

const code = await runCommand(COMMAND, async ({ settings }) => {
  try {
    await check(settings);
    return 0;
  } catch (error) {
    process.stderr.write(`Not ready: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
});
// Connections that are kept would keep the process.
process.exit(code);
