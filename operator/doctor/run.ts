import { refuse } from '../../shared/errors.ts';
import type { Call } from '../../shared/venue/port.ts';
import { explain } from '../explain.ts';
import { type Facts, type Finding, fail, Unmet, warn } from './facts.ts';

/** Explains why a check could not be made. */
function explained(error: unknown, asks: string): readonly [message: string, fix: string] {
  const found = explain(error, asks);
  // Its message might quote a secret.
  const kind = error instanceof Error ? error.name : 'unknown';
  if (!found) return [`The check itself failed (${kind}).`, 'This is a fault of this program: please report it.'];
  return [`${found.what.charAt(0).toUpperCase()}${found.what.slice(1)}.`, found.fix];
}

/** One check of a run. */
export interface Check {
  readonly id: string;
  /** Names the host that is asked. */
  readonly asks: string;
  /** The service works without this host: no answer is a warning. */
  readonly optional?: boolean;
  readonly make: (facts: Facts, call: Call) => Promise<Finding> | Finding;
}

/** A finding, and the id of its check. */
export interface Line extends Finding {
  readonly id: string;
}

/** Makes one check, which ends by `deadline` even if it waits for a file system. */
export async function makeCheck(
  { id, asks, optional = false }: Omit<Check, 'make'>,
  deadline: number,
  make: (call: Call) => Promise<Finding> | Finding,
): Promise<Line> {
  const bad = optional ? warn : fail;
  const { promise, resolve } = Promise.withResolvers<Finding>();
  const late = () => resolve(bad(...explained(refuse('venue_timeout', {}), asks)));
  const timer = setTimeout(late, Math.max(deadline - performance.now(), 0));
  try {
    return { id, ...(await Promise.race([make({ deadline, venueRequests: [] }), promise])) };
  } catch (error) {
    if (error instanceof Unmet) return { id, status: 'skip', message: error.message, fix: null };
    return { id, ...bad(...explained(error, asks)) };
  } finally {
    clearTimeout(timer);
  }
}
