import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonExactly } from '../../shared/json.ts';

const KEYS = new Set(['price', 'size']);

describe('JSON with exact numbers', () => {
  it.each([
    ['{"price":0.4100000000000000001}', { price: '0.4100000000000000001' }],
    ['{"price":1e-2,"size":1.50}', { price: '0.01', size: '1.5' }],
    ['{"price":"0.510"}', { price: '0.510' }],
    ['{"other":0.1,"list":[1]}', { other: 0.1, list: [1] }],
    ['{"price":null,"size":[1]}', { price: null, size: [1] }],
    ['{"deep":{"price":2.0}}', { deep: { price: '2' } }],
    ['{"price":1e400}', { price: Number.POSITIVE_INFINITY }],
    ['{"price":123456789012345678901234567890}', { price: '123456789012345678901234567890' }],
    ['1', 1],
  ])('reads %s', (text, expected) => {
    expect(parseJsonExactly(text, KEYS)).toStrictEqual(expected);
  });

  it('reads everything else as JSON.parse does', () => {
    const property = fc.property(fc.json(), (text) => {
      expect(parseJsonExactly(text, new Set())).toStrictEqual(JSON.parse(text));
    });
    fc.assert(property);
  });

  it.each(['', '{', '{"a":1}x', 'undefined'])('refuses %j', (text) => {
    expect(() => parseJsonExactly(text, KEYS)).toThrow(SyntaxError);
  });
});
