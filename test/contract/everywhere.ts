import assert from 'node:assert/strict';
import { type Answer, expectProblem } from './answer.ts';
import type { Ask, Request } from './ask.ts';
import { controlOf, type Run, section } from './check.ts';

/** An origin that nobody can list: `.invalid` is reserved. */
export const STRANGER = 'https://conformance.invalid';
/** The origins that the services of the tests list. */
export const LISTED_ORIGIN = 'https://app.example';

interface Path {
  readonly operation: string;
  readonly target: string;
  readonly allow: string;
  readonly wrong: readonly string[];
}

const READ = { allow: 'GET, HEAD, OPTIONS', wrong: ['POST', 'PUT', 'PATCH', 'DELETE'] } as const;

function pathsOf(tokenId: string): readonly Path[] {
  return [
    { operation: 'health', target: '/health', ...READ },
    { operation: 'markets', target: '/v1/markets', ...READ },
    { operation: 'book', target: `/v1/book/${tokenId}`, ...READ },
    { operation: 'orders', target: '/v1/orders', allow: 'POST, OPTIONS', wrong: ['GET', 'HEAD', 'PUT', 'DELETE'] },
  ];
}

/** A check of each of the four paths. */
function onEveryPath(run: (path: Path, ask: Ask) => Promise<void>): Run {
  return async ({ ask, sample }) => {
    for (const path of pathsOf(sample.tokenId)) await run(path, ask);
  };
}

/** Origins that are not the listed one of the tests. */
export const STRANGERS = [
  STRANGER,
  'null',
  'http://app.example',
  'https://app.example.evil.example',
  'https://app.example:8443',
  'https://APP.example',
  'https://app.example/',
  `${LISTED_ORIGIN},${LISTED_ORIGIN}`,
];

const EXPOSED = 'X-Request-Id, Retry-After, Idempotency-Replayed, ETag, WWW-Authenticate';
const SENT_BY_PAGES =
  'authorization, content-type, idempotency-key, if-none-match, x-client-address, x-client-signature, x-client-signature-expires, x-request-id';

/** Returns the headers by which a browser decides. */
export function corsOf({ headers }: Answer) {
  return Object.fromEntries([...headers].filter(([name]) => /^(?:access-control|vary$|allow$)/.test(name)));
}

type Target = Pick<Path, 'operation' | 'target'>;

function preflight(ask: Ask, { operation, target }: Target, origin: string, asked = SENT_BY_PAGES) {
  const headers = {
    origin,
    'access-control-request-method': operation === 'orders' ? 'POST' : 'GET',
    'access-control-request-headers': asked,
  };
  return ask({ operation, method: 'OPTIONS', target, headers });
}

/** Expects that a preflight allows all that a page sends. */
function expectAllowed(answer: Answer, origin: string, allow: string): void {
  const { 'access-control-allow-headers': allowed = '', ...others } = corsOf(answer);
  assert.equal(answer.status, 204);
  assert.deepEqual(others, {
    ...(origin !== '*' && { vary: 'Origin' }),
    allow,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    'access-control-allow-methods': allow,
    'access-control-max-age': '600',
  });
  assert.equal(allowed.toLowerCase(), SENT_BY_PAGES);
}

