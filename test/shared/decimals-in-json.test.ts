import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createNumberKeeper, formatDecimal, parseNumber, readMembers } from '../../shared/decimal.ts';

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  interface JSON {
    /** ECMAScript's source text access, which TypeScript's library does not declare yet. */
    parse(text: string, reviver: Reviver): unknown;
  }
}

const KEYS = new Set(['price', 'size']);

const parseExactly = (text: string): unknown => JSON.parse(readMembers(text, KEYS).text);

/** The same by another way: the engine's own parser tells how a number was written. */
function parseBySource(text: string): unknown {
  return JSON.parse(text, (key, value, { source }) => {
    if (typeof value !== 'number' || !KEYS.has(key)) return value;
    const number = parseNumber(source ?? '');
    return number ? formatDecimal(number) : value;
  });
}

function attempt(parse: (text: string) => unknown, text: string) {
  try {
    return { value: parse(text) };
  } catch (error) {
    return { error: error instanceof SyntaxError };
  }
}

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
    ['{"pri\\u0063e" :\n0.10\t, "size":-0.0e1}', { price: '0.1', size: '0' }],
    ['{"price":1,"price":0.50}', { price: '0.5' }],
    ['{"a":"\\"price\\":1,","price":"\\\\","size":3.0}', { a: '"price":1,', price: '\\', size: '3' }],
    ['1', 1],
  ])('reads %s', (text, expected) => {
    expect(parseExactly(text)).toStrictEqual(expected);
    expect(parseBySource(text)).toStrictEqual(expected);
  });

  it('reads everything else as JSON.parse does', () => {
    const property = fc.property(fc.json(), (text) => {
      expect(JSON.parse(readMembers(text, new Set()).text)).toStrictEqual(JSON.parse(text));
    });
    fc.assert(property);
  });

  it("reads what the engine's parser reads, and refuses what it refuses", () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '"price"',
      '"siz\\u0065"',
      '"x"',
      '\\u0063',
      ' ',
      '\n',
      '1',
      '0',
      '-',
      '.',
      'e',
      '2.50',
      'null',
    ];
    const member = fc
      .tuple(
        fc.constantFrom('"price"', '"pri\\u0063e"', '"other"', '"a\\"price"'),
        fc.constantFrom('1.50', '-0', '1e2', '01', '1.', '"1"', '"\\""', '{"size":2.0}', '[1]', '1"', ' 3 '),
      )
      .map(([name, value]) => `${name}:${value}`);
    const objects = fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(',')}}`);
    const texts = fc.oneof(
      objects,
      fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((all) => all.join('')),
    );
    let valid = 0;
    const property = fc.property(texts, (text) => {
      const expected = attempt(parseBySource, text);
      valid += 'value' in expected ? 1 : 0;
      expect(attempt(parseExactly, text)).toStrictEqual(expected);
    });
    fc.assert(property, { numRuns: 3_000 });
    expect(valid).toBeGreaterThan(300);
  });

  it('names the members that are there twice, however they are escaped', () => {
    const repeatedIn = (text: string) => [...readMembers(text, KEYS).repeated];
    expect(repeatedIn('{"price":1,"pri\\u0063e":"2","size":[1],"a":{"size":null},"b":"b"}')).toStrictEqual([
      'price',
      'size',
    ]);
    expect(repeatedIn('{"price":1,"size":"price","x":"\\"x\\":"}')).toStrictEqual([]);
  });

  it.each(['', '{', '{"a":1}x', 'undefined'])('refuses %j', (text) => {
    expect(() => parseExactly(text)).toThrow(SyntaxError);
  });

  it.each(['"', '\\"', '"\\', ' : ', '"price":1', '"price":'])('reads 256 KiB of %j in no time', (piece) => {
    const text = piece.repeat(262_144 / piece.length);
    const startedAt = performance.now();
    attempt(parseExactly, `"${text}`);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

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
