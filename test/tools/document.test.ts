import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import createClient from 'openapi-fetch';
import * as z from 'zod/mini';
import { parseOrder } from '../../functions/orders/order.ts';
import { ROUTES } from '../../functions/routes.ts';
import type { components, paths } from '../../packages/client/api.ts';
import type { Client } from '../../packages/client/client.ts';
import { insertCodes, PAGES_OF_CODES } from '../../tools/openapi/codes-table.ts';
import { createDocument } from '../../tools/openapi/document.ts';
import { EXAMPLES } from '../../tools/openapi/examples.ts';
import { loadContract } from '../contract/document.ts';
import { startPaperService } from '../support/service/paper-service.ts';

const contract = loadContract();

function agrees(schema: string, body: unknown): boolean {
  try {
    contract.checkBody(schema, body);
    return true;
  } catch {
    return false;
  }
}

function isAccepted(body: unknown): boolean {
  try {
    parseOrder(body);
    return true;
  } catch {
    return false;
  }
}

const example = z.object({ value: z.looseObject({ code: z.optional(z.string()), detail: z.optional(z.string()) }) });
const content = z.record(z.string(), z.object({ examples: z.optional(z.record(z.string(), example)) }));
const response = z.object({ content: z.optional(content) });
const operationShape = z.object({
  operationId: z.string(),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), response])),
});

/** The examples of a document by operation and status. */
function answersOf({ paths, components }: ReturnType<typeof createDocument>) {
  const shared = z.record(z.string(), response).parse(components.responses);
  return Object.values(ROUTES).flatMap(({ name: operation, method, path }) =>
    Object.entries(operationShape.parse(Reflect.get(paths[path] ?? {}, method.toLowerCase())).responses).flatMap(
      ([status, found]) => {
        const resolved = '$ref' in found ? shared[found.$ref.split('/').at(-1) ?? ''] : found;
        return Object.entries(resolved?.content ?? {}).map(([mediaType, { examples = {} }]) => ({
          operation,
          status: Number(status),
          mediaType,
          examples: Object.values(examples).map(({ value }) => value),
        }));
      },
    ),
  );
}

describe('the document', () => {
  it('is what is committed', () => {
    const committed = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
    expect(committed).toBe(`${JSON.stringify(createDocument(), null, 2)}\n`);
  });

  it.each(PAGES_OF_CODES)('has its table of codes in %s', (path) => {
    const page = readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
    expect(page).toContain('| `operator` |');
    expect(page).toBe(insertCodes(page));
  });

  it('has the four endpoints by the names of the typed client, and nothing else', () => {
    const operations = Object.entries(createDocument().paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, found]) =>
        method === 'parameters' ? [] : [`${method} ${path} ${operationShape.parse(found).operationId}`],
      ),
    );
    const calls = ['health', 'markets', 'book', 'placeOrder'] as const satisfies readonly (keyof Client)[];
    expect(operations).toStrictEqual(
      Object.values(ROUTES).map(({ method, path }, index) => `${method.toLowerCase()} ${path} ${calls[index]}`),
    );
  });

  it('is satisfied by its own examples', () => {
    for (const { operation, status, mediaType, examples } of answersOf(createDocument())) {
      const headers = new Headers({ 'content-type': mediaType });
      for (const body of examples) contract.checkAnswer(operation, { method: 'GET', status, headers, body });
    }
    contract.checkBody('OrderRequest', EXAMPLES.orders.send);
  });

  it('has an example of each code of each operation, with a sentence that lacks nothing', () => {
    const shown = answersOf(createDocument()).flatMap(({ operation, status, examples }) =>
      examples.flatMap(({ code, detail }) => {
        if (code === undefined) return [];
        expect(detail).toMatch(/^(?!.*undefined).+[.)]$/);
        return [`${operation} ${status} ${code}`];
      }),
    );
    expect(shown.sort()).toStrictEqual([...contract.documented].filter((item) => item.split(' ').length > 2).sort());
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
        expect(agrees('OrderRequest', body)).toBe(isAccepted(body));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is narrower than the endpoint in the case of letters only', () => {
    const body = { token_id: '1', side: 'BUY', price: '0.5', size: '5' };
    expect(isAccepted(body)).toBe(true);
    expect(agrees('OrderRequest', body)).toBe(false);
  });
});

/** The moment of the examples, so that the invented markets are always the same. */
const NOW = Date.parse('2026-10-05T09:10:10.525Z');

/** An order is salted: each has another id. */
function comparable(body: object): object {
  return 'order_id' in body ? { ...body, order_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) } : body;
}

describe('the examples of the document', () => {
  it('are the answers of a service on paper', async () => {
    const { url } = await startPaperService({}, { now: () => NOW });
    for (const { target, send, answer } of Object.values(EXAMPLES)) {
      const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(send) };
      const response = await fetch(url + target, send ? order : {});
      expect(await response.json()).toStrictEqual(comparable(answer));
      expect(response.status).toBe(send ? 201 : 200);
    }
  });
});

describe('a client that is generated from the document', () => {
  /** The order as a caller writes it: without what may be left out. The check of types compiles it. */
  const ORDER: components['schemas']['OrderRequest'] = { token_id: '1', side: 'buy', price: '0.01', size: 5 };

  it('reads and places in the code that everybody writes', async () => {
    const { url, venue } = await startPaperService();
    const client = createClient<paths>({ baseUrl: url });
    const { data: markets } = await client.GET('/v1/markets', { params: { query: { limit: 1 } } });
    const token_id = markets?.items[0]?.outcomes[0]?.token_id ?? '';
    const { data: book } = await client.GET('/v1/book/{token_id}', { params: { path: { token_id } } });
    const price = book?.tick_size ?? '';
    const { data: placed } = await client.POST('/v1/orders', { body: { ...ORDER, token_id, price } });
    expect(venue.orders()).toMatchObject([{ id: placed?.order_id, post_only: false }]);
  });
});
