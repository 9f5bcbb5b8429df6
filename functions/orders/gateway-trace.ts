import * as z from 'zod/mini';

const known = z.object({ requestId: z.string() });
const signedByIam = z.object({ authorizer: z.object({ iam: z.object({ userArn: z.string() }) }) });
const bearerOfJwt = z.object({
  authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: z.string() }) }) }),
});

/** Names a request as the gateway knows it, for the log: its id there, and the caller where the gateway verified one. */
export function gatewayTrace(requestContext: unknown): Readonly<Record<string, string>> {
  const requestId = known.safeParse(requestContext).data?.requestId;
  const caller =
    signedByIam.safeParse(requestContext).data?.authorizer.iam.userArn ??
    bearerOfJwt.safeParse(requestContext).data?.authorizer.jwt.claims.sub;
  return {
    ...(requestId !== undefined && { gateway_request_id: requestId }),
    ...(caller !== undefined && { gateway_caller: caller }),
  };
}
