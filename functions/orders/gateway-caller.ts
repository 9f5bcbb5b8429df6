import * as z from 'zod/mini';

const signedByIam = z.object({ authorizer: z.object({ iam: z.object({ userArn: z.string() }) }) });
const bearerOfJwt = z.object({
  authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: z.string() }) }) }),
});

/** Names the caller where the gateway has verified one: the ARN of IAM, or the subject of a token. */
export function gatewayCaller(requestContext: unknown): string | undefined {
  return (
    signedByIam.safeParse(requestContext).data?.authorizer.iam.userArn ??
    bearerOfJwt.safeParse(requestContext).data?.authorizer.jwt.claims.sub
  );
}
