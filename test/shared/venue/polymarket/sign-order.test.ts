import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OrderBuilder, OrderType, orderToJsonV2, Side, type TickSize } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import fc from 'fast-check';
import { type Hex, hashTypedData, recoverAddress, slice } from 'viem';
import { SIGNATURE_TYPES, type SignatureType } from '../../../../shared/account.ts';
import { formatDecimal, parseDecimal, toUnits, ZERO } from '../../../../shared/decimal.ts';
import { Secret } from '../../../../shared/secret.ts';
import type { OrderRules } from '../../../../shared/venue/polymarket/order-rules.ts';
import { signOrder } from '../../../../shared/venue/polymarket/sign-order.ts';
import { openWallet } from '../../../../shared/wallets/evm-key.ts';
import { clientSigner } from '../../../../tools/support/paper-client.ts';
import { FULL_EXTENT } from '../../../support/jest.ts';
import { limitOrder, PRIVATE_KEY } from '../../../support/orders/trading-world.ts';
import { funderOf, ORDER_TYPE } from '../../../support/venue/signing.ts';
import { v1TokenId, v2TokenId } from '../../../support/venue/venue-answers.ts';

const signer = new Wallet(PRIVATE_KEY);
const wallet = openWallet(new Secret(PRIVATE_KEY));
/** The exchanges on Polygon, as the venue documents them. */
const EXCHANGES = {
  plain: { version: '2', verifyingContract: '0xE111180000d2663C0091e4f400237545B87B996B' },
  negRisk: { version: '2', verifyingContract: '0xe2222d279d744050d28e00520010520000310F59' },
  protocolV2: { version: '3', verifyingContract: '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa' },
} as const;
type Domain = keyof typeof EXCHANGES;
const DOMAINS: readonly Domain[] = ['plain', 'negRisk', 'protocolV2'];
const TICKS: readonly TickSize[] = ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'];

function domainOf(domain: Domain) {
  return { name: 'Polymarket CTF Exchange', chainId: 137, ...EXCHANGES[domain] };
}

function tokenOf(domain: Domain): string {
  return domain === 'protocolV2' ? v2TokenId(6) : v1TokenId(6);
}

function rulesOf(domain: Domain, tick: string): OrderRules {
  const tickSize = parseDecimal(tick) ?? ZERO;
  const protocol = domain === 'protocolV2' ? 'v2' : 'v1';
  return { tickSize, minOrderSize: ZERO, negRisk: domain === 'negRisk', protocol, conditionId: null };
}

/** The account as our settings know it. */
function accountOf(signatureType: SignatureType) {
  return { wallet, signatureType, funderAddress: funderOf(wallet.address, signatureType) };
}

interface Terms {
  readonly domain: Domain;
  readonly kind: SignatureType;
  readonly tick: TickSize;
  readonly price: string;
  readonly size: string;
  readonly side: 'buy' | 'sell';
  /** The end of the order, in milliseconds. */
  readonly expiresAt?: number;
  readonly builderCode?: string;
}

/** The payload of the same order from the official client with an ethers wallet. */
async function officialPayload({ domain, kind, tick, price, size, side, expiresAt, builderCode }: Terms) {
  const type = SIGNATURE_TYPES.indexOf(kind);
  const builder = new OrderBuilder(clientSigner(signer), 137, type, funderOf(signer.address, kind));
  const terms = {
    tokenID: tokenOf(domain),
    price: Number(price),
    size: Number(size),
    side: side === 'buy' ? Side.BUY : Side.SELL,
    // The venue ends an order a minute before its expiration.
    ...(expiresAt !== undefined && { expiration: expiresAt / 1_000 + 60 }),
    ...(builderCode && { builderCode }),
  };
  const options = { tickSize: tick, negRisk: domain === 'negRisk' };
  const signed = await builder.buildOrder(terms, options, domain === 'protocolV2' ? 3 : 2);
  if ('nonce' in signed) throw new Error('the client signed an order of the first CLOB');
  return JSON.stringify(orderToJsonV2(signed, '', expiresAt === undefined ? OrderType.GTC : OrderType.GTD).order);
}

function signTerms({ domain, kind, tick, expiresAt, builderCode, ...order }: Terms) {
  const limit = { ...limitOrder({ ...order, tokenId: tokenOf(domain) }), expiresAt: expiresAt ?? null };
  return signOrder(
    limit,
    rulesOf(domain, tick),
    { ...accountOf(kind), builderCode },
    { now: NOW, salt: Math.round(RANDOM * NOW) },
  );
}

