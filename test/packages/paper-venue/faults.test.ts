import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ApiKeyCreds } from '@polymarket/clob-client-v2';
import type { FaultOrder } from '../../../packages/paper-venue/faults/faults.ts';
import { officialClient, WALLET } from '../../../tools/support/paper-client.ts';
import { fakeOnly } from '../../support/jest.ts';
import { until } from '../../support/until.ts';
import {
  plainMarket,
  type RunningPaper,
  signedRequest,
  signOrder,
  startPaper,
  stopPaper,
} from '../../support/venue/paper-venue.ts';

let paper: RunningPaper;
let creds: ApiKeyCreds;
let yes: string;

beforeEach(async () => {
  paper = await startPaper();
  ({ creds } = await officialClient(paper));
  ({ yes } = await plainMarket(paper));
});

async function order() {
  const { order: signed } = await signOrder({ tokenId: yes, price: 0.4 });
  return { order: signed, owner: creds.key, orderType: 'GTC' };
}

function post(body: unknown) {
  return signedRequest(paper, creds, { method: 'POST', path: '/order', body });
}

/** Returns what a client sees of an order during a fault, and whether it was accepted. */
async function during(fault: FaultOrder) {
  paper.venue.arm({ method: 'POST', path: '/order', ...fault });
  const { status, body, headers } = await post(await order());
  const kind = headers.get('content-type')?.split(';')[0] ?? null;
  return { status, body, kind, retryAfter: headers.get('retry-after'), accepted: paper.venue.orders().length };
}

const DELAYED = { success: false, errorMsg: 'order match delayed due to market conditions', status: 'delayed' };
const html = { kind: 'text/html', body: expect.stringContaining('<html>') };

// Those that test/contract arms are left out: its answers show status, text and what was accepted.
it.each<[FaultOrder, accepted: number, expected: object]>([
  [{ fault: 'rate-limit-html' }, 0, { status: 429, ...html, retryAfter: '1' }],
  [{ fault: 'error-500', text: 'order timed out' }, 0, { status: 500, body: { error: 'order timed out' } }],
  [{ fault: 'edge-502' }, 0, { status: 502, ...html }],
  [
    { fault: 'success-with-error', text: 'market closed' },
    0,
    { status: 200, body: expect.objectContaining({ success: true, errorMsg: 'market closed', orderID: '' }) },
  ],
  [{ fault: 'error-500-after' }, 1, { status: 500, body: { error: 'could not insert order' } }],
  [
    { fault: 'success-false', status: 'delayed' },
    1,
    { status: 200, body: expect.objectContaining({ ...DELAYED, orderID: expect.stringMatching(/^0x/) }) },
  ],
  [{ fault: 'delay-after', ms: 5 }, 1, { status: 200 }],
  [{ fault: 'wrong-type' }, 1, { status: 200, kind: 'text/plain' }],
])('%j meets one order, of which the venue accepts %d', async (fault, accepted, expected) => {
  expect(await during(fault)).toMatchObject({ ...expected, accepted });
  expect(await post(await order())).toMatchObject({ status: 200 });
});

/** Waits until so many orders have reached the venue or are on their way. */
function sent(count: number): Promise<void> {
  return until(() => paper.venue.requests().filter(({ path }) => path === '/order').length >= count);
}

describe('late: a request that is held up on its way', () => {
  beforeEach(() => fakeOnly(['setTimeout', 'clearTimeout']));
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is answered by the edge at once, and arrives by itself', async () => {
    const answer = await during({ fault: 'late', answer: 'edge-504', seconds: 2 });
    expect(answer).toMatchObject({ status: 504, ...html, accepted: 0 });
    jest.advanceTimersByTime(1_999);
    expect(paper.venue.orders()).toHaveLength(0);
    jest.advanceTimersByTime(1);
    expect(paper.venue.orders()).toHaveLength(1);
    await sent(1);
  });

  it('otherwise gets no answer, and is checked against the state at its arrival', async () => {
    paper.venue.arm({ fault: 'late', path: '/order', seconds: 2 });
    post(await order()).catch(() => undefined);
    await sent(1);
    await paper.send('POST', '/paper/accounts', { address: WALLET.address, collateral: '0' });
    jest.advanceTimersByTime(2_000);
    expect(paper.venue.orders()).toHaveLength(0);
  });

  it.each([
    ['reset', () => paper.send('POST', '/paper/reset').then(() => officialClient(paper))],
    ['closed', () => stopPaper(paper)],
  ])('never arrives at a venue that was %s meanwhile', async (_end, end) => {
    expect(await during({ fault: 'late', seconds: 2, answer: 'edge-504' })).toMatchObject({ status: 504 });
    await end();
    jest.advanceTimersByTime(2_000);
    expect(paper.venue.orders()).toStrictEqual([]);
  });
});

it('"balance-first" calls the repeat of an order that holds the money short of it, and another one a duplicate', async () => {
  const small = await order();
  const { order: large, id } = await signOrder({ tokenId: yes, price: 0.4, size: 2_000 });
  const body = { order: large, owner: creds.key, orderType: 'GTC' };
  for (const sent of [small, body]) expect(await post(sent)).toMatchObject({ status: 200 });
  expect(await post(body)).toMatchObject({ body: { error: `order ${id} is invalid. Duplicated.` } });
  paper.venue.arm({ fault: 'balance-first', path: '/order', times: 2 });
  const amounts = 'balance: 1000000000, sum of active orders: 804000000, order amount: 800000000';
  expect(await post(body)).toMatchObject({
    status: 400,
    body: { error: `not enough balance / allowance: the balance is not enough -> ${amounts}` },
  });
  expect(await post(small)).toMatchObject({ body: { error: expect.stringMatching(/is invalid\. Duplicated\.$/) } });
});

it('applies to the next matching requests only, by method and path', async () => {
  await paper.send('POST', '/paper/faults', [
    { fault: 'edge-503', method: 'GET', path: '/book', times: 2 },
    { fault: 'restart', method: 'POST', path: '/order' },
  ]);
  const paths = ['/ok', ...[1, 2, 3].map(() => `/book?token_id=${yes}`)];
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await paper.get(path)).status);
  expect(statuses).toStrictEqual([200, 503, 503, 200]);
  expect((await paper.get('/paper/faults')).body).toMatchObject({ armed: [{ fault: 'restart', times: 1 }] });
});
