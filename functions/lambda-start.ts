import { parseDeployedConfig } from '../shared/settings/config.ts';
import { openContainer } from './container.ts';
import type { PipelineDeps } from './pipeline.ts';

/** Returns the caller that the gateway has verified. Only the function that trades carries the code for it. */
type CallerOf = (requestContext: unknown) => string | undefined;

/**
 * Adds the ids by which others know a request whose own id is the caller's: `gateway_request_id` in the gateway's
 * access log, `lambda_request_id` there and in the lines that Lambda writes by itself. Else the latter is its own id.
 */
export function invocationTrace(callerOf: CallerOf): NonNullable<PipelineDeps['trace']> {
  return ({ requestContext }, { awsRequestId }, requestId) => {
    const caller = callerOf(requestContext);
    return {
      ...(awsRequestId !== requestId && {
        gateway_request_id: requestContext.requestId,
        lambda_request_id: awsRequestId,
      }),
      ...(caller !== undefined && { gateway_caller: caller }),
    };
  };
}

/** Opens what every deployed function starts from; throws `ConfigError` where its settings are malformed. */
export function openDeployed(callerOf: CallerOf = () => undefined) {
  const { config, log, pipeline: common } = openContainer(parseDeployedConfig);
  // Measured from the start of the process. Lambda's own line about it is among those that are switched off.
  log.info('started', { init_ms: Math.round(performance.now()) });
  const pipeline: PipelineDeps = { ...common, trace: invocationTrace(callerOf) };
  return { config, log, pipeline };
}
