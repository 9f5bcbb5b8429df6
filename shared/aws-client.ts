/** The limits of one attempt of a call, in milliseconds. */
interface AttemptMs {
  readonly connect: number;
  readonly attempt: number;
}

/** Returns the options of a client of AWS, of the environment's region unless another one is named. */
export function awsClientOptions(maxAttempts: number, { connect, attempt }: AttemptMs, region?: string) {
  return {
    ...(region !== undefined && { region }),
    maxAttempts,
    // Without `throwOnRequestTimeout` the SDK only warns when the time is up.
    requestHandler: { connectionTimeout: connect, requestTimeout: attempt, throwOnRequestTimeout: true },
  };
}
