import { startService } from '../../local/service/service.ts';

// The service; on a message it collects garbage and reports what is left: memory, and what keeps the event loop busy.
const { url } = await startService(process.env);
process.on('message', () => {
  // Buffers that one collection frees count as external memory until the next one.
  for (let collections = 0; collections < 2; collections += 1) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const kinds = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  const resources = Object.fromEntries(Object.entries(kinds).map(([kind, all = []]) => [kind, all.length]));
  process.send?.({ rssBytes: rss, heapBytes: heapUsed + external, resources });
});
process.send?.(url);
