import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recoverAddress } from 'viem';
import { parseOrder, signedStruct } from '../../../packages/paper-venue/rules/order-payload.ts';
import { isOrderSignedBy, orderId } from '../../../packages/paper-venue/rules/signing.ts';
import { SIGNATURE_TYPES } from '../../../shared/account.ts';
import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { Secret } from '../../../shared/secret.ts';
import { signOrder } from '../../../shared/venue/polymarket/sign-order.ts';
import { openWallet, type Wallet } from '../../../shared/wallets/evm-key.ts';
import { lowS, openKmsWallet } from '../../../shared/wallets/kms-key.ts';
import { type FakeKms, startKms, toDer } from '../../../tools/support/kms.ts';
import { FULL_EXTENT } from '../../support/jest.ts';
import { limitOrder } from '../../support/orders/trading-world.ts';
import { funderOf } from '../../support/venue/signing.ts';
import { v1TokenId, v2TokenId } from '../../support/venue/venue-answers.ts';

const KEY = 'c1'.repeat(32);
const KEY_ID = 'alias/orders';
const IN_MEMORY = openWallet(new Secret(`0x${KEY}`));
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const TICK = parseDecimal('0.01') ?? ZERO;
const ORDERS = FULL_EXTENT ? 500 : 60;
/** The exchanges: the protocol of the token, and whether its market has a negative risk. */
const EXCHANGES = [
  { contract: 'plain', protocol: 'v1', negRisk: false, tokenId: v1TokenId(6) },
  { contract: 'negRisk', protocol: 'v1', negRisk: true, tokenId: v1TokenId(6) },
  { contract: 'protocolV2', protocol: 'v2', negRisk: false, tokenId: v2TokenId(6) },
] as const;
const publicKeyOf = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const DIGEST = `0x${'5a'.repeat(32)}` as const;

let kms: FakeKms;

beforeAll(async () => {
  kms = await startKms(KEY_ID, KEY);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
});

beforeEach(() => kms.behave({}));

afterAll(() => kms.close());

