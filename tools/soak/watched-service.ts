import { startService } from '../../local/service/service.ts';

/** The state of a process at rest: what is left when everything that can be collected is. */
export interface Watched {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Numbers of what keeps the event loop busy, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

// The service as it is, which tells of itself when it is asked.
const { url } = await startService(process.env);
process.on('message', () => {
  // Buffers that one collection frees count as external memory until the next one.
  for (let collections = 0; collections < 2; collections += 1) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const kinds = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  const resources = Object.fromEntries(Object.entries(kinds).map(([kind, all = []]) => [kind, all.length]));
  process.send?.({ rssBytes: rss, heapBytes: heapUsed + external, resources } satisfies Watched);
});
process.send?.(url);
