import type { Route } from '../../functions/routes.ts';

/** The names of a deployment's resources, all made of the stack's. */
export interface Names {
  readonly stack: string;
  readonly layer: string;
  readonly ordersTable: string;
  readonly function: (name: Route['name']) => string;
  /** The gateway's access log. */
  readonly accessLog: string;
  /** Log lines are read into metrics of this namespace. */
  readonly metrics: string;
}

/** Returns the names of a stack's resources. */
export function namesOf(stack: string): Names {
  return {
    stack,
    layer: `${stack}-venue`,
    ordersTable: `${stack}-orders`,
    function: (name) => `${stack}-${name}`,
    // The prefix of logs that services deliver: without it each API adds a sentence to a policy that has an end.
    accessLog: `/aws/vendedlogs/${stack}/access`,
    metrics: `OrderBookAdapter/${stack}`,
  };
}
