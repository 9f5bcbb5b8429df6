import { type DeployedConfig, parseDeployedConfig } from '../shared/config.ts';
import { type Container, openContainer } from './container.ts';
import type { PipelineDeps } from './pipeline.ts';

/** Names who called, where the gateway has verified that. Only the function that trades brings the code for it. */
type CallerOf = (requestContext: unknown) => string | undefined;

/**
 * Names a request as it is known elsewhere: `gateway_request_id` is in the gateway's access log, `lambda_request_id` in
 * the lines that Lambda writes by itself. The latter is the request's own id where the caller has sent none.
 */
export function invocationTrace(callerOf: CallerOf): NonNullable<PipelineDeps['trace']> {
  return ({ requestContext }, { awsRequestId }, requestId) => {
    const caller = callerOf(requestContext);
    return {
      gateway_request_id: requestContext.requestId,
      ...(awsRequestId !== requestId && { lambda_request_id: awsRequestId }),
      ...(caller !== undefined && { gateway_caller: caller }),
    };
  };
}

/** Opens what every deployed function starts from; throws `ConfigError` where its settings are malformed. */
export function openDeployed(callerOf: CallerOf = () => undefined): Container<DeployedConfig> {
  const { pipeline, ...container } = openContainer(parseDeployedConfig);
  // Since the start of the process; Lambda's own lines say it with every request besides, and are not kept.
  container.log.info('started', { init_ms: Math.round(performance.now()) });
  return { ...container, pipeline: { ...pipeline, trace: invocationTrace(callerOf) } };
}
