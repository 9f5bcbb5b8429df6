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

it('any request to an endpoint is answered, or is a problem of the caller', async () => {
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
    anyText.map((value) => `limit=${value}`),
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

const digits = (max: number) =>
  fc.array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: max }).map((all) => all.join(''));
const whole = fc.oneof(
  fc.constant('0'),
  digits(9).map((text) => text.replace(/^0+(?=\d)/, '')),
);
const fraction = fc.oneof(
  fc.constant(''),
  digits(25).map((text) => `.${text}`),
);
const exponent = fc.oneof(
  fc.constant(''),
  fc.integer({ min: -12, max: 12 }).map((power) => `e${power}`),
);

/** A JSON number, or the same digits as a string. */
const written = fc
  .tuple(fc.constantFrom('', '', '-'), whole, fraction, exponent, fc.boolean())
  .map(([sign, integer, decimals, power, quoted]) => {
    const text = `${sign}${integer}${decimals}${power}`;
    return { text, json: quoted ? `"${text}"` : text };
  });

/** The number that a text means, times 10^60: its own arithmetic, independent of the code under test. */
function meaning(text: string): bigint {
  const [mantissa = '', power = '0'] = text.split('e');
  const [integer = '', decimals = ''] = mantissa.split('.');
  return BigInt(`${integer}${decimals}`) * 10n ** BigInt(60 - decimals.length + Number(power));
}

it('an accepted order never differs in price or size from what was asked', async () => {
  let accepted = 0;
  const property = fc.asyncProperty(written, written, async (price, size) => {
    const orders = fakeOrders();
    const body = `{"token_id":"${TOKEN_ID}","side":"buy","price":${price.json},"size":${size.json}}`;
    const post = { method: 'POST', headers: JSON_TYPE, body };
    const answered = await ask(ordersEndpoint({ openOrders: async () => orders }), post);
    if (answered.result.statusCode !== 201) {
      expect(answered.body).toMatchObject({ status: 400, code: 'invalid_request' });
      expect(orders.placed).toStrictEqual([]);
      return;
    }
    accepted += 1;
    const [placed] = orders.placed;
    const told = JSON.parse(answered.result.body ?? '');
    expect([placed?.order.price, placed?.order.size]).toStrictEqual([told.price, told.size]);
    expect([meaning(told.price), meaning(told.size)]).toStrictEqual([meaning(price.text), meaning(size.text)]);
    expect(`${told.price} ${told.size}`).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])? -?(0|[1-9]\d*)(\.\d*[1-9])?$/);
  });
  await fc.assert(property, { numRuns: 2 * RUNS });
  expect(accepted).toBeGreaterThan(RUNS / 3);
});
