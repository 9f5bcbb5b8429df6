import { type SeenRequest, startVenue } from '../venue/scripted-venue.ts';

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

/** A request that a scripted service has received; its path has the query. */
type ScriptedRequest = Pick<SeenRequest, 'method' | 'path' | 'headers' | 'body'>;

/** A service that answers one step after the other, the last one again and again; `asked` resolves at its first request. */
export async function startScriptedService(steps: readonly Step[]) {
  const requests: ScriptedRequest[] = [];
  const { promise: asked, resolve: noteRequest } = Promise.withResolvers<void>();
  const { url } = await startVenue(({ method, path, query, headers, body }) => {
    requests.push({ method, path: query.size === 0 ? path : `${path}?${query}`, headers, body });
    noteRequest();
    const step = steps[requests.length - 1] ?? steps.at(-1) ?? 'reset';
    if (typeof step === 'string') return step === 'silence' ? 'hang' : step;
    return { ...step, headers: { 'content-type': 'application/problem+json', ...step.headers } };
  });
  return { url, requests, asked };
}
