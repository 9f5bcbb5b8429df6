import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createNumberKeeper } from '../../shared/decimal.ts';

const KEYS = new Set(['price', 'size']);

describe('JSON with named numbers kept as they were written', () => {
  const parse = createNumberKeeper(KEYS);

  it.each([
    ['{"price":0.4100000000000000001}', { price: '0.4100000000000000001' }],
    ['{"price" : -1.50E-2 , "size":0}', { price: '-1.50E-2', size: '0' }],
    ['[{"price":1e400},\n{"deep":{"size":2.0\n}}]', [{ price: '1e400' }, { deep: { size: '2.0' } }]],
    ['{"price":"0.510","size":null,"other":0.1}', { price: '0.510', size: null, other: 0.1 }],
    ['{"text":"\\"price\\":1, \\"size\\": 2"}', { text: '"price":1, "size": 2' }],
    ['{"price":[1],"size":{"price":3}}', { price: [1], size: { price: '3' } }],
  ])('reads %s', (text, expected) => {
    expect(parse(text)).toStrictEqual(expected);
  });

  it('reads the same from any JSON, however it is nested and spaced', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string(),
        fc.constantFrom('"price":1', '\\"size\\":2,', null, true),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('price', 'size', 'other', 'prices', ' price'), tie('tree')),
      ),
    }));
    const property = fc.property(tree, fc.nat(2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const expected = JSON.parse(text, (key, member, { source }) =>
        typeof member === 'number' && KEYS.has(key) ? source : member,
      );
      expect(parse(text)).toStrictEqual(expected);
    });
    fc.assert(property);
  });

  it.each(['', '{', '{"price":01}', '{"price":1.}', '{"price":.5}', '{"price":+1}', '{"price":1 2}', '{"price":-}'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(SyntaxError);
    },
  );
});
