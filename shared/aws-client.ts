import { type ProxyEnv, proxyOptions } from './proxy.ts';

type AttemptMs = Readonly<Record<'connect' | 'attempt', number>>;

/** How a client reaches AWS; defaults: the environment's region, no proxy. */
export interface AwsRoute {
  readonly region?: string | undefined;
  readonly proxyEnv?: ProxyEnv | undefined;
}

export function awsClientOptions(maxAttempts: number, { connect, attempt }: AttemptMs, route: AwsRoute = {}) {
  const { region, proxyEnv } = route;
  return {
    ...(region !== undefined && { region }),
    maxAttempts,
    // Without `throwOnRequestTimeout` the SDK only warns when the time is up.
    requestHandler: {
      connectionTimeout: connect,
      requestTimeout: attempt,
      throwOnRequestTimeout: true,
      httpsAgent: proxyOptions(proxyEnv),
    },
  };
}
