import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';

const callFrame = z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() });

/**
 * A CPU profile as V8 writes it: samples name a node each, and the microseconds since the sample before, the first one
 * since `startTime`, which is by the clock of `process.hrtime`.
 */
const profile = z.object({
  startTime: z.number(),
  nodes: z.array(z.object({ id: z.number(), callFrame })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** A CPU profile, as Node writes it. */
export type Profile = z.infer<typeof profile>;
type CallFrame = z.infer<typeof callFrame>;

/** Functions that are printed. */
const DEAREST = 10;
/** Share of the smallest group that is printed. */
const NOTICEABLE = 0.005;

/** One line of a profile: the share (0 to 1) of the time in which the process was not idle. */
interface Share {
  readonly name: string;
  readonly share: number;
}

/** Where a profile spends its time. */
export interface ProfileSummary {
  /** In milliseconds. */
  readonly busy: number;
  readonly idle: number;
  /** By self time, dearest first. */
  readonly functions: readonly Share[];
  readonly groups: readonly Share[];
}

/** Shortens the address of a file: relative to the project, as a stack has it. */
function pathOf(url: string, root: string): string {
  return url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url;
}

/** Names a function and its place; the collector, and whatever is not JavaScript, is in no file. */
function nameOf({ functionName, url, lineNumber }: CallFrame, root: string): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  // Lines count from 0 in a profile.
  return url === '' ? name : `${name}  ${pathOf(url, root)}:${lineNumber + 1}`;
}

function groupOf({ functionName, url }: CallFrame, root: string): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (url === '') return 'native code';
  if (url.startsWith('node:')) return 'node internals';
  const path = pathOf(url, root);
  const [, dependency] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return dependency ?? 'the service';
}

function sharesOf(times: ReadonlyMap<string, number>, whole: number): Share[] {
  const shares = [...times].map(([name, time]) => ({ name, share: time / whole }));
  return shares.toSorted((a, b) => b.share - a.share);
}

/** Samples of a profile with the milliseconds that each lasts: until the next one. */
function* samplesOf({ startTime, samples, timeDeltas }: Profile, from: number) {
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    if (at >= from) yield { id, time: Math.max(0, timeDeltas[index + 1] ?? 0) / 1_000 };
  }
}

/** A profile, and the microsecond by the same clock from which on it counts. */
export interface CountedProfile {
  readonly profile: Profile;
  readonly from: number;
}

/** Adds up the self times of some processes that did the same. `root` is the folder of the project. */
export function summariseProfiles(profiles: readonly CountedProfile[], root: string): ProfileSummary {
  const [functions, groups] = [new Map<string, number>(), new Map<string, number>()];
  let [busy, idle] = [0, 0];
  const add = (times: Map<string, number>, name: string, time: number) =>
    times.set(name, (times.get(name) ?? 0) + time);
  for (const { profile, from } of profiles) {
    const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
    for (const { id, time } of samplesOf(profile, from)) {
      const frame = frames.get(id);
      if (!frame) continue;
      if (frame.functionName === '(idle)') {
        idle += time;
        continue;
      }
      busy += time;
      add(functions, nameOf(frame, root), time);
      add(groups, groupOf(frame, root), time);
    }
  }
  return { busy, idle, functions: sharesOf(functions, busy), groups: sharesOf(groups, busy) };
}

/** Reads the profiles of a directory. `listeningAt`: of each process the microsecond from which on its profile counts. */
export async function readProfiles(
  directory: string,
  listeningAt: ReadonlyMap<number, number>,
): Promise<readonly CountedProfile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.cpuprofile'));
  return Promise.all(
    names.map(async (name) => {
      // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
      const from = listeningAt.get(Number(name.split('.')[3])) ?? 0;
      return { profile: profile.parse(JSON.parse(await readFile(join(directory, name), 'utf8'))), from };
    }),
  );
}

/** Writes a summary for a terminal. */
export function formatProfile({ busy, idle, functions, groups }: ProfileSummary): string {
  const line = ({ name, share }: Share) => `${(share * 100).toFixed(1).padStart(5)} %  ${name}`;
  const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`;
  return [
    `The main thread was busy for ${seconds(busy)}, and idle for ${seconds(idle)}, which is left out.`,
    '',
    'By self time:',
    ...functions.slice(0, DEAREST).map(line),
    '',
    'By group:',
    ...groups.filter(({ share }) => share >= NOTICEABLE).map(line),
  ].join('\n');
}
