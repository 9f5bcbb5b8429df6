/** An invented book in the venue's shape, worst prices first as the venue sends them. */
export function bookAnswer(tokenId: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    market: `0x${'3c'.repeat(32)}`,
    asset_id: tokenId,
    timestamp: '1791241810525',
    hash: '5f0c1d2e',
    bids: [
      { price: '0.49', size: '20.5' },
      { price: '0.5', size: '1123' },
      { price: '0.51', size: '7.25' },
    ],
    asks: [
      { price: '0.6', size: '900.50' },
      { price: '0.53', size: '0.000001' },
    ],
    min_order_size: '5',
    tick_size: '0.01',
    neg_risk: false,
    last_trade_price: '0.040',
    ...changes,
  };
}

/** Invented records in the shape of the venue's catalogue. */

/** A token id of protocol v1 that no market has. */
export function v1TokenId(n: number): string {
  return (2n ** 255n + BigInt(n) * 2n ** 64n + 0x0f0f_0f00_0000n + BigInt(n)).toString();
}

/** A position id of protocol v2: its 64 reserved bits are zero. */
export function v2TokenId(n: number): string {
  return ((1n << 248n) | (BigInt(n) << 120n) | BigInt(n % 2)).toString();
}

/** A market as Gamma writes it: lists as JSON inside a string. */
export function gammaMarket(id: number, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: String(id),
    question: `Will kite ${id} fly?`,
    conditionId: `0x${id.toString(16).padStart(64, '0')}`,
    slug: `will-kite-${id}-fly`,
    endDate: '2031-05-04T12:00:00Z',
    outcomes: '["Yes", "No"]',
    outcomePrices: '["0.515", "0.485"]',
    clobTokenIds: JSON.stringify([v1TokenId(2 * id), v1TokenId(2 * id + 1)]),
    active: true,
    closed: false,
    archived: false,
    restricted: true,
    enableOrderBook: true,
    acceptingOrders: true,
    version: 'v1',
    negRisk: false,
    orderPriceMinTickSize: 0.01,
    orderMinSize: 5,
    volume24hr: 1_000 - id,
    liquidity: '12345.6700',
    bestBid: 0.51,
    bestAsk: 0.52,
    events: [{ id: '9', slug: 'kites', title: 'Kites that fly' }],
    feesEnabled: true,
    feeSchedule: { exponent: 1, rate: 0.04, takerOnly: true, rebateRate: 0.25 },
    ...changes,
  };
}
