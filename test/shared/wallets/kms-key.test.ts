import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { recoverAddress } from 'viem';
import { Secret } from '../../../shared/secret.ts';
import { openWallet } from '../../../shared/wallets/evm-key.ts';
import { lowS, openKmsWallet } from '../../../shared/wallets/kms-key.ts';
import { type FakeKms, startKms, toDer } from '../../../tools/support/kms.ts';

const KEY = 'c1'.repeat(32);
const KEY_ID = 'alias/orders';
const IN_MEMORY = openWallet(new Secret(`0x${KEY}`));
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const publicKeyOf = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const DIGEST = `0x${'5a'.repeat(32)}` as const;

let kms: FakeKms;
const closing: FakeKms[] = [];

beforeAll(async () => {
  kms = await startKms(KEY_ID, KEY);
  closing.push(kms);
  Object.assign(process.env, {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'example',
  });
});

beforeEach(() => {
  process.env['AWS_ENDPOINT_URL_KMS'] = kms.url;
  kms.behave({});
});

afterAll(() => {
  for (const one of closing) one.close();
});

describe('a wallet in KMS', () => {
  it('has the address of its key, and signs with a low s and the v of its address, by one request each', async () => {
    kms.actions.length = 0;
    const { sign, address } = await openKmsWallet(KEY_ID);
    expect([address, kms.actions]).toStrictEqual([IN_MEMORY.address, ['GetPublicKey']]);
    const seen = new Set<string>();
    for (let n = 0; n < 16; n += 1) {
      const digest = `0x${n.toString(16).padStart(64, '0')}` as const;
      const signature = await sign(digest);
      expect(signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/);
      expect(BigInt(`0x${signature.slice(66, 130)}`) <= CURVE_ORDER / 2n).toBe(true);
      expect(await recoverAddress({ hash: digest, signature: `0x${signature.slice(2)}` })).toBe(IN_MEMORY.address);
      seen.add(signature.slice(-2));
    }
    expect([seen, kms.actions.length]).toStrictEqual([new Set(['1b', '1c']), 17]);
  });

  it('asks the region that the ARN of its key names', async () => {
    const arn = 'arn:aws:kms:us-east-2:123456789012:key/orders';
    const elsewhere = await startKms(arn, KEY);
    closing.push(elsewhere);
    process.env['AWS_ENDPOINT_URL_KMS'] = elsewhere.url;
    const { address, sign } = await openKmsWallet(arn);
    expect([address, await sign(DIGEST)]).toStrictEqual([IN_MEMORY.address, expect.stringMatching(/^0x/)]);
  });

  it('repeats a throttled request once', async () => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.behave({ error: 'ThrottlingException', failures: 1 });
    expect(await sign(DIGEST)).toMatch(/^0x[0-9a-f]{130}$/);
  });

  it.each<[Parameters<FakeKms['behave']>[0], string]>([
    [{ error: 'AccessDeniedException' }, 'AWS denies kms:Sign on the key of SERVICE_KMS_KEY: allow it in the role'],
    [{ error: 'DisabledException' }, 'kms:Sign on the key of SERVICE_KMS_KEY failed: DisabledException'],
    [{ delayMs: 60_000 }, 'kms:Sign on the key of SERVICE_KMS_KEY failed'],
    // The key behind an alias has changed.
    [{ key: 'c2'.repeat(32) }, `signed for another key than ${IN_MEMORY.address}`],
  ])('answers 503 with a cause for the log on %j', async (behaviour, sentence) => {
    const { sign } = await openKmsWallet(KEY_ID);
    kms.behave(behaviour);
    await expect(sign(DIGEST)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'AWS KMS could not sign with the wallet key, so no order was placed. Try again later.',
      cause: { message: expect.stringContaining(sentence) },
    });
  });

  const WANTED = 'SERVICE_KMS_KEY must name a key with spec ECC_SECG_P256K1 and usage SIGN_VERIFY; it has';
  it.each([
    [{ keySpec: 'ECC_NIST_P256' }, `${WANTED} ECC_NIST_P256 and SIGN_VERIFY.`],
    [{ keyUsage: 'KEY_AGREEMENT' }, `${WANTED} ECC_SECG_P256K1 and KEY_AGREEMENT.`],
    [{ publicKey: publicKeyOf('prime256v1') }, 'AWS KMS sent no public key of secp256k1 for SERVICE_KMS_KEY.'],
    [{ publicKey: '' }, 'AWS KMS sent no public key of secp256k1 for SERVICE_KMS_KEY.'],
    [{ error: 'AccessDeniedException' }, 'AWS denies kms:GetPublicKey on the key of SERVICE_KMS_KEY'],
    [
      { error: 'ValidationException', message: `Invalid keyId '${KEY_ID}'` },
      "kms:GetPublicKey on the key of SERVICE_KMS_KEY failed: ValidationException, Invalid keyId '[key]'.",
    ],
  ])('refuses to open with %j', async (behaviour, sentence) => {
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

  it('is refused in any other form', () => {
    const der = [...toDer(1n, 1n)];
    const longer = [0x30, der.length - 1, ...der.slice(2), 0];
    for (const odd of [[], der.slice(1), der.slice(0, -1), [...der, 0], longer]) {
      expect(() => lowS(Uint8Array.from(odd))).toThrow(RangeError);
    }
  });
});
