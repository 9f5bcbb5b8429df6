/** One thing that may happen next, and the effect it has. */
export interface Happening {
  readonly name: string;
  readonly run: () => void;
}

/** A system under exploration. It is built anew for every path, so it must behave the same for the same choices. */
export interface System {
  /** What may happen next; empty at the end of a path. */
  happenings(): readonly Happening[];
  /** Everything that what follows depends on, as text: a state seen before is not entered again. */
  state(): string;
  /** What promise is broken, if any. */
  breach(): string | undefined;
}

export interface Exploration {
  /** States in all, and those of them in which nothing can happen any more. */
  readonly states: number;
  readonly ends: number;
  /** The first broken promise and a shortest path to it. */
  readonly broken: { readonly breach: string; readonly path: readonly string[] } | undefined;
}

/** Lets every promise that can go on do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Walk {
  readonly system: System;
  readonly names: readonly string[];
}

async function walk(build: () => System, path: readonly number[]): Promise<Walk> {
  const system = build();
  const names: string[] = [];
  await settle();
  for (const choice of path) {
    const happening = system.happenings()[choice];
    if (!happening) throw new Error(`The system is not deterministic after: ${names.join(', ')}`);
    names.push(happening.name);
    happening.run();
    await settle();
  }
  return { system, names };
}

/**
 * Enters every state that a system can reach, those on short paths first, until one breaks a promise.
 */
export async function explore(build: () => System): Promise<Exploration> {
  const seen = new Set<string>();
  let ends = 0;
  let frontier: (readonly number[])[] = [[]];
  while (frontier.length > 0) {
    const next: (readonly number[])[] = [];
    for (const path of frontier) {
      const { system, names } = await walk(build, path);
      const state = system.state();
      if (seen.has(state)) continue;
      seen.add(state);
      const breach = system.breach();
      if (breach !== undefined) return { states: seen.size, ends, broken: { breach, path: names } };
      const count = system.happenings().length;
      if (count === 0) ends += 1;
      for (let choice = 0; choice < count; choice += 1) next.push([...path, choice]);
    }
    frontier = next;
  }
  return { states: seen.size, ends, broken: undefined };
}
