import { createLog, type LogOptions } from '../shared/log.ts';
import type { Config } from '../shared/settings/config.ts';
import type { Environment } from '../shared/settings/table.ts';
import type { PipelineDeps } from './pipeline.ts';

/**
 * Opens what every process of the service starts from; throws `ConfigError` where its settings are malformed. `write`
 * takes the lines of the log; the default is the standard output.
 */
export function openContainer<C extends Config>(
  parse: (env: Environment) => C,
  env: Environment = process.env,
  write?: LogOptions['write'],
) {
  const config = parse(env);
  const { corsOrigins } = config;
  const log = createLog({ level: config.logLevel, write });
  for (const warning of config.warnings) log.warn(warning);
  const pipeline: PipelineDeps = { log, corsOrigins };
  return { config, log, pipeline };
}
