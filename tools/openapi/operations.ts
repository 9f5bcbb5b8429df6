import { limit } from '../../functions/markets/request.ts';
import type { ROUTES } from '../../functions/routes.ts';
import { tokenId } from '../../functions/schemas.ts';
import { YES } from './examples.ts';
import {
  IF_NONE_MATCH_PARAMETER,
  ORDER_HEADER_PARAMETERS,
  type Parameter,
  parameter,
  SIGNATURE_PARAMETER,
} from './headers.ts';
import type { Success } from './responses.ts';
import type { SchemaName } from './schemas.ts';

/** An operation of the document. */
export interface Operation {
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: SchemaName;
  readonly successes: readonly Success[];
}

const TOKEN_PARAMETER: Parameter = {
  ...parameter('path', 'token_id', tokenId),
  description: 'Outcome token id from `GET /v1/markets`: a uint256 in decimal, in canonical form.',
  example: YES,
};

const PLACE_ORDER = `Signs one limit order with the operator's key and sends it to the venue.

**One order per request, at most.** With an \`Idempotency-Key\` the same request places one order however often it is
sent and whatever fails in between: repeat it with the same key until it is answered. Two answers are final and are
replayed: 201, and a 422 by which the venue itself refused the order. Without the header each request is a new order.

**A failure never lies.** Only \`outcome_unknown\` (504), no answer at all, and what the gateway answers by itself leave
open whether this request placed an order; \`order_in_progress\` (409) says that another request decides. After every
other error this request placed none. An earlier request with the same key may have: if its answer left that open, only a
final answer settles it.

**Nothing is guessed.** A query, and a member of the body or a header of this operation that is there twice, is refused.

**Callers** are not authenticated unless the service verifies clients (\`SERVICE_CLIENT_VERIFICATION=required\`): then
each order is signed by the wallet of \`X-Client-Address\`. Without a signature the answer is 401 with the text to sign in
\`challenge\`. A deployment can also put IAM in front of this operation: then the gateway wants requests signed with AWS
Signature Version 4 and answers others 403 by itself.`;

/** The four endpoints, as the document describes them. */
export const OPERATIONS: Readonly<Record<keyof typeof ROUTES, Operation>> = {
  health: {
    tag: 'Service',
    summary: 'What the service is and which wallet it uses',
    description:
      'Answers at once, without a call of the venue. Only pages of listed origins can read it, since it names the wallet.',
    parameters: [],
    successes: [{ status: 200, description: 'The service runs.', schema: 'HealthStatus' }],
  },
  markets: {
    tag: 'Market data',
    summary: 'Markets on which an order can be placed now',
    description:
      'Most traded in the last 24 hours first. Fields that the venue does not report are `null`. Any other query parameter is ' +
      'refused, so that a misspelt `limit` is not ignored. Answered within 10 seconds.',
    parameters: [parameter('query', 'limit', limit)],
    successes: [{ status: 200, description: 'The markets.', schema: 'MarketList', headers: ['Age'] }],
  },
  book: {
    tag: 'Market data',
    summary: 'The order book of an outcome token',
    description: 'Best prices first on both sides; an empty side is `[]`. Answered within 10 seconds.',
    parameters: [TOKEN_PARAMETER, IF_NONE_MATCH_PARAMETER],
    successes: [
      { status: 200, description: 'The book.', schema: 'Book', headers: ['ETag', 'Age'] },
      { status: 304, description: 'The book that `If-None-Match` names is current.', headers: ['ETag', 'Age'] },
    ],
  },
  orders: {
    tag: 'Orders',
    summary: 'Place a limit order',
    description: PLACE_ORDER,
    parameters: [...ORDER_HEADER_PARAMETERS, SIGNATURE_PARAMETER],
    body: 'OrderRequest',
    successes: [
      {
        status: 201,
        description: 'The venue took the order.',
        schema: 'PlacedOrder',
        headers: ['Idempotency-Replayed'],
      },
    ],
  },
};
