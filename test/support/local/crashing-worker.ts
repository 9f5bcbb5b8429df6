import { parentPort } from 'node:worker_threads';
import type { StoreRequest } from '../../../local/store-thread.ts';

// The thread of the local store, but that it dies when it is asked for this key.
parentPort?.on('message', ({ call }: StoreRequest) => {
  if (call.ask === 'read' && call.key === 'crash') process.exit(1);
});
await import('../../../local/store-worker.ts');
