import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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
  sharedPaper,
  signedRequest,
  signOrder,
  startPaper,
} from '../../support/venue/paper-venue.ts';

const STRANGER = new Wallet(`0x${'71'.repeat(32)}`);

describe('credentials', () => {
  const L1_REFUSED = { status: 401, body: { error: 'Invalid L1 Request headers' } };
  const L2_REFUSED = { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
  const now = () => Math.floor(Date.now() / 1_000);

  async function l1(nonce = 0, at = now()) {
    const headers = await createL1Headers(clientSigner(WALLET), Chain.POLYGON, nonce, at);
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  }

  it('are created once per nonce by a signature of the address, and derived as the same triple after that', async () => {
    const { get, send } = await startPaper();
    const create = (headers: Record<string, string>) => send('POST', '/auth/api-key', undefined, headers);
    const headers = await l1();
    expect(await get('/auth/derive-api-key', headers)).toMatchObject({ status: 400 });
    for (const change of [
      ...[{ POLY_ADDRESS: STRANGER.address }, { POLY_ADDRESS: 'me' }, { POLY_NONCE: '1' }],
      ...[{ POLY_TIMESTAMP: String(now() + 1) }, { POLY_SIGNATURE: `0x${'22'.repeat(65)}` }, { POLY_SIGNATURE: '' }],
      await l1(0, now() - 60),
    ])
      expect(await create({ ...headers, ...change })).toMatchObject(L1_REFUSED);
    const { body } = await create(headers);
    expect(await create(headers)).toMatchObject({ status: 400, body: { error: 'Could not create api key' } });
    expect((await get('/auth/derive-api-key', headers)).body).toStrictEqual(body);
    expect((await create(await l1(1))).body).not.toStrictEqual(body);
  });

  it('are valid only for the signed bytes, path and time of a request, and for one address', async () => {
    const paper = await startPaper();
    const { creds } = await officialClient(paper);
    const { creds: others } = await officialClient(paper, { wallet: STRANGER });
    const { order } = await signOrder({ tokenId: (await plainMarket(paper)).yes });
    const body = JSON.stringify({ order, owner: creds.key, orderType: 'GTC' });
    const call = { method: 'POST', path: '/order', body };
    const headers = l2Headers(creds, call);
    const broken: Record<string, string>[] = [
      { ...headers, POLY_ADDRESS: STRANGER.address },
      { ...headers, POLY_API_KEY: others.key },
      { ...headers, POLY_PASSPHRASE: others.passphrase },
      { ...headers, POLY_TIMESTAMP: String(Number(headers.POLY_TIMESTAMP) + 1) },
      { ...headers, POLY_SIGNATURE: headers.POLY_SIGNATURE.replace('=', '') },
      ...[{ body: `${body} ` }, { method: 'DELETE' }, { path: '/orders' }, { at: Date.now() - 60_000 }].map((change) =>
        l2Headers(creds, { ...call, ...change }),
      ),
      l2Headers({ ...creds, secret: others.secret }, call),
      {},
    ];
    for (const wrong of broken) expect(await paper.send('POST', '/order', body, wrong)).toMatchObject(L2_REFUSED);
    expect(paper.venue.orders()).toStrictEqual([]);
    expect(await paper.send('POST', '/order', body, headers)).toMatchObject({ status: 200 });
  });
});

describe('orders', () => {
  const NOW = Date.UTC(2026, 10, 26, 12);
  const seconds = Math.floor(NOW / 1_000);
  const gtd = { orderType: 'GTD' };

  let paper: RunningPaper;
  let creds: ApiKeyCreds;
  let yes: string;

  async function start(open: typeof startPaper) {
    paper = await open({ now: () => NOW, clockToleranceSeconds: 1e9 });
    ({ creds } = await officialClient(paper));
    ({ yes } = await plainMarket(paper));
  }

  async function postSigned(order: unknown, members: Record<string, unknown> = {}) {
    const { status, body } = await postOrder(paper, creds, order, { deferExec: false, at: NOW, ...members });
    return { status, answer: body };
  }

  async function post(request: Partial<OrderRequest>, members: Record<string, unknown> = {}) {
    const { id, order } = await signOrder({ tokenId: yes, ...request });
    return { id, order, ...(await postSigned(order, members)) };
  }

  function refusal(error: string) {
    return { status: 400, answer: { error } };
  }

  describe('of which each stands alone', () => {
    beforeAll(() => start(sharedPaper));

    const SIGNER = 'the order signer address has to be the address of the API KEY';
    const CROSSES = 'invalid post-only order: order crosses book';
    const accuracy = (side: string, maker: number, taker: number) =>
      `invalid amounts, the ${side} orders maker amount supports a max accuracy of ${maker} decimals, taker amount a max of ${taker} decimals`;
    const offTick = (price: string) => `order ID is invalid. Price (${price}) breaks minimum tick size rule: 0.01`;

    it.each<[Partial<OrderRequest>, Record<string, unknown>, string]>([
      [{}, { owner: 'somebody' }, 'the order owner has to be the owner of the API KEY'],
      [{ wallet: STRANGER }, {}, SIGNER],
      [{ kind: 3 }, {}, SIGNER],
      // 10.01 shares would also be refused for the decimals of their cost: a client must learn of the tick first.
      [{ price: 0.555, size: 10.01 }, {}, offTick('0.555')],
      [{ price: 1, size: 10.01 }, {}, offTick('1')],
      [{ price: 0.005, size: 10.01 }, {}, offTick('0.005')],
      [{ makerAmount: '3921569', takerAmount: '9999999' }, {}, accuracy('buy', 4, 2)],
      [{ price: 0.4, size: 10.001 }, {}, accuracy('buy', 4, 2)],
      [{ side: 'SELL', price: 0.9, size: 10.001 }, {}, accuracy('sell', 2, 4)],
      [{ makerAmount: '10001000', takerAmount: '18861000' }, { orderType: 'FOK' }, accuracy('market buy', 2, 4)],
      [{ size: 4.99 }, {}, 'order ID is invalid. Size (4.99) lower than the minimum: 5'],
      [{ price: 0.53 }, { postOnly: true }, CROSSES],
      [{ side: 'SELL', price: 0.51 }, { postOnly: true }, CROSSES],
      [{}, { postOnly: true, orderType: 'FOK' }, 'invalid post-only order: only GTC and GTD order types are allowed'],
      [
        { price: 0.53, size: 1_000 },
        { orderType: 'FOK' },
        "order couldn't be fully filled. FOK orders are fully filled or killed.",
      ],
      [
        { price: 0.2 },
        { orderType: 'FAK' },
        'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.',
      ],
      [{ expiration: String(seconds + 179) }, gtd, 'invalid expiration'],
      [{ expiration: '0' }, gtd, 'invalid expiration'],
      [{ expiration: String(seconds + 200) }, {}, 'invalid expiration'],
      [{ size: 5 }, {}, 'taken'],
      [{ price: 0.52 }, { postOnly: true }, 'taken'],
      [{ expiration: String(seconds + 181) }, gtd, 'taken'],
    ])('takes or refuses %j with %j: %s', async (request, members, text) => {
      const { id, status, answer } = await post(request, members);
      const expected = text === 'taken' ? { status: 200, answer } : refusal(text.replace('ID', id));
      expect({ status, answer }).toStrictEqual(expected);
      expect(paper.venue.orders().some((order) => order.id === id)).toBe(text === 'taken');
    });

    it.each([0, 1, 2, 3] as const)('refuses an account that its key does not control by kind %i', async (kind) => {
      const own = deriveAccounts(WALLET.address);
      const names = ['EOA', 'POLY_PROXY', 'POLY_GNOSIS_SAFE'];
      const sentence = kind === 3 ? SIGNER : `invalid ${names[kind]} signature`;
      for (const account of [...own, ...deriveAccounts(STRANGER.address)]) {
        const maker = account.address;
        const order = await officialOrder({ tokenId: yes, price: 0.1, kind, maker });
        const isRight = own.includes(account) && account.signatureType === SIGNATURE_TYPES[kind];
        const expected = isRight ? { status: 200, answer: { success: true } } : refusal(sentence);
        expect({ maker, ...(await postSigned(order)) }).toMatchObject({ maker, ...expected });
      }
    });

    const DOMAINS: readonly Domain[] = ['plain', 'negRisk', 'protocolV2'];

    async function tokenOf(domain: Domain): Promise<string> {
      const fits = { version: domain === 'protocolV2' ? 'v2' : 'v1', negRisk: domain !== 'plain' };
      const market = await findMarket(
        paper,
        ({ version, negRisk, orderPriceMinTickSize: tick }) =>
          version === fits.version && negRisk === fits.negRisk && tick === 0.01,
      );
      return market.yes;
    }

    const INVALID = { status: 400, answer: { error: expect.stringMatching(/^invalid [A-Z_]\w* signature/) } };
    const MISMATCH = { status: 400, answer: { error: 'order_version_mismatch' } };
    const TAKEN = { status: 200, answer: { status: 'live' } };

    it.each([0, 1, 2, 3] as const)(
      'takes a signature of kind %i on every exchange, and only for that of the market',
      async (kind) => {
        for (const domain of DOMAINS) {
          const own = await officialOrder({ tokenId: await tokenOf(domain), domain, kind, price: 0.1 });
          expect(await postSigned(own)).toMatchObject(TAKEN);
          if (domain === 'plain') continue;
          const other = await officialOrder({ tokenId: yes, domain, kind, price: 0.1 });
          expect(await postSigned(other)).toMatchObject(MISMATCH);
        }
      },
    );

    it.each([0, 3] as const)('refuses a signature of kind %i after any change of the order, or of it', async (kind) => {
      const order = await officialOrder({ tokenId: yes, kind, price: 0.1 });
      const { signature } = order;
      const { r, s, yParity } = Signature.from(signature.slice(0, 2 + 65 * 2));
      const highS = `${r}${toBeHex(CURVE_ORDER - BigInt(s), 32).slice(2)}${yParity === 0 ? '1c' : '1b'}`;
      // One hex digit each of: inner signature, domain separator, contents hash, type string, length.
      const digits = [10, 70, 100, 200, 316].map((byte) => 3 + byte * 2).filter((at) => at < signature.length);
      const spoilt = digits.map(
        (at) => signature.slice(0, at) + (signature[at] === '0' ? 1 : 0) + signature.slice(at + 1),
      );
      const [, , older] = deriveAccounts(WALLET.address);
      const changes = [
        ...[{ salt: order.salt + 1 }, { makerAmount: '500000' }, { takerAmount: '20000000' }],
        { side: 'SELL', makerAmount: order.takerAmount, takerAmount: order.makerAmount },
        ...[{ timestamp: '1795000000001' }, { metadata: `0x${'01'.repeat(32)}` }, { builder: `0x${'01'.repeat(32)}` }],
        ...[...spoilt, highS].map((each) => ({ signature: each })),
        ...(kind === 3 ? [{ signature: `${signature}00` }, { maker: older?.address, signer: older?.address }] : []),
      ];
      for (const change of changes)
        expect({ change, ...(await postSigned({ ...order, ...change })) }).toStrictEqual({ change, ...INVALID });
      expect(await postSigned(order)).toMatchObject(TAKEN);
    });
  });

  describe('after others', () => {
    beforeEach(() => start(startPaper));

    it('a restricted account is refused', async () => {
      for (const [restriction, sentence] of [
        ['banned', `'${WALLET.address}' address banned`],
        ['closed-only', `'${WALLET.address}' address in closed only mode`],
        ['deposit-wallet-required', 'maker address not allowed, please use the deposit wallet flow'],
      ] as const) {
        await paper.send('POST', '/paper/accounts', { address: WALLET.address, restriction });
        expect(await post({})).toMatchObject(refusal(sentence));
        if (restriction === 'closed-only')
          expect(await post({ side: 'SELL', price: 0.9 })).toMatchObject({ status: 200 });
      }
    });

    it('are duplicates of an open and a cancelled one, and not of one that was refused', async () => {
      const open = await post({});
      const repeat = refusal(`order ${open.id} is invalid. Duplicated.`);
      expect(await postSigned(open.order, { postOnly: true, orderType: 'FAK' })).toStrictEqual(repeat);
      await signedRequest(paper, creds, { method: 'DELETE', path: '/order', body: { orderID: open.id }, at: NOW });
      expect(await postSigned(open.order)).toStrictEqual(repeat);
      const killed = await post({ price: 0.53, size: 1_000 }, { orderType: 'FOK' });
      expect(await postSigned(killed.order)).toMatchObject({ status: 200, answer: { status: 'matched' } });
      expect(paper.venue.orders()).toHaveLength(2);
    });

    it('are refused above what the maker holds, counting what open orders hold back, and taken once there is enough', async () => {
      await post({ price: 0.5, size: 1_990 });
      const over = await post({ price: 0.5, size: 20 });
      const short = 'not enough balance / allowance: the balance is not enough -> balance: 1000000000,';
      expect(over).toMatchObject(refusal(`${short} sum of active orders: 995000000, order amount: 10000000`));
      const sale = await post({ side: 'SELL', price: 0.9, size: 1_000.01 });
      expect(sale).toMatchObject(refusal(`${short} order amount: 1000010000`));
      await paper.send('POST', '/paper/accounts', { address: WALLET.address, collateral: '2000' });
      expect(await postSigned(over.order)).toMatchObject({ status: 200 });
    });
  });
});
