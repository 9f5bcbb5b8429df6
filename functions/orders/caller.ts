import * as z from 'zod/mini';
import { refuse } from '../../shared/errors.ts';
import type { OrderClient } from '../../shared/orders/record.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Middleware } from '../http.ts';

/** An empty name is none. */
const name = z.string().check(z.minLength(1));

/** The parts of an event that name its caller, by the gateway's check: the ARN of IAM, the subject of a token. */
const CALLER = {
  iam: z.object({ authorizer: z.object({ iam: z.object({ userArn: name }) }) }),
  jwt: z.object({ authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: name }) }) }) }),
} as const;

function callerOf(access: OrderAccess, requestContext: unknown): string | undefined {
  if (access === 'iam') return CALLER.iam.safeParse(requestContext).data?.authorizer.iam.userArn;
  return CALLER.jwt.safeParse(requestContext).data?.authorizer.jwt.claims.sub;
}

/**
 * Creates the check of the access: 403 `caller_not_identified` for an event without the caller that it asks for, whatever
 * route led here. All later log lines name the caller.
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

/** Returns the client that a request names: a claim, by which an operator can match users to fills. */
export function claimedClient(headers: Readonly<Record<string, string | undefined>>): OrderClient | null {
  // Printable ASCII, everything else escaped as in JSON.
  const label = (headers['x-client-address'] ?? '')
    .trim()
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // Longer than an address of any chain.
  return label === '' ? null : { address: label.slice(0, 512), isVerified: false };
}

/** Returns the members by which log lines name a client. */
export function clientTrace(client: OrderClient | null) {
  return { client_address: client?.address ?? null, client_address_verified: client?.isVerified ?? null };
}
