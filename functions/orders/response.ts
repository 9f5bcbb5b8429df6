import * as z from 'zod/mini';
import { address, decimal, hash, text, tokenId } from '../../shared/contract/schemas.ts';
import { PLACEMENT_STATUSES } from '../../shared/venue/port.ts';

/** The body of a 201 of `POST /v1/orders`. */
export const placedOrder = z.object({
  order_id: hash('EIP-712 hash of the signed order, by which the venue knows it.'),
  status: z
    .enum(PLACEMENT_STATUSES)
    .check(
      z.describe(
        '`live`: it rests on the book. `matched`: it was wholly or partly executed. `delayed`: the venue accepted it and ' +
          'holds it for a moment. `cancelled`: it was accepted, and is off the book by the time we looked.',
      ),
    ),
  token_id: tokenId,
  side: z.enum(['buy', 'sell']),
  price: decimal('Limit price, in collateral per share.'),
  size: decimal('Shares.'),
  post_only: z.boolean(),
  expires_at: z.nullable(text('The end of the order, RFC 3339 in UTC; `null` for one without an end.')),
  filled_size: z.nullable(
    decimal(
      "Shares executed by the time of the response, from the venue's answer or its record; `null` without a plausible one.",
    ),
  ),
  remaining_size: z.nullable(decimal('Shares that rest on the book or were not executed; `null` as above.')),
  filled_value: z.nullable(
    decimal(
      'Collateral paid or received for the filled shares, before fees; `null` as above, and for an order that was looked up.',
    ),
  ),
  wallet_address: address('EIP-55 address of the key that signed the order.'),
  transaction_hashes: z
    .array(text('Hash of a settlement transaction.'))
    .check(z.describe('Of what was executed at once.')),
  trade_ids: z.array(text("The venue's id of a trade.")).check(z.describe('Of what was executed at once.')),
});
