import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { computeAddress } from 'ethers';
import type { FaultOrder } from '../../../packages/paper-venue/faults/faults.ts';
import { codeOf, createAsk } from '../../../tools/conformance/ask.ts';
import { loadContract } from '../../../tools/conformance/contract.ts';
import { PAPER_KEY } from '../../../tools/support/paper-settings.ts';
import { sharedPaperService, startPaperService } from '../../support/service/paper-service.ts';
import { funderOf } from '../../support/venue/funder.ts';

const TOKEN = '105298970535051273227533034543530274481991146667489132305873747912264388385246';
const ORDER = { token_id: TOKEN, side: 'buy', price: '0.01', size: '5', post_only: true };
const contract = loadContract();
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** Asks through the conformance suite, which refuses every answer that the document does not give. */
function askAt(url: string) {
  return createAsk({ baseUrl: url, fetch, contract, edge: 'local', seen: new Set() });
}

function place(url: string, change: object = {}, headers: Record<string, string> = {}) {
  return askAt(url)({
    operation: 'orders',
    method: 'POST',
    target: '/v1/orders',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...ORDER, ...change }),
  });
}

function refusal(text: string, code = 400): FaultOrder {
  return { fault: 'refuse', path: '/order', code, text };
}

describe('what only the venue can provoke is in the document', () => {
  const service = sharedPaperService();

  afterEach(() => fetch(`${service().venueUrl}/paper/faults`, { method: 'DELETE' }));

  it.each<[string, FaultOrder]>([
    ['rate_limited', { fault: 'rate-limit', path: '/book' }],
    ['venue_error', { fault: 'error-500', path: '/book' }],
    ['venue_error', { fault: 'truncated', path: '/book' }],
    ['venue_refused_service', { fault: 'firewall', path: '/book' }],
    ['venue_unavailable', { fault: 'restart', path: '/book', times: 2 }],
  ])('a book: %s (%j)', async (code, fault) => {
    const { url, venue } = service();
    venue.arm(fault);
    expect(codeOf(await askAt(url)({ operation: 'book', target: `/v1/book/${TOKEN}` }))).toBe(code);
  });

  it.each<[string, FaultOrder]>([
    ['rate_limited', { fault: 'rate-limit', path: '/order' }],
    ['venue_unavailable', { fault: 'cancel-only', path: '/order' }],
    ['venue_unavailable', { fault: 'halted', path: '/order' }],
    ['venue_refused_service', { fault: 'region', path: '/order' }],
    ['venue_refused_service', refusal('invalid signature')],
    ['venue_refused_service', refusal('maker address not allowed, please use the deposit wallet flow')],
    ['venue_refused_service', refusal("'0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a' address banned")],
    ['insufficient_balance', refusal('not enough balance / allowance: the balance is not enough')],
    ['notional_below_minimum', refusal('invalid amount for a marketable BUY order ($0.5), min size: $1')],
    ['market_not_accepting_orders', refusal('the market is not yet ready to process new orders')],
    ['price_off_tick', refusal('order is invalid. Price (0.01) breaks minimum tick size rule: 0.1')],
    ['order_rejected', refusal('invalid expiration')],
    ['outcome_unknown', refusal('a reason that nobody has heard of')],
    ['unknown_token', refusal('the orderbook 1 does not exist: no orderbook exists for the requested token id', 404)],
  ])('an order: %s (%j)', async (code, fault) => {
    const { url, venue } = service();
    venue.arm(fault);
    expect(codeOf(await place(url, {}, { 'idempotency-key': crypto.randomUUID() }))).toBe(code);
  });

  it('an order of unknown outcome', async () => {
    const { url, venue } = service();
    venue.arm({ fault: 'edge-502', path: '/order' });
    const answer = await place(url);
    expect(codeOf(answer)).toBe('outcome_unknown');
    expect(answer.body).toHaveProperty('order_id');
  });
});

describe('what only the operator can provoke is in the document', () => {
  it('an order above the cap', async () => {
    const { url } = await startPaperService({ SERVICE_MAX_ORDER_NOTIONAL: '0.04' });
    const answer = await place(url);
    expect(answer.body).toMatchObject({ code: 'order_above_cap', max_notional: '0.04' });
  });

  it('a store that does not work', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'no-store-'));
    folders.push(folder);
    const store = join(folder, 'orders.db');
    const { url } = await startPaperService({ SERVICE_STORE: store });
    await rm(store);
    expect(codeOf(await place(url, {}, { 'idempotency-key': 'key-1' }))).toBe('store_unavailable');
  });

  it('a funder of its own', async () => {
    const { url } = await startPaperService({
      SERVICE_FUNDER_ADDRESS: funderOf(computeAddress(`0x${PAPER_KEY}`), 'safe').toLowerCase(),
    });
    const { body } = await askAt(url)({ operation: 'health', target: '/health' });
    expect(body).toHaveProperty('funder_address');
  });
});
