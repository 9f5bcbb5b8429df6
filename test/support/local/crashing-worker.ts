import { parentPort } from 'node:worker_threads';
import type { StoreRequest, StoreResponse } from '../../../local/order-store/worker.ts';

// The thread of the local store, but that it dies when it is asked for one key, and before it answers for another.
const after = new Set<number>();
parentPort?.on('message', ({ id, call }: StoreRequest) => {
  if (call.ask === 'read' && call.key === 'crash') process.exit(1);
  if (call.ask === 'create' && call.row.key === 'crash after') after.add(id);
});
const respond = parentPort?.postMessage.bind(parentPort);
if (parentPort) {
  parentPort.postMessage = (response: StoreResponse) => {
    if (response.results.some(({ id }) => after.has(id))) process.exit(1);
    respond?.(response);
  };
}
await import('../../../local/order-store/worker.ts');
