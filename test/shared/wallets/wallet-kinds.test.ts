import { describe, expect, it } from '@jest/globals';
import { EVM } from '../../../shared/wallets/evm.ts';
import { SOLANA } from '../../../shared/wallets/solana.ts';
import { WALLET_KINDS } from '../../../shared/wallets/wallet-kinds.ts';
import { evmWallet, fromBase58, solanaWallet, toBase58 } from '../../../tools/support/client-wallets.ts';

const TEXT = 'a text\nof two lines';
const ALICE = evmWallet('2');
const CAROL = await solanaWallet(0x22);
/** The orders of the two groups. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;

const hex = (value: bigint) => value.toString(16).padStart(64, '0');
/** The s of a signature. */
const sOf = (signature: string) => BigInt(`0x${signature.slice(66, 130)}`);

const littleEndian = (value: bigint) => Buffer.from(hex(value), 'hex').reverse();

describe('addresses', () => {
  it('of EVM accounts ignore the case of letters, those of Solana do not', () => {
    const { address } = ALICE;
    for (const text of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
      expect(WALLET_KINDS.map((kind) => kind.canonicalAddress(text))).toStrictEqual([address, undefined]);
    const kept = WALLET_KINDS.map((kind) => kind.canonicalAddress(CAROL.address));
    expect(kept).toStrictEqual([undefined, CAROL.address]);
  });

  const cyrillic = ALICE.address.replace('a', '\u0430').replace('A', '\u0410');
  it.each([
    ...['', ALICE.address.slice(2), ALICE.address.replace('0x', '0X'), ALICE.address.replace('D', 'd')],
    ...[
      ALICE.address.slice(0, -1),
      `${ALICE.address}\n`,
      'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
      'vitalik.eth',
      cyrillic,
    ],
    ...[CAROL.address.slice(0, -2), `1${CAROL.address}`, `${CAROL.address}\n`, CAROL.address.replace('o', '0')],
    ...[CAROL.address.replace('o', '\u043e'), '1'.repeat(44), 'z'.repeat(44)],
  ])('of any other form are refused: %j', (text) => {
    expect(WALLET_KINDS.map((kind) => kind.canonicalAddress(text))).toStrictEqual([undefined, undefined]);
  });
});

describe('signatures of EVM accounts', () => {
  const check = (signature: string, text = TEXT, address = ALICE.address) => EVM.check(signature, { text, address });

  it.each<readonly [string, readonly ((signature: string) => string)[]]>([
    ['valid', [(own) => own, (own) => `0x${own.slice(2).toUpperCase()}`]],
    // Of a Ledger, whose v is 0 or 1.
    ['low_v', [(own) => `${own.slice(0, -2)}00`, (own) => `${own.slice(0, -2)}01`]],
    // Of a contract: two signatures for EIP-1271, one that is wrapped for EIP-6492, and one more byte.
    ['contract', [(own) => `${own}${own.slice(2)}`, (own) => `${own}${'6492'.repeat(16)}`, (own) => `${own}00`]],
    ['malformed', [(own) => own.slice(2), (own) => own.slice(0, -1), (own) => `${own}\n`, () => '0x', () => '']],
    ['malformed', ['02', '1d', '25', '26'].map((v) => (own) => `${own.slice(0, -2)}${v}`)],
    // Anybody can make these of the one that is right: with a high s, and the compact one.
    ['malformed', [(own) => `${own.slice(0, 66)}${hex(N - sOf(own))}${own.endsWith('1b') ? '1c' : '1b'}`]],
    ['malformed', [(own) => `${own.slice(0, 66)}${hex(sOf(own) | (own.endsWith('1c') ? 2n ** 255n : 0n))}`]],
    ['malformed', [(own) => `${own.slice(0, 66)}${hex(N / 2n + 1n)}${own.slice(-2)}`]],
    ['foreign', [(own) => `${own.slice(0, 66)}${hex(N / 2n)}${own.slice(-2)}`]],
    // Of nobody.
    ['foreign', [(own) => `0x${hex(0n)}${own.slice(66)}`, (own) => `0x${hex(N)}${own.slice(66)}`]],
    ['foreign', [(own) => `${own.slice(0, 66)}${hex(0n)}${own.slice(-2)}`, () => `0x${hex(0n)}${hex(0n)}1b`]],
  ])('are %s: %#', async (expected, changes) => {
    const signature = await ALICE.sign(TEXT);
    for (const change of changes) expect(check(change(signature))).toBe(expected);
  });

  it('are valid for one account and one text only, in any script and length', async () => {
    for (const text of ['', 'a\u0308 \u{1F600}', 'x'.repeat(1_200)])
      expect(check(await ALICE.sign(text), text)).toBe('valid');
    const signature = await ALICE.sign(TEXT);
    const other = evmWallet('3');
    const checks = [
      check(signature, `${TEXT}\n`),
      check(signature, TEXT, other.address),
      check(await other.sign(TEXT)),
    ];
    expect(checks).toStrictEqual(['foreign', 'foreign', 'foreign']);
  });
});

describe('signatures of Solana accounts', () => {
  const check = (signature: string, text = TEXT, address = CAROL.address) => SOLANA.check(signature, { text, address });

  it('are valid for one account and one text only, and in one form', async () => {
    const signature = await CAROL.sign(TEXT);
    const other = await solanaWallet(0x33);
    const bytes = Buffer.from(fromBase58(signature, 64));
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`);
    // Anybody can make it, where s may be above the order.
    const high = toBase58(Buffer.concat([bytes.subarray(0, 32), littleEndian(s + L)]));
    expect(check(signature)).toBe('valid');
    const foreign = [
      check(signature, `${TEXT}\n`),
      check(signature, TEXT, other.address),
      check(await other.sign(TEXT)),
    ];
    expect([...foreign, check(high), check('1'.repeat(64))]).toStrictEqual(Array(5).fill('foreign_bytes'));
    const odd = [`1${signature}`, `${signature}1`, signature.slice(0, -2), `${signature}\n`, '1'.repeat(65), ''];
    for (const text of [...odd, 'z'.repeat(88)]) expect([text, check(text)]).toStrictEqual([text, 'no_base58']);
  });

  it('and addresses keep the zeros that they begin with', async () => {
    let [number, signature] = [0, ''];
    while (!signature.startsWith('1')) {
      number += 1;
      signature = await CAROL.sign(`${number}`);
    }
    expect([signature, signature.slice(1)].map((each) => check(each, `${number}`))).toStrictEqual([
      'valid',
      'no_base58',
    ]);
    const address = toBase58(Buffer.concat([Buffer.alloc(2), Buffer.alloc(30, 7)]));
    expect(address).toMatch(/^11[^1]/);
    expect(SOLANA.canonicalAddress(address)).toBe(address);
    expect(SOLANA.canonicalAddress(address.slice(1))).toBeUndefined();
  });

  it('are refused for weak keys, and for a second encoding of a key', () => {
    const y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
    const weak = [0n, 1n, P - 1n, y8, P - y8, P, P + 1n, P + 18n];
    for (const y of weak.flatMap((low) => [low, low + 2n ** 255n])) {
      expect([y, SOLANA.canonicalAddress(toBase58(littleEndian(y)))]).toStrictEqual([y, undefined]);
    }
  });

  it('are invalid for an address that is not on the curve', async () => {
    const address = toBase58(littleEndian(2n));
    expect(SOLANA.canonicalAddress(address)).toBe(address);
    expect(check(await CAROL.sign(TEXT), TEXT, address)).toBe('foreign_bytes');
  });
});
