/** One thing that may happen next, and the effect it has. */
export interface Happening {
  readonly name: string;
  readonly run: () => void;
}

/** A system under exploration. It is built for every path, so it must behave the same for the same choices. */
export interface System {
  /** Lists what may happen next; empty at the end of a path. */
  happenings(): readonly Happening[];
  /** Everything that what follows depends on, as text: a state seen before is not entered again. */
  state(): string;
  /** Names the promise that is broken, if any. */
  breach(): string | undefined;
}

/** The result of a search through all states. */
export interface Exploration {
  /** States in all, and those of them in which nothing can happen any more. */
  readonly states: number;
  readonly ends: number;
  /** The first broken promise and a shortest path to it. */
  readonly broken: { readonly breach: string; readonly path: readonly string[] } | undefined;
}

/** Lets every promise that can go on do so: a tick comes after all of them. */
function settle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

async function step(system: System, choice: number): Promise<string> {
  const happening = system.happenings()[choice];
  if (!happening) throw new Error('The system is not deterministic.');
  happening.run();
  await settle();
  return happening.name;
}

/** Goes along a path; gives the names of what happened. */
async function walk(system: System, path: readonly number[]): Promise<readonly string[]> {
  const names: string[] = [];
  await settle();
  for (const choice of path) names.push(await step(system, choice));
  return names;
}

/** Returns all that the search has to know of a state; `choices` is the number of happenings. */
function lookAt(system: System) {
  return { state: system.state(), breach: system.breach(), choices: system.happenings().length };
}

type Sight = ReturnType<typeof lookAt>;

/**
 * Returns a function that looks at the end of a path. A system costs all steps from the start, so one that came to a
 * state which is not known goes on by first choices, and what it sees there is kept until the search asks for it: half as
 * many systems.
 */
function createScout(build: () => System, isKnown: (state: string) => boolean) {
  const ahead = new Map<string, Sight>();
  const passed = new Set<string>();
  const goOn = async (system: System, path: readonly number[], from: Sight) => {
    let [sight, end] = [from, path];
    while (sight.choices > 0 && !isKnown(sight.state) && !passed.has(sight.state)) {
      passed.add(sight.state);
      await step(system, 0);
      sight = lookAt(system);
      end = [...end, 0];
      ahead.set(String(end), sight);
    }
  };
  return async (path: readonly number[]): Promise<Sight> => {
    const kept = ahead.get(String(path));
    if (kept) return kept;
    const system = build();
    await walk(system, path);
    const sight = lookAt(system);
    await goOn(system, path, sight);
    return sight;
  };
}

/** Enters every state that a system can reach, those on short paths first, until one breaks a promise. */
export async function explore(build: () => System): Promise<Exploration> {
  const { stackTraceLimit } = Error;
  // A search lets thousands of errors happen, and jest has 100 frames of each kept.
  Error.stackTraceLimit = 0;
  return search(build).finally(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

async function search(build: () => System): Promise<Exploration> {
  const seen = new Set<string>();
  const scout = createScout(build, (state) => seen.has(state));
  let ends = 0;
  let frontier: (readonly number[])[] = [[]];
  while (frontier.length > 0) {
    const next: (readonly number[])[] = [];
    for (const path of frontier) {
      const { state, breach, choices } = await scout(path);
      if (seen.has(state)) continue;
      seen.add(state);
      if (breach !== undefined) {
        return { states: seen.size, ends, broken: { breach, path: await walk(build(), path) } };
      }
      if (choices === 0) ends += 1;
      for (let choice = 0; choice < choices; choice += 1) next.push([...path, choice]);
    }
    frontier = next;
  }
  return { states: seen.size, ends, broken: undefined };
}
