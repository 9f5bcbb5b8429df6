import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback, shut } from '../../../tools/support/loopback.ts';
import { afterTests } from '../jest.ts';

/** An answer, or that the connection breaks instead. */
export type Step =
  | 'reset'
  | 'silence'
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> };

/** An answer of the service with a code. */
export function problem(status: number, code: string, retryAfter?: number, facts = {}): Step {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { status, headers, body: { code, detail: 'Do something.', request_id: 'r-1', ...facts } };
}

/** A request that a scripted service has received. */
export interface ScriptedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const stops: (() => Promise<void>)[] = [];

afterTests(() => Promise.all(stops.splice(0).map((stop) => stop())));

function answer(response: ServerResponse, step: Step | undefined): void {
  if (step === 'silence') return;
  if (step === 'reset' || step === undefined) {
    response.destroy();
    return;
  }
  const { status, body, headers } = step;
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A service that answers one step after the other, the last one again and again; `asked` resolves at its first request. */
export async function startScriptedService(steps: readonly Step[]) {
  const requests: ScriptedRequest[] = [];
  const { promise: asked, resolve: noteRequest } = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    requests.push({ method, path, headers, body: await text(request) });
    noteRequest();
    answer(response, steps[requests.length - 1] ?? steps.at(-1));
  });
  stops.push(() => shut(server));
  return { url: await listenOnLoopback(server), requests, asked };
}
