import * as z from 'zod/mini';
import { openExchange, TransportError } from '../http/exchange.ts';
import { errorCode } from '../node-error.ts';
import type { ProxyEnv } from '../proxy.ts';
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

/**
 * Creates the calls of a node; each is sent once, and has until a time of `performance.now()`. They reject for any other
 * answer, and for none; the message has no part of the URL.
 */
export function createRpc(url: Secret, proxyEnv: ProxyEnv) {
  const exchange = openExchange(url.reveal(), { proxyEnv, maxSockets: MAX_CALLS });

  return async (method: string, params: readonly unknown[], deadline: number): Promise<z.infer<typeof answer>> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    let failure = '';
    try {
      const request = { method: 'POST', body, maxBytes: MAX_ANSWER_BYTES } as const;
      const { status, text } = await exchange(request, deadline - performance.now());
      failure = `no JSON-RPC in HTTP ${status}`;
      const parsed = answer.parse(JSON.parse(text));
      // Nodes report a revert with any status.
      if ('error' in parsed || status === 200) return parsed;
    } catch (error) {
      if (error instanceof TransportError) failure = errorCode(error.cause) ?? error.kind;
    }
    // Without its cause, which may hold the URL: keys of providers are in the path or in the name of the host.
    throw new Error(`${method}: ${failure}`);
  };
}
