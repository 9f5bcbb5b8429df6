import { beforeEach, describe, expect, it } from '@jest/globals';
import { placementOf } from '../../../functions/orders/endpoint.ts';
import { toProblem } from '../../../functions/problem.ts';
import { parseDecimal } from '../../../shared/decimal.ts';
import { AppError, type ErrorCode, type ErrorFacts } from '../../../shared/errors.ts';
import { LATE_ARRIVAL_MS, LEASE_MS, ORDER_BUDGET_MS } from '../../../shared/limits.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import { encodeRecord } from '../../../shared/orders/record.ts';
import type { Call, Fate, LimitOrder, OrderEntry, Placement, SignedFor } from '../../../shared/venue/port.ts';
import {
  createMemoryOrderStore,
  type MemoryOrderStore,
  NOTHING_FILLED,
  SIGNED_FOR,
  WALLET,
} from '../../support/orders/order-records.ts';
import { collectLog } from '../../support/service/collected-log.ts';
import { fateOfError } from '../../support/venue/fake-venue.ts';

const HOUR = 3_600_000;
const START = 1_790_000_000_000;

function order(
  change: Partial<Record<'price' | 'size' | 'tokenId', string>> & { postOnly?: boolean; expiresAt?: number } = {},
): LimitOrder {
  const { price = '0.5', size = '10', tokenId = '7', postOnly = false, expiresAt = null } = change;
  return { tokenId, side: 'buy', price, size, postOnly, expiresAt };
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

function unknown(sentAt: number | null): Fate {
  return { kind: 'unknown', why: 'sent', sentAt, cause: undefined };
}

describe('orders under an idempotency key', () => {
  let store: MemoryOrderStore;
  let time: number;
  /** The calls of the venue, with the id of the order. */
  let asked: string[];
  let venue: Pick<OrderEntry, 'submit' | 'settle'> & { lookUp: (call: Call) => Promise<Fate> };
  let sign: () => Promise<void>;
  let log: ReturnType<typeof collectLog>;
  let signed: number;

  const placement = (orderId: string): Placement => ({
    orderId,
    status: 'live',
    ...NOTHING_FILLED,
    transactionHashes: [],
    tradeIds: [],
  });
  const placed = (orderId: string): Fate => ({ kind: 'placed', placement: placement(orderId) });
  const open = ({ walletAddress = WALLET, signedFor = SIGNED_FOR, dailyCap = '' } = {}) =>
    createOrders({
      entry: {
        walletAddress,
        signedFor,
        now: () => time,
        syncClock: async () => {},
        sign: async ({ tokenId, postOnly, expiresAt }) => {
          await sign();
          signed += 1;
          return {
            orderId: `0x${signed}`,
            tokenId,
            conditionId: null,
            postOnly,
            expiresAt,
            payload: `{"signed":${signed}}`,
            signedAt: time,
          };
        },
        lookUp: ({ orderId }, call) => {
          asked.push(`look up ${orderId}`);
          return venue.lookUp(call);
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
      maxDailyNotional: parseDecimal(dailyCap),
    });
  const ask = async (request: LimitOrder, key: string | undefined, orders: Orders, call: Call) => {
    const result = await orders.place(
      { order: request, idempotencyKey: key, client: null, requestId: null, caller: null },
      call,
    );
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
      lookUp: async () => unknown(null),
    };
  });

  it('writes twice for an order without a key, and reads nothing', async () => {
    expect(await ask(order(), undefined, open(), { deadline: 0, venueRequests: [] })).toStrictEqual({
      placement: placement('0x1'),
      replayed: false,
    });
    expect(store.calls).toStrictEqual(['create', 'replace']);
    expect([...store.records.values()]).toMatchObject([{ orderId: '0x1', answer: { result: 'placed' } }]);
  });

  it.each(['key', undefined])('keeps who asked for an order in its record, with key %s', async (idempotencyKey) => {
    const client = { address: '0xme', isVerified: false };
    const request = { order: order(), idempotencyKey, client, requestId: 'r-1', caller: 'arn:aws:iam::1:user/a' };
    let stored: unknown;
    venue.submit = async ({ orderId }) => {
      [stored] = store.records.values();
      return placed(orderId);
    };
    await open().place(request, { deadline: 0, venueRequests: [] });
    const terms = { tokenId: '7', side: 'buy', price: '0.5', size: '10', postOnly: false, expiresAt: null };
    const kept = { orderId: '0x1', terms, client, requestId: 'r-1', caller: request.caller, signedAt: START };
    expect(stored).toMatchObject({ ...kept, state: 'unfinished' });
    expect([...store.records.values()]).toMatchObject([{ ...kept, state: 'finished' }]);
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
    expect(stored).toMatchObject({ state: 'unfinished', orderId: '0x1', payload: '{"signed":1}' });
    const [record] = store.records.values();
    expect(record && encodeRecord(record)).not.toMatch(/payload|signed\\"/);
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

  it('takes every other order for another', async () => {
    await place();
    for (const other of [
      { price: '0.51' },
      { size: '10.01' },
      { tokenId: '8' },
      { postOnly: true },
      { expiresAt: 1 },
    ]) {
      expect((await refusal(place(order(other)))).code).toBe('idempotency_key_reused');
    }
    expect((await refusal(place({ ...order(), side: 'sell' }))).code).toBe('idempotency_key_reused');
    expect(asked).toHaveLength(1);
  });

  it('does not touch the order of another wallet', async () => {
    venue.submit = fail('outcome_unknown');
    await refusal(place());
    const error = await refusal(
      place(order(), 'key', open({ walletAddress: '0x0000000000000000000000000000000000000001' })),
    );
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

  it.each<ErrorCode>(['outcome_unknown', 'rate_limited', 'venue_unavailable', 'venue_timeout'])(
    'settles the same signed order at once after %s',
    async (code) => {
      venue.submit = fail(code);
      expect((await refusal(place())).code).toBe(code);
      expect(await place()).toStrictEqual({ placement: placement('0x1'), replayed: false });
      expect(asked).toStrictEqual(['submit 0x1', 'settle {"signed":1}']);
    },
  );

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

  it('keeps an answer for 400 days, and for longer where it is used on the last of them', async () => {
    const keptFor = () => {
      const record = store.records.get('key');
      return record?.state === 'finished' ? record.keepUntil - time : 0;
    };
    await place();
    expect(keptFor()).toBe(400 * 24 * HOUR);
    time += 399 * 24 * HOUR;
    await place();
    expect(keptFor()).toBe(24 * HOUR);
    time += 1;
    expect((await place()).replayed).toBe(true);
    expect(keptFor()).toBe(400 * 24 * HOUR);
    time += 399 * 24 * HOUR + 1;
    store.failing.add('replace');
    expect((await place()).replayed).toBe(true);
  });

  describe('that the venue refused by a sentence about the operator or the token', () => {
    const refusedOperator = (reason = 'wallet_type') => fail('venue_refused_service', { reason });

    it.each<ErrorCode>(['venue_refused_service', 'unknown_token'])('is signed anew after %s', async (code) => {
      venue.submit = fail(code);
      expect((await refusal(place())).code).toBe(code);
      expect(store.records.has('key')).toBe(false);
      venue.submit = async ({ orderId }) => placed(orderId);
      const elsewhere = open({ signedFor: { ...SIGNED_FOR, signatureType: 'safe', maker: '0x5afe' } });
      expect(await place(order(), 'key', elsewhere)).toStrictEqual({ placement: placement('0x2'), replayed: false });
      expect(asked).toStrictEqual(['submit 0x1', 'submit 0x2']);
      expect(store.records.get('key')).toMatchObject({ orderId: '0x2', signedFor: { maker: '0x5afe' } });
    });

    it('leaves its key to any order', async () => {
      venue.submit = refusedOperator();
      await refusal(place());
      venue.submit = async ({ orderId }) => placed(orderId);
      expect((await place(order({ price: '0.6' }))).placement.orderId).toBe('0x2');
    });

    it('is not signed anew while an earlier sending is unknown', async () => {
      venue.submit = async () => unknown(START);
      await refusal(place());
      venue.settle = refusedOperator();
      time += LATE_ARRIVAL_MS;
      expect((await refusal(place())).code).toBe('venue_refused_service');
      venue.settle = async ({ orderId }) => placed(orderId);
      expect((await place()).placement.orderId).toBe('0x1');
    });

    it('is not signed anew where no sentence of the venue says so', async () => {
      const credentials = errorOf('venue_refused_service', { reason: 'credentials' });
      venue.submit = async () => ({ kind: 'not_taken', error: credentials, freesKey: false });
      await refusal(place());
      expect((await place()).placement.orderId).toBe('0x1');
    });
  });

  describe('whose earlier sending may still arrive', () => {
    const LATE_S = LATE_ARRIVAL_MS / 1_000;

    it.each<ErrorCode>(['order_rejected', 'insufficient_balance', 'venue_refused_service'])(
      'is unknown when another sending is answered with %s, until it is too late for that',
      async (code) => {
        venue.submit = async () => unknown(START + 5_000);
        await refusal(place());
        venue.settle = fail(code);
        for (const [at, retryAfter] of [
          [6_000, LATE_S - 1],
          [100_000, LATE_S - 95],
          [LATE_ARRIVAL_MS + 4_999, 1],
        ] as const) {
          time = START + at;
          const error = await refusal(place());
          expect([error.code, error.facts, error.retryAfter]).toStrictEqual([
            'outcome_unknown',
            { orderId: '0x1' },
            retryAfter,
          ]);
        }
        time = START + LATE_ARRIVAL_MS + 5_000;
        expect((await refusal(place())).code).toBe(code);
      },
    );

    it('is unknown, for as long as the venue says, when that is busy for a moment', async () => {
      venue.submit = async () => unknown(START);
      await refusal(place());
      venue.settle = fail('venue_unavailable');
      const error = await refusal(place());
      expect([error.code, error.retryAfter]).toStrictEqual(['outcome_unknown', 5]);
      time += LATE_ARRIVAL_MS;
      expect((await refusal(place())).code).toBe('venue_unavailable');
    });

    it('is unknown after a crash too: bytes may have left until the end of its lease', async () => {
      venue.submit = () => new Promise(() => undefined);
      void place();
      await new Promise((resolve) => setImmediate(resolve));
      venue.settle = fail('order_rejected');
      for (const at of [LEASE_MS, LATE_ARRIVAL_MS, LEASE_MS + LATE_ARRIVAL_MS - 1]) {
        time = START + at;
        expect((await refusal(place())).code).toBe('outcome_unknown');
      }
      time = START + LEASE_MS + LATE_ARRIVAL_MS;
      expect((await refusal(place())).code).toBe('order_rejected');
    });

    it('is unknown after a crash in a second sending, until the end of that lease', async () => {
      venue.submit = fail('venue_unavailable');
      await refusal(place());
      venue.settle = () => new Promise(() => undefined);
      void place();
      await new Promise((resolve) => setImmediate(resolve));
      venue.settle = fail('order_rejected');
      time = START + LATE_ARRIVAL_MS;
      expect((await refusal(place())).code).toBe('outcome_unknown');
      time = START + LEASE_MS + LATE_ARRIVAL_MS;
      expect((await refusal(place())).code).toBe('order_rejected');
    });

    it('waits again after another sending without an answer', async () => {
      venue.submit = async () => unknown(START);
      await refusal(place());
      time += LATE_ARRIVAL_MS - 1;
      venue.settle = async () => unknown(time);
      await refusal(place());
      venue.settle = fail('order_rejected');
      time += LATE_ARRIVAL_MS - 1;
      expect((await refusal(place())).code).toBe('outcome_unknown');
      time += 1;
      expect((await refusal(place())).code).toBe('order_rejected');
    });

    it('is refused at once when every earlier sending was provably not taken', async () => {
      venue.submit = fail('rate_limited');
      await refusal(place());
      venue.settle = fail('order_rejected');
      expect((await refusal(place())).code).toBe('order_rejected');
    });
  });

  describe('of a service that has changed', () => {
    it.each<[string, Partial<SignedFor>]>([
      ['venue', { venue: 'https://other.example' }],
      ['venue', { chainId: 80_002 }],
      ['account', { maker: '0x5afe' }],
      ['account', { signatureType: 'safe' }],
    ])('is neither sent nor replayed for another %s: %j', async (what, change) => {
      venue.submit = fail('venue_unavailable');
      await refusal(place(order(), 'open'));
      venue.submit = async ({ orderId }) => placed(orderId);
      await place(order(), 'final');
      const changed = open({ signedFor: { ...SIGNED_FOR, ...change } });
      for (const key of ['open', 'final']) {
        const error = await refusal(place(order(), key, changed));
        expect([error.code, error.message]).toStrictEqual(['idempotency_key_reused', expect.stringContaining(what)]);
      }
      expect(asked).toStrictEqual(['submit 0x1', 'submit 0x2']);
    });
  });

  describe('under a daily cap', () => {
    const DAY = new Date(START).toISOString().slice(0, 10);
    const capped = (dailyCap = '12') => open({ dailyCap });
    const counted = (day = DAY) => store.countedOn(day);
    const ask5 = (key: string | undefined, orders = capped(), request = order()) =>
      ask(request, key, orders, { deadline: performance.now() + ORDER_BUDGET_MS, venueRequests: [] });

    it('is placed while the day has room, and refused before it is sent when it has not', async () => {
      await ask5('a');
      await ask5('b');
      const error = await refusal(ask5('c'));
      expect([error.code, error.facts]).toStrictEqual([
        'daily_cap_reached',
        { orderId: '0x3', maxDailyNotional: '12', resetsAt: '2026-09-22T00:00:00Z', scope: 'service' },
      ]);
      expect(error.message).toContain('2026-09-22T00:00:00Z');
      expect([counted(), asked]).toStrictEqual([10_000_000n, ['submit 0x1', 'submit 0x2']]);
      expect(store.records.has('c')).toBe(false);
      expect((await ask5('c', capped(), order({ size: '4' }))).replayed).toBe(false);
    });

    it('never refuses a sale, and does not count it, placed or refused', async () => {
      await ask5('a');
      await ask5('b');
      const sale: LimitOrder = { ...order(), side: 'sell' };
      expect((await ask5('c', capped(), sale)).placement.status).toBe('live');
      venue.submit = fail('order_rejected');
      expect((await refusal(ask5('d', capped(), sale))).code).toBe('order_rejected');
      expect(counted()).toBe(10_000_000n);
    });

    it('is counted once, however often it is asked for', async () => {
      venue.submit = fail('venue_unavailable');
      await refusal(ask5('a'));
      venue.settle = fail('rate_limited');
      await refusal(ask5('a'));
      venue.settle = async ({ orderId }) => placed(orderId);
      await ask5('a');
      await ask5('a');
      expect(counted()).toBe(5_000_000n);
    });

    it.each<ErrorCode>(['order_rejected', 'insufficient_balance', 'venue_refused_service'])(
      'is given back after %s, once',
      async (code) => {
        venue.submit = fail(code);
        await refusal(ask5('a'));
        expect(counted()).toBe(0n);
        await refusal(ask5('a'));
        expect(counted()).toBe(0n);
      },
    );

    it('is counted again when it is signed anew, on the day of then', async () => {
      venue.submit = fail('venue_refused_service');
      await refusal(ask5('a'));
      venue.submit = async ({ orderId }) => placed(orderId);
      time += 24 * HOUR;
      await ask5('a');
      expect([counted(), counted('2026-09-22')]).toStrictEqual([0n, 5_000_000n]);
    });

    it('counts on the day of its signing, though it is settled on the next', async () => {
      venue.submit = async () => unknown(time);
      await refusal(ask5('a'));
      time += 12 * HOUR;
      venue.settle = fail('order_rejected');
      await refusal(ask5('a'));
      expect([counted(), counted('2026-09-22')]).toStrictEqual([0n, 0n]);
    });

    it('counts what was given back and is there all the same', async () => {
      const answered = Promise.withResolvers<void>();
      venue.submit = async ({ orderId }) => {
        await answered.promise;
        return placed(orderId);
      };
      const orders = capped();
      const slow = ask5('a', orders);
      await new Promise((resolve) => setImmediate(resolve));
      time += LEASE_MS + LATE_ARRIVAL_MS;
      venue.settle = fail('order_rejected');
      await refusal(ask5('a', orders));
      expect(counted()).toBe(0n);
      answered.resolve();
      await slow;
      expect(counted()).toBe(5_000_000n);
    });

    it('is counted without a key too, and given back where the venue did not take it', async () => {
      await ask5(undefined);
      expect([counted(), store.records.size]).toStrictEqual([5_000_000n, 1]);
      venue.submit = fail('rate_limited');
      expect((await refusal(ask5(undefined))).code).toBe('rate_limited');
      expect(counted()).toBe(5_000_000n);
      venue.submit = fail('venue_refused_service');
      expect((await refusal(ask5(undefined))).code).toBe('venue_refused_service');
      expect(counted()).toBe(5_000_000n);
      venue.submit = async () => unknown(time);
      expect((await refusal(ask5(undefined))).message).toContain('Look the order id up');
      expect(counted()).toBe(10_000_000n);
      venue.submit = fail('order_rejected');
      expect((await refusal(ask5(undefined, capped('15')))).code).toBe('order_rejected');
      expect(counted()).toBe(10_000_000n);
      const keys = [...store.records.keys()];
      expect(new Set(keys).size).toBe(5);
    });

    it('sends nothing without a key when the store does not work', async () => {
      store.failing.add('create');
      expect((await refusal(ask5(undefined))).code).toBe('store_unavailable');
      expect(asked).toStrictEqual([]);
    });
  });

  it.each(['key', undefined])('leaves its trace before its bytes leave, with key %s', async (key) => {
    let lines: readonly Record<string, unknown>[] = [];
    venue.submit = async ({ orderId }) => {
      lines = [...log.lines];
      return placed(orderId);
    };
    const trace = { request_id: 'r-1', client_address_unverified: 'me' };
    await ask(order(), key, open(), { deadline: 0, venueRequests: [], trace });
    expect(lines).toMatchObject([{ message: 'order signed', order_id: '0x1', ...trace }]);
    expect(JSON.stringify(lines)).not.toContain('"key"');
    expect('idempotency_key_sha256' in (lines[0] ?? {})).toBe(key !== undefined);
  });
});
