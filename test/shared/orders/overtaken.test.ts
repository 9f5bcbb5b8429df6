import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createOrders } from '../../../shared/orders/orders.ts';
import { createMemoryOrderStore } from '../../support/orders/memory-order-store.ts';
import { requestOf } from '../../support/orders/order-client.ts';
import { accepted, limitOrder, lookedUp, NOT_FOUND, openWorld } from '../../support/orders/trading-world.ts';
import { collectLog } from '../../support/service/collected-log.ts';
import { callWithin, type Reply } from '../../support/venue/scripted-venue.ts';

const LEASE_MS = 1_000;

/** An answer that comes when it is let go. */
function heldBack({ status, body }: { readonly status: number; readonly body: object }) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const reply: Reply = (response) => {
    void promise.then(() => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  };
  return { reply, letGo: resolve };
}

it.each([
  ['does not look at it: 425', 425, {}],
  ['limits the rate', 429, { error: 'Too Many Requests' }],
  ['refuses the operator', 400, { error: 'maker address not allowed, please use the deposit wallet flow' }],
])('an overtaken order is told as the other request placed it, though the venue %s', async (_what, status, body) => {
  const late = heldBack({ status, body });
  let id = '';
  let isPlaced = false;
  const { venue, entry } = await openWorld({
    post: (_id, index, request) => {
      if (index === 0) return late.reply;
      isPlaced = true;
      expect(request.body).toBe(venue.seen.find(({ path }) => path === '/order')?.body);
      return accepted(id);
    },
    order: () => (isPlaced ? lookedUp(id, 'LIVE') : NOT_FOUND),
  });
  const [store, { log, lines }] = [createMemoryOrderStore(), collectLog()];
  const place = () =>
    createOrders({ entry, store, log, leaseMs: LEASE_MS }).place(requestOf(limitOrder(), 'key'), callWithin(24_000));
  const slow = place();
  while (!venue.calls().includes('POST /order')) await sleep(5);
  id = store.records.get('key')?.orderId ?? '';
  await sleep(LEASE_MS);
  expect(await place()).toMatchObject({ orderId: id, fate: { kind: 'placed' }, replayed: false });
  late.letGo();
  expect(await slow).toMatchObject({ orderId: id, fate: { kind: 'placed' }, replayed: true });
  expect(store.records.get('key')).toMatchObject({ orderId: id, answer: { result: 'placed' } });
  expect(lines.filter(({ level }) => level === 'error')).toStrictEqual([]);
});

it.each<[string, Reply, Reply]>([
  ['its engine restarts', { status: 425 }, { status: 425 }],
  ['it limits the rate', { status: 429 }, { status: 429 }],
  ['look-ups are not answered', { status: 425 }, { status: 502, body: '<html>' }],
])('a repeat is not told that the order may be live where no sending was taken, and now %s', async (...row) => {
  const [, refusal, look] = row;
  const { venue, entry } = await openWorld({ post: () => refusal, order: () => look });
  const orders = createOrders({ entry, store: createMemoryOrderStore(), log: collectLog().log });
  const place = () => orders.place(requestOf(limitOrder(), 'key'), callWithin(24_000));
  const first = await place();
  expect(first).toMatchObject({ fate: { kind: 'not_taken' } });
  expect(await place()).toMatchObject({
    orderId: first.orderId,
    fate: { kind: 'not_taken', error: { code: 'venue_unavailable', retryAfter: 5 }, freesKey: false },
    replayed: false,
  });
  expect(venue.calls().filter((call) => call === 'POST /order')).toHaveLength(1);
});
