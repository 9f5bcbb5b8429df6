import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKeyCreds, Chain, createL1Headers } from '@polymarket/clob-client-v2';
import { N as CURVE_ORDER, Signature, toBeHex, Wallet } from 'ethers';
import { SIGNATURE_TYPES } from '../../../shared/account.ts';
import { deriveAccounts } from '../../../shared/venue/polymarket/accounts.ts';
import { clientSigner, officialClient, WALLET } from '../../../tools/support/paper-client.ts';
import {
  type Domain,
  findMarket,
  l2Headers,
  type OrderRequest,
  officialOrder,
  plainMarket,
  postOrder,
  type RunningPaper,
  signedRequest,
  signOrder,
  startPaper,
} from '../../support/venue/paper-venue.ts';

describe('credentials', () => {
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
  });
});

describe('the paper venue refuses with the venue’s own words', () => {
  const STRANGER = new Wallet(`0x${'71'.repeat(32)}`);

  let paper: RunningPaper;
  let creds: ApiKeyCreds;
  let yes: string;
  let clock = 0;

  beforeEach(async () => {
    clock = Date.now();
    paper = await startPaper({ now: () => clock });
    ({ creds } = await officialClient(paper));
    ({ yes } = await plainMarket(paper));
  });

  async function post(request: Partial<OrderRequest>, members: Record<string, unknown> = {}) {
    const signed = await signOrder({ tokenId: yes, ...request });
    const answer = await postSigned(signed.order, members);
    return { id: signed.id, order: signed.order, ...answer };
  }

  async function postSigned(order: unknown, members: Record<string, unknown> = {}) {
    const { status, body } = await postOrder(paper, creds, order, { deferExec: false, at: clock, ...members });
    return { status, answer: body };
  }

  function refusal(text: string) {
    return { status: 400, answer: { error: text } };
  }

  it('a body of the wrong shape', async () => {
    const { order } = await signOrder({ tokenId: yes });
    const wrong: unknown[] = [
      { ...order, salt: String(order.salt) },
      { ...order, salt: 2 ** 53 },
      { ...order, salt: 1.5 },
      { ...order, side: 'buy' },
      { ...order, side: 0 },
      { ...order, makerAmount: 4_000_000 },
      { ...order, makerAmount: '4.0' },
      { ...order, makerAmount: '-4' },
      { ...order, signatureType: 4 },
      { ...order, maker: '0x12' },
      { ...order, metadata: '0x' },
      { ...order, expiration: undefined },
      { ...order, signature: 'none' },
      null,
      [],
    ];
    for (const body of wrong) expect(await postSigned(body)).toStrictEqual(refusal('Invalid order payload'));
    for (const members of [{ orderType: 'IOC' }, { postOnly: 'yes' }, { owner: 7 }]) {
      expect(await postSigned(order, members)).toStrictEqual(refusal('Invalid order payload'));
    }
    const text = await signedRequest(paper, creds, { method: 'POST', path: '/order', body: '{"order":', at: clock });
    expect(text).toMatchObject({ status: 400, body: { error: 'Invalid order payload' } });
  });

  it('an order of another account', async () => {
    const { order } = await signOrder({ tokenId: yes });
    const owner = refusal('the order owner has to be the owner of the API KEY');
    expect(await postSigned(order, { owner: 'somebody' })).toStrictEqual(owner);
    const signer = refusal('the order signer address has to be the address of the API KEY');
    expect(await post({ wallet: STRANGER })).toMatchObject(signer);
    expect(await post({ kind: 3 })).toMatchObject(signer);
  });

  it.each([0, 1, 2, 3] as const)(
    'an order of account kind %i for any account but the right ones of its key',
    async (kind) => {
      const own = deriveAccounts(WALLET.address);
      const sentence = [
        'invalid EOA signature',
        'invalid POLY_PROXY signature',
        'invalid POLY_GNOSIS_SAFE signature',
        'the order signer address has to be the address of the API KEY',
      ].at(kind);
      for (const account of [...own, ...deriveAccounts(STRANGER.address)]) {
        const maker = account.address;
        const order = await officialOrder({ tokenId: yes, price: 0.1, kind, maker });
        const isRight = own.includes(account) && account.signatureType === SIGNATURE_TYPES[kind];
        expect({ maker, ...(await postSigned(order)) }).toMatchObject(
          isRight ? { maker, status: 200, answer: { success: true } } : { maker, ...refusal(sentence ?? '') },
        );
      }
    },
  );

  it('a restricted account', async () => {
    const restrict = (restriction: string | null) =>
      paper.send('POST', '/paper/accounts', { address: WALLET.address, restriction });
    await restrict('banned');
    expect(await post({})).toMatchObject(refusal(`'${WALLET.address}' address banned`));
    await restrict('closed-only');
    expect(await post({})).toMatchObject(refusal(`'${WALLET.address}' address in closed only mode`));
    expect(await post({ side: 'SELL', price: 0.9 })).toMatchObject({ status: 200 });
    await restrict('deposit-wallet-required');
    expect(await post({})).toMatchObject(refusal('maker address not allowed, please use the deposit wallet flow'));
    await restrict(null);
    expect(await post({})).toMatchObject({ status: 200 });
  });

  it('a price off the grid or out of range, naming price and tick', async () => {
    const grid: [string, number, string][] = [
      ['0.555', 0.555, '0.01'],
      ['1', 1, '0.01'],
      ['0.005', 0.005, '0.01'],
    ];
    for (const [text, price, tick] of grid) {
      // 10.01 shares would also be refused for the decimals of their cost: a client must learn of the tick first.
      const { id, ...answer } = await post({ price, size: 10.01 });
      const error = `order ${id} is invalid. Price (${text}) breaks minimum tick size rule: ${tick}`;
      expect(answer).toMatchObject(refusal(error));
    }
    const half = await findMarket(paper, (market) => market.orderPriceMinTickSize === 0.005);
    expect(await post({ tokenId: half.yes, price: 0.396 })).toMatchObject({ status: 400 });
    expect(await post({ tokenId: half.yes, price: 0.395 })).toMatchObject({ status: 200 });
    const quarter = await findMarket(paper, (market) => market.orderPriceMinTickSize === 0.0025);
    expect(await post({ tokenId: quarter.yes, price: 0.2 + 0.0005 })).toMatchObject({ status: 400 });
    expect(await post({ tokenId: quarter.yes, price: 0.2025 })).toMatchObject({ status: 200 });
  });

  it('amounts with too many decimals', async () => {
    const limit = (side: string, maker: number, taker: number) =>
      refusal(
        `invalid amounts, the ${side} orders maker amount supports a max accuracy of ${maker} decimals, taker amount a max of ${taker} decimals`,
      );
    expect(await post({ makerAmount: '3921569', takerAmount: '9999999' })).toMatchObject(limit('buy', 4, 2));
    expect(await post({ price: 0.4, size: 10.001 })).toMatchObject(limit('buy', 4, 2));
    expect(await post({ side: 'SELL', price: 0.9, size: 10.001 })).toMatchObject(limit('sell', 2, 4));
    const market = { makerAmount: '10001000', takerAmount: '18861000' };
    expect(await post(market, { orderType: 'FOK' })).toMatchObject(limit('market buy', 2, 4));
  });

  it('a size below the minimum', async () => {
    const { id, ...answer } = await post({ size: 4.99 });
    expect(answer).toMatchObject(refusal(`order ${id} is invalid. Size (4.99) lower than the minimum: 5`));
    expect(await post({ size: 5 })).toMatchObject({ status: 200 });
  });

  it('post-only that crosses, or of a type that cannot rest', async () => {
    const crossing = refusal('invalid post-only order: order crosses book');
    expect(await post({ price: 0.53 }, { postOnly: true })).toMatchObject(crossing);
    expect(await post({ side: 'SELL', price: 0.51 }, { postOnly: true })).toMatchObject(crossing);
    const type = refusal('invalid post-only order: only GTC and GTD order types are allowed');
    expect(await post({}, { postOnly: true, orderType: 'FOK' })).toMatchObject(type);
    expect(await post({ price: 0.52 }, { postOnly: true })).toMatchObject({ status: 200 });
  });

  it('FOK that cannot fill and FAK that finds nothing, and lets both come again', async () => {
    const fok = await post({ price: 0.53, size: 1_000 }, { orderType: 'FOK' });
    expect(fok).toMatchObject(refusal("order couldn't be fully filled. FOK orders are fully filled or killed."));
    expect(await postSigned(fok.order)).toMatchObject({ status: 200, answer: { status: 'matched' } });
    const fak = await post({ price: 0.2 }, { orderType: 'FAK' });
    expect(fak).toMatchObject(
      refusal(
        'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.',
      ),
    );
  });

  it('an expiration that is too near, or on an order that does not expire', async () => {
    const seconds = Math.floor(clock / 1_000);
    const gtd = { orderType: 'GTD' };
    expect(await post({ expiration: String(seconds + 179) }, gtd)).toMatchObject(refusal('invalid expiration'));
    expect(await post({ expiration: '0' }, gtd)).toMatchObject(refusal('invalid expiration'));
    expect(await post({ expiration: String(seconds + 200) })).toMatchObject(refusal('invalid expiration'));
    expect(await post({ expiration: String(seconds + 181) }, gtd)).toMatchObject({ status: 200 });
  });

  it('the same order again: open, filled or cancelled', async () => {
    const open = await post({});
    const repeat = refusal(`order ${open.id} is invalid. Duplicated.`);
    expect(await postSigned(open.order)).toStrictEqual(repeat);
    expect(await postSigned(open.order, { postOnly: true, orderType: 'FAK' })).toStrictEqual(repeat);
    await signedRequest(paper, creds, { method: 'DELETE', path: '/order', body: { orderID: open.id }, at: clock });
    expect(await postSigned(open.order)).toStrictEqual(repeat);
    const filled = await post({ price: 0.53 });
    expect(filled.answer).toMatchObject({ status: 'matched' });
    expect(await postSigned(filled.order)).toStrictEqual(refusal(`order ${filled.id} is invalid. Duplicated.`));
    expect(paper.venue.orders()).toHaveLength(2);
  });

  it('more than the maker holds, counting what open orders hold back, and takes it again once there is enough', async () => {
    await post({ price: 0.5, size: 1_990 });
    const over = await post({ price: 0.5, size: 20 });
    const text = 'balance: 1000000000, sum of active orders: 995000000, order amount: 10000000';
    expect(over).toMatchObject(refusal(`not enough balance / allowance: the balance is not enough -> ${text}`));
    const sale = await post({ side: 'SELL', price: 0.9, size: 1_000.01 });
    const shares = 'balance: 1000000000, order amount: 1000010000';
    expect(sale).toMatchObject(refusal(`not enough balance / allowance: the balance is not enough -> ${shares}`));
    await paper.send('POST', '/paper/accounts', { address: WALLET.address, collateral: '2000' });
    expect(await postSigned(over.order)).toMatchObject({ status: 200 });
  });
});

