import { describe, expect, it } from '@jest/globals';
import { derivedKey, lookedUp, NO_TRADES, NOT_FOUND } from '../../support/orders/trading-world.ts';
import { startOnScriptedVenue } from '../../support/service/scripted-venue-service.ts';
import type { Reply, Script, SeenRequest } from '../../support/venue/scripted-venue.ts';
import { bookAnswer } from '../../support/venue/venue-answers.ts';

/** Answers as the venue does; `own` gives the answers that a test states. */
function answering(own: (request: SeenRequest) => Reply | undefined): Script {
  return (request) => {
    const { path, query } = request;
    const usual = (): Reply => {
      if (path === '/book') return { body: bookAnswer(query.get('token_id') ?? '') };
      if (path.startsWith('/auth/')) return derivedKey('f6c1a7a0-1111-4222-8333-444455556666');
      return path === '/data/trades' ? NO_TRADES : NOT_FOUND;
    };
    return own(request) ?? usual();
  };
}

describe('a page of the edge in place of the answer to an order that the venue took', () => {
  const PAGE: Reply = { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>' };

  /** The venue takes the first order, refuses later ones for its balance, and shows the first one late. */
  async function open(settings = {}) {
    let rests = 0;
    let shows = false;
    const script = answering(({ path, method }) => {
      if (method === 'POST' && path === '/order') {
        rests += 1;
        return rests > 1 ? { status: 400, body: { error: 'not enough balance / allowance' } } : PAGE;
      }
      return shows && path.startsWith('/data/order/') ? lookedUp(path.slice('/data/order/'.length), 'LIVE') : undefined;
    });
    const service = await startOnScriptedVenue(script, settings);
    const show = () => {
      shows = true;
    };
    return { ...service, sent: () => rests, show };
  }

  it('leaves the order in doubt: no refusal of a repeat is final while it may rest', async () => {
    const { place, sent, show } = await open();
    const key = { 'idempotency-key': 'k1' };
    const first = await place(key);
    expect([first.status, first.body.code, first.body.reason]).toStrictEqual([
      502,
      'venue_refused_service',
      'firewall',
    ]);
    expect(first.body.detail).toContain('The order may be live. Repeat the request with the same Idempotency-Key');
    const repeat = await place(key);
    expect([repeat.status, repeat.body.code, repeat.body.order_id]).toStrictEqual([
      504,
      'outcome_unknown',
      first.body.order_id,
    ]);
    show();
    const found = await place(key);
    expect([found.status, found.body.order_id, sent()]).toStrictEqual([201, first.body.order_id, 2]);
  }, 40_000);

  it('gives nothing of a cap back', async () => {
    const { place, sent } = await open({ SERVICE_MAX_DAILY_NOTIONAL: '10' });
    const codes: string[] = [];
    for (const _ of [1, 2, 3]) codes.push((await place()).body.code);
    expect(codes).toStrictEqual(['venue_refused_service', 'daily_cap_reached', 'daily_cap_reached']);
    expect(sent()).toBe(1);
  }, 40_000);
});
