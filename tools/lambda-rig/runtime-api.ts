import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '../support/loopback.ts';

/** Lambda's Runtime API for one execution environment: it hands out invocations and takes their results. */
export interface RuntimeApi {
  /** The value of AWS_LAMBDA_RUNTIME_API for the runtime client. */
  readonly address: string;
  /** The milliseconds from the start of the process to its first request for work; rejects when the init failed. */
  readonly initialised: Promise<number>;
  /** Rejects when the function throws, or does not answer within `timeout` milliseconds, as on Lambda. */
  invoke(event: object, timeout: number): Promise<unknown>;
  close(): void;
}

interface Invocation {
  readonly id: string;
  readonly event: object;
  /** In milliseconds of the Unix epoch. */
  readonly deadline: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const VERSION = '/2018-06-01/runtime';

function hand({ id, event, deadline }: Invocation, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': id,
    'lambda-runtime-deadline-ms': String(deadline),
    'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-west-1:123456789012:function:rig',
    'lambda-runtime-trace-id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0',
  });
  response.end(JSON.stringify(event));
}

/** The process says when it was started, so that making its namespace does not count. */
function startOf({ headers }: IncomingMessage): number {
  return Number(headers['x-process-start']);
}

/** Starts Lambda's runtime API. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const init = Promise.withResolvers<number>();
  // Who does not wait for it learns of a failed init from the invocation.
  init.promise.catch(() => undefined);
  const queue: Invocation[] = [];
  const open = new Map<string, Invocation>();
  let waiting: ServerResponse | undefined;

  function next(): void {
    const invocation = waiting && queue.shift();
    if (!waiting || !invocation) return;
    open.set(invocation.id, invocation);
    hand(invocation, waiting);
    waiting = undefined;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').slice(VERSION.length);
    if (path === '/invocation/next') {
      init.resolve(Date.now() - startOf(request));
      waiting = response;
      return next();
    }
    const body = await text(request);
    response.writeHead(202).end();
    if (path === '/init/error') return init.reject(new Error(`init failed: ${body}`));
    const [, , id = '', kind] = path.split('/');
    const invocation = open.get(id);
    open.delete(id);
    if (kind === 'response') invocation?.resolve(body === '' ? undefined : JSON.parse(body));
    else invocation?.reject(new Error(`the function failed: ${body}`));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });

  return {
    address: new URL(await listenOnLoopback(server)).host,
    initialised: init.promise,
    invoke: async (event, timeout) => {
      await init.promise;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const timer = setTimeout(() => reject(new Error(`Lambda's time-out of ${timeout} ms`)), timeout);
      queue.push({ id: randomUUID(), event, deadline: Date.now() + timeout, resolve, reject });
      next();
      return promise.finally(() => clearTimeout(timer));
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