describe('the paper venue verifies order signatures', () => {
  const DOMAINS: readonly Domain[] = ['plain', 'negRisk', 'protocolV2'];
  const KINDS = [0, 1, 2, 3] as const;

  let paper: RunningPaper;
  let creds: ApiKeyCreds;
  let tokens: Readonly<Record<Domain, string>>;

  beforeEach(async () => {
    paper = await startPaper();
    ({ creds } = await officialClient(paper));
    const token = async (version: 'v1' | 'v2', negRisk: boolean) =>
      (
        await findMarket(
          paper,
          (m) => m.version === version && m.negRisk === negRisk && m.orderPriceMinTickSize === 0.01,
        )
      ).yes;
    tokens = {
      plain: await token('v1', false),
      negRisk: await token('v1', true),
      protocolV2: await token('v2', true),
    };
  });

  async function post(order: object) {
    const { status, body } = await postOrder(paper, creds, order, { postOnly: true });
    return { status, answer: body };
  }

  const INVALID = { status: 400, answer: { error: expect.stringMatching(/^invalid [A-Z_]\w* signature/) } };
  const MISMATCH = { status: 400, answer: { error: 'order_version_mismatch' } };

  it.each(KINDS)('takes account kind %i on every exchange, and only for the exchange of the market', async (kind) => {
    for (const market of DOMAINS) {
      for (const domain of DOMAINS) {
        const order = await officialOrder({ tokenId: tokens[market], domain, kind, price: 0.1 });
        expect(await post(order)).toMatchObject(
          domain === market ? { status: 200, answer: { status: 'live' } } : MISMATCH,
        );
      }
    }
  });

  it.each(KINDS)('refuses any change to a signed order of account kind %i', async (kind) => {
    const order = await officialOrder({ tokenId: tokens.plain, kind, price: 0.1 });
    const changes = [
      { salt: order.salt + 1 },
      { makerAmount: '500000' },
      { takerAmount: '20000000' },
      { side: 'SELL', makerAmount: order.takerAmount, takerAmount: order.makerAmount },
      { timestamp: '1795000000001' },
      { metadata: `0x${'01'.repeat(32)}` },
      { builder: `0x${'01'.repeat(32)}` },
    ];
    for (const change of changes) expect(await post({ ...order, ...change })).toStrictEqual(INVALID);
    expect(await post(order)).toMatchObject({ status: 200 });
  });

  it('takes of the two signatures that can be made of one only that with a low s', async () => {
    const order = await officialOrder({ tokenId: tokens.plain, price: 0.1 });
    const { r, s, yParity } = Signature.from(order.signature);
    const highS = toBeHex(CURVE_ORDER - BigInt(s), 32).slice(2);
    expect(await post({ ...order, signature: `${r}${highS}${yParity === 0 ? '1c' : '1b'}` })).toStrictEqual(INVALID);
  });

  it('checks every part of a nested signature', async () => {
    const order = await officialOrder({ tokenId: tokens.plain, kind: 3, price: 0.1 });
    const { signature } = order;
    expect(signature).toHaveLength(2 + 2 * (65 + 32 + 32 + 186 + 2));
    // One hex digit each of: inner signature, domain separator, contents hash, type string, length.
    for (const byte of [10, 70, 100, 200, 316]) {
      const at = 2 + byte * 2 + 1;
      const digit = signature[at] === '0' ? '1' : '0';
      const broken = signature.slice(0, at) + digit + signature.slice(at + 1);
      expect(await post({ ...order, signature: broken })).toStrictEqual(INVALID);
    }
    expect(await post({ ...order, signature: signature.slice(0, 2 + 65 * 2) })).toStrictEqual(INVALID);
    expect(await post({ ...order, signature: `${signature}00` })).toStrictEqual(INVALID);
    const [, , older] = deriveAccounts(WALLET.address);
    expect(await post({ ...order, maker: older?.address, signer: older?.address })).toStrictEqual(INVALID);
  });
});
