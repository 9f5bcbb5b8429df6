import { parentPort, workerData } from 'node:worker_threads';
import { STORE_REPORT_MS } from '../shared/limits.ts';
import { createOrderFile, type OrderAnswer } from './order-file.ts';
import { monotonicMs, type StoreRequest, type StoreResponse, type StoreThreadData } from './store-thread.ts';

/** Answers requests one after the other, in their order. Runs in a thread of its own, which may wait for a lock. */
function serve({ path, identity }: StoreThreadData): void {
  const file = createOrderFile(path, identity);
  const answer = ({ deadlineMs, call }: StoreRequest): OrderAnswer => {
    const leftMs = Math.floor(deadlineMs - monotonicMs());
    if (leftMs <= 0) throw new Error('The order store came to a call after its time.');
    if (call.ask === 'close') return void file.close();
    return file.answer(call, Math.max(0, leftMs - STORE_REPORT_MS));
  };
  parentPort?.on('message', (request: StoreRequest) => {
    const respond = (outcome: Pick<StoreResponse, 'answer' | 'failure'>) =>
      parentPort?.postMessage({ id: request.id, identity: file.identity(), ...outcome });
    try {
      const answered = answer(request);
      respond({ answer: answered });
    } catch (error) {
      respond({ failure: error instanceof Error ? error.message : String(error) });
    }
  });
}

serve(workerData);
