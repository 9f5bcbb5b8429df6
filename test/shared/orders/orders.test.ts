import { beforeEach, describe, expect, it } from '@jest/globals';
import { placementOf } from '../../../functions/orders/endpoint.ts';
import { toProblem } from '../../../functions/problem.ts';
import { parseNumber } from '../../../shared/decimal.ts';
import { AppError, type ErrorCode, type ErrorFacts } from '../../../shared/errors.ts';
import { LEASE_MS, ORDER_BUDGET_MS } from '../../../shared/limits.ts';
import { createOrders, type Orders } from '../../../shared/orders/idempotent-orders.ts';
import { encodeRecord } from '../../../shared/orders/record.ts';
import type { Call, Fate, LimitOrder, OrderEntry, Placement } from '../../../shared/venue/port.ts';
import { fateOfError } from '../../support/orders/fates.ts';
import { createMemoryOrderStore, type MemoryOrderStore } from '../../support/orders/memory-order-store.ts';
import { WALLET } from '../../support/orders/order-records.ts';
import { collectLog } from '../../support/service/collected-log.ts';

const HOUR = 3_600_000;
const START = 1_790_000_000_000;

function order(
  change: Partial<Record<'price' | 'size' | 'tokenId', string>> & { postOnly?: boolean } = {},
): LimitOrder {
  const { price = '0.5', size = '10', tokenId = '7', postOnly = false } = change;
  const [zero, p, s] = [{ coefficient: 0n, scale: 0 }, parseNumber(price), parseNumber(size)];
  return { tokenId, side: 'buy', price: p ?? zero, size: s ?? zero, postOnly };
}

function errorOf(code: ErrorCode, facts: ErrorFacts = {}): AppError {
  return new AppError(`the venue says ${code}`, { code, facts });
}

function fail(code: ErrorCode, facts: ErrorFacts = {}) {
  return async (): Promise<Fate> => fateOfError(errorOf(code, facts));
}

function refuseToSign(code: ErrorCode, facts: ErrorFacts = {}) {
  return async (): Promise<never> => {
    throw errorOf(code, facts);
  };
}

