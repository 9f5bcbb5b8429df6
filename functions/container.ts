import { type Config, parseConfig } from '../shared/config.ts';
import type { Environment } from '../shared/environment.ts';
import { createLog, type Log } from '../shared/log.ts';
import { embeddedMetrics } from './metrics.ts';
import type { PipelineDeps } from './pipeline.ts';

export interface Container {
  readonly config: Config;
  readonly log: Log;
  readonly pipeline: PipelineDeps;
}

/**
 * What every process of the service starts from. The only reader of `process.env`; throws `ConfigError` on a malformed
 * setting. `overrides` take precedence over the environment.
 */
export function openContainer(overrides: Environment = {}): Container {
  const config = parseConfig({ ...process.env, ...overrides });
  const log = createLog({ level: config.logLevel });
  for (const warning of config.warnings) log.warn(warning);
  const { corsOrigins, metricsNamespace } = config;
  return {
    config,
    log,
    pipeline: { log, corsOrigins, ...(metricsNamespace && { metrics: embeddedMetrics(metricsNamespace) }) },
  };
}
