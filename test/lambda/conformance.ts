import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FetchLike } from '../contract/conformance/ask.ts';
import { runConformance } from '../contract/conformance/suite.ts';
import type { Way } from './ways.ts';

/** What the gateway is called: nobody looks it up. */
const BASE_URL = 'https://gateway.invalid';

/** A way to the service as the suite asks it. */
function fetchThrough(way: Way): FetchLike {
  return async (url, { method = 'GET', headers, body }) => {
    const request = new Request(url, { method, ...(headers && { headers }), ...(body && { body }) });
    // `Request` names a type for a text where there is none; the suite names its own.
    const sent = Object.fromEntries(new Headers(headers));
    const text = await request.text();
    const path = url.slice(BASE_URL.length);
    const answer = await way.send({ method, path, headers: sent, ...(text !== '' && { body: text }) });
    const content = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(content, { status: answer.status, headers: answer.headers });
  };
}

/** The deployed functions against the document, orders included where they are deployed. */
export function describeConformance(ways: Readonly<Record<string, Way>>): void {
  describe('the deployed functions conform to the document', () => {
    for (const [mode, way] of Object.entries(ways)) {
      it(mode, async () => {
        const { results } = await runConformance({
          baseUrl: BASE_URL,
          fetch: fetchThrough(way),
          edge: 'gateway',
          confirmOrders: async () => true,
        });
        const failed = results.filter(({ outcome }) => outcome === 'failed');
        assert.deepEqual(failed, []);
        assert.ok(results.filter(({ outcome }) => outcome === 'passed').length > 15);
      });
    }
  });
}