/** Of a deposit wallet's signature: the order within the wallet's own domain (ERC-7739). */
const NESTED = [
  { name: 'contents', type: 'Order' },
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
];

/** The order in a payload as the exchange hashes it, and its signature. */
function structOf(payload: string) {
  const { side, signature, expiration, ...order } = JSON.parse(payload);
  return { struct: { ...order, side: side === 'BUY' ? 0 : 1 }, signature };
}

/** The hash of an order as viem computes it. */
function hashOrder(domain: Domain, message: Record<string, unknown>): Hex {
  return hashTypedData({ domain: domainOf(domain), types: { Order: ORDER_TYPE }, primaryType: 'Order', message });
}

const market = fc.record({ domain: fc.constantFrom(...DOMAINS), tick: fc.constantFrom(...TICKS) });
const side = fc.constantFrom('buy' as const, 'sell' as const);
const grid = fc.double({ min: 0, max: 1, noNaN: true });

/** Any price on the grid of a tick. */
function priceOn(tick: string, where: number): string {
  const { coefficient, scale } = parseDecimal(tick) ?? ZERO;
  const last = 10n ** BigInt(scale) / coefficient - 1n;
  const steps = 1n + BigInt(Math.floor(where * Number(last - 1n)));
  return formatDecimal({ coefficient: steps * coefficient, scale });
}

/** Maker and taker amount in millionths, by integers alone. */
function exact({ price, size, side }: { price: string; size: string; side: 'buy' | 'sell' }) {
  const [p, s] = [parseDecimal(price) ?? ZERO, parseDecimal(size) ?? ZERO];
  const collateral = p.coefficient * s.coefficient * 10n ** BigInt(6 - p.scale - s.scale);
  const amounts = [String(collateral), String(toUnits(s, 6))];
  return side === 'buy' ? amounts : amounts.reverse();
}

/** The time and the chance that the official client's order has. */
const NOW = 1_795_185_721_022;
const RANDOM = 0.4711;

describe('a signed order', () => {
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
    jest.spyOn(Math, 'random').mockReturnValue(RANDOM);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const cases = SIGNATURE_TYPES.flatMap((kind) => DOMAINS.map((domain) => [kind, domain] as const));

  it.each(cases)("of account kind %s for exchange %s has the official client's bytes", async (kind, domain) => {
    for (const tick of TICKS) {
      for (const side of ['buy', 'sell'] as const) {
        const terms = { domain, kind, tick, side, price: tick === '0.1' ? '0.3' : '0.35', size: '12.34' };
        expect((await signTerms(terms)).payload).toBe(await officialPayload(terms));
        const ending = { ...terms, expiresAt: Date.UTC(2026, 11, 1, 12) };
        const { payload, orderId } = await signTerms(ending);
        expect([payload, JSON.parse(payload).expiration]).toStrictEqual([await officialPayload(ending), '1796126460']);
        expect(orderId).toBe((await signTerms(terms)).orderId);
      }
    }
  });

  it.each(cases)('of account kind %s for exchange %s is signed with the code of its builder', async (kind, domain) => {
    const terms = { domain, kind, tick: '0.01', side: 'buy', price: '0.35', size: '12.34' } as const;
    const ids = new Set([(await signTerms(terms)).orderId]);
    for (const builderCode of [`0x${'0b'.repeat(32)}`, `0x${'0c'.repeat(32)}`]) {
      const { payload, orderId } = await signTerms({ ...terms, builderCode });
      expect(payload).toBe(await officialPayload({ ...terms, builderCode }));
      expect(JSON.parse(payload).builder).toBe(builderCode);
      ids.add(orderId);
    }
    expect(ids.size).toBe(3);
    const none = `0x${'00'.repeat(32)}`;
    expect(await signTerms({ ...terms, builderCode: none })).toStrictEqual(await signTerms(terms));
  });

  it("has the official client's bytes wherever its floating point is exact, and exact amounts elsewhere", async () => {
    let [same, corrected] = [0, 0];
    const kind = fc.constantFrom(...SIGNATURE_TYPES);
    const size = fc.bigInt(1n, 10n ** 11n).map((n) => formatDecimal({ coefficient: n, scale: 2 }));
    const check = fc.asyncProperty(market, kind, side, grid, size, async (where, kind, side, at, size) => {
      const terms = { ...where, kind, side, price: priceOn(where.tick, at), size };
      const [ours, theirs] = [(await signTerms(terms)).payload, await officialPayload(terms)];
      const [{ signature, ...own }, { signature: _theirs, ...official }] = [JSON.parse(ours), JSON.parse(theirs)];
      const [makerAmount, takerAmount] = exact(terms);
      expect(own).toStrictEqual({ ...official, makerAmount, takerAmount });
      if (official.makerAmount === makerAmount && official.takerAmount === takerAmount) {
        expect(ours).toBe(theirs);
        same += 1;
      } else corrected += 1;
    });
    const numRuns = FULL_EXTENT ? 600 : 240;
    await fc.assert(check, { numRuns, seed: 20_261_121 });
    // Both halves of the promise have been looked at.
    expect([same > numRuns / 6, corrected > numRuns / 120]).toStrictEqual([true, true]);
  }, 60_000);

  it.each(cases)('of account kind %s for exchange %s has the hash of its struct as its id', async (kind, domain) => {
    const signed = await signTerms({ domain, kind, tick: '0.01', side: 'sell', price: '0.35', size: '12.34' });
    const { struct } = structOf(signed.payload);
    expect(signed.orderId).toBe(hashOrder(domain, struct));
    expect(signed).toMatchObject({ tokenId: tokenOf(domain), postOnly: true });
  });

  it.each(cases)("of account kind %s for exchange %s is signed by the key's address", async (kind, domain) => {
    const { payload } = await signTerms({ domain, kind, tick: '0.01', side: 'buy', price: '0.35', size: '12.34' });
    const { struct, signature } = structOf(payload);
    const holder = funderOf(signer.address, kind);
    expect([struct.maker, struct.signer]).toStrictEqual([holder, kind === 'deposit-wallet' ? holder : signer.address]);
    expect(struct.signatureType).toBe(SIGNATURE_TYPES.indexOf(kind));
    if (kind !== 'deposit-wallet') {
      expect(await recoverAddress({ hash: hashOrder(domain, struct), signature })).toBe(signer.address);
      return;
    }
    const nested = {
      contents: struct,
      name: 'DepositWallet',
      version: '1',
      chainId: 137,
      verifyingContract: holder,
      salt: `0x${'00'.repeat(32)}`,
    };
    const types = { TypedDataSign: NESTED, Order: ORDER_TYPE };
    const hash = hashTypedData({ domain: domainOf(domain), types, primaryType: 'TypedDataSign', message: nested });
    expect(await recoverAddress({ hash, signature: slice(signature, 0, 65) })).toBe(signer.address);
  });
});

