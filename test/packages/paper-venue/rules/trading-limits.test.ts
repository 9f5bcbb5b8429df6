import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiKeyCreds } from '@polymarket/clob-client-v2';
import { officialClient } from '../../../../tools/support/paper-client.ts';
import { plainMarket } from '../../../support/venue/paper-markets.ts';
import { signOrder } from '../../../support/venue/paper-order.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';
import { signedRequest } from '../../../support/venue/signed-request.ts';

/** Half a second after a whole one. */
const START = 1_795_185_720_500;

let paper: RunningPaper;
let creds: ApiKeyCreds;
let yes: string;
let clock = 0;

beforeEach(async () => {
  clock = Date.now();
  paper = await startPaper({ now: () => clock, clockToleranceSeconds: 1e9 });
  ({ creds } = await officialClient(paper));
  ({ yes } = await plainMarket(paper));
  clock = START;
});

async function ask(method: string, path: string, body: unknown, by = creds) {
  const { status, headers } = await signedRequest(paper, by, { method, path, body, at: clock });
  const told = ['remaining', 'reset', 'tier', 'warning'].map((name) => headers.get(`poly-ratelimit-${name}`));
  return { status, told };
}

async function order(price = 0.1) {
  return { order: (await signOrder({ tokenId: yes, price })).order, owner: creds.key, orderType: 'GTC' };
}

describe('the limits of a signer on the paper venue', () => {
  it('are told with every order, refused ones too, and come back with time', async () => {
    const second = String(Math.ceil(START / 1_000));
    expect(await ask('POST', '/order', await order())).toStrictEqual({
      status: 200,
      told: ['59', second, 'standard', null],
    });
    expect(await ask('POST', '/order', {})).toStrictEqual({ status: 400, told: ['58', second, 'standard', null] });
    clock += 25;
    expect((await ask('POST', '/order', {})).told).toStrictEqual(['58', second, 'standard', null]);
    clock += 60_000;
    expect((await ask('POST', '/order', {})).told[0]).toBe('59');
  });

  it('warn of what the venue would refuse, and refuse nothing', async () => {
    const batch = await Promise.all(Array.from({ length: 15 }, () => order()));
    for (const left of ['45', '30', '15', '0']) {
      expect(await ask('POST', '/orders', batch)).toMatchObject({
        status: 200,
        told: [left, expect.any(String), 'standard', null],
      });
    }
    // Forty come back in a second: fifteen of them in 375 ms.
    const reset = String(Math.ceil((START + 375) / 1_000));
    const more = await ask('POST', '/orders', [{}, ...batch.slice(1)]);
    expect(more).toStrictEqual({ status: 200, told: ['0', reset, 'standard', 'true'] });
  });

  it('count cancellations apart, and no reads and no strangers', async () => {
    await ask('POST', '/order', await order());
    expect((await ask('DELETE', '/cancel-all', undefined)).told[0]).toBe('119');
    expect((await ask('GET', '/data/orders', undefined)).told).toStrictEqual([null, null, null, null]);
    const stranger = await ask('POST', '/order', {}, { ...creds, passphrase: 'wrong' });
    expect(stranger).toStrictEqual({ status: 401, told: [null, null, null, null] });
    expect((await ask('POST', '/order', {})).told[0]).toBe('58');
  });
});
