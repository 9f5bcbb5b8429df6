import type { AppError } from '../../shared/errors.ts';
import type { OrderClient } from '../../shared/orders/record.ts';

/** The client of an order request, and how far its address can be believed. `trace` names it in the log. */
export type IdentifiedClient =
  | { readonly kind: 'claimed'; readonly client: OrderClient | null; readonly trace: object }
  | { readonly kind: 'verified'; readonly client: OrderClient; readonly trace: object }
  | { readonly kind: 'refused'; readonly error: AppError; readonly trace: object };

/** The headers of a request, names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** Returns the client that a request names: a claim, logged so that an operator can match users to fills. */
export function claimedClient(headers: Headers): Extract<IdentifiedClient, { kind: 'claimed' }> {
  const { 'x-client-address': address = null } = headers;
  const client = address === null ? null : { address, isVerified: false };
  return { kind: 'claimed', client, trace: { client_address_unverified: address } };
}
