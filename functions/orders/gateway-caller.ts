import * as z from 'zod/mini';
import { refuse } from '../../shared/errors.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Middleware } from '../endpoint.ts';

/** An empty one names nobody. */
const name = z.string().check(z.minLength(1));

/** The parts of an event that name its caller, by what the gateway has checked: the ARN of IAM, the subject of a token. */
const CALLER = {
  iam: z.object({ authorizer: z.object({ iam: z.object({ userArn: name }) }) }),
  jwt: z.object({ authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: name }) }) }) }),
} as const;

function callerOf(access: OrderAccess, requestContext: unknown): string | undefined {
  if (access === 'iam') return CALLER.iam.safeParse(requestContext).data?.authorizer.iam.userArn;
  return CALLER.jwt.safeParse(requestContext).data?.authorizer.jwt.claims.sub;
}

/**
 * Creates the check of the function's own door: 403 `caller_not_identified` for an event without the caller that its
 * access asks for, whatever route led here. The caller is in all log lines from then on.
 */
export function createCallerCheck(access: OrderAccess): Middleware {
  return {
    before: ({ event: { requestContext }, context: { state } }) => {
      if (access === 'public') return;
      const caller = callerOf(access, requestContext);
      if (caller === undefined) throw refuse('caller_not_identified', {});
      state.caller = caller;
      state.trace['gateway_caller'] = caller;
    },
  };
}
