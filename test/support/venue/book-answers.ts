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
