import { describe, expect, it, jest } from '@jest/globals';
import { parseDecimal } from '../../../../shared/decimal.ts';
import { SENDING_RESERVE_MS } from '../../../../shared/limits.ts';
import { createTransport } from '../../../../shared/venue/polymarket/http/transport.ts';
import { createOrderRuleBook } from '../../../../shared/venue/polymarket/order-rules.ts';
import { fakeOnly } from '../../../support/jest.ts';
import { limitOrder, TOKEN } from '../../../support/orders/trading-world.ts';
import { callWithin, startVenue } from '../../../support/venue/scripted-venue.ts';
import { bookAnswer, v1TokenId, v2TokenId } from '../../../support/venue/venue-answers.ts';

type Changes = Readonly<Record<string, unknown>>;

/** A rule book before a venue whose books differ by these changes, one after the other; the last one stays. */
async function withBooks(...books: readonly Changes[]) {
  const venue = await startVenue(({ query }, index) => ({
    body: bookAnswer(query.get('token_id') ?? '', books[Math.min(index, books.length - 1)]),
  }));
  const clock = { now: 1_000_000 };
  const rules = createOrderRuleBook(createTransport(venue.url), () => clock.now);
  const admit = (changes: Parameters<typeof limitOrder>[0] = {}) => rules.admit(limitOrder(changes), callWithin());
  return { venue, clock, rules, admit };
}

const range = (minPrice: string, maxPrice: string) => ({ code: 'price_out_of_range', minPrice, maxPrice });
const offTick = (tickSize: string) => ({ code: 'price_off_tick', tickSize });
const tooSmall = (minOrderSize: string) => ({ code: 'size_below_minimum', minOrderSize });
const tooFine = { code: 'size_precision', maxDecimals: 2 };
const noRules =
  'The venue returned rules of this market that cannot be used, so no order was sent. Choose another market.';

describe('the rules of a market', () => {
  it.each<readonly [Parameters<typeof limitOrder>[0], Changes, object | string | undefined]>([
    ...['0', '1', '-0.5', '0.009', '0.999'].map((price) => [{ price }, {}, range('0.01', '0.99')] as const),
    ...['0.01', '0.99'].map((price) => [{ price }, {}, undefined] as const),
    [{ price: '0.411' }, {}, offTick('0.01')],
    [{ price: '0.4100000000000000001' }, {}, offTick('0.01')],
    [{ price: '0.41' }, { tick_size: '0.1' }, offTick('0.1')],
    [{ price: '0.415' }, { tick_size: '0.005' }, undefined],
    [{ price: '0.411' }, { tick_size: '0.005' }, offTick('0.005')],
    [{ price: '0.004' }, { tick_size: '0.005' }, range('0.005', '0.995')],
    [{ price: '0.9975' }, { tick_size: '0.0025' }, undefined],
    [{ price: '0.413' }, { tick_size: '0.0025' }, offTick('0.0025')],
    [{ price: '0.00015' }, { tick_size: '0.0001' }, offTick('0.0001')],
    [{ size: '5' }, {}, undefined],
    [{ size: '5.01' }, {}, undefined],
    ...['4.99', '0', '-10'].map((size) => [{ size }, {}, tooSmall('5')] as const),
    [{ size: '5.001' }, {}, tooFine],
    [{ size: '0' }, { min_order_size: '0' }, tooSmall('0')],
    [{ size: '0.01' }, { min_order_size: '0' }, undefined],
    [{ size: '14.99' }, { min_order_size: '15.00' }, tooSmall('15')],
    // They are checked in one order: range, tick, decimals, minimum.
    [{ price: '1.001', size: '0.001' }, {}, range('0.01', '0.99')],
    [{ price: '0.411', size: '0.001' }, {}, offTick('0.01')],
    [{ size: '0.001' }, {}, tooFine],
    // A book of another protocol than its token, and rules with more digits than a decimal, are not believed.
    [{}, { version: 'v1' }, undefined],
    [{}, { version: 'v2' }, noRules],
    [{}, { version: 'v3' }, noRules],
    [{ tokenId: v2TokenId(4) }, { version: 'v1' }, noRules],
    [{}, { tick_size: '1e-100' }, noRules],
    [{}, { min_order_size: '1e-100' }, noRules],
  ])('refuse an order of %j at %j: %j', async (order, market, refusal) => {
    const { admit } = await withBooks(market);
    const end = await admit(order).then(
      () => undefined,
      ({ code, facts, message }) => (code === 'venue_error' ? message : { code, ...facts }),
    );
    expect(end).toStrictEqual(refusal);
  });

  it.each([
    [{}, {}, { negRisk: false, protocol: 'v1', conditionId: `0x${'3c'.repeat(32)}` }],
    [{ tokenId: v2TokenId(4) }, { neg_risk: true, market: null }, { negRisk: true, protocol: 'v2', conditionId: null }],
  ])('of an order of %j at %j are %j', async (order, market, rules) => {
    const numbers = { tickSize: parseDecimal('0.01'), minOrderSize: parseDecimal('5') };
    expect(await (await withBooks(market)).admit(order)).toStrictEqual({ ...numbers, ...rules });
  });

  it('are reused for 60 s at most, for one token, and not after forget()', async () => {
    const { venue, clock, rules, admit } = await withBooks({});
    const reads = async (tokenId = TOKEN) => {
      const before = venue.seen.length;
      await admit({ tokenId });
      return venue.seen.slice(before).map(({ query }) => query.get('token_id'));
    };
    expect(await reads()).toStrictEqual([TOKEN]);
    clock.now += 59_999;
    expect(await reads()).toStrictEqual([]);
    rules.forget(v1TokenId(2));
    expect([await reads(), await reads(v1TokenId(2))]).toStrictEqual([[], [v1TokenId(2)]]);
    clock.now += 1;
    expect([await reads(), await reads()]).toStrictEqual([[TOKEN], []]);
    // A clock that was set back makes them no younger.
    clock.now -= 1;
    expect(await reads()).toStrictEqual([TOKEN]);
    rules.forget(TOKEN);
    expect(await reads()).toStrictEqual([TOKEN]);
  });

  it('are awaited only while the order can still be sent', async () => {
    fakeOnly(['setTimeout', 'clearTimeout', 'performance']);
    const { admit } = createOrderRuleBook(createTransport((await startVenue(() => 'hang')).url));
    const late = admit(limitOrder(), callWithin(SENDING_RESERVE_MS + 100));
    const ended = expect(late).rejects.toMatchObject({ code: 'venue_timeout' });
    await jest.advanceTimersByTimeAsync(100);
    await ended;
    jest.useRealTimers();
  });

  it('are read again before kept rules refuse an order, since the tick may have become finer', async () => {
    const { venue, admit } = await withBooks({}, { tick_size: '0.001' });
    await admit();
    for (const price of ['0.555', '0.556']) {
      expect((await admit({ price })).tickSize).toStrictEqual(parseDecimal('0.001'));
      expect(venue.seen.length).toBe(2);
    }
  });
});
