import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { createL2Headers } from '@polymarket/clob-client-v2';
import { TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { hashTypedData, recoverAddress } from 'viem';
import { API_SECRET } from '../../../../shared/account.ts';
import { Secret } from '../../../../shared/secret.ts';
import {
  clientSigner,
  EXCHANGES,
  l1Headers,
  l2Headers,
  orderText,
  SIGNATURE_TYPE,
} from '../../../../shared/venue/polymarket/official-client.ts';
import { hashOrder } from '../../../../shared/venue/polymarket/sign-order.ts';
import { openWallet } from '../../../../shared/wallets/evm-key.ts';
import { PRIVATE_KEY } from '../../../support/orders/trading-world.ts';
import { ORDER_TYPE } from '../../../support/venue/signing.ts';

const wallet = openWallet(new Secret(PRIVATE_KEY));
const AT = 1_795_185_721_022;

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const bytes32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const digits = (bits: bigint) => fc.bigInt(0n, 2n ** bits - 1n).map(String);

const struct = fc.record({
  salt: digits(47n),
  maker: address,
  signer: address,
  tokenId: digits(256n),
  makerAmount: digits(128n),
  takerAmount: digits(128n),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  signatureType: fc.constantFrom(...Object.values(SIGNATURE_TYPE)),
  timestamp: digits(64n),
  metadata: bytes32,
  builder: bytes32,
});

describe('what the service takes from the official client', () => {
  it('is of the major version that its wire form and headers were checked with', async () => {
    const manifest = new URL('../../../../node_modules/@polymarket/clob-client-v2/package.json', import.meta.url);
    expect(JSON.parse(await readFile(manifest, 'utf8')).version).toMatch(/^1\./);
  });

  it('has the exchange contracts that the venue documents', () => {
    expect(EXCHANGES).toStrictEqual({
      plain: '0xE111180000d2663C0091e4f400237545B87B996B',
      negRisk: '0xe2222d279d744050d28e00520010520000310F59',
      protocolV2: '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa',
    });
  });

  it('has the numbers of the kinds of account that the exchanges check', () => {
    expect(SIGNATURE_TYPE).toStrictEqual({ eoa: 0, proxy: 1, safe: 2, 'deposit-wallet': 3 });
  });

  it("sends an order's members in the order that the venue documents, with a salt that is a number", () => {
    const order = {
      salt: '479',
      maker: '0x01',
      signer: '0x02',
      tokenId: '7132',
      makerAmount: '5100000',
      takerAmount: '10000000',
      side: 'sell' as const,
      signatureType: SIGNATURE_TYPE.safe,
      timestamp: String(AT),
      metadata: '0x03',
      builder: '0x04',
      expiration: '0',
      signature: '0x05',
    };
    expect(orderText(order)).toBe(
      '{"salt":479,"maker":"0x01","signer":"0x02","tokenId":"7132","makerAmount":"5100000","takerAmount":"10000000",' +
        '"side":"SELL","signatureType":2,"timestamp":"1795185721022","expiration":"0","metadata":"0x03","builder":"0x04",' +
        '"signature":"0x05"}',
    );
  });

  it('signs in with a message that recovers to the wallet', async () => {
    const { POLY_SIGNATURE, ...rest } = await l1Headers(wallet, AT);
    expect(rest).toStrictEqual({ POLY_ADDRESS: wallet.address, POLY_TIMESTAMP: '1795185721', POLY_NONCE: '0' });
    const hash = hashTypedData({
      domain: { name: 'ClobAuthDomain', version: '1', chainId: 137 },
      types: {
        ClobAuth: [
          { name: 'address', type: 'address' },
          { name: 'timestamp', type: 'string' },
          { name: 'nonce', type: 'uint256' },
          { name: 'message', type: 'string' },
        ],
      },
      primaryType: 'ClobAuth',
      message: {
        address: `0x${wallet.address.slice(2)}`,
        timestamp: '1795185721',
        nonce: 0n,
        message: 'This message attests that I control the given wallet',
      },
    });
    expect(await recoverAddress({ hash, signature: `0x${POLY_SIGNATURE?.slice(2)}` })).toBe(wallet.address);
  });

  it('authenticates a request by the headers of the official client, byte for byte', async () => {
    const secrets = fc.string({ unit: fc.constantFrom(...'aZ09+/-_'), minLength: 8, maxLength: 90 });
    const valid = fc.tuple(secrets, fc.constantFrom('', '=', '==')).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(valid, fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }), async (secret, body) => {
        fc.pre(API_SECRET.test(secret));
        const credentials = { key: 'api-key', secret: new Secret(secret), passphrase: new Secret('pass') };
        const request = { method: 'POST', path: '/order?x=1', ...(body !== undefined && { body }) } as const;
        const official = await createL2Headers(
          clientSigner(wallet),
          { key: 'api-key', secret, passphrase: 'pass' },
          { method: 'POST', requestPath: '/order', ...(body !== undefined && { body }) },
          Math.floor(AT / 1_000),
        );
        expect(l2Headers(request, wallet.address, credentials, AT)).toStrictEqual(official);
      }),
    );
  });
});

it('hashes every order as the generic encoder of ethers does', () => {
  const encoder = TypedDataEncoder.from({ Order: [...ORDER_TYPE] });
  fc.assert(
    fc.property(struct, (order) => {
      expect(hashOrder(order)).toBe(encoder.hash({ ...order, side: order.side === 'buy' ? 0 : 1 }));
    }),
    { numRuns: 1_000 },
  );
});
