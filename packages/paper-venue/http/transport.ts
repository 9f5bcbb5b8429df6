import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './router.ts';

/** Delivery of an answer: whole, cut off in the middle of the body, or not at all. */
export type Delivery =
  | { readonly kind: 'reply'; readonly reply: Reply; readonly delayMs: number }
  | { readonly kind: 'cut'; readonly reply: Reply }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' };

/** Limit far above the largest real requests: a batch of 15 orders is some 20 KB, 500 book ids are 50 KB. */
const MAX_BODY_BYTES = 1_048_576;

/** Reads the whole raw body; undefined when it is larger than the limit. */
export async function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

/** Delivers a reply as it is. */
export function whole(reply: Reply, delayMs = 0): Delivery {
  return { kind: 'reply', reply, delayMs };
}

/** Sends an answer, whole or spoilt; `now` (epoch milliseconds) goes into its Date header. */
export function send(response: ServerResponse, delivery: Delivery, now: number): void {
  if (delivery.kind === 'hang') return;
  if (delivery.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const { status, headers, body } = delivery.reply;
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'content-length': bytes.length, date: new Date(now).toUTCString() });
  if (delivery.kind === 'reply') response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
}

/** Waits; the timer does not keep a process alive whose venue is closed. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/** Listens and returns the address; rejects with the server's error, for example EADDRINUSE. */
export async function bind(server: Server, host: string, port: number): Promise<AddressInfo> {
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the paper venue has no address');
  return address;
}

/** Ends every connection and stops listening. */
export function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Received request; `at` is its arrival in epoch milliseconds by the system's clock. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly at: number;
  /** Name of the fault that it met; null for none. */
  readonly fault: string | null;
}

/** Number that is enough for a chaos run; older requests are dropped, so that a venue left running does not grow. */
const MAX_REQUESTS = 10_000;

/** Log of the last requests to the venue's own paths; those to /paper are not logged. */
export class RequestLog {
  #requests: ReceivedRequest[] = [];

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
  }

  list(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  clear(): void {
    this.#requests = [];
  }
}
