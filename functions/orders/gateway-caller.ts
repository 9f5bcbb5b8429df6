import * as z from 'zod/mini';
import { refuse } from '../../shared/errors.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Middleware } from '../endpoint.ts';

/** An empty one names nobody. */
const name = z.string().check(z.minLength(1));
/** The parts of an event that name its caller, by what the gateway has checked. */
const CALLER = {
  iam: z.object({ authorizer: z.object({ iam: z.object({ userArn: name }) }) }),
  jwt: z.object({ authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: name }) }) }) }),
} as const;

/** Returns the caller whom the gateway has verified: the ARN of IAM, or the subject of a token. */
export function gatewayCaller(requestContext: unknown): string | undefined {
  return (
    CALLER.iam.safeParse(requestContext).data?.authorizer.iam.userArn ??
    CALLER.jwt.safeParse(requestContext).data?.authorizer.jwt.claims.sub
  );
}

/**
 * Creates the check of the function's own door: 403 `caller_not_identified` for an event without the caller that its
 * access asks for, whatever route led here.
 */
export function checkCaller(access: OrderAccess): Middleware {
  return {
    before: ({ event: { requestContext } }) => {
      if (access === 'public' || CALLER[access].safeParse(requestContext).success) return;
      throw refuse('caller_not_identified', {});
    },
  };
}
