import * as z from 'zod/mini';
import { refuse } from '../../shared/errors.ts';
import type { OrderClient } from '../../shared/orders/record.ts';
import type { OrderAccess } from '../../shared/settings/table.ts';
import type { Middleware } from '../http.ts';

const name = z.optional(z.string());

/** Where an event names its caller, for each authorizer. */
const CALLER = {
  iam: z.object({ authorizer: z.object({ iam: z.object({ userArn: name }) }) }),
  jwt: z.object({
    authorizer: z.object({ jwt: z.object({ claims: z.object({ sub: name, client_id: name, azp: name }) }) }),
  }),
} as const;

/** Returns the ARN of IAM or the subject of a token, empty without one. A token of a machine often has no `sub`. */
function callerOf(access: 'iam' | 'jwt', requestContext: unknown): string {
  if (access === 'iam') return CALLER.iam.safeParse(requestContext).data?.authorizer.iam.userArn ?? '';
  const { sub, client_id, azp } = CALLER.jwt.safeParse(requestContext).data?.authorizer.jwt.claims ?? {};
  // An empty claim counts as absent.
  return sub || client_id || azp || '';
}

/** Escapes a foreign name to printable ASCII, as JSON does, and truncates it. An address of any chain is shorter. */
function label(text: string): string {
  const escaped = text.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return escaped.slice(0, 512);
}

/**
 * Creates the check of callers: 403 `caller_not_identified` for an event without the required caller, whatever
 * route led here. All later log lines name the caller.
 */
export function createCallerCheck(access: OrderAccess): Middleware {
  return {
    before: ({ event: { requestContext }, context: { state } }) => {
      if (access === 'public') return;
      const caller = label(callerOf(access, requestContext));
      if (caller === '') throw refuse('caller_not_identified', { access });
      state.caller = caller;
      state.trace['gateway_caller'] = caller;
    },
  };
}

/** Returns the client that a request names, unverified. Operators match users to fills by it. */
export function claimedClient(headers: Readonly<Record<string, string | undefined>>): OrderClient | null {
  const address = label((headers['x-client-address'] ?? '').trim());
  return address === '' ? null : { address, isVerified: false };
}

/** Returns the members by which log lines name a client. */
export function clientTrace(client: OrderClient | null) {
  return { client_address: client?.address ?? null, client_address_verified: client?.isVerified ?? null };
}
