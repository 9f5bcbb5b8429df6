import type { Route } from '../../functions/routes.ts';

/**
 * The names by which the stacks know each other's resources. Nearly all are plain texts: what one stack exports, it can
 * neither change nor remove while another imports it.
 */
export interface Names {
  /** The stack that everything is named after: the service. */
  readonly stack: string;
  readonly ordersStack: string;
  readonly storeStack: string;
  /** The layer of all stacks, each of which publishes the version that its functions run with. */
  readonly layer: string;
  readonly ordersTable: string;
  /** Exports, which last as long as the stack that has them. */
  readonly exports: { readonly apiId: string; readonly orderLog: string; readonly ordersTable: string };
  readonly function: (name: Route['name']) => string;
  /** The gateway's access log. */
  readonly accessLog: string;
  /** Log lines are read into metrics of this namespace. */
  readonly metrics: string;
}

export function namesOf(stack: string): Names {
  return {
    stack,
    ordersStack: `${stack}-orders`,
    storeStack: `${stack}-order-store`,
    layer: `${stack}-venue`,
    ordersTable: `${stack}-orders`,
    exports: { apiId: `${stack}:ApiId`, orderLog: `${stack}:OrderLog`, ordersTable: `${stack}:OrdersTable` },
    function: (name) => `${stack}-${name}`,
    // The prefix of logs that services deliver: without it each API adds a sentence to a policy that has an end.
    accessLog: `/aws/vendedlogs/${stack}/access`,
    metrics: `OrderBookAdapter/${stack}`,
  };
}
