import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parseOrder } from '../../functions/orders/order.ts';
import { ROUTES } from '../../functions/routes.ts';
import type { Client } from '../../packages/client/client.ts';
import { insertCodes, PAGE_OF_CODES } from '../../tools/openapi/codes-table.ts';
import { createDocument } from '../../tools/openapi/document.ts';
import { EXAMPLES } from '../../tools/openapi/examples.ts';
import { loadContract } from '../contract/document.ts';
import { sharedPaperService } from '../support/service/paper-service.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

const contract = loadContract();
const document = JSON.parse(read('openapi.json'));
const CALLS = ['health', 'markets', 'book', 'placeOrder'] as const satisfies readonly (keyof Client)[];

interface Shown {
  readonly operation: string;
  readonly status: number;
  readonly mediaType: string;
  readonly body: { readonly code?: string; readonly detail?: string };
}

/** The examples of the document by operation and status. */
const SHOWN = Object.values(ROUTES).flatMap(({ name: operation, method, path }) =>
  Object.entries<{ $ref?: string }>(document.paths[path][method.toLowerCase()].responses).flatMap(([status, found]) => {
    const response = found.$ref ? document.components.responses[found.$ref.split('/').at(-1) ?? ''] : found;
    return Object.entries<{ examples?: object }>(response.content ?? {}).flatMap(([mediaType, { examples = {} }]) =>
      Object.values(examples).map(
        ({ value }): Shown => ({ operation, status: Number(status), mediaType, body: value }),
      ),
    );
  }),
);

/** Returns true where a check throws nothing. */
function passes(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}
const agrees = (body: unknown) => passes(() => contract.checkBody('OrderRequest', body));
const isAccepted = (body: unknown) => passes(() => parseOrder(body));

describe('the document', () => {
  it('matches the committed openapi.json and the table of codes', () => {
    expect(read('openapi.json')).toBe(`${JSON.stringify(createDocument(), null, 2)}\n`);
    const page = read(PAGE_OF_CODES);
    expect(page).toContain('| `operator` |');
    expect(page).toBe(insertCodes(page));
  });

  it('has the four endpoints by the names of the typed client, and nothing else', () => {
    const operations = Object.entries<Record<string, { operationId?: string }>>(document.paths).flatMap(
      ([path, { parameters: _, ...item }]) =>
        Object.entries(item).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    const routes = Object.values(ROUTES).map(({ method, path }, index) => `${method} ${path} ${CALLS[index]}`);
    expect(operations).toStrictEqual(routes);
  });

  it('validates its own examples: one complete sentence for each code of each operation', () => {
    for (const { operation, status, mediaType, body } of SHOWN) {
      const headers = new Headers({ 'content-type': mediaType });
      contract.checkAnswer(operation, { method: 'GET', status, headers, body });
      if (body.code) expect(body.detail).toMatch(/^(?!.*undefined).+[.)]$/);
    }
    contract.checkBody('OrderRequest', EXAMPLES.orders.send);
    const codes = SHOWN.flatMap(({ operation, status, body: { code } }) =>
      code ? [`${operation} ${status} ${code}`] : [],
    );
    const documented = [...contract.documented].filter((item) => item.split(' ').length > 2);
    expect(codes.toSorted()).toStrictEqual(documented.toSorted());
  });
});

/** Values around the edges of what an order's members may be, and some far from them. */
const decimal = fc.oneof(
  fc.constantFrom('0.51', '.5', '1e2', '05', '-1', '', ' 1', '1.', '0'.repeat(101), true, null, {}),
  fc.stringMatching(/^-?[0-9]{1,3}(\.[0-9]{1,3})?$/),
);
const order = fc.record(
  {
    token_id: fc.oneof(
      fc.constantFrom('0', '01', '-1', 'x', 5),
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
    ),
    side: fc.constantFrom('buy', 'sell', 'hold', '', null),
    price: decimal,
    size: decimal,
    post_only: fc.constantFrom(true, false, 'true', null, 0),
    expires_at: fc.constantFrom(
      ...['2026-12-01T12:00:00Z', '2026-02-30T00:00:00Z', '2028-02-29T23:59:59Z', '2026-12-01t12:00:00z'],
      ...['2026-12-01T12:00:00+00:00', '2026-12-01T12:00:00.5Z', '2026-06-30T23:59:60Z', '2026-12-01T24:00:00Z'],
      ...['', null, 5],
    ),
    post_onl: fc.constant(true),
  },
  { requiredKeys: [] },
);

describe('the schema of an order', () => {
  it('accepts what the endpoint accepts, and nothing else', () => {
    const valid = { token_id: '1', side: 'buy', price: '0.5', size: '5' };
    fc.assert(
      fc.property(order, fc.boolean(), (members, patch) => {
        const body = patch ? { ...valid, ...members } : members;
        expect(agrees(body)).toBe(isAccepted(body));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is stricter than the endpoint only in the case of letters', () => {
    const body = { token_id: '1', side: 'BUY', price: '0.5', size: '5' };
    expect(isAccepted(body)).toBe(true);
    expect(agrees(body)).toBe(false);
  });
});

describe('a service on paper', () => {
  // The moment of the examples, so that the invented markets are always the same.
  const NOW = Date.parse('2026-10-05T09:10:10.525Z');
  beforeAll(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });
  const service = sharedPaperService({}, { now: () => NOW });

  it.each(Object.values(EXAMPLES))("answers with the document's example: $target", async ({ target, send, answer }) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(
      service().url + target,
      send && { method: 'POST', headers, body: JSON.stringify(send) },
    );
    // An order is salted: each has another id.
    const id = 'order_id' in answer && { order_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) };
    expect(await response.json()).toStrictEqual({ ...answer, ...id });
    expect(response.status).toBe(send ? 201 : 200);
  });
});
