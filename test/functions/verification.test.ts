import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isHex, verifyMessage } from 'viem';
import {
  type Authorities,
  type ClientVerification,
  challengeText,
  createVerification,
  openVerification,
} from '../../functions/orders/verification.ts';
import { AppError } from '../../shared/errors.ts';
import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { EVM } from '../../shared/wallets/evm.ts';
import { SOLANA } from '../../shared/wallets/solana.ts';
import { WALLET_KINDS } from '../../shared/wallets/wallet-kinds.ts';
import { evmWallet, secondsFromNow, signedHeaders, solanaWallet } from '../../tools/support/client-wallets.ts';
import { TOKEN_ID, WALLET_ADDRESS } from '../support/venue/fake-venue.ts';

const GOLDEN_ORDER = {
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
  const order = { ...GOLDEN_ORDER, side: 'sell', post_only: true, expires_at: '2026-12-01T12:00:00Z' } as const;
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
      order: GOLDEN_ORDER,
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

const NOW = Date.parse('2026-11-21T13:00:00Z');
const ALICE = evmWallet('2');
const ORDER = { ...GOLDEN_ORDER, token_id: TOKEN_ID } as const;

const sign = (seconds: number, authority = 'x.example') =>
  signedHeaders({
    wallet: ALICE,
    url: `http://${authority}`,
    order: ORDER,
    key: 'k',
    expires: secondsFromNow(seconds, NOW),
  });

const now = NOW;

type Signed = Parameters<ClientVerification['verify']>[0];

/** Verifies headers; returns the client, or the refusal. */
async function verifyWith(
  headers: Signed['headers'],
  more: Partial<Signed> = {},
  authorities: Authorities = {},
  allowedClients?: string[],
) {
  const { verify } = createVerification(WALLET_KINDS, { authorities, allowedClients });
  try {
    return { client: await verify({ headers, domainName: 'x.example', order: ORDER, now, ...more }), error: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { client: undefined, error };
  }
}

describe('the end of a signature', () => {
  it.each([
    [-31, 'The signature has expired.'],
    [-30, undefined],
    [0, undefined],
    [600, undefined],
    [630, undefined],
    [631, 'The signature is valid for too long.'],
    [86_400 * 366, 'The signature is valid for too long.'],
  ])('in %d s is judged by the clock of the venue', async (seconds, detail) => {
    const headers = await sign(seconds);
    const { client, error } = await verifyWith(headers);
    expect(client?.address).toBe(detail === undefined ? ALICE.address : undefined);
    expect(error?.message ?? '').toContain(detail ?? '');
  });

  it('lets a captured request place its order for no longer than SECURITY.md says', async () => {
    const security = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');
    const seconds = Number(/Until its end \((\d+) s at most\)/.exec(security)?.[1]);
    const headers = await sign(630);
    const endAfter = async (s: number) => (await verifyWith(headers, { now: NOW + 1_000 * s })).error?.code;
    expect([await endAfter(seconds), await endAfter(seconds + 1)]).toStrictEqual([
      undefined,
      'client_signature_invalid',
    ]);
  });

  it('of a text that we write is in 300 s', async () => {
    const headers = { 'x-client-address': ALICE.address, 'idempotency-key': 'k' };
    const { error } = await verifyWith(headers, { now: NOW + 999 });
    expect(error?.facts['challenge']).toMatch(/\nSignature valid until: 2026-11-21T13:05:00Z$/);
  });
});

describe('the authority', () => {
  it.each([
    ['that of the request, if it is one of our own', { own: () => ['y.example', 'x.example'] }, 'x.example'],
    ['another of our own', { own: () => ['y.example'] }, 'y.example'],
    ['the one that the operator has set', { public: 'y.example' }, 'y.example'],
  ])('to sign for is %s', async (_name, authorities, authority) => {
    const headers = { 'x-client-address': ALICE.address, 'idempotency-key': 'k' };
    const { error } = await verifyWith(headers, {}, authorities);
    expect(String(error?.facts['challenge']).split('\n')[0]).toBe(`Place one order on ${authority}`);
  });

  it.each([
    ['X.Example', 'x.example'],
    ['x.example:80', 'x.example'],
    ['x.example:', 'x.example'],
    ['x.example:443', 'x.example:443'],
    ['x.example:8080', 'x.example:8080'],
    ['[::80]', '[::80]'],
  ])('of %s is %s', async (domainName, authority) => {
    const headers = { 'x-client-address': ALICE.address, 'idempotency-key': 'k' };
    const { error } = await verifyWith(headers, { domainName });
    expect(String(error?.facts['challenge']).split('\n')[0]).toBe(`Place one order on ${authority}`);
  });
});

describe('verification', () => {
  const TRADING = {
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: WALLET_ADDRESS,
    SERVICE_PRIVATE_KEY_SECRET: 'name',
    SERVICE_ORDER_ACCESS: 'iam',
    SERVICE_ORDERS_TABLE: 'table',
  };

  it('is there where it is required and orders are placed', async () => {
    const required = { SERVICE_CLIENT_VERIFICATION: 'required' };
    const opened = [{ ...TRADING, ...required }, TRADING, required].map((env) =>
      openVerification(parseDeployedConfig(env)),
    );
    expect((await Promise.all(opened)).map((found) => found !== undefined)).toStrictEqual([true, false, false]);
  });

  it('lets nobody order where the list of clients is empty', async () => {
    const { client, error } = await verifyWith(await sign(60), {}, {}, []);
    expect([client, error?.code]).toStrictEqual([undefined, 'client_not_allowed']);
  });
});