/** Checks of every path. */
export const EVERYWHERE = section('everywhere', [], {
  'HEAD is GET without a body': async ({ ask, sample }) => {
    for (const { operation, target } of pathsOf(sample.tokenId).slice(0, 3)) {
      const [get, head] = [await ask({ operation, target }), await ask({ operation, target, method: 'HEAD' })];
      assert.deepEqual([head.status, head.body], [200, undefined]);
      for (const name of ['content-type', 'cache-control', 'x-content-type-options']) {
        assert.equal(head.headers.get(name), get.headers.get(name));
      }
    }
    const unknown = await ask({ operation: 'book', method: 'HEAD', target: '/nothing' });
    assert.deepEqual([unknown.status, unknown.headers.get('content-type')], [404, 'application/problem+json']);
  },
  'OPTIONS without Origin is 204 with Allow': onEveryPath(async ({ operation, target, allow }, ask) => {
    const answer = await ask({ operation, method: 'OPTIONS', target });
    assert.deepEqual([answer.status, answer.headers.get('allow')], [204, allow]);
    assert.equal(answer.headers.get('access-control-allow-methods'), null);
  }),
  'another method is 405 with Allow': {
    proves: ['method_not_allowed'],
    run: onEveryPath(async ({ operation, target, allow, wrong }, ask) => {
      for (const method of wrong) {
        const answer = await ask({ operation, method, target });
        if (method !== 'HEAD') expectProblem(answer, 'method_not_allowed');
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], method);
      }
    }),
  },
  'another path is 404': {
    proves: ['not_found'],
    run: async ({ ask }) => {
      // The document gives `not_found` for what is not quite a book.
      const targets = ['/', '/v1', '/v1/book', '/v1/book/', '/v1/book/1/2', '/v1/markets/', '/v2/markets', '/HEALTH'];
      for (const target of [...targets, '/openapi.json', '//evil.example/health']) {
        expectProblem(await ask({ operation: 'book', target }), 'not_found');
      }
    },
  },
  'a request id of the allowed form comes back, another is replaced': async ({ ask }) => {
    const echo = async (id: string) => {
      const request: Request = { operation: 'health', target: '/health', headers: { 'x-request-id': id } };
      return (await ask(request)).headers.get('x-request-id');
    };
    for (const kept of ['a', 'conformance-1._A', 'x'.repeat(64)]) assert.equal(await echo(kept), kept);
    for (const refused of ['x'.repeat(65), 'a b', 'a"b', 'a,b', '<a>', '\u00e9']) {
      assert.match(`${await echo(refused)}`, /^[0-9a-f-]{36}$/);
    }
  },
  'the log line of a request has its id, and its path if that is unknown': {
    needs: ['paper venue'],
    run: async (world) => {
      for (const [target, route, code, path] of [
        ['/v1/book/x', 'book', 'invalid_request', /^undefined$/],
        // A gateway may have a path of its own before it.
        ['/nothing?x', 'unknown', 'not_found', /\/nothing$/],
      ] as const) {
        const id = `conformance-${crypto.randomUUID()}`;
        const answer = await world.ask({ operation: 'book', target, headers: { 'x-request-id': id } });
        expectProblem(answer, code, { request_id: id });
        const [line] = controlOf(world)
          .lines()
          .filter(({ request_id, message }) => request_id === id && message === 'request');
        assert.deepEqual(
          [line?.['route'], line?.['status'], line?.['code'], line?.['level']],
          [route, answer.status, code, 'info'],
        );
        assert.match(String(line?.['path']), path);
      }
    },
  },
  'any page may read markets and books, only listed ones health': async ({ ask, sample }) => {
    for (const { operation, target } of pathsOf(sample.tokenId).slice(0, 3)) {
      for (const origin of STRANGERS) {
        const cors = corsOf(await ask({ operation, target, headers: { origin } }));
        const open = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
        assert.deepEqual(cors, operation === 'health' ? { vary: 'Origin' } : open, `${target} for ${origin}`);
      }
    }
  },
  'a preflight allows every page to read, and only listed pages to order': async ({ ask, sample }) => {
    const [, ...paths] = pathsOf(sample.tokenId);
    // What is no name of a header is not repeated.
    for (const asked of [SENT_BY_PAGES, '"a', 'a"']) {
      for (const path of paths.slice(0, 2)) expectAllowed(await preflight(ask, path, STRANGER, asked), '*', READ.allow);
    }
    const names = 'baggage,sentry-trace, traceparent';
    for (const path of pathsOf(sample.tokenId).slice(0, 3)) {
      const { headers } = await preflight(ask, path, STRANGER, names);
      assert.equal(headers.get('access-control-allow-headers'), names, path.target);
    }
    const order = { operation: 'orders', target: '/v1/orders' };
    for (const origin of STRANGERS) {
      const answer = await preflight(ask, order, origin);
      expectProblem(answer, 'origin_not_allowed');
      assert.deepEqual(corsOf(answer), { vary: 'Origin' });
    }
  },
  'a page of a listed origin reads health, places orders and reads refusals': {
    needs: ['paper venue'],
    proves: ['SERVICE_CORS_ORIGINS'],
    run: async ({ ask }) => {
      const origin = LISTED_ORIGIN;
      const readable = {
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED,
      };
      assert.deepEqual(corsOf(await ask({ operation: 'health', target: '/health', headers: { origin } })), readable);
      const headers = { origin, 'content-type': 'text/plain' };
      const refused = await ask({ operation: 'orders', method: 'POST', target: '/v1/orders', headers, body: '{' });
      assert.deepEqual([refused.status >= 400, corsOf(refused)], [true, readable]);
      const order = { operation: 'orders', target: '/v1/orders' };
      // Orders allow their own headers, whatever a page asks for.
      for (const asked of [SENT_BY_PAGES, 'baggage']) {
        expectAllowed(await preflight(ask, order, origin, asked), origin, 'POST, OPTIONS');
      }
    },
  },
});