describe('orders under an idempotency key', () => {
  let store: MemoryOrderStore;
  let time: number;
  /** What was asked of the venue, with the id of the order. */
  let asked: string[];
  let venue: Pick<OrderEntry, 'submit' | 'settle'>;
  let sign: () => Promise<void>;
  let log: ReturnType<typeof collectLog>;
  let signed: number;

  const placement = (orderId: string): Placement => ({ orderId, status: 'live', transactionHashes: [], tradeIds: [] });
  const placed = (orderId: string): Fate => ({ kind: 'placed', placement: placement(orderId) });
  const open = (walletAddress = WALLET) =>
    createOrders({
      entry: {
        walletAddress,
        sign: async ({ tokenId, postOnly }) => {
          await sign();
          signed += 1;
          return { orderId: `0x${signed}`, tokenId, postOnly, payload: `{"signed":${signed}}` };
        },
        submit: (signedOrder, call) => {
          asked.push(`submit ${signedOrder.orderId}`);
          return venue.submit(signedOrder, call);
        },
        settle: (signedOrder, call) => {
          asked.push(`settle ${signedOrder.payload}`);
          return venue.settle(signedOrder, call);
        },
      },
      store,
      log: log.log,
      now: () => time,
    });
  const ask = async (request: LimitOrder, key: string | undefined, orders: Orders, call: Call) => {
    const result = await orders.place(request, key, call);
    return { placement: placementOf(result, key), replayed: result.replayed };
  };
  const place = (request = order(), key: string | undefined = 'key', orders = open()) =>
    ask(request, key, orders, { deadline: performance.now() + ORDER_BUDGET_MS, venueRequests: [] });
  const refusal = (placing: Promise<unknown>): Promise<AppError> =>
    placing.then(
      () => Promise.reject(new Error('placed')),
      (error: unknown) => (error instanceof AppError ? error : Promise.reject(error)),
    );

  beforeEach(() => {
    [store, time, asked, signed, log] = [createMemoryOrderStore(), START, [], 0, collectLog()];
    sign = async () => {};
    venue = {
      submit: async ({ orderId }) => placed(orderId),
      settle: async ({ orderId }) => placed(orderId),
    };
  });

  it('has a lease that is longer than an order may take', () => {
    expect(LEASE_MS).toBeGreaterThan(ORDER_BUDGET_MS + 5_000);
  });

  it('leaves the store alone without a key', async () => {
    expect(await ask(order(), undefined, open(), { deadline: 0, venueRequests: [] })).toStrictEqual({
      placement: placement('0x1'),
      replayed: false,
    });
    expect(store.calls).toStrictEqual([]);
  });

  it('reads once and writes twice for a new order, and reads once for a repeat', async () => {
    expect(await place()).toStrictEqual({ placement: placement('0x1'), replayed: false });
    expect(store.calls).toStrictEqual(['read', 'create', 'replace']);
    expect(await place()).toStrictEqual({ placement: placement('0x1'), replayed: true });
    expect(store.calls).toStrictEqual(['read', 'create', 'replace', 'read']);
    expect(asked).toStrictEqual(['submit 0x1']);
  });

  it('stores all that sending again takes before it sends, and no signed bytes after', async () => {
    let stored: unknown;
    venue.submit = async ({ orderId }) => {
      stored = store.records.get('key');
      return placed(orderId);
    };
    await place();
    expect(stored).toMatchObject({ state: 'unfinished', order: { orderId: '0x1', payload: '{"signed":1}' } });
    const [record] = store.records.values();
    expect(record && encodeRecord(record)).not.toContain('signed');
  });

  it('keeps time back from the venue to store the answer', async () => {
    let given: Call | undefined;
    venue.submit = async ({ orderId }, call) => {
      given = call;
      return placed(orderId);
    };
    const call = { deadline: 24_000, venueRequests: [] };
    await ask(order(), 'key', open(), call);
    expect(given?.deadline).toBe(22_000);
    expect(given?.venueRequests).toBe(call.venueRequests);
  });

  it('takes every spelling of an order for the same, and every other order for another', async () => {
    await place(order({ price: '0.50', size: '10.0' }));
    expect((await place(order({ price: '5e-1', size: '10' }))).replayed).toBe(true);
    for (const other of [{ price: '0.51' }, { size: '10.01' }, { tokenId: '8' }, { postOnly: true }]) {
      expect((await refusal(place(order(other)))).code).toBe('idempotency_key_reused');
    }
    expect((await refusal(place({ ...order(), side: 'sell' }))).code).toBe('idempotency_key_reused');
    expect(asked).toHaveLength(1);
  });

  it('does not touch the order of another wallet', async () => {
    venue.submit = fail('outcome_unknown');
    await refusal(place());
    const error = await refusal(place(order(), 'key', open('0x0000000000000000000000000000000000000001')));
    expect([error.code, error.message]).toStrictEqual(['idempotency_key_reused', expect.stringContaining('wallet')]);
    expect(asked).toStrictEqual(['submit 0x1']);
  });

  it('answers a known key though the market has closed and the venue is down', async () => {
    await place();
    sign = refuseToSign('venue_unavailable');
    expect((await place()).replayed).toBe(true);
  });

  it("replays the venue's refusal, and says that it is a replay", async () => {
    venue.submit = fail('insufficient_balance');
    const first = await refusal(place());
    venue.submit = async ({ orderId }) => placed(orderId);
    const second = await refusal(place());
    expect([second.code, second.message, second.facts]).toStrictEqual([first.code, first.message, first.facts]);
    expect(toProblem(first, 'id').headers).not.toHaveProperty('idempotency-replayed');
    expect(toProblem(second, 'id').headers).toHaveProperty('idempotency-replayed', 'true');
    expect(asked).toHaveLength(1);
  });

  it('forgets a key whose order was refused before it was signed', async () => {
    sign = refuseToSign('price_off_tick', { tickSize: '0.1' });
    expect((await refusal(place())).code).toBe('price_off_tick');
    sign = async () => {};
    expect((await place(order({ price: '0.6' }))).replayed).toBe(false);
  });

  it.each<ErrorCode>([
    'outcome_unknown',
    'rate_limited',
    'venue_refused_service',
    'venue_unavailable',
    'venue_timeout',
    'unknown_token',
  ])('settles the same signed order at once after %s', async (code) => {
    venue.submit = fail(code);
    expect((await refusal(place())).code).toBe(code);
    expect(await place()).toStrictEqual({ placement: placement('0x1'), replayed: false });
    expect(asked).toStrictEqual(['submit 0x1', 'settle {"signed":1}']);
  });

  it('says that an order is unknown when sending it ends in a fault of ours', async () => {
    venue.submit = async () => {
      throw new TypeError('a fault');
    };
    const keyed = await refusal(place());
    expect([keyed.code, keyed.facts]).toStrictEqual(['outcome_unknown', { orderId: '0x1' }]);
    expect(keyed.message).toContain('Repeat the request with the same Idempotency-Key');
    const unkeyed = await refusal(ask(order(), undefined, open(), { deadline: 0, venueRequests: [] }));
    expect([unkeyed.code, unkeyed.facts]).toStrictEqual(['outcome_unknown', { orderId: '0x2' }]);
    expect(unkeyed.message).toContain('Look the order id up');
  });

  it('lets no second request send while the first one does, and says how long that may take', async () => {
    const answered = Promise.withResolvers<void>();
    venue.submit = async ({ orderId }) => {
      await answered.promise;
      return placed(orderId);
    };
    const first = place();
    await new Promise((resolve) => setImmediate(resolve));
    time += 1_500;
    const second = await refusal(place());
    expect([second.code, second.retryAfter]).toStrictEqual(['order_in_progress', 29]);
    answered.resolve();
    expect((await first).replayed).toBe(false);
    expect(asked).toStrictEqual(['submit 0x1']);
  });

  it.each(['read', 'create'] as const)('sends nothing when the store cannot %s', async (call) => {
    store.failing.add(call);
    const error = await refusal(place());
    expect([error.code, error.retryAfter]).toStrictEqual(['store_unavailable', 5]);
    expect(asked).toStrictEqual([]);
  });

  it('sends nothing when the record that was there first has gone', async () => {
    store = { ...store, create: async () => false };
    expect((await refusal(place())).code).toBe('order_in_progress');
    expect(asked).toStrictEqual([]);
  });

  it('sends nothing again when the store cannot take the order over', async () => {
    venue.submit = fail('outcome_unknown');
    await refusal(place());
    store.failing.add('replace');
    expect((await refusal(place())).code).toBe('store_unavailable');
    expect(asked).toStrictEqual(['submit 0x1']);
  });

  it('says that an order is placed also when that cannot be stored', async () => {
    store.failing.add('replace');
    expect(await place()).toStrictEqual({ placement: placement('0x1'), replayed: false });
    expect(log.lines.map(({ message }) => message)).toStrictEqual(['final answer not stored']);
  });

  it('does not call a refusal final that is not stored, since the repeat may be taken', async () => {
    venue.submit = fail('order_rejected');
    store.failing.add('replace');
    const error = await refusal(place());
    expect([error.code, error.facts]).toStrictEqual(['outcome_unknown', { orderId: '0x1' }]);
  });

  it('gives the error of the venue also when the lease cannot be given back', async () => {
    venue.submit = fail('rate_limited');
    store.failing.add('replace');
    expect((await refusal(place())).code).toBe('rate_limited');
    store.failing.clear();
    expect((await refusal(place())).code).toBe('order_in_progress');
    time += LEASE_MS;
    expect((await place()).placement).toStrictEqual(placement('0x1'));
  });

  it('keeps an answer for a day after its last use, and writes for that once an hour', async () => {
    const keptFor = () => {
      const record = store.records.get('key');
      return record?.state === 'finished' ? record.keepUntil - time : 0;
    };
    await place();
    expect(keptFor()).toBe(25 * HOUR);
    time += HOUR;
    await place();
    expect(keptFor()).toBe(24 * HOUR);
    time += 1;
    expect((await place()).replayed).toBe(true);
    expect(keptFor()).toBe(25 * HOUR);
    time += 2 * HOUR;
    store.failing.add('replace');
    expect((await place()).replayed).toBe(true);
  });
});
