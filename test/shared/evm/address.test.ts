import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getContractAddress, getAddress as viemAddress, keccak256 as viemHash } from 'viem';
import { create2Address, keccak256, toAddress } from '../../../shared/evm/address.ts';

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array) => `0x${Buffer.from(array).toString('hex')}` as const);

describe('an address', () => {
  it('has the checksum of another implementation, however it was written', () => {
    const check = fc.property(hexOf(20), (text) => {
      const expected = viemAddress(text);
      const upperCase = `0x${text.slice(2).toUpperCase()}`;
      expect([text, upperCase, expected].map(toAddress)).toStrictEqual([expected, expected, expected]);
    });
    fc.assert(check, { numRuns: 500 });
  });

  it('with one letter in the other case is refused', () => {
    const check = fc.property(hexOf(20), fc.nat(39), (text, at) => {
      const address = viemAddress(text);
      const letter = address[2 + at] ?? '';
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      const wrong = address.slice(0, 2 + at) + other + address.slice(3 + at);
      const isOneCase =
        wrong.slice(2) === wrong.slice(2).toLowerCase() || wrong.slice(2) === wrong.slice(2).toUpperCase();
      fc.pre(other !== letter && !isOneCase);
      expect(() => toAddress(wrong)).toThrow(TypeError);
    });
    fc.assert(check, { numRuns: 500 });
  });

  it.each(['', '0x', `0x${'1'.repeat(39)}`, `0x${'1'.repeat(41)}`, '1'.repeat(40), `0x${'g'.repeat(40)}`])(
    'is not %j',
    (text) => {
      expect(() => toAddress(text)).toThrow('no address: 0x and 40 hex digits');
    },
  );

  it('of a contract is that which its factory gives it', () => {
    const check = fc.property(hexOf(20), hexOf(32), hexOf(32), (from, salt, bytecodeHash) => {
      const expected = getContractAddress({ opcode: 'CREATE2', from, salt, bytecodeHash });
      expect(create2Address(from, salt, bytecodeHash)).toBe(expected);
    });
    fc.assert(check, { numRuns: 300 });
  });
});

describe('a hash', () => {
  it('of bytes and of their hex is that of another implementation', () => {
    const check = fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const expected = viemHash(bytes);
      expect([keccak256(bytes), keccak256(`0x${Buffer.from(bytes).toString('hex')}`)]).toStrictEqual([
        expected,
        expected,
      ]);
    });
    fc.assert(check, { numRuns: 300 });
  });
});
