import { createLog, type LogOptions } from '../shared/log.ts';
import { type Config, parseDeployedConfig } from '../shared/settings/config.ts';
import type { Environment } from '../shared/settings/table.ts';
import type { Endpoint } from './endpoint.ts';
import { createGatewayHandler } from './pipeline.ts';

/**
 * Opens what every process of the service starts from; throws `ConfigError` where its settings are malformed. `write`
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
  return { config, log, serve: (endpoint: Endpoint) => createGatewayHandler(endpoint, { log, corsOrigins }) };
}

/** Opens what every deployed function starts from; throws `ConfigError` where its settings are malformed. */
export function openDeployed() {
  const container = openContainer(parseDeployedConfig);
  // Measured from the start of the process. Lambda's own line about it is among those that are switched off.
  container.log.info('started', { init_ms: Math.round(performance.now()) });
  return container;
}
