function tokenId(market: number, outcome: number): string {
  return (
    71321045679252212594626385532706912750332728571942532289631379312455583992563n -
    BigInt(market * 2 + outcome) * 2n ** 120n
  ).toString();
}

/** The token that the benchmark trades. */
export const TOKEN_ID = tokenId(0, 0);
/** As many tokens as a load of different books has connections. */
export const TOKEN_IDS = Array.from({ length: 10 }, (_, market) => tokenId(market, 0));

const LEVELS = 30;
/** Markets of the stub's catalogue. */
const MARKETS = 1_000;

function level(cents: number) {
  return { price: (cents / 100).toFixed(2), size: (1000 + cents * 7.25).toString() };
}

/** A book as the venue sends it, best price last: 30 levels a side, the size of a busy market's. */
export function bookOf(token: string): string {
  return JSON.stringify({
    market: `0x${'ab'.repeat(32)}`,
    asset_id: token,
    timestamp: '1763650000000',
    hash: 'c2d2a0b8e0c7a6b5d4c3f2e1a0b9c8d7e6f5a4b3',
    bids: Array.from({ length: LEVELS }, (_, index) => level(50 - LEVELS + index)),
    asks: Array.from({ length: LEVELS }, (_, index) => level(51 + LEVELS - index)),
    min_order_size: '5',
    tick_size: '0.01',
    neg_risk: false,
    last_trade_price: '0.51',
  });
}

const FLAGS = ['new', 'featured', 'archived', 'cyom', 'ready', 'funded', 'approved', 'deploying', 'rfqEnabled'];
const AMOUNTS = ['volume1wk', 'volume1mo', 'volume1yr', 'volumeClob', 'liquidityClob', 'spread', 'competitive'];
const CHANGES = ['oneHour', 'oneDay', 'oneWeek', 'oneMonth', 'oneYear'].map((span) => `${span}PriceChange`);

/** The members of a market that nobody reads, as much as the venue sends: some 6 KB with all else. */
function ballast(index: number) {
  const text = 'This market will resolve to Yes if the event takes place before the date in the title. ';
  const event = { id: String(index), slug: `event-${index}`, title: `Event ${index}`, description: text.repeat(20) };
  return {
    ...Object.fromEntries(FLAGS.map((name) => [name, false])),
    ...Object.fromEntries([...AMOUNTS, ...CHANGES].map((name, n) => [name, index * 13.37 + n])),
    description: text.repeat(25),
    image: `https://images.invalid/${index}.png`,
    icon: `https://images.invalid/${index}.png`,
    events: [{ ...event, ...Object.fromEntries(AMOUNTS.map((name, n) => [name, index + n / 8])) }],
    clobRewards: [{ id: String(index), assetAddress: `0x${'cd'.repeat(20)}`, rewardsDailyRate: 0.001 }],
  };
}

/** A market as Gamma lists it, open for orders. */
function marketRecord(index: number) {
  return {
    id: String(500_000 + index),
    question: `Will event ${index} take place?`,
    conditionId: `0x${index.toString(16).padStart(64, '0')}`,
    slug: `will-event-${index}-take-place`,
    endDate: '2027-12-31T12:00:00Z',
    outcomes: '["Yes", "No"]',
    outcomePrices: '["0.515", "0.485"]',
    clobTokenIds: JSON.stringify([tokenId(index, 0), tokenId(index, 1)]),
    version: 'v1',
    active: true,
    closed: false,
    restricted: true,
    enableOrderBook: true,
    acceptingOrders: true,
    orderPriceMinTickSize: 0.01,
    orderMinSize: 5,
    negRisk: false,
    volume24hr: 1_000_000 - index * 7.03125,
    volume: '12345678.25',
    liquidity: '12345.67',
    liquidityNum: 12345.67,
    bestBid: 0.51,
    bestAsk: 0.52,
    feesEnabled: true,
    feeSchedule: { exponent: 1, rate: 0.04, takerOnly: true, rebateRate: 0.25 },
    ...ballast(index),
  };
}

/** A page of the catalogue from the market with that index on. */
export function marketPage(start: number, size: number): string {
  const end = Math.min(start + size, MARKETS);
  const markets = Array.from({ length: end - start }, (_, index) => marketRecord(start + index));
  return JSON.stringify({ markets, ...(end < MARKETS && { next_cursor: String(end) }) });
}
