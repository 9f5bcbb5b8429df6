import assert from 'node:assert/strict';
import { ERRORS } from '../../shared/errors.ts';
import { type Check, NEEDS, type World } from './check.ts';

/** The end of one check. */
export interface Result {
  readonly section: string;
  readonly clause: string;
  readonly verdict: 'passed' | 'failed' | 'skipped';
  /** The reason why it failed or was skipped. */
  readonly reason?: string;
  readonly milliseconds: number;
}

/** How far to go at a service that others use. */
export interface Extent {
  /** The orders may be placed that `places` is about. */
  readonly agreed: boolean;
  /** Leaves out what takes longer than ten seconds. */
  readonly quick: boolean;
}

const ORDER_SECTIONS: readonly string[] = ['orders', 'clients', 'caps', 'keys', 'fates'];

/** Returns the reason why a check is not run; `undefined` if it is. */
export function whySkipped(check: Check, world: World, { agreed, quick }: Extent): string | undefined {
  const missing = check.needs.find((need) => !NEEDS[need].has(world));
  if (missing) return NEEDS[missing].without;
  if (world.ordersKeptBack !== undefined && ORDER_SECTIONS.includes(check.section)) return world.ordersKeptBack;
  if (check.places && !agreed) return 'orders were not asked for';
  return check.slow && quick ? 'slow' : undefined;
}

/** Not by `instanceof`: errors of `node:assert` are of another realm where the checks run in a test. */
function reasonOf(error: unknown): string {
  const named = typeof error === 'object' && error !== null && 'message' in error;
  return named ? String(error.message) : String(error);
}

/** Runs a check, and expects of it the answers that it is there to provoke. `seen`: those of the world's service. */
export async function prove({ proves, run }: Check, world: World, seen: Set<string>): Promise<void> {
  const before = new Set(seen);
  seen.clear();
  try {
    await run(world);
    const codes = [...seen].map((answer) => answer.split(' ')[2]);
    for (const code of proves.filter((name) => name in ERRORS)) {
      assert.ok(codes.includes(code), `the check did not provoke ${code}`);
    }
  } finally {
    for (const answer of before) seen.add(answer);
  }
}

/** Runs the checks one after the other at a service. */
export async function* runChecks(
  checks: readonly Check[],
  world: World,
  { seen, ...extent }: Extent & { readonly seen: Set<string> },
): AsyncGenerator<Result> {
  for (const check of checks) {
    const { section, clause } = check;
    const reason = whySkipped(check, world, extent);
    const startedAt = performance.now();
    const milliseconds = () => Math.round(performance.now() - startedAt);
    if (reason !== undefined) {
      yield { section, clause, verdict: 'skipped', reason, milliseconds: 0 };
      continue;
    }
    const failure = await prove(check, world, seen).then(() => undefined, reasonOf);
    const verdict = failure === undefined ? 'passed' : 'failed';
    yield { section, clause, verdict, ...(failure !== undefined && { reason: failure }), milliseconds: milliseconds() };
  }
}