describe('a wallet in KMS', () => {
  it('has the address of its key, read by one request', async () => {
    kms.actions.length = 0;
    expect((await openKmsWallet(KEY_ID)).address).toBe(IN_MEMORY.address);
    expect(kms.actions).toStrictEqual(['GetPublicKey']);
  });

  it('signs with a low s and the v of its address, by one request a signature', async () => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.actions.length = 0;
    const seen = new Set<string>();
    for (let n = 0; n < 40; n += 1) {
      const digest = `0x${n.toString(16).padStart(64, '0')}` as const;
      const signature = await sign(digest);
      expect(signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/);
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= CURVE_ORDER / 2n).toBe(true);
      expect(await recoverAddress({ hash: digest, signature: `0x${signature.slice(2)}` })).toBe(IN_MEMORY.address);
      seen.add(signature.slice(-2));
    }
    expect([seen, kms.actions.length]).toStrictEqual([new Set(['1b', '1c']), 40]);
  });

  const accounts = SIGNATURE_TYPES.flatMap((kind) => EXCHANGES.map((exchange) => ({ kind, ...exchange })));

  it.each(accounts)('gives $kind orders for $contract the ids of the same key in memory', async (account) => {
    const { kind, contract, tokenId, ...market } = account;
    const inKms = await openKmsWallet(KEY_ID);
    const rules = { ...market, tickSize: TICK, minOrderSize: ZERO, conditionId: null };
    const sign = (wallet: Wallet, size: number) =>
      signOrder(
        { ...limitOrder({ tokenId, price: '0.41', size: String(size) }), expiresAt: null },
        rules,
        { wallet, signatureType: kind, funderAddress: funderOf(wallet.address, kind) },
        { now: 1_795_185_721_022, salt: size },
      );
    for (let size = 5; size < 5 + ORDERS / accounts.length; size += 1) {
      const [there, here] = [await sign(inKms, size), await sign(IN_MEMORY, size)];
      expect(there.orderId).toBe(here.orderId);
      const parsed = parseOrder({ order: JSON.parse(there.payload), owner: '', orderType: 'GTC' });
      const struct = signedStruct(parsed);
      expect(orderId(struct, contract)).toBe(here.orderId);
      expect(isOrderSignedBy(IN_MEMORY.address, struct, contract, parsed.order.signature)).toBe(true);
    }
  });

  it('repeats a request once that KMS throttles', async () => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.behave({ error: 'ThrottlingException', failures: 1 });
    expect(await sign(DIGEST)).toMatch(/^0x[0-9a-f]{130}$/);
  });

  it.each([
    ['AccessDeniedException', 'AWS denies kms:Sign on the key of SERVICE_KMS_KEY: allow it in the role'],
    ['DisabledException', 'AWS has disabled the key of SERVICE_KMS_KEY'],
    ['KMSInvalidStateException', 'AWS cannot use the key of SERVICE_KMS_KEY: it is pending deletion'],
    ['ThrottlingException', 'kms:Sign on the key of SERVICE_KMS_KEY failed: ThrottlingException'],
  ])('answers 503 with a cause for the log on %s', async (error, sentence) => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.behave({ error });
    await expect(sign(DIGEST)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'AWS KMS could not sign with the wallet key, so no order was placed. Try again later.',
      cause: { message: expect.stringContaining(sentence) },
    });
  });

  it('answers 503 when KMS does not answer', async () => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.behave({ delayMs: 60_000 });
    await expect(sign(DIGEST)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it('answers 503 when the key behind an alias has changed', async () => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.behave({ key: 'c2'.repeat(32) });
    await expect(sign(DIGEST)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { message: expect.stringContaining(`signed for another key than ${IN_MEMORY.address}`) },
    });
  });

  it.each([
    [
      { keySpec: 'ECC_NIST_P256' },
      'SERVICE_KMS_KEY must be a key of ECC_SECG_P256K1 for SIGN_VERIFY: its key is ECC_NIST_P256 for SIGN_VERIFY.',
    ],
    [{ keyUsage: 'KEY_AGREEMENT' }, 'for SIGN_VERIFY: its key is ECC_SECG_P256K1 for KEY_AGREEMENT.'],
    [{ publicKey: publicKeyOf('prime256v1') }, 'AWS KMS sent no public key of secp256k1 for SERVICE_KMS_KEY.'],
    [{ publicKey: 'Z2FyYmFnZQ==' }, 'AWS KMS sent no public key of secp256k1 for SERVICE_KMS_KEY.'],
    [{ publicKey: '' }, 'AWS KMS sent no public key of secp256k1 for SERVICE_KMS_KEY.'],
    [{ error: 'AccessDeniedException' }, 'AWS denies kms:GetPublicKey on the key of SERVICE_KMS_KEY'],
    [{ error: 'NotFoundException' }, 'AWS has no such key in this account and region: check SERVICE_KMS_KEY.'],
    [
      { error: 'ValidationException', message: `Invalid keyId '${KEY_ID}'` },
      "kms:GetPublicKey on the key of SERVICE_KMS_KEY failed: ValidationException, Invalid keyId '[key]'.",
    ],
  ])('does not open with %j', async (behaviour, sentence) => {
    kms.behave(behaviour);
    const opening = openKmsWallet(KEY_ID);
    await expect(opening).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringContaining(sentence) });
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining(KEY_ID) });
  });
});

describe('a DER signature', () => {
  const scalar = fc.bigInt(1n, CURVE_ORDER - 1n);

  it('is read as r and a low s of 32 bytes each', () => {
    fc.assert(
      fc.property(scalar, scalar, (r, s) => {
        const low = s > CURVE_ORDER / 2n ? CURVE_ORDER - s : s;
        const words = [r, low].map((value) => value.toString(16).padStart(64, '0'));
        expect(lowS(toDer(r, s))).toBe(`0x${words.join('')}`);
      }),
    );
  });

  it('is refused by our own error in any other form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          expect(lowS(bytes)).toMatch(/^0x[0-9a-f]{128,}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
