import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { ask } from '../support/service/gateway-event.ts';
import { fakeOrders, TOKEN_ID } from '../support/venue/fake-venue.ts';

/** The members of an order and values that it may have: they are valid whichever of them a parser keeps. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  token_id: [`"${TOKEN_ID}"`],
  side: ['"buy"', '"SELL"', '"s\\u0065ll"'],
  price: ['0.5', '"0.51"', '5e-1'],
  size: ['5', '"10"'],
  post_only: ['true', 'false'],
};
const NAMES = Object.keys(VALUES);
const space = fc.constantFrom('', '', ' ', '\n\t');

/** Writes a character of a name as it is, or as one of its escapes. */
function written(character: string, form: number): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  return [character, `\\u${code}`, `\\u${code.toUpperCase()}`][form] ?? character;
}

const member = (name: string) =>
  fc
    .tuple(
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: name.length, maxLength: name.length }),
      fc.constantFrom(...(VALUES[name] ?? [])),
      fc.tuple(space, space, space, space),
    )
    .map(([forms, value, [a, b, c, d]]) => {
      const escaped = [...name].map((character, index) => written(character, forms[index] ?? 0)).join('');
      return `${a}"${escaped}"${b}:${c}${value}${d}`;
    });

const body = fc
  .tuple(fc.constantFrom([], ['post_only']), fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }))
  .chain(([optional, extra]) => {
    const base = [...NAMES.filter((name) => name !== 'post_only'), ...optional];
    const names = [...base, ...extra];
    return fc.shuffledSubarray(names, { minLength: names.length }).chain((order) =>
      fc.tuple(...order.map(member)).map((members) => ({
        text: `{${members.join(',')}}`,
        repeated: NAMES.filter((name) => names.indexOf(name) !== names.lastIndexOf(name)),
      })),
    );
  });

it('an order is refused exactly if a member is repeated, and every such member is named', async () => {
  let refused = 0;
  const property = fc.asyncProperty(body, async ({ text, repeated }) => {
    const orders = fakeOrders();
    const headers = { 'content-type': 'application/json' };
    const answered = await ask(
      ordersEndpoint(async () => orders),
      { method: 'POST', headers, body: text },
    );
    if (repeated.length === 0) {
      expect(answered.result.statusCode).toBe(201);
      return;
    }
    refused += 1;
    const { errors } = JSON.parse(answered.result.body ?? '');
    const fields = errors.map(({ field, detail }: { field: string; detail: string }) => [field, detail]);
    expect(answered.result.statusCode).toBe(400);
    expect(fields.sort()).toStrictEqual([...repeated].sort().map((name) => [name, 'must be there once.']));
    expect(orders.placed).toStrictEqual([]);
  });
  await fc.assert(property, { numRuns: 500 });
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(480);
});
