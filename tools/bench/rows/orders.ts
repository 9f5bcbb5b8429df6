import { type Bench, inTurn, type Percentile, percentilesOf, ratesOf } from '../bench.ts';
import { load } from '../load.ts';
import { startOfficialClient } from '../official-client.ts';
import { ORDER, startProxy, startService, startVenue, VENUE_DELAY_MS } from '../services.ts';
import { TOKEN_ID } from '../venue/records.ts';

const PATH = '/v1/orders';

const WALLET = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
/** The bytes that go to the venue, which checks no signature. */
const SIGNED_ORDER = JSON.stringify({
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

/** Response times behind a percentile in a full run, all rounds together: 200 of them are above the p99. */
const RESPONSES = 20_000;

function latency(name: string, percentile: Percentile, atMost: number) {
  return {
    name: `order-${name}`,
    figure: `order ${name}, venue at ${VENUE_DELAY_MS} ms`,
    baseline: `bare node:http proxy, ${name}`,
    unit: 'ms',
    percentile,
    target: { atMost },
  } as const;
}

/** Orders at a venue that takes its time: the cost of signing and the rest over a bare hop. */
export const orderLatency: Bench = {
  rows: [latency('p50', 0.5, 1.06), latency('p99', 0.99, 1.2)],
  async *rounds(extent) {
    await using venue = await startVenue(VENUE_DELAY_MS);
    await using service = await startService(venue.url);
    await using proxy = await startProxy(venue.url);
    const ours = (amount: number) => load({ url: service.url + PATH, ...ORDER, amount });
    const theirs = (amount: number) => load({ url: `${proxy.url}/order`, ...ORDER, body: SIGNED_ORDER, amount });
    await ours(extent.count(1_000));
    await theirs(extent.count(1_000));
    const amount = extent.count(RESPONSES / extent.rounds);
    for (let round = 0; ; round += 1) {
      // In turn: side by side, the service would take the proxy's processor time and look faster.
      const loads = await inTurn(
        round,
        () => ours(amount),
        () => theirs(amount),
      );
      yield { 'order-p50': percentilesOf(0.5, ...loads), 'order-p99': percentilesOf(0.99, ...loads) };
    }
  },
};

/** Orders at a venue that answers at once: the rate of one core. */
export const orderRate: Bench = {
  rows: [
    {
      name: 'order-rate',
      figure: 'orders, 10 connections, venue at 0 ms',
      baseline: 'official client in process',
      unit: 'req/s',
      target: { atLeast: 1.25 },
    },
  ],
  async *rounds(extent) {
    await using venue = await startVenue(0);
    await using service = await startService(venue.url);
    await using client = await startOfficialClient(venue.url);
    const seconds = extent.seconds(2);
    const ours = () => load({ url: service.url + PATH, ...ORDER, seconds });
    const theirs = () => client.place(seconds);
    await ours();
    await theirs();
    for (let round = 0; ; round += 1) yield { 'order-rate': ratesOf(...(await inTurn(round, ours, theirs))) };
  },
};
