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

interface Invocation extends PromiseWithResolvers<unknown> {
  readonly event: object;
  /** In milliseconds of the Unix epoch. */
  readonly deadline: number;
}

const VERSION = '/2018-06-01/runtime';

/** A request id of Lambda, which ends with a number here. */
const ID = '8476a536-e9f4-11e8-9739-';

/** Starts Lambda's runtime API. */
export async function startRuntimeApi(): Promise<RuntimeApi> {
  const init = Promise.withResolvers<number>();
  init.promise.catch(() => undefined);
  const invocations: Invocation[] = [];
  let handed = 0;
  let waiting: ServerResponse | undefined;

  function next(): void {
    const invocation = invocations[handed];
    if (!waiting || !invocation) return;
    waiting.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': ID + String(handed).padStart(12, '0'),
      'lambda-runtime-deadline-ms': String(invocation.deadline),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:eu-west-1:123456789012:function:rig',
      'lambda-runtime-trace-id': 'Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0',
    });
    waiting.end(JSON.stringify(invocation.event));
    handed += 1;
    waiting = undefined;
  }

  async function answer({ url = '', headers }: IncomingMessage, body: string, response: ServerResponse) {
    const path = url.slice(VERSION.length);
    if (path === '/invocation/next') {
      init.resolve(Date.now() - Number(headers['x-process-start']));
      waiting = response;
      return next();
    }
    response.writeHead(202).end();
    if (path === '/init/error') return init.reject(new Error(`init failed: ${body}`));
    const [, , id = '', kind] = path.split('/');
    const invocation = invocations[Number(id.slice(ID.length))];
    if (kind === 'response') invocation?.resolve(body === '' ? undefined : JSON.parse(body));
    else invocation?.reject(new Error(`the function failed: ${body}`));
  }

  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(request, body, response))
      .catch(() => response.destroy());
  });
  // The client closes connections: one that the server closes at the same moment would end the function.
  server.keepAliveTimeout = 0;

  return {
    address: new URL(await listenOnLoopback(server)).host,
    initialised: init.promise,
    invoke: async (event, timeout) => {
      await init.promise;
      const invocation = { ...Promise.withResolvers<unknown>(), event, deadline: Date.now() + timeout };
      const timer = setTimeout(() => invocation.reject(new Error(`Lambda's time-out of ${timeout} ms`)), timeout);
      invocations.push(invocation);
      next();
      return invocation.promise.finally(() => clearTimeout(timer));
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
