import { describe, expect, it } from '@jest/globals';
import { parseDecimal } from '../../../../shared/decimal.ts';
import { createTransport } from '../../../../shared/venue/polymarket/http/transport.ts';
import { createOrderRuleBook } from '../../../../shared/venue/polymarket/order-rules.ts';
import { limitOrder, TOKEN } from '../../../support/orders/trading-world.ts';
import { callWithin, type Reply, startVenue } from '../../../support/venue/scripted-venue.ts';
import { bookAnswer, v1TokenId, v2TokenId } from '../../../support/venue/venue-answers.ts';

type Changes = Readonly<Record<string, unknown>>;

/** A rule book before a venue whose books differ by these changes, one after the other; the last one stays. */
async function withBooks(...books: readonly Changes[]) {
  const venue = await startVenue(({ query }, index): Reply => {
    return { body: bookAnswer(query.get('token_id') ?? '', books[Math.min(index, books.length - 1)]) };
  });
  const clock = { now: 1_000_000 };
  return { venue, clock, rules: createOrderRuleBook(createTransport(venue.url), () => clock.now) };
}

/** The refusal of an order by a market's rules, `undefined` when it passes. */
async function refusalOf(order: { price?: string; size?: string }, market: Changes = {}) {
  const { rules } = await withBooks(market);
  return rules.admit(limitOrder(order), callWithin()).then(
    () => undefined,
    ({ code, facts }: { code: string; facts: object }) => ({ code, ...facts }),
  );
}

const range = (minPrice: string, maxPrice: string) => ({ code: 'price_out_of_range', minPrice, maxPrice });
const offTick = (tickSize: string) => ({ code: 'price_off_tick', tickSize });
const tooSmall = (minOrderSize: string) => ({ code: 'size_below_minimum', minOrderSize });

describe('the rules of a market', () => {
  it.each([
    ['0', '0.01', range('0.01', '0.99')],
    ['1', '0.01', range('0.01', '0.99')],
    ['-0.5', '0.01', range('0.01', '0.99')],
    ['0.009', '0.01', range('0.01', '0.99')],
    ['0.999', '0.01', range('0.01', '0.99')],
    ['0.01', '0.01', undefined],
    ['0.99', '0.01', undefined],
    ['0.411', '0.01', offTick('0.01')],
    ['0.4100000000000000001', '0.01', offTick('0.01')],
    ['0.41', '0.1', offTick('0.1')],
    ['0.4', '0.1', undefined],
    ['0.41', '0.005', undefined],
    ['0.415', '0.005', undefined],
    ['0.411', '0.005', offTick('0.005')],
    ['0.004', '0.005', range('0.005', '0.995')],
    ['0.0025', '0.0025', undefined],
    ['0.4125', '0.0025', undefined],
    ['0.4', '0.0025', undefined],
    ['0.413', '0.0025', offTick('0.0025')],
    ['0.9975', '0.0025', undefined],
    ['0.0001', '0.0001', undefined],
    ['0.00015', '0.0001', offTick('0.0001')],
    ['0.999', '0.001', undefined],
  ])('for a price of %s at tick %s say %j', async (price, tick_size, refusal) => {
    expect(await refusalOf({ price }, { tick_size })).toStrictEqual(refusal);
  });

  it.each([
    ['5', '5', undefined],
    ['4.99', '5', tooSmall('5')],
    ['5.01', '5', undefined],
    ['5.001', '5', { code: 'size_precision', maxDecimals: 2 }],
    ['0.001', '5', { code: 'size_precision', maxDecimals: 2 }],
    ['0', '5', tooSmall('5')],
    ['-10', '5', tooSmall('5')],
    ['0', '0', tooSmall('0')],
    ['0.01', '0', undefined],
    ['14.99', '15.00', tooSmall('15')],
  ])('for a size of %s at a minimum of %s say %j', async (size, min_order_size, refusal) => {
    expect(await refusalOf({ size }, { min_order_size })).toStrictEqual(refusal);
  });

  it('are checked in one order: range, tick, decimals, minimum', async () => {
    expect(await refusalOf({ price: '1.001', size: '0.001' })).toStrictEqual(range('0.01', '0.99'));
    expect(await refusalOf({ price: '0.411', size: '0.001' })).toStrictEqual(offTick('0.01'));
  });

  it.each([
    [v1TokenId(4), { version: 'v2' }],
    [v1TokenId(4), { version: 'v3' }],
    [v2TokenId(4), { version: 'v1' }],
  ])('of token %s are not believed when the book says %j', async (tokenId, changes) => {
    const { rules } = await withBooks(changes);
    await expect(rules.admit(limitOrder({ tokenId }), callWithin())).rejects.toMatchObject({
      code: 'venue_error',
      message: expect.stringContaining('no order was sent'),
    });
  });

  it('of a token are believed when the book names its protocol', async () => {
    const { rules } = await withBooks({ version: 'v1' });
    await expect(rules.admit(limitOrder(), callWithin())).resolves.toMatchObject({ protocol: 'v1' });
  });

  it.each(['tick_size', 'min_order_size'])('are not believed when %s has more digits than a decimal', async (rule) => {
    const { rules } = await withBooks({ [rule]: '1e-100' });
    await expect(rules.admit(limitOrder(), callWithin())).rejects.toMatchObject({
      code: 'venue_error',
      message:
        'The venue returned rules of this market that cannot be used, so no order was sent. Choose another market.',
    });
  });
});

describe('rules that are kept', () => {
  it('serve for less than 60 s', async () => {
    const { venue, clock, rules } = await withBooks({});
    await rules.admit(limitOrder(), callWithin());
    clock.now += 59_999;
    await rules.admit(limitOrder(), callWithin());
    expect(venue.seen.length).toBe(1);
    clock.now += 1;
    await rules.admit(limitOrder(), callWithin());
    expect(venue.seen.length).toBe(2);
  });

  it('are read again once they are forgotten', async () => {
    const { venue, rules } = await withBooks({});
    await rules.admit(limitOrder(), callWithin());
    rules.forget(v1TokenId(2));
    await rules.admit(limitOrder(), callWithin());
    expect(venue.seen.length).toBe(1);
    rules.forget(TOKEN);
    await rules.admit(limitOrder(), callWithin());
    expect(venue.seen.length).toBe(2);
  });

  it('belong to one token', async () => {
    const { venue, rules } = await withBooks({});
    await rules.admit(limitOrder(), callWithin());
    await rules.admit(limitOrder({ tokenId: v1TokenId(2) }), callWithin());
    expect(venue.seen.map(({ query }) => query.get('token_id'))).toStrictEqual([TOKEN, v1TokenId(2)]);
  });

  it('do not refuse an order by themselves: the tick may have become finer', async () => {
    const { venue, rules } = await withBooks({}, { tick_size: '0.001' });
    await rules.admit(limitOrder(), callWithin());
    const admitted = await rules.admit(limitOrder({ price: '0.555' }), callWithin());
    expect(admitted.tickSize).toStrictEqual(parseDecimal('0.001'));
    expect(venue.seen.length).toBe(2);
    await rules.admit(limitOrder({ price: '0.556' }), callWithin());
    expect(venue.seen.length).toBe(2);
  });
});
