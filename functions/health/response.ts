import * as z from 'zod/mini';
import { address, text } from '../../shared/contract/schemas.ts';

/** The body of `GET /health`. */
export const healthStatus = z.object({
  status: z.literal('ok'),
  mode: z.enum(['read-only', 'order-placing']).check(z.describe('Whether `POST /v1/orders` is enabled.')),
  wallet_address: z.nullable(
    address(
      'EIP-55 address of the wallet that this service is set to trade with; `null` without one. A local server shows that of its key, also where orders are not enabled.',
    ),
  ),
  funder_address: z.optional(address("The account that holds the funds, where it is not the key's own.")),
  client_verification: z
    .enum(['off', 'required'])
    .check(z.describe('`required`: each order must be signed by the wallet of its client.')),
  settlement_chain: z.literal('polygon'),
  venue: z
    .enum(['polymarket', 'paper'])
    .check(z.describe('`paper`: a session on paper, with invented markets and no real money.')),
  version: text('Version of the service.'),
});