describe('the amounts of an order', () => {
  /** Signs nothing: amounts are what counts here. */
  const mute = { address: wallet.address, sign: async () => `0x${'11'.repeat(65)}` };
  const account = { wallet: mute, signatureType: 'eoa', funderAddress: wallet.address } as const;

  function sign(domain: Domain, tick: string, order: { price: string; size: string; side: 'buy' | 'sell' }) {
    return signOrder(limitOrder({ ...order, tokenId: tokenOf(domain) }), rulesOf(domain, tick), account, {
      now: NOW,
    });
  }

  const hundredths = (max: bigint) => fc.bigInt(1n, max).map((n) => formatDecimal({ coefficient: n, scale: 2 }));
  // Most orders are small; the largest has a thousand million shares.
  const sizes = fc.oneof(hundredths(10n ** 7n), hundredths(10n ** 11n));

  it('are price and size to the last digit, at every tick of every exchange', async () => {
    await fc.assert(
      fc.asyncProperty(market, side, grid, sizes, async ({ domain, tick }, direction, where, size) => {
        const order = { price: priceOn(tick, where), size, side: direction };
        const { makerAmount, takerAmount } = JSON.parse((await sign(domain, tick, order)).payload);
        expect([makerAmount, takerAmount]).toStrictEqual(exact(order));
      }),
      { numRuns: 800 },
    );
  });

  it.each(DOMAINS)('are exact on exchange %s where floating point is not', async (domain) => {
    const order = { price: '0.9999', size: '999999999.99', side: 'buy' as const };
    const { makerAmount, takerAmount } = JSON.parse((await sign(domain, '0.0001', order)).payload);
    expect([makerAmount, takerAmount]).toStrictEqual(['999899999990001', '999999999990000']);
  });

  it('that have more than six decimals are refused', async () => {
    const order = { price: '0.1234567', size: '10', side: 'buy' as const };
    expect(JSON.parse((await sign('plain', '0.00001', { ...order, price: '0.12345' })).payload)).toMatchObject({
      makerAmount: '1234500',
    });
    await expect(sign('plain', '0.0000001', { ...order, size: '1' })).rejects.toMatchObject({ code: 'venue_error' });
  });
});
