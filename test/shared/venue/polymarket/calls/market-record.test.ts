import { expect, it } from '@jest/globals';
import { parseMarket } from '../../../../../shared/venue/polymarket/calls/list-markets.ts';
import { gammaMarket, v1TokenId, v2TokenId } from '../../../../support/venue/venue-answers.ts';

type Changes = Readonly<Record<string, unknown>>;

const EVENT = { id: '9', slug: 'kites', title: 'Kites that fly' };
const SCHEDULE = { exponent: '1', rate: '0.04', takerOnly: true, rebateRate: 0.25 };
const FEES = { taker_rate: '0.04', exponent: '1', taker_only: true };
const V1_IDS = [v1TokenId(14), v1TokenId(15)];
const V2_IDS = [v2TokenId(14), v2TokenId(15)];

/** As a page has it, where the decimals have become strings of the digits that were written; `undefined`: it is not there. */
function record(changes: Changes = {}) {
  const prices = { orderPriceMinTickSize: '0.01', bestBid: '0.51', bestAsk: '0.52' };
  const decimals = { ...prices, orderMinSize: '5', volume24hr: '1022.5', feeSchedule: SCHEDULE };
  const members = Object.entries(gammaMarket(7, { ...decimals, ...changes }));
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The same on protocol v2, whose ids are a list and whose condition ids may have 62 digits. */
const ON_V2 = { version: 'v2', positionIds: V2_IDS, conditionId: `0x${'7'.padStart(62, '0')}` };

const outcomes = (ids: readonly string[], prices: readonly (string | null)[] = ['0.515', '0.485']) => [
  { name: 'Yes', token_id: ids[0], price: prices[0] },
  { name: 'No', token_id: ids[1], price: prices[1] },
];
const nameless = outcomes(V1_IDS).map((outcome) => ({ ...outcome, name: null }));
const listed = (changes: Changes = {}) => ({
  market: {
    ...{ id: '7', condition_id: `0x${'0'.repeat(63)}7`, slug: 'will-kite-7-fly', question: 'Will kite 7 fly?' },
    ...{
      end_date: '2031-05-04T12:00:00Z',
      tick_size: '0.01',
      min_order_size: '5',
      neg_risk: false,
      volume_24h: '1022.5',
    },
    ...{
      liquidity: '12345.67',
      best_bid: '0.51',
      best_ask: '0.52',
      event: EVENT,
      fees: FEES,
      outcomes: outcomes(V1_IDS),
    },
    ...changes,
  },
});
const leftOut = (reason: string, id = '7') => ({ leftOut: { id, reason } });
const noTwoIds = leftOut('it does not have exactly two token ids');
const notDecimal = leftOut('a token id is not a decimal uint256');

it.each<readonly [Changes, object]>([
  [{}, listed()],
  // In other forms.
  [{ clobTokenIds: V1_IDS, outcomes: ['Yes', 'No'], outcomePrices: ['0.515', '0.485'] }, listed()],
  ...[undefined, null].map((absent) => [{ version: absent, archived: absent }, listed()] as const),
  [{ liquidity: undefined, liquidityNum: '12345.67' }, listed()],
  [{ endDate: '2021-05-04T12:00Z' }, listed({ end_date: '2021-05-04T12:00Z' })],
  // Ids by the version, even where both kinds are there; 62 digits of a condition id are padded on the right.
  [{ positionIds: V2_IDS }, listed()],
  [ON_V2, listed({ condition_id: `0x${'0'.repeat(61)}700`, outcomes: outcomes(V2_IDS) })],
  // Not open, and so not listed, whatever else is wrong.
  ...[false, undefined, 'true'].map((active) => [{ active }, {}] as const),
  ...[true, null].map((closed) => [{ closed }, {}] as const),
  ...[false, null].map((enableOrderBook) => [{ enableOrderBook }, {}] as const),
  ...[false, 1].map((acceptingOrders) => [{ acceptingOrders }, {}] as const),
  [{ archived: true }, {}],
  [{ closed: true, version: 'v3' }, {}],
  // Left out, with the reason.
  [{ id: undefined }, leftOut('id is not usable', 'without id')],
  [{ id: '' }, leftOut('id is not usable', 'without id')],
  ...['v3', ''].map((version) => [{ version }, leftOut('version is not usable')] as const),
  ...[undefined, null, '["1", ', V1_IDS.slice(1), [...V1_IDS, v1TokenId(1)], [1, 1].map(v1TokenId)].map(
    (clobTokenIds) => [{ clobTokenIds }, noTwoIds] as const,
  ),
  ...[[7.1e76, 5.2e76], '[71e74, 52e74]'].map((clobTokenIds) => [{ clobTokenIds }, noTwoIds] as const),
  ...['0xab', `-${V1_IDS[0]}`, `0${V1_IDS[0]}`, `${2n ** 256n}`].map(
    (odd) => [{ clobTokenIds: [odd, v1TokenId(2)] }, notDecimal] as const,
  ),
  [{ clobTokenIds: V2_IDS }, leftOut('a token id is not one of protocol v1')],
  [{ ...ON_V2, positionIds: V1_IDS }, leftOut('a token id is not one of protocol v2')],
  [{ ...ON_V2, positionIds: undefined }, noTwoIds],
  [{ outcomes: '["A", "B", "C"]' }, leftOut('its outcomes do not match its token ids')],
  // Only the field is lost.
  [{ conditionId: '0x12' }, listed({ condition_id: null })],
  [{ slug: 7 }, listed({ slug: null })],
  ...['next year', '2031-02-31'].map((endDate) => [{ endDate }, listed({ end_date: null })] as const),
  [{ negRisk: 'false' }, listed({ neg_risk: null })],
  // Who picks an outcome by its name must not buy the other one.
  ...['["",""]', '["Over","Over"]', '["Yes"," "]', '["No","No "]'].map(
    (names) => [{ outcomes: names }, listed({ outcomes: nameless })] as const,
  ),
  ...['-1', 'NaN'].map((volume24hr) => [{ volume24hr }, listed({ volume_24h: null })] as const),
  [{ bestBid: {} }, listed({ best_bid: null })],
  [{ outcomePrices: '["1.2", "-0.2"]' }, listed({ outcomes: outcomes(V1_IDS, [null, null]) })],
  [{ bestBid: '0', bestAsk: '1' }, listed({ best_bid: '0', best_ask: '1' })],
  [{ bestBid: '1.05e76', bestAsk: '52' }, listed({ best_bid: null, best_ask: null })],
  // No price lies on such a grid; the order book, which is what an order goes by, is refused for it.
  ...['0', '1'].map((orderPriceMinTickSize) => [{ orderPriceMinTickSize }, listed({ tick_size: null })] as const),
  // The first of its events.
  ...[undefined, [], { 0: EVENT }, JSON.stringify([EVENT]), [null, EVENT], [{ slug: 'kites' }, EVENT]].map(
    (events) => [{ events }, listed({ event: null })] as const,
  ),
  ...['', 9].map((id) => [{ events: [{ ...EVENT, id }] }, listed({ event: null })] as const),
  [{ events: [EVENT, { id: '10', slug: 'b', title: 'B' }] }, listed()],
  [{ events: [{ id: '9', slug: 7 }] }, listed({ event: { id: '9', slug: null, title: null } })],
  // Fees that are off, on, and not stated.
  [{ feesEnabled: false }, listed({ fees: { ...FEES, taker_rate: '0' } })],
  [{ feesEnabled: false, feeSchedule: null }, listed({ fees: { taker_rate: '0', exponent: null, taker_only: null } })],
  ...[undefined, null, { exponent: '1' }, JSON.stringify(SCHEDULE)].map(
    (feeSchedule) => [{ feeSchedule }, listed({ fees: null })] as const,
  ),
  ...['-0.1', 'low'].map((rate) => [{ feeSchedule: { ...SCHEDULE, rate } }, listed({ fees: null })] as const),
  [{ feeSchedule: { ...SCHEDULE, rate: '0' } }, listed({ fees: { ...FEES, taker_rate: '0' } })],
  [{ feeSchedule: { rate: '0.07' } }, listed({ fees: { taker_rate: '0.07', exponent: null, taker_only: null } })],
  [{ feeSchedule: { ...SCHEDULE, exponent: [1] } }, listed({ fees: { ...FEES, exponent: null } })],
  [{ feeSchedule: { ...SCHEDULE, takerOnly: 'yes' } }, listed({ fees: { ...FEES, taker_only: null } })],
  [{ feesEnabled: undefined }, listed()],
  [{ feesEnabled: 'false', feeSchedule: null }, listed({ fees: null })],
])('a market with %p is listed, left out with a reason, or left out silently', (changes, expected) => {
  expect(parseMarket(record(changes))).toStrictEqual(expected);
});

it('a market keeps nothing but its ids when the venue describes nothing', () => {
  const needed = new Set(['id', 'active', 'closed', 'enableOrderBook', 'acceptingOrders', 'clobTokenIds']);
  const ids = { id: '7', outcomes: V1_IDS.map((token_id) => ({ name: null, token_id, price: null })) };
  const nulls = Object.fromEntries(Object.keys(listed().market).map((name) => [name, null]));
  for (const nothing of [undefined, null]) {
    const others = Object.keys(record()).filter((name) => !needed.has(name));
    const bare = record(Object.fromEntries(others.map((name) => [name, nothing])));
    expect(parseMarket(bare)).toStrictEqual({ market: { ...nulls, ...ids } });
  }
  expect(parseMarket(null)).toStrictEqual(leftOut('the record is not usable', 'without id'));
});
