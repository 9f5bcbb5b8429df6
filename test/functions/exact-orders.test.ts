import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { ask } from '../support/service/gateway-event.ts';
import { fakeOrders, TOKEN_ID } from '../support/venue/fake-venue.ts';

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

describe('an accepted order', () => {
  it('never differs in price or size from what was asked', async () => {
    let accepted = 0;
    const property = fc.asyncProperty(written, written, async (price, size) => {
      const orders = fakeOrders();
      const body = `{"token_id":"${TOKEN_ID}","side":"buy","price":${price.json},"size":${size.json}}`;
      const answered = await ask(ordersEndpoint({ openOrders: async () => orders }), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
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
    await fc.assert(property, { numRuns: 500 });
    expect(accepted).toBeGreaterThan(100);
  });
});
