import type { IncomingMessage } from 'node:http';
import { refuse } from '../shared/errors.ts';

/**
 * Reads a body, but no more than one byte above `limit`: enough for the pipeline to see that it is too large. The rest
 * stays unread. Rejects with the reason of `broken` when the connection fails on the way.
 */
export function readBody(request: IncomingMessage, limit: number, broken: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = () => resolve(Buffer.concat(chunks).subarray(0, limit + 1));
  const collect = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) finish();
  };
  // A body that is complete is one, whatever comes behind it.
  const fail = () => {
    if (!request.complete) reject(broken.reason);
  };
  const leave = () => {
    if (request.readableEnded) return;
    reject(
      refuse('invalid_request', {
        sentence: 'The connection ended within the body.',
        errors: [{ field: 'body', detail: 'must be as long as Content-Length says.' }],
      }),
    );
  };
  if (broken.aborted) fail();
  request.on('data', collect).on('end', finish).on('close', leave);
  broken.addEventListener('abort', fail);
  return promise.finally(() => {
    request.off('data', collect).off('end', finish).off('close', leave).pause();
    broken.removeEventListener('abort', fail);
  });
}

/** Takes in and drops what is left of a body until it ends, the connection closes, or `time` (milliseconds) is over. */
export async function drain(request: IncomingMessage, time: number): Promise<void> {
  if (request.complete || request.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, time);
  request.once('end', resolve).once('close', resolve).resume();
  await promise;
  clearTimeout(timer);
}
