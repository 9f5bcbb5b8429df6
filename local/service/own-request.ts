import { once } from 'node:events';
import { request } from 'node:http';
import type { Route } from '../../functions/routes.ts';

/** Bounds the wait for an answer of our own, in milliseconds. */
const OWN_ANSWER_MS = 1_000;

/**
 * Sends a request to a service of this machine, as a client would, and returns the status of its answer. Not by `fetch`,
 * which refuses ports that browsers refuse, such as 10080.
 */
export async function ask(url: string, { method, path }: Route, body?: string): Promise<number> {
  const signal = AbortSignal.timeout(OWN_ANSWER_MS);
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request(url + path, { method, headers, agent: false, signal }).end(body);
  const [response] = await once(sent, 'response');
  await once(response.resume(), 'end');
  return response.statusCode;
}
