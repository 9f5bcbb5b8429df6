import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import type { ClientRequest } from './gateway.ts';

/** A request that is put to the service in both ways, and what both must answer. */
export interface Row {
  readonly name: string;
  readonly request: ClientRequest;
  /** Faults of the venue, armed again for each of the two ways. */
  readonly faults?: readonly FaultOrder[];
  readonly status: number;
  /** Of the problem. */
  readonly code?: string;
  /** The `detail` of a deployment, where the local server names variables that the deployment does not have. */
  readonly deployedDetail?: string;
}

/** An origin that may place orders. */
export const LISTED_ORIGIN = 'https://app.example';
/** An origin that may not. */
export const FOREIGN_ORIGIN = 'https://elsewhere.example';
/** A token without a book. */
export const UNKNOWN_TOKEN = '12345678901234567890';

/** A request id of the caller. */
export const id = { 'x-request-id': 'rig-1' } as const;

/** Creates a GET. */
export function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): ClientRequest {
  return { method, path, headers: { ...id, ...headers } };
}

type Headers = Readonly<Record<string, string>>;

/** A request for an order; `changes` replace members of its body, `undefined` removes one. */
export function order(
  token: string,
  changes: Readonly<Record<string, unknown>> = {},
  headers: Headers = {},
): ClientRequest {
  const body = { token_id: token, side: 'buy', price: 0.4, size: '10', post_only: true, ...changes };
  return {
    method: 'POST',
    path: '/v1/orders',
    headers: { ...id, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
