import { createLog, type LogOptions } from '../shared/log.ts';
import type { Config } from '../shared/settings/config.ts';
import type { Environment } from '../shared/settings/table.ts';
import { eventMetrics, requestMetrics } from './metrics.ts';
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
  const { corsOrigins, metricsNamespace } = config;
  const log = createLog({
    level: config.logLevel,
    write,
    metrics: metricsNamespace ? eventMetrics(metricsNamespace) : undefined,
  });
  for (const warning of config.warnings) log.warn(warning);
  const metrics = metricsNamespace && { metrics: requestMetrics(metricsNamespace) };
  const pipeline: PipelineDeps = { log, corsOrigins, ...metrics };
  return { config, log, pipeline };
}
