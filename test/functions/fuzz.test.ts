import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bookEndpoint } from '../../functions/book/endpoint.ts';
import { marketsEndpoint } from '../../functions/markets/endpoint.ts';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { FULL_EXTENT } from '../support/jest.ts';
import { type Answered, ask } from '../support/service/gateway-event.ts';
import { fakeMarketData, fakeOrders, TOKEN_ID } from '../support/venue/fake-venue.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ORDER = { token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 };
const anyText = fc.string({ unit: 'binary', maxLength: 300 });

/** Whatever came in: a success, or a problem of the caller's. */
function expectDecent({ result, body }: Answered): void {
  expect(result.statusCode).toBeLessThan(500);
  if ((result.statusCode ?? 0) < 400) return;
  expect(result.headers?.['content-type']).toBe('application/problem+json');
  expect(body).toMatchObject({
    type: 'about:blank',
    status: result.statusCode,
    request_id: result.headers?.['x-request-id'],
  });
  expect(Object.values(body ?? {})).not.toContain(undefined);
}

/** Runs of each search. */
const RUNS = FULL_EXTENT ? 1_000 : 150;
const NAMES = 'content-type x-client-address idempotency-key x-request-id origin content-encoding if-none-match';
const MEMBERS = 'token_id side price size post_only __proto__ constructor toString';

it('every request to an endpoint gets an answer or a 4xx', async () => {
  const member = fc.constantFrom(...MEMBERS.split(' '));
  const bodies = fc.oneof(
    anyText,
    fc.json(),
    fc.tuple(member, fc.jsonValue()).map(([name, value]) => JSON.stringify({ ...ORDER, [name]: value })),
    fc.dictionary(member, fc.jsonValue()).map((value) => JSON.stringify(value)),
    fc.nat({ max: 120 }).map((depth) => '['.repeat(depth * 100) + ']'.repeat(depth * 100)),
  );
  const headers = fc.dictionary(fc.constantFrom(...NAMES.split(' ')), anyText);
  const query = fc.oneof(
    anyText,
    fc.tuple(fc.constantFrom('limit', 'token_id'), anyText).map(([name, value]) => `${name}=${value}`),
    fc.webQueryParameters(),
  );
  const orders = ordersEndpoint({ openOrders: async () => fakeOrders() });
  const [markets, book] = [marketsEndpoint(fakeMarketData()), bookEndpoint(fakeMarketData())];
  const property = fc.asyncProperty(
    bodies,
    fc.boolean(),
    headers,
    query,
    async (body, isBase64Encoded, others, text) => {
      const post = { method: 'POST', headers: JSON_TYPE, body };
      expectDecent(await ask(orders, { ...post, isBase64Encoded }));
      expectDecent(await ask(orders, { ...post, headers: { ...JSON_TYPE, ...others }, body: JSON.stringify(ORDER) }));
      expectDecent(await ask(markets, { query: text }));
      expectDecent(await ask(book, { pathParameters: { token_id: body }, headers: { 'if-none-match': text } }));
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});
