import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createL1Headers, createL2Headers, type TickSize } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import fc from 'fast-check';
import { API_SECRET, SIGNATURE_TYPES, type SignatureType } from '../../../../shared/account.ts';
import { formatDecimal, parseDecimal, toUnits, ZERO } from '../../../../shared/decimal.ts';
import { Secret } from '../../../../shared/secret.ts';
import { l2Headers } from '../../../../shared/venue/polymarket/http/signed-requests.ts';
import { l1Headers } from '../../../../shared/venue/polymarket/official-client.ts';
import type { OrderRules } from '../../../../shared/venue/polymarket/order-rules.ts';
import { signOrder } from '../../../../shared/venue/polymarket/sign-order.ts';
import { openWallet } from '../../../../shared/wallets/evm-key.ts';
import { clientSigner } from '../../../../tools/support/paper-client.ts';
import { limitOrder, PRIVATE_KEY } from '../../../support/orders/trading-world.ts';
import { type Domain, officialOrder, orderIdOf } from '../../../support/venue/paper-venue.ts';
import { funderOf } from '../../../support/venue/signing.ts';
import { v1TokenId, v2TokenId } from '../../../support/venue/venue-answers.ts';

const signer = new Wallet(PRIVATE_KEY);
const wallet = openWallet(new Secret(PRIVATE_KEY));
const KINDS = [0, 1, 2, 3] as const;
const DOMAINS: readonly Domain[] = ['plain', 'negRisk', 'protocolV2'];
const TICKS: readonly TickSize[] = ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'];
/** The time and the chance that the official client's order has. */
const NOW = 1_795_185_721_022;
const RANDOM = 0.4711;

interface Terms {
  readonly domain: Domain;
  readonly tick: string;
  readonly price: string;
  readonly size: string;
  readonly side: 'buy' | 'sell';
  /** The end of the order, in milliseconds. */
  readonly expiresAt?: number;
  readonly builderCode?: string;
}

function tokenOf(domain: Domain): string {
  return domain === 'protocolV2' ? v2TokenId(6) : v1TokenId(6);
}

/** Signs an order; without a salt its chance is random. `by`: default, the wallet. */
function sign(kind: SignatureType, terms: Terms, { by = wallet, salt }: { by?: typeof wallet; salt?: number } = {}) {
  const { domain, tick, expiresAt = null, builderCode, ...order } = terms;
  const protocol = domain === 'protocolV2' ? 'v2' : 'v1';
  const market = { negRisk: domain === 'negRisk', minOrderSize: ZERO, conditionId: null };
  const rules: OrderRules = { ...market, tickSize: parseDecimal(tick) ?? ZERO, protocol };
  const account = { wallet: by, signatureType: kind, funderAddress: funderOf(wallet.address, kind), builderCode };
  const limit = { ...limitOrder({ ...order, tokenId: tokenOf(domain) }), expiresAt };
  return signOrder(limit, rules, account, salt === undefined ? { now: NOW } : { now: NOW, salt });
}

/** The id of the order in a payload. */
function idOf(domain: Domain, payload: string): string {
  const { side, signature: _, expiration: __, ...order } = JSON.parse(payload);
  return orderIdOf(domain, { ...order, side: side === 'BUY' ? 0 : 1 });
}

