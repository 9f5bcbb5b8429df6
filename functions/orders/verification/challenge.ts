import type { Wire } from '../../schemas.ts';
import type { placedOrder } from '../response.ts';

type OrderMember = 'token_id' | 'side' | 'price' | 'size' | 'post_only' | 'expires_at';

/** An order as the 201 writes it. */
export type ChallengedOrder = Pick<Wire<typeof placedOrder>, OrderMember>;

/** All that a client signs for one order. */
export interface Challenge {
  /** Host and, where it is not the scheme's own, port of the service. */
  readonly authority: string;
  /** As the client writes it. */
  readonly clientAddress: string;
  readonly order: ChallengedOrder;
  readonly idempotencyKey: string;
  /** As it is in the header. */
  readonly validUntil: string;
}

/**
 * Writes the text that a client signs for one order: in words, since wallets show it. None of the values can hold a line
 * break, so that no value can be read as another line.
 */
export function challengeText({ authority, clientAddress, order, idempotencyKey, validUntil }: Challenge): string {
  return [
    `Place one order on ${authority}`,
    '',
    `Client: ${clientAddress}`,
    `Side: ${order.side}`,
    `Size: ${order.size} shares`,
    `Price: ${order.price}`,
    `Post only: ${order.post_only ? 'yes' : 'no'}`,
    `Expires at: ${order.expires_at ?? 'never'}`,
    `Token: ${order.token_id}`,
    `Idempotency key: ${idempotencyKey}`,
    `Signature valid until: ${validUntil}`,
  ].join('\n');
}
