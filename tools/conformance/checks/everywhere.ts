import assert from 'node:assert/strict';
import type { Request } from '../ask.ts';
import { expectProblem } from '../ask.ts';
import type { Check } from '../check.ts';

const GROUP = 'every path';
/** A name that nobody can list: `.invalid` is reserved. */
export const STRANGER = 'https://conformance.invalid';

interface Path {
  readonly operation: string;
  readonly target: string;
  readonly allow: string;
  readonly wrongMethod: string;
}

const READ = { allow: 'GET, HEAD, OPTIONS', wrongMethod: 'DELETE' } as const;

function pathsOf(tokenId: string): readonly Path[] {
  return [
    { operation: 'health', target: '/health', ...READ },
    { operation: 'markets', target: '/v1/markets', ...READ },
    { operation: 'book', target: `/v1/book/${tokenId}`, ...READ },
    { operation: 'orders', target: '/v1/orders', allow: 'POST, OPTIONS', wrongMethod: 'GET' },
  ];
}

/** A check of each of the four paths. */
function onEveryPath(name: string, run: (path: Path, ask: Parameters<Check['run']>[0]['ask']) => Promise<void>): Check {
  return {
    group: GROUP,
    name,
    run: async ({ ask, sample }) => {
      for (const path of pathsOf(sample.tokenId)) await run(path, ask);
    },
  };
}

/** Checks of every path. */
export const EVERYWHERE: readonly Check[] = [
  onEveryPath('OPTIONS without Origin is 204 with Allow', async ({ operation, target, allow }, ask) => {
    const answer = await ask({ operation: `${operation}Preflight`, method: 'OPTIONS', target });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('allow'), allow);
  }),
  onEveryPath('another method is 405 with Allow', async ({ operation, target, allow, wrongMethod }, ask) => {
    const answer = await ask({ operation, method: wrongMethod, target });
    expectProblem(answer, 'method_not_allowed');
    assert.equal(answer.headers.get('allow'), allow);
  }),
  {
    group: GROUP,
    name: 'another path is 404',
    run: async ({ ask }) => {
      // The document gives `not_found` for what is not quite a book.
      for (const target of ['/', '/v1', '/v1/book', '/v1/book/', '/v1/markets/', '/v2/markets', '/openapi.json']) {
        expectProblem(await ask({ operation: 'book', target }), 'not_found');
      }
    },
  },
  {
    group: GROUP,
    name: 'a request id of the allowed form comes back, another is replaced',
    run: async ({ ask }) => {
      const echo = async (id: string) => {
        const request: Request = { operation: 'health', target: '/health', headers: { 'x-request-id': id } };
        return (await ask(request)).headers.get('x-request-id');
      };
      assert.equal(await echo('conformance-1._A'), 'conformance-1._A');
      assert.equal(await echo('x'.repeat(64)), 'x'.repeat(64));
      for (const refused of ['x'.repeat(65), 'a b', 'a"b']) assert.notEqual(await echo(refused), refused);
    },
  },
  {
    group: GROUP,
    name: 'any page may read markets and books, only listed ones health',
    run: async ({ ask, sample }) => {
      for (const { operation, target } of pathsOf(sample.tokenId).slice(0, 3)) {
        const { headers } = await ask({ operation, target, headers: { origin: STRANGER } });
        assert.equal(headers.get('access-control-allow-origin'), operation === 'health' ? null : '*', target);
        if (operation === 'health') continue;
        const exposed = (headers.get('access-control-expose-headers') ?? '').split(', ');
        for (const name of ['X-Request-Id', 'Retry-After', 'ETag']) assert.ok(exposed.includes(name), name);
      }
    },
  },
  {
    group: GROUP,
    name: 'a preflight of any page may read, and none of a stranger may order',
    run: async ({ ask }) => {
      const headers = {
        origin: STRANGER,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      };
      const read = await ask({ operation: 'marketsPreflight', method: 'OPTIONS', target: '/v1/markets', headers });
      assert.equal(read.status, 204);
      assert.equal(read.headers.get('access-control-allow-origin'), '*');
      assert.match(read.headers.get('access-control-allow-headers') ?? '', /If-None-Match/i);
      const order = await ask({ operation: 'ordersPreflight', method: 'OPTIONS', target: '/v1/orders', headers });
      expectProblem(order, 'origin_not_allowed');
    },
  },
];
