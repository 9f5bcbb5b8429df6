import { describe, expect, it } from '@jest/globals';
import { isHex, verifyMessage } from 'viem';
import { challengeText } from '../../functions/orders/verification.ts';
import { EVM } from '../../shared/wallets/evm.ts';
import { SOLANA } from '../../shared/wallets/solana.ts';
import { evmWallet, solanaWallet } from '../../tools/support/client-wallets.ts';

const ORDER = {
  token_id: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  side: 'buy',
  price: '0.51',
  size: '10',
  post_only: false,
  expires_at: null,
} as const;

const EVM_ADDRESS = '0x1563915e194D8CfBA1943570603F7606A3115508';
const SOLANA_ADDRESS = 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew';

function challengeOf(clientAddress: string): string {
  const order = { ...ORDER, side: 'sell', post_only: true, expires_at: '2026-12-01T12:00:00Z' } as const;
  const authority = 'api.example.com:8443';
  return challengeText({
    authority,
    clientAddress,
    order,
    idempotencyKey: 'k-1 ~',
    validUntil: '2026-11-21T13:10:00Z',
  });
}

describe('the text that is signed', () => {
  it('says everything about an order', () => {
    const text = challengeText({
      authority: 'api.example.com',
      clientAddress: EVM_ADDRESS.toLowerCase(),
      order: ORDER,
      idempotencyKey: 'k',
      validUntil: '2026-11-21T13:10:00Z',
    });
    expect(text).toBe(
      'Place one order on api.example.com\n' +
        '\n' +
        'Client: 0x1563915e194d8cfba1943570603f7606a3115508\n' +
        'Side: buy\n' +
        'Size: 10 shares\n' +
        'Price: 0.51\n' +
        'Post only: no\n' +
        'Expires at: never\n' +
        'Token: 71321045679252212594626385532706912750332728571942532289631379312455583992563\n' +
        'Idempotency key: k\n' +
        'Signature valid until: 2026-11-21T13:10:00Z',
    );
  });

  it('says post-only and the end of an order', () => {
    expect(challengeOf(EVM_ADDRESS).split('\n').slice(3, 8)).toStrictEqual([
      'Side: sell',
      'Size: 10 shares',
      'Price: 0.51',
      'Post only: yes',
      'Expires at: 2026-12-01T12:00:00Z',
    ]);
  });
});

describe('golden signatures', () => {
  it('of an EVM account are those of viem, by viem and by us', async () => {
    const text = challengeOf(EVM_ADDRESS);
    const signature =
      '0xebaeb69675a1be3b9fc6a9d293aa9f1878f871239b25a04c33aed1782432969a3a39aaa4a1c57846c4836e55401ff9f6d9a36aefdcc2025f0d2ec9e38856b02b1c';
    expect(await evmWallet('2').sign(text)).toBe(signature);
    expect(isHex(signature) && (await verifyMessage({ address: EVM_ADDRESS, message: text, signature }))).toBe(true);
    expect(EVM.check(signature, { text, address: EVM_ADDRESS })).toBe('valid');
  });

  it('of a Solana account are those of WebCrypto, by WebCrypto and by us', async () => {
    const text = challengeOf(SOLANA_ADDRESS);
    const signature = '2XvmCPortbrH63bwhC8MoHrSv7JHr4whF5RgB9E53e9dv7Qjahvi7ZF5WK22esc7Dw4gMW5jojnV3d2wxEUzPdV7';
    const wallet = await solanaWallet(0x22);
    expect([wallet.address, await wallet.sign(text)]).toStrictEqual([SOLANA_ADDRESS, signature]);
    expect(await wallet.verify(text, signature)).toBe(true);
    expect(SOLANA.check(signature, { text, address: SOLANA_ADDRESS })).toBe('valid');
  });
});
