import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMarket } from '../../../../../shared/venue/polymarket/calls/list-markets.ts';
import { gammaMarket, gammaMarketV2, v1TokenId, v2TokenId } from '../../../../support/venue/venue-answers.ts';

const EVENT = { id: '9', slug: 'kites', title: 'Kites that fly' };
const SCHEDULE = { exponent: '1', rate: '0.04', takerOnly: true, rebateRate: 0.25 };
const FEES = { takerRate: '0.04', exponent: '1', takerOnly: true };

/** As a page has it, where the decimals have become strings of the digits that were written. */
function record(changes: Readonly<Record<string, unknown>> = {}, make = gammaMarket) {
  const decimals = {
    orderPriceMinTickSize: '0.01',
    orderMinSize: '5',
    volume24hr: '1022.5',
    bestBid: '0.51',
    bestAsk: '0.52',
    feeSchedule: SCHEDULE,
  };
  return make(7, { ...decimals, ...changes });
}

/** The record without a member. */
function without(name: string, make = gammaMarket) {
  return Object.fromEntries(Object.entries(record({}, make)).filter(([key]) => key !== name));
}

const NO_TWO_IDS = 'it does not have exactly two token ids';
const NOT_DECIMAL = 'a token id is not a decimal uint256';

describe('a market of the catalogue', () => {
  it('comes out in our words, ids from the JSON text of protocol v1', () => {
    expect(parseMarket(record())).toStrictEqual({
      market: {
        id: '7',
        conditionId: `0x${'0'.repeat(63)}7`,
        slug: 'will-kite-7-fly',
        question: 'Will kite 7 fly?',
        endDate: '2031-05-04T12:00:00Z',
        tickSize: '0.01',
        minOrderSize: '5',
        negRisk: false,
        volume24h: '1022.5',
        liquidity: '12345.67',
        bestBid: '0.51',
        bestAsk: '0.52',
        event: EVENT,
        fees: FEES,
        outcomes: [
          { name: 'Yes', tokenId: v1TokenId(14), price: '0.515' },
          { name: 'No', tokenId: v1TokenId(15), price: '0.485' },
        ],
      },
    });
  });

  it('takes its ids by its version, even where both kinds are there', () => {
    const ids = (value: unknown) => parseMarket(value).market?.outcomes.map(({ tokenId }) => tokenId);
    expect(ids(record({}, gammaMarketV2))).toStrictEqual([v2TokenId(14), v2TokenId(15)]);
    expect(ids(record({ positionIds: [v2TokenId(1), v2TokenId(2)] }))).toStrictEqual([v1TokenId(14), v1TokenId(15)]);
  });

  it.each([
    ['clobTokenIds as a list', record({ clobTokenIds: [v1TokenId(14), v1TokenId(15)] })],
    ['outcomes as a list', record({ outcomes: ['Yes', 'No'] })],
    ['prices as a list', record({ outcomePrices: ['0.515', '0.485'] })],
    ['no version, ids of protocol v1', without('version')],
    ['version null', record({ version: null })],
    ['not archived by absence', without('archived')],
    ['archived null', record({ archived: null })],
    ['a past end date would not close it', record({ restricted: true })],
    ['liquidity as a number', { ...without('liquidity'), liquidityNum: '12345.67' }],
  ])('is the same with %s', (_what, value) => {
    expect(parseMarket(value)).toStrictEqual(parseMarket(record()));
  });

  it('has 64 digits in its condition id: 62 are padded on the right', () => {
    expect(parseMarket(record({}, gammaMarketV2)).market?.conditionId).toBe(`0x${'0'.repeat(61)}700`);
  });

  it.each([
    ['active', false],
    ['active', undefined],
    ['active', 'true'],
    ['closed', true],
    ['closed', null],
    ['archived', true],
    ['enableOrderBook', false],
    ['enableOrderBook', null],
    ['acceptingOrders', false],
    ['acceptingOrders', 1],
  ])('is not listed with %s %p', (name, value) => {
    expect(parseMarket(record({ [name]: value }))).toStrictEqual({});
  });

  it.each([
    ['no record at all', null, { id: 'without id', reason: 'the record is not usable' }],
    ['no id', without('id'), { id: 'without id', reason: 'id is not usable' }],
    ['an unknown version', record({ version: 'v3' }), { id: '7', reason: 'version is not usable' }],
    ['an empty version', record({ version: '' }), { id: '7', reason: 'version is not usable' }],
    ['no token ids', without('clobTokenIds'), { id: '7', reason: NO_TWO_IDS }],
    ['token ids null', record({ clobTokenIds: null }), { id: '7', reason: NO_TWO_IDS }],
    ['token ids that are no JSON', record({ clobTokenIds: '["1", ' }), { id: '7', reason: NO_TWO_IDS }],
    ['one token id', record({ clobTokenIds: `["${v1TokenId(1)}"]` }), { id: '7', reason: NO_TWO_IDS }],
    ['three token ids', record({ clobTokenIds: [1, 2, 3].map(v1TokenId) }), { id: '7', reason: NO_TWO_IDS }],
    ['equal token ids', record({ clobTokenIds: [1, 1].map(v1TokenId) }), { id: '7', reason: NO_TWO_IDS }],
    ['ids as rounded numbers', record({ clobTokenIds: [7.1e76, 5.2e76] }), { id: '7', reason: NO_TWO_IDS }],
    ['ids as numbers in a text', record({ clobTokenIds: '[71e74, 52e74]' }), { id: '7', reason: NO_TWO_IDS }],
    ['hex ids', record({ clobTokenIds: ['0xab', '0xcd'] }), { id: '7', reason: NOT_DECIMAL }],
    ['signed ids', record({ clobTokenIds: [`-${v1TokenId(1)}`, v1TokenId(2)] }), { id: '7', reason: NOT_DECIMAL }],
    ['zeros in front', record({ clobTokenIds: [`0${v1TokenId(1)}`, v1TokenId(2)] }), { id: '7', reason: NOT_DECIMAL }],
    ['too large ids', record({ clobTokenIds: [`${2n ** 256n}`, v1TokenId(2)] }), { id: '7', reason: NOT_DECIMAL }],
    [
      'ids of the other protocol under v1',
      record({ clobTokenIds: [v2TokenId(1), v2TokenId(2)] }),
      { id: '7', reason: 'a token id is not one of protocol v1' },
    ],
    [
      'ids of the other protocol under v2',
      record({ positionIds: [v1TokenId(1), v1TokenId(2)] }, gammaMarketV2),
      { id: '7', reason: 'a token id is not one of protocol v2' },
    ],
    ['no position ids under v2', without('positionIds', gammaMarketV2), { id: '7', reason: NO_TWO_IDS }],
    [
      'outcomes of another count',
      record({ outcomes: '["A", "B", "C"]' }),
      { id: '7', reason: 'its outcomes do not match its token ids' },
    ],
  ])('is left out with a reason: %s', (_what, value, leftOut) => {
    expect(parseMarket(value)).toStrictEqual({ leftOut });
  });

  it('is left out without a log line when it is closed', () => {
    expect(parseMarket(record({ closed: true, version: 'v3' }))).toStrictEqual({});
  });

  it('keeps nothing but its ids when the venue describes nothing', () => {
    const needed = new Set(['id', 'active', 'closed', 'enableOrderBook', 'acceptingOrders', 'clobTokenIds']);
    const bare = Object.entries(record()).filter(([name]) => needed.has(name));
    const nulls = Object.keys(record()).filter((name) => !needed.has(name));
    const expected = {
      market: {
        id: '7',
        conditionId: null,
        slug: null,
        question: null,
        endDate: null,
        tickSize: null,
        minOrderSize: null,
        negRisk: null,
        volume24h: null,
        liquidity: null,
        bestBid: null,
        bestAsk: null,
        event: null,
        fees: null,
        outcomes: [14, 15].map((n) => ({ name: null, tokenId: v1TokenId(n), price: null })),
      },
    };
    expect(parseMarket(Object.fromEntries(bare))).toStrictEqual(expected);
    expect(parseMarket(Object.fromEntries([...bare, ...nulls.map((name) => [name, null])]))).toStrictEqual(expected);
  });

  it.each([
    ['conditionId', '0x12'],
    ['slug', 7],
    ['endDate', 'next year'],
    ['endDate', '2031-02-31'],
    ['negRisk', 'false'],
    ['volume24hr', '-1'],
    ['volume24hr', 'NaN'],
    ['bestBid', {}],
    // No price lies on such a grid; the order book, which is what an order goes by, is refused for it.
    ['orderPriceMinTickSize', '0'],
    ['orderPriceMinTickSize', '1'],
  ])('loses only the field when %s is %p', (name, value) => {
    const ours: Readonly<Record<string, string>> = { volume24hr: 'volume24h', orderPriceMinTickSize: 'tickSize' };
    const { market } = parseMarket(record());
    expect(parseMarket(record({ [name]: value })).market).toStrictEqual({ ...market, [ours[name] ?? name]: null });
  });

  it.each([
    ['none', undefined, null],
    ['an empty list', [], null],
    ['no list', { 0: EVENT }, null],
    ['text', JSON.stringify([EVENT]), null],
    ['null in it', [null, EVENT], null],
    ['one without an id', [{ slug: 'kites', title: 'Kites' }, EVENT], null],
    ['one with an empty id', [{ ...EVENT, id: '' }], null],
    ['an id that was a number', [{ ...EVENT, id: 9 }], null],
    ['two', [EVENT, { id: '10', slug: 'b', title: 'B' }], EVENT],
    ['one with nothing but an id', [{ id: '9' }], { id: '9', slug: null, title: null }],
    ['one described in numbers', [{ id: '9', slug: 7, title: null }], { id: '9', slug: null, title: null }],
  ])('has the first of its events: %s', (_what, events, event) => {
    expect(parseMarket(record({ events })).market).toStrictEqual({ ...parseMarket(record()).market, event });
  });

  it.each([
    ['on, with a schedule', { feesEnabled: true }, FEES],
    ['off', { feesEnabled: false, feeSchedule: null }, { takerRate: '0', exponent: null, takerOnly: null }],
    ['off, with a schedule', { feesEnabled: false }, { ...FEES, takerRate: '0' }],
    ['on, but not which', { feeSchedule: null }, null],
    ['on, a schedule without a rate', { feeSchedule: { exponent: '1', takerOnly: true } }, null],
    ['on, a rate below zero', { feeSchedule: { ...SCHEDULE, rate: '-0.1' } }, null],
    ['on, a rate that is no number', { feeSchedule: { ...SCHEDULE, rate: 'low' } }, null],
    ['on, a schedule that is text', { feeSchedule: JSON.stringify(SCHEDULE) }, null],
    ['on at no rate', { feeSchedule: { ...SCHEDULE, rate: '0' } }, { ...FEES, takerRate: '0' }],
    [
      'on, nothing but a rate',
      { feeSchedule: { rate: '0.07' } },
      { takerRate: '0.07', exponent: null, takerOnly: null },
    ],
    ['on, an odd exponent', { feeSchedule: { ...SCHEDULE, exponent: [1] } }, { ...FEES, exponent: null }],
    ['on, for whom is odd', { feeSchedule: { ...SCHEDULE, takerOnly: 'yes' } }, { ...FEES, takerOnly: null }],
    ['unsaid, a schedule', { feesEnabled: undefined }, FEES],
    ['unsaid', { feesEnabled: undefined, feeSchedule: undefined }, null],
    ['said oddly', { feesEnabled: 'false', feeSchedule: null }, null],
  ])('has fees: %s', (_what, changes, fees) => {
    expect(parseMarket(record(changes)).market).toStrictEqual({ ...parseMarket(record()).market, fees });
  });

  it('keeps its other fields when events or fees are malformed', () => {
    const { event: _event, fees: _fees, ...rest } = parseMarket(record()).market ?? {};
    const odd = fc.oneof(
      fc.anything(),
      fc.array(fc.anything()),
      fc.object({ key: fc.constantFrom(...Object.keys(SCHEDULE)) }),
    );
    const property = fc.property(odd, odd, odd, (events, feesEnabled, feeSchedule) => {
      const { event, fees, ...others } = parseMarket(record({ events, feesEnabled, feeSchedule })).market ?? {};
      expect(others).toStrictEqual(rest);
      expect(event === null || typeof event?.id === 'string').toBe(true);
      expect(fees === null || /^\d/.test(fees?.takerRate ?? '')).toBe(true);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('never throws, and is a market, a reason or nothing', () => {
    const odd = fc.oneof(fc.anything(), fc.constantFrom('[]', '["1","2"]', '[1e9,2]', null, v1TokenId(3), 'v1', 'v2'));
    const changes = fc.dictionary(fc.constantFrom(...Object.keys(record()), 'positionIds', '__proto__'), odd);
    fc.assert(
      fc.property(fc.oneof(fc.anything(), changes.map(record)), (value) => {
        expect(Object.keys(parseMarket(value)).join()).toMatch(/^(market|leftOut|)$/);
      }),
      { numRuns: 500 },
    );
  });
});
