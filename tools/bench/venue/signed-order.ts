import { TOKEN_ID } from './records.ts';

const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';

/** The body that is posted to the venue, for a load on the stub alone, which looks at no signature. */
export const SIGNED_ORDER = JSON.stringify({
  deferExec: false,
  postOnly: true,
  order: {
    salt: 873_456_234_512,
    maker: WALLET,
    signer: WALLET,
    tokenId: TOKEN_ID,
    makerAmount: '5100000',
    takerAmount: '10000000',
    side: 'BUY',
    signatureType: 0,
    timestamp: '1763650000000',
    expiration: '0',
    metadata: `0x${'00'.repeat(32)}`,
    builder: `0x${'00'.repeat(32)}`,
    signature: `0x${'ab'.repeat(64)}1b`,
  },
  owner: 'bench-key',
  orderType: 'GTC',
});
