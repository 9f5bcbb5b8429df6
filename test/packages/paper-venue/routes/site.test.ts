import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';

const WALLET = `0x${'a1'.repeat(20)}`;
const FUNDER = `0x${'B2'.repeat(20)}`;

let paper: RunningPaper;

beforeEach(async () => {
  paper = await startPaper();
});

describe('the website', () => {
  it('sees its visitors in a country whose pages may not trade', async () => {
    const { status, body } = await paper.get('/api/geoblock');
    expect([status, body]).toStrictEqual([200, { blocked: true, ip: '203.0.113.7', country: 'IE', region: 'L' }]);
  });

  it('sees them elsewhere by a fault', async () => {
    paper.venue.arm([{ fault: 'geoblock-country' }, { fault: 'geoblock-country', text: 'CA-QC' }]);
    expect((await paper.get('/api/geoblock')).body).toMatchObject({ country: 'GB', region: '' });
    expect((await paper.get('/api/geoblock')).body).toMatchObject({ country: 'CA', region: 'QC' });
  });

  it('knows a registered wallet by both addresses until a reset', async () => {
    expect(await paper.get(`/public-profile?address=${WALLET}`)).toMatchObject({
      status: 404,
      body: { type: 'not found error', error: 'profile not found' },
    });
    await paper.send('POST', '/paper/accounts', { address: WALLET, proxy_wallet: FUNDER });
    for (const address of [WALLET, FUNDER]) {
      const { body } = await paper.get(`/public-profile?address=${address}`);
      expect(body).toMatchObject({ proxyWallet: FUNDER.toLowerCase() });
    }
    await paper.send('POST', '/paper/reset');
    expect(await paper.get(`/public-profile?address=${WALLET}`)).toMatchObject({ status: 404 });
  });

  it('knows another wallet by a fault, and refuses what is no address', async () => {
    paper.venue.arm({ fault: 'other-proxy-wallet', text: WALLET });
    expect((await paper.get(`/public-profile?address=${FUNDER}`)).body).toMatchObject({ proxyWallet: WALLET });
    expect(await paper.get('/public-profile?address=me')).toMatchObject({ status: 422 });
  });
});

describe('the approvals', () => {
  const rows = z.object({ data: z.object({ contracts: z.array(z.looseObject({ id: z.string() })) }) });

  async function contracts() {
    const { body } = await paper.get(`/v2/approvals?user=${FUNDER}`);
    return rows.parse(body).data.contracts;
  }

  it('are all given, in the form of the Data API', async () => {
    const { body } = await paper.get(`/v2/approvals?user=${FUNDER}`);
    expect(body).toMatchObject({ data: { address: FUNDER.toLowerCase(), chain_id: 137 } });
    const [first, ...others] = await contracts();
    expect(first).toStrictEqual({
      id: 'UsdcExchange',
      feature: 'trading',
      token: '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb',
      spender: '0xe111180000d2663c0091e4f400237545b87b996b',
      standard: 'ERC20',
      amount: 'max',
      approved: true,
    });
    expect(others).toHaveLength(7);
    expect(others.at(-1)).toStrictEqual({
      id: 'V2PositionManagerExchangeIsApprovedForAll',
      feature: 'trading',
      token: '0x006f54f7f9a22e0000cc2ab60031000000ae9fef',
      spender: '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
      standard: 'ERC1155',
      approved: true,
    });
  });

  it.each([undefined, 'UsdcExchange'])('lack one by a fault: %s', async (text) => {
    paper.venue.arm({ fault: 'missing-approval', text });
    const lacking = (await contracts()).filter(({ approved }) => approved !== true);
    const [id, amount] = text ? [text, { amount: '0' }] : ['V2PositionManagerExchangeIsApprovedForAll', {}];
    expect(lacking).toStrictEqual([expect.objectContaining({ id, ...amount, approved: false })]);
    expect(await contracts()).not.toContainEqual(expect.objectContaining({ approved: false }));
  });

  it('are refused for what is no address', async () => {
    const { status, body } = await paper.get('/v2/approvals?user=me');
    expect([status, body]).toMatchObject([400, { code: 'invalid_request', parameter: 'user' }]);
  });
});
