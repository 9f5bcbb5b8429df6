import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FetchLike } from '../conformance/ask.ts';
import { runConformance } from '../conformance/suite.ts';
import { CALLER, isSignedByCaller, REGION } from '../support/sigv4.ts';
import type { Assembly } from './assembly.ts';
import { route } from './gateway.ts';
import type { Way } from './ways.ts';

/** The gateway's name: nobody looks it up. */
const BASE_URL = 'https://gateway.invalid';

interface Deployed {
  readonly way: Way;
  readonly assembly: Assembly;
}

/** A way to the service as the suite asks it, with the gateway's own check of who orders. */
function fetchThrough({ way, assembly }: Deployed): FetchLike {
  return async (url, { method = 'GET', headers, body }) => {
    const request = new Request(url, { method, ...(headers && { headers }), ...(body && { body }) });
    // `Request` names a type for a text where there is none; the suite names its own.
    const sent = Object.fromEntries(new Headers(headers));
    const text = await request.text();
    const path = url.slice(BASE_URL.length);
    const asked = { method, path, headers: sent, ...(text !== '' && { body: text }) };
    const received = { method, target: path, headers: { host: new URL(url).host, ...sent }, body: text };
    if (route(assembly, asked).signed && !isSignedByCaller(received)) {
      return Response.json({ message: 'Forbidden' }, { status: 403 });
    }
    const answer = await way.send(asked);
    const content = answer.body === undefined ? null : JSON.stringify(answer.body);
    return new Response(content, { status: answer.status, headers: answer.headers });
  };
}

/** The deployed functions against the document, orders included where they are deployed. */
export function describeConformance(ways: Readonly<Record<string, Deployed>>): void {
  describe('the deployed functions conform to the document', () => {
    for (const [mode, deployed] of Object.entries(ways)) {
      it(mode, async () => {
        const { results } = await runConformance({
          baseUrl: BASE_URL,
          fetch: fetchThrough(deployed),
          sign: { region: REGION, credentials: CALLER },
          confirmOrders: async () => true,
        });
        const failed = results.filter(({ verdict }) => verdict === 'failed');
        assert.deepEqual(failed, []);
        assert.ok(results.filter(({ verdict }) => verdict === 'passed').length > 15);
      });
    }
  });
}
