import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type ClientVerification, challengeText, createVerification } from '../../functions/orders/verification.ts';
import { AppError } from '../../shared/errors.ts';
import { WALLET_KINDS } from '../../shared/wallets/wallet-kinds.ts';
import { evmWallet, secondsFromNow, signedHeaders } from '../../tools/support/client-wallets.ts';
import { TOKEN_ID } from '../support/venue/fake-venue.ts';

const ORDER = {
  token_id: TOKEN_ID,
  side: 'buy',
  price: '0.51',
  size: '10',
  post_only: false,
  expires_at: null,
} as const;
const NOW = Date.parse('2026-11-21T13:00:00Z');
const ALICE = evmWallet('2');

it('the text that is signed says everything about an order', () => {
  const facts = { authority: 'api.example.com', clientAddress: ALICE.address.toLowerCase(), order: ORDER };
  const text = challengeText({ ...facts, idempotencyKey: 'k-1 ~', validUntil: '2026-11-21T13:10:00Z' });
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
      'Idempotency key: k-1 ~\n' +
      'Signature valid until: 2026-11-21T13:10:00Z',
  );
  const order = { ...ORDER, side: 'sell', post_only: true, expires_at: '2026-12-01T12:00:00Z' } as const;
  const other = challengeText({ ...facts, order, idempotencyKey: 'k-1 ~', validUntil: '2026-11-21T13:10:00Z' });
  expect(other).toBe(
    text.replace('buy', 'sell').replace('only: no', 'only: yes').replace('never', '2026-12-01T12:00:00Z'),
  );
});

const UNSIGNED = { 'x-client-address': ALICE.address, 'idempotency-key': 'k' };

const sign = (seconds: number) =>
  signedHeaders({
    ...{ wallet: ALICE, url: 'http://x.example', order: ORDER, key: 'k' },
    expires: secondsFromNow(seconds, NOW),
  });

interface Verifying extends Partial<Parameters<ClientVerification['verify']>[0]> {
  readonly authorities?: (() => readonly string[]) | undefined;
  readonly allowedClients?: string[];
}

/** Verifies headers; returns the client, or the refusal. */
async function verify({ authorities, allowedClients, ...more }: Verifying) {
  const verification = createVerification(WALLET_KINDS, { authorities, allowedClients });
  try {
    const times = { now: NOW, checkClock: async () => undefined };
    const signed = { headers: UNSIGNED, domainName: 'x.example', order: ORDER, ...times, ...more };
    return { client: await verification.verify(signed), error: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { client: undefined, error };
  }
}

it.each([
  [-31, 'The signature has expired.'],
  [-30, undefined],
  [630, undefined],
  [631, 'The signature is valid for too long.'],
])('the end of a signature in %d s is judged with a tolerance of 30 s', async (seconds, detail) => {
  const { client, error } = await verify({ headers: await sign(seconds) });
  expect(client?.address).toBe(detail === undefined ? ALICE.address : undefined);
  expect(error?.message ?? '').toContain(detail ?? '');
});

it('a captured request places its order for no longer than SECURITY.md says', async () => {
  const security = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8');
  const seconds = Number(/Until its end \((\d+) s at most\)/.exec(security)?.[1]);
  const headers = await sign(630);
  const ends = [seconds, seconds + 1].map((after) => verify({ headers, now: NOW + 1_000 * after }));
  expect((await Promise.all(ends)).map(({ error }) => error?.code)).toStrictEqual([
    undefined,
    'client_signature_invalid',
  ]);
});

it.each([
  ['x.example', () => ['y.example', 'x.example'], 'x.example'],
  ['x.example', () => ['y.example'], 'y.example'],
  ['X.Example', undefined, 'x.example'],
  ['x.example:80', undefined, 'x.example'],
  ['x.example:', undefined, 'x.example'],
  ['x.example:443', undefined, 'x.example:443'],
  ['x.example:8080', undefined, 'x.example:8080'],
  ['[::80]', undefined, '[::80]'],
])('the authority of a request to %s is one of our own, or the one that the operator has set', async (...row) => {
  const [domainName, authorities, authority] = row;
  const { error } = await verify({ domainName, authorities });
  expect(String(error?.facts['challenge']).split('\n')[0]).toBe(`Place one order on ${authority}`);
});

it('a list of clients in which one is no address is refused', () => {
  const allowedClients = [ALICE.address, '0x12'];
  expect(() => createVerification(WALLET_KINDS, { allowedClients })).toThrow(
    /^SERVICE_ALLOWED_CLIENTS must be EVM addresses/,
  );
});