describe('a signed order', () => {
  beforeAll(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
    jest.spyOn(Math, 'random').mockReturnValue(RANDOM);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  const END = { expiresAt: Date.UTC(2026, 11, 1, 12) };
  const cases = KINDS.flatMap((kind) => DOMAINS.map((domain) => [kind, domain] as const));

  it.each(cases)(
    "of kind %s for exchange %s has the official client's bytes and its hash as id",
    async (kind, domain) => {
      const ids = new Set<string>();
      for (const side of ['buy', 'sell'] as const) {
        for (const more of [
          {},
          END,
          { builderCode: `0x${'0b'.repeat(32)}` },
          { builderCode: `0x${'00'.repeat(32)}` },
        ]) {
          // All ticks once.
          for (const tick of TICKS.slice(0, ids.size === 0 ? TICKS.length : 1)) {
            const terms = { domain, tick, side, price: tick === '0.1' ? '0.3' : '0.35', size: '12.34', ...more };
            const { payload, orderId } = await sign(SIGNATURE_TYPES[kind], terms, { salt: Math.round(RANDOM * NOW) });
            const official = {
              ...{ domain, kind, wallet: signer, tickSize: tick, price: Number(terms.price), size: 12.34 },
              ...({ tokenId: tokenOf(domain), side: side === 'buy' ? 'BUY' : 'SELL', ...more } as const),
              // The venue ends an order a minute before its expiration.
              ...('expiresAt' in more && { expiration: String(more.expiresAt / 1_000 + 60) }),
            };
            expect(payload).toBe(JSON.stringify(await officialOrder(official)));
            expect(orderId).toBe(idOf(domain, payload));
            ids.add(orderId);
          }
        }
      }
      // Two sides by two builders, and a second price: neither the end nor the code of no builder makes another order.
      expect(ids.size).toBe(5);
    },
  );
});

describe('the amounts of an order', () => {
  /** Signs nothing: amounts and the id are what counts here. */
  const mute = { by: { address: wallet.address, sign: async () => '0x05' } };
  const hundredths = (max: bigint) => fc.bigInt(1n, max).map((n) => formatDecimal({ coefficient: n, scale: 2 }));

  /** Any price on the grid of a tick. */
  function priceOn(tick: string, where: number): string {
    const { coefficient, scale } = parseDecimal(tick) ?? ZERO;
    const last = 10n ** BigInt(scale) / coefficient - 1n;
    const steps = 1n + BigInt(Math.floor(where * Number(last - 1n)));
    return formatDecimal({ coefficient: steps * coefficient, scale });
  }

  /** Maker and taker amount in millionths, by integers alone. */
  function exact({ price, size, side }: Pick<Terms, 'price' | 'size' | 'side'>) {
    const [p, s] = [parseDecimal(price) ?? ZERO, parseDecimal(size) ?? ZERO];
    const collateral = p.coefficient * s.coefficient * 10n ** BigInt(6 - p.scale - s.scale);
    const amounts = [String(collateral), String(toUnits(s, 6))];
    return side === 'buy' ? amounts : amounts.reverse();
  }

  it('are price and size to the last digit, at every tick of every exchange', async () => {
    const terms = fc.record({
      domain: fc.constantFrom(...DOMAINS),
      tick: fc.constantFrom(...TICKS),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      // Most orders are small; the largest has a thousand million shares.
      size: fc.oneof(hundredths(10n ** 7n), hundredths(10n ** 11n)),
      where: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const check = fc.asyncProperty(terms, async ({ where, ...asked }) => {
      const order = { ...asked, price: priceOn(asked.tick, where) };
      const { payload, orderId } = await sign('eoa', order, mute);
      const { makerAmount, takerAmount } = JSON.parse(payload);
      expect([makerAmount, takerAmount]).toStrictEqual(exact(order));
      expect(orderId).toBe(idOf(order.domain, payload));
    });
    await fc.assert(check, { numRuns: 300 });
  });

  it('have six decimals, and are refused with more', async () => {
    const order = { domain: 'plain', side: 'buy' } as const;
    const finest = await sign('eoa', { ...order, tick: '0.00001', price: '0.12345', size: '10' }, mute);
    expect(JSON.parse(finest.payload)).toMatchObject({ makerAmount: '1234500' });
    const finer = sign('eoa', { ...order, tick: '0.0000001', price: '0.1234567', size: '1' }, mute);
    await expect(finer).rejects.toMatchObject({ code: 'venue_error' });
  });
});

describe('the headers of a request', () => {
  it('by which a wallet obtains credentials are those of the official client', async () => {
    const official = await createL1Headers(clientSigner(signer), 137, 0, Math.floor(NOW / 1_000));
    expect(await l1Headers(wallet, NOW)).toStrictEqual(
      Object.fromEntries(Object.entries(official).map(([name, value]) => [name, String(value)])),
    );
  });

  it('with credentials are those of the official client, byte for byte', async () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aZ09+/-_'), minLength: 8, maxLength: 90 });
    const secrets = fc.tuple(letters, fc.constantFrom('', '=', '==')).map((parts) => parts.join(''));
    const bodies = fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined });
    const check = fc.asyncProperty(secrets, bodies, async (secret, text) => {
      fc.pre(API_SECRET.test(secret));
      const body = text !== undefined && { body: text };
      const official = await createL2Headers(
        clientSigner(signer),
        { key: 'api-key', secret, passphrase: 'pass' },
        { method: 'POST', requestPath: '/order', ...body },
        Math.floor(NOW / 1_000),
      );
      const credentials = { key: 'api-key', secret: new Secret(secret), passphrase: new Secret('pass') };
      const request = { method: 'POST', path: '/order?x=1', ...body } as const;
      expect(l2Headers(request, wallet.address, credentials, NOW)).toStrictEqual(official);
    });
    await fc.assert(check);
  });
});
