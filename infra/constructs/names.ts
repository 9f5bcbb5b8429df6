import type { Route } from '../../functions/routes.ts';

/** Returns the names of a deployment's resources, all made of the stack's. */
export function namesOf(stack: string) {
  return {
    stack,
    layer: `${stack}-venue`,
    ordersTable: `${stack}-orders`,
    function: (name: Route['name'] | 'fills') => `${stack}-${name}`,
    // AWS's prefix for delivered logs: without it each API adds a statement to a policy of limited size.
    accessLog: `/aws/vendedlogs/${stack}/access`,
    /** Log lines are read into metrics of this namespace. */
    metrics: `OrderBookAdapter/${stack}`,
  };
}

/** The names of a deployment's resources. */
export type Names = ReturnType<typeof namesOf>;
