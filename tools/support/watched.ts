import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

const watched = z.object({
  rssBytes: z.number(),
  heapBytes: z.number(),
  resources: z.record(z.string(), z.number()),
});

/** The state of a process after a collection. */
export type Watched = z.infer<typeof watched> & { readonly files: number };

/** A service in a process of its own, whose memory can be read. */
export interface WatchedService extends Disposable {
  readonly url: string;
  /** Collects garbage in the process, and returns what is left. */
  look(): Promise<Watched>;
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
      return { ...watched.parse(state), files: readdirSync(`/proc/${child.pid}/fd`).length };
    },
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  };
}
