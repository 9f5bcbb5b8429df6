import { createLog, type LogOptions } from '../shared/log.ts';
import { type Config, parseDeployedConfig } from '../shared/settings/config.ts';
import type { Environment } from '../shared/settings/table.ts';
import type { Endpoint } from './http.ts';
import { createGatewayHandler } from './pipeline.ts';

/**
 * Opens settings, log and pipeline of a process; throws `ConfigError` for malformed settings. `write`
 * takes the lines of the log; the default is the standard output. `serve` puts the pipeline around an endpoint.
 */
export function openContainer<C extends Config>(
  parse: (env: Environment) => C,
  env: Environment = process.env,
  write?: LogOptions['write'],
) {
  const config = parse(env);
  const { corsOrigins, logLevel, warnings } = config;
  const log = createLog({ level: logLevel, write });
  for (const warning of warnings) log.warn(warning);
  const serve = (endpoint: Endpoint) => createGatewayHandler(endpoint, { log, corsOrigins });
  return { config, log, serve };
}

/** Opens the container of a deployed function; throws `ConfigError` for malformed settings. */
export function openDeployed() {
  const container = openContainer(parseDeployedConfig);
  // Counts from the start of the process. The deployment drops Lambda's own line about it.
  container.log.info('started', { init_ms: Math.round(performance.now()) });
  return container;
}
