/** An invented key: no funds. */
export const PRIVATE_KEY = `0x${'1f'.repeat(32)}` as const;
/** The API credentials of the service and of the official client. */
export const CREDENTIALS = { key: 'bench-key', secret: 'YmVuY2gtc2VjcmV0LWJlbmNo', passphrase: 'bench' } as const;

/** The token that the benchmark trades. */
export const TOKEN_ID = '71321045679252212594626385532706912750332728571942532289631379312455583992563';

const LEVELS = 30;

function level(cents: number) {
  return { price: (cents / 100).toFixed(2), size: (1000 + cents * 7.25).toString() };
}

/** A book as the venue sends it, best price last: 30 levels a side, the size of a busy market's. */
export const BOOK = JSON.stringify({
  ...{ market: `0x${'ab'.repeat(32)}`, asset_id: TOKEN_ID, timestamp: '1763650000000' },
  hash: 'c2d2a0b8e0c7a6b5d4c3f2e1a0b9c8d7e6f5a4b3',
  bids: Array.from({ length: LEVELS }, (_, index) => level(50 - LEVELS + index)),
  asks: Array.from({ length: LEVELS }, (_, index) => level(51 + LEVELS - index)),
  ...{ min_order_size: '5', tick_size: '0.01', neg_risk: false, last_trade_price: '0.51' },
});

/** The catalogue as Gamma lists it: one market, open for orders. */
export const MARKETS = JSON.stringify({
  markets: [
    {
      ...{ id: '500000', question: 'Will it take place?', conditionId: `0x${'cd'.repeat(32)}`, negRisk: false },
      ...{ outcomes: '["Yes", "No"]', outcomePrices: '["0.515", "0.485"]' },
      clobTokenIds: JSON.stringify([TOKEN_ID, '1']),
      ...{ version: 'v1', active: true, closed: false, enableOrderBook: true, acceptingOrders: true },
      ...{ orderPriceMinTickSize: 0.01, orderMinSize: 5, volume24hr: 1_000_000.03125, liquidity: '12345.67' },
      feeSchedule: { exponent: 1, rate: 0.04, takerOnly: true },
    },
  ],
});

const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';

/** The bytes of an order for the venue, which checks no signature. */
export const SIGNED_ORDER = JSON.stringify({
  ...{ deferExec: false, postOnly: true, owner: 'bench-key', orderType: 'GTC' },
  order: {
    ...{ salt: 873_456_234_512, maker: WALLET, signer: WALLET, tokenId: TOKEN_ID, side: 'BUY', signatureType: 0 },
    ...{ makerAmount: '5100000', takerAmount: '10000000', timestamp: '1763650000000', expiration: '0' },
    ...{ metadata: `0x${'00'.repeat(32)}`, builder: `0x${'00'.repeat(32)}`, signature: `0x${'ab'.repeat(64)}1b` },
  },
});
