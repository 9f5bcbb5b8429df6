import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeyCreds } from '@polymarket/clob-client-v2';
import { N as CURVE_ORDER, Signature, toBeHex, Wallet } from 'ethers';
import { deriveAccounts } from '../../../../shared/venue/polymarket/accounts.ts';
import { officialClient, WALLET } from '../../../../tools/support/paper-client.ts';
import { findMarket } from '../../../support/venue/paper-markets.ts';
import { type Domain, officialOrder } from '../../../support/venue/paper-order.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { postOrder } from '../../../support/venue/signed-request.ts';

const DOMAINS: readonly Domain[] = ['plain', 'negRisk', 'protocolV2'];
const KINDS = [0, 1, 2, 3] as const;

let paper: RunningPaper;
let creds: ApiKeyCreds;
let tokens: Readonly<Record<Domain, string>>;

beforeEach(async () => {
  paper = await startPaper();
  ({ creds } = await officialClient(paper));
  const token = async (version: 'v1' | 'v2', negRisk: boolean) =>
    (await findMarket(paper, (m) => m.version === version && m.negRisk === negRisk && m.orderPriceMinTickSize === 0.01))
      .yes;
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

describe('the paper venue verifies order signatures', () => {
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

  it('refuses the signature of another wallet', async () => {
    const stranger = new Wallet(`0x${'71'.repeat(32)}`);
    const maker = deriveAccounts(WALLET.address)[1]?.address ?? '';
    const order = await officialOrder({ tokenId: tokens.plain, kind: 3, price: 0.1, wallet: stranger, maker });
    expect(await post(order)).toStrictEqual(INVALID);
    const other = await officialOrder({ tokenId: tokens.plain, price: 0.1 });
    expect(await post({ ...other, signature: `0x${'11'.repeat(65)}` })).toStrictEqual(INVALID);
    expect(await post({ ...other, signature: other.signature.slice(0, -2) })).toStrictEqual(INVALID);
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
