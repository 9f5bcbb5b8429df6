import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Chain, createL1Headers } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { clientSigner, officialClient, WALLET } from '../../../../tools/support/paper-client.ts';
import { plainMarket } from '../../../support/venue/paper-markets.ts';
import { signOrder } from '../../../support/venue/paper-order.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { l2Headers, signedRequest } from '../../../support/venue/signed-request.ts';

const L1_REFUSED = { status: 401, body: { error: 'Invalid L1 Request headers' } };
const L2_REFUSED = { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
const stranger = new Wallet(`0x${'71'.repeat(32)}`);

let paper: RunningPaper;

async function l1(nonce = 0, at = Math.floor(Date.now() / 1_000)) {
  const headers = await createL1Headers(clientSigner(WALLET), Chain.POLYGON, nonce, at);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function create(headers: Record<string, string>) {
  return paper.send('POST', '/auth/api-key', undefined, headers);
}

beforeEach(async () => {
  paper = await startPaper();
});

describe('L1: creating and deriving credentials', () => {
  it('creates once per nonce and derives the same triple, but only after it was created', async () => {
    expect(await paper.get('/auth/derive-api-key', await l1())).toMatchObject({
      status: 400,
      body: { error: 'Could not derive api key!' },
    });
    const created = await create(await l1());
    expect(created.body).toStrictEqual({
      apiKey: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      secret: expect.stringMatching(/^[\w-]{43}=$/),
      passphrase: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await create(await l1())).toMatchObject({ status: 400, body: { error: 'Could not create api key' } });
    expect((await paper.get('/auth/derive-api-key', await l1())).body).toStrictEqual(created.body);
    expect((await create(await l1(1))).body).not.toStrictEqual(created.body);
  });

  it('refuses a signature that is not the address’s, or not of this timestamp and nonce', async () => {
    const headers = await l1();
    for (const change of [
      { POLY_ADDRESS: stranger.address },
      { POLY_NONCE: '1' },
      { POLY_TIMESTAMP: String(Number(headers['POLY_TIMESTAMP']) + 1) },
      { POLY_SIGNATURE: `0x${'22'.repeat(65)}` },
      { POLY_SIGNATURE: '' },
      { POLY_ADDRESS: 'me' },
    ]) {
      expect(await create({ ...headers, ...change })).toMatchObject(L1_REFUSED);
    }
    expect(await create({})).toMatchObject(L1_REFUSED);
    expect(await create(await l1(0, Math.floor(Date.now() / 1_000) - 60))).toMatchObject(L1_REFUSED);
    expect(await create(headers)).toMatchObject({ status: 200 });
  });
});

describe('L2: the HMAC over the raw body', () => {
  let creds: ApiKeyCreds;
  let body: string;

  beforeEach(async () => {
    ({ creds } = await officialClient(paper));
    const { yes } = await plainMarket(paper);
    const { order } = await signOrder({ tokenId: yes });
    body = JSON.stringify({ order, owner: creds.key, orderType: 'GTC' });
  });

  it('takes only the bytes that were signed', async () => {
    const headers = l2Headers(creds, { method: 'POST', path: '/order', body });
    expect(await paper.send('POST', '/order', `${body} `, headers)).toMatchObject(L2_REFUSED);
    expect(await paper.send('POST', '/order', body.replace('GTC', 'FAK'), headers)).toMatchObject(L2_REFUSED);
    expect(paper.venue.orders()).toStrictEqual([]);
    expect(await paper.send('POST', '/order', body, headers)).toMatchObject({ status: 200 });
  });

  it('refuses headers of another request, key, address, secret or time', async () => {
    const call = { method: 'POST', path: '/order', body };
    const headers = l2Headers(creds, call);
    const { creds: others } = await officialClient(paper, { wallet: stranger });
    const broken: Record<string, string>[] = [
      { ...headers, POLY_ADDRESS: stranger.address },
      { ...headers, POLY_API_KEY: others.key },
      { ...headers, POLY_PASSPHRASE: others.passphrase },
      { ...headers, POLY_TIMESTAMP: String(Number(headers.POLY_TIMESTAMP) + 1) },
      { ...headers, POLY_SIGNATURE: headers.POLY_SIGNATURE.replace('=', '') },
      l2Headers(creds, { ...call, method: 'DELETE' }),
      l2Headers(creds, { ...call, path: '/orders' }),
      l2Headers(creds, { ...call, at: Date.now() - 60_000 }),
      l2Headers(creds, { ...call, at: Date.now() + 60_000 }),
      l2Headers({ ...creds, secret: others.secret }, call),
      {},
    ];
    for (const wrong of broken) expect(await paper.send('POST', '/order', body, wrong)).toMatchObject(L2_REFUSED);
    expect(paper.venue.orders()).toStrictEqual([]);
  });

  it('guards every path of an account', async () => {
    for (const [method, path] of [
      ['GET', '/data/orders'],
      ['GET', '/data/trades'],
      ['GET', `/data/order/0x${'00'.repeat(32)}`],
      ['GET', '/balance-allowance'],
      ['GET', '/auth/api-keys'],
      ['GET', '/auth/ban-status/closed-only'],
      ['DELETE', '/auth/api-key'],
      ['DELETE', '/order'],
      ['DELETE', '/orders'],
      ['DELETE', '/cancel-all'],
      ['DELETE', '/cancel-market-orders'],
      ['POST', '/orders'],
    ] as const) {
      expect(await paper.send(method, path)).toMatchObject(L2_REFUSED);
    }
  });

  it('shows and cancels an account’s own orders only', async () => {
    const { creds: others, client } = await officialClient(paper, { wallet: stranger });
    const posted = await signedRequest(paper, creds, { method: 'POST', path: '/order', body });
    const [order] = paper.venue.orders();
    expect(posted.status).toBe(200);
    expect(await client.getOrder(order?.id ?? '')).toBeNull();
    expect(await client.getOpenOrders()).toStrictEqual([]);
    expect(others.key).not.toBe(creds.key);
    expect(await client.cancelOrder({ orderID: order?.id ?? '' })).toStrictEqual({
      canceled: [],
      not_canceled: { [order?.id ?? '']: "order can't be found" },
    });
  });
});
