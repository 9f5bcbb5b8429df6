import { ROUTES } from '../functions/routes.ts';
import { urlOf } from '../local/http/request-head.ts';
import { identify } from '../local/order-store/store-files.ts';
import { openAtStart, prepareStore } from '../local/service/open-store.ts';
import { ask } from '../local/service/own-request.ts';
import { storeFileOf, withSettingsFile } from '../local/service/settings-file.ts';
import { createLog } from '../shared/log.ts';
import { modeOf, parseLocalConfig } from '../shared/settings/config.ts';
import { ConfigError, tableOf } from '../shared/settings/formats.ts';
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
  const file = tableOf(config.store) === undefined ? storeFileOf(config.store) : undefined;
  // One that is gone would be made by opening it: the service then could not save what it still holds, and a restart would
  // take the new file for its own.
  if (file !== undefined && identify(file) === undefined) throw new ConfigError(`There is no store at ${file}.`);
  const store = await prepareStore(config.store, createLog({ level: 'error', write: () => undefined }));
  await openAtStart(store).finally(store.close);
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
