import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

const watched = z.object({
  rssBytes: z.number(),
  heapBytes: z.number(),
  resources: z.record(z.string(), z.number()),
});

/** The state of a process after a collection. Each open file is there by its path or its kind, such as `socket`. */
export type Watched = z.infer<typeof watched> & { readonly files: readonly string[] };

/** A service in a process of its own, whose memory can be read. */
export interface WatchedService extends Disposable {
  readonly url: string;
  /** Collects garbage in the process, and returns what is left. */
  look(): Promise<Watched>;
}

/** Returns the path of an open file, or its kind, such as `socket`. */
function nameOf(descriptor: string): readonly string[] {
  try {
    return [readlinkSync(descriptor).replace(/^(\w+):\[\d+\]$/, '$1')];
  } catch {
    // It was closed since it was listed.
    return [];
  }
}

function openFiles(pid: number | undefined): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((descriptor) => nameOf(join(folder, descriptor)));
}

/** Starts the service with these settings. */
export async function startWatchedService(settings: Readonly<Record<string, string>>): Promise<WatchedService> {
  const child = fork(join(import.meta.dirname, 'watched-service.ts'), [], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], ...settings },
  });
  const [url] = await once(child, 'message');
  return {
    url: String(url),
    look: async () => {
      child.send('');
      const [state] = await once(child, 'message');
      return { ...watched.parse(state), files: openFiles(child.pid) };
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}
