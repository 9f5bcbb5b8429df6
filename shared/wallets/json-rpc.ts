import { Agent as HttpAgent, type IncomingMessage, request as sendHttp } from 'node:http';
import { Agent as HttpsAgent, request as sendHttps } from 'node:https';
import * as z from 'zod/mini';
import { errorCode } from '../node-error.ts';
import { type ProxyEnv, proxyOptions } from '../proxy.ts';
import type { Secret } from '../secret.ts';

/** An answer with a word has some 100 bytes; a contract can return megabytes. */
const MAX_ANSWER_BYTES = 16_384;
/** Calls at a time; others wait for a connection, within their own time. */
const MAX_CALLS = 8;

/** Some nodes answer with the id as a text. */
const id = z.literal([1, '1']);

/** A result, or the node's own error. */
const answer = z.union([
  z.object({ id, error: z.object({ code: z.int(), message: z.string(), data: z.optional(z.unknown()) }) }),
  z.object({ id, result: z.string() }),
]);

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new RangeError('an answer that is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Creates the calls of a node; each is sent once, on a connection of its own. They reject for any other answer, and for
 * none; the message has no part of the URL.
 */
export function createRpc(url: Secret, proxyEnv: ProxyEnv) {
  const target = new URL(url.reveal());
  const secure = target.protocol === 'https:';
  // A kept connection may be dead, and the call of a rare order would fail.
  const options = { keepAlive: false, maxSockets: MAX_CALLS };
  const agent = secure ? new HttpsAgent({ ...options, ...proxyOptions(proxyEnv) }) : new HttpAgent(options);

  function post(body: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = (secure ? sendHttps : sendHttp)(target, { method: 'POST', agent, headers, signal }, resolve);
    request.on('error', reject).end(body);
    // Node emits no event for a request that still waits for a free connection.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    return promise;
  }

  return async (method: string, params: readonly unknown[], signal: AbortSignal): Promise<z.infer<typeof answer>> => {
    let failure = 'no answer';
    try {
      const response = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal);
      failure = `no JSON-RPC in HTTP ${response.statusCode}`;
      const parsed = answer.parse(JSON.parse(await readText(response)));
      // Nodes report a revert with any status.
      if ('error' in parsed || response.statusCode === 200) return parsed;
    } catch (error) {
      failure = errorCode(error) ?? failure;
    }
    // Without its cause, which may hold the URL: keys of providers are in the path or in the name of the host.
    throw new Error(`${method}: ${signal.aborted ? 'no answer in time' : failure}`);
  };
}
