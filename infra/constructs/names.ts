import type { Route } from '../../functions/routes.ts';

/** Returns the names of a deployment's resources, all made of the stack's. */
export function namesOf(stack: string) {
  return {
    stack,
    layer: `${stack}-venue`,
    ordersTable: `${stack}-orders`,
    function: (name: Route['name']) => `${stack}-${name}`,
    // The prefix of logs that services deliver: without it each API adds a sentence to a policy that has an end.
    accessLog: `/aws/vendedlogs/${stack}/access`,
    /** Log lines are read into metrics of this namespace. */
    metrics: `OrderBookAdapter/${stack}`,
  };
}

/** The names of a deployment's resources. */
export type Names = ReturnType<typeof namesOf>;
