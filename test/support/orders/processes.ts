import { parseDecimal, ZERO } from '../../../shared/decimal.ts';
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { OrderStore } from '../../../shared/orders/order-store.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import type { OrderClient } from '../../../shared/orders/record.ts';
import type { OrderResult } from '../../../shared/orders/turn.ts';
import type { Fate, LimitOrder, Placement, SendingCall, SignedOrder } from '../../../shared/venue/port.ts';
import { collectLog } from '../service/collected-log.ts';
import { createMemoryOrderStore, NOTHING_FILLED, SIGNED_FOR, type StoreCall, WALLET } from './order-records.ts';
import { ORDER, requestOf } from './order-world.ts';

/** The time at which a world begins. */
export const START = 1_790_000_000_000;
/** The day of `START`, in UTC. */
export const DAY = '2026-09-21';
/** What names a request in the log. */
export const TRACE = { request_id: 'r-1' };

/** Parses a decimal that a test states. */
export const decimal = (text: string) => parseDecimal(text) ?? ZERO;

/** How the venue answers a sent order. */
export type Send = (order: SignedOrder, call: SendingCall, venueReason?: string | null) => Promise<Fate>;

/** Returns a placement without fills. */
export const placement = (orderId: string, status: Placement['status'] = 'live'): Placement => ({
  orderId,
  status,
  ...NOTHING_FILLED,
  transactionHashes: [],
  tradeIds: [],
});
/** Answers that the order rests. */
export const placed: Send = async ({ orderId }) => ({ kind: 'placed', placement: placement(orderId) });
/** Answers that the order was matched. */
export const matched: Send = async ({ orderId }) => ({ kind: 'placed', placement: placement(orderId, 'matched') });
/** Answers nothing: the order may be live. */
export const unknown: Send = async () => ({ kind: 'unknown', why: 'sent', sentAt: START, cause: undefined });
/** Creates the error of a code. */
export const errorOf = (code: ErrorCode) => new AppError(`the venue says ${code}`, { code });
/** Refuses the order. */
export const refused: Send = async () => ({ kind: 'refused', error: errorOf('order_rejected') });
/** Proves that the order was not taken. */
export const notTaken =
  (freesKey = false): Send =>
  async () => ({ kind: 'not_taken', error: errorOf('venue_unavailable'), freesKey });

/** A store through which a process sees something happen before one of its calls. */
export function whenCalled(store: OrderStore, happens: (name: StoreCall, count: number) => unknown): OrderStore {
  const counts = { read: 0, create: 0, replace: 0 };
  const enter = async (name: StoreCall) => {
    counts[name] += 1;
    await happens(name, counts[name]);
  };
  return {
    read: (key) => enter('read').then(() => store.read(key)),
    write: (key, record, over, counts) =>
      enter(over === 'nothing' ? 'create' : 'replace').then(() => store.write(key, record, over, counts)),
  };
}

/** One process of the service, as far as it differs from the others. */
export interface Process {
  readonly own?: OrderStore;
  readonly dailyCap?: string;
}

/** Processes of one service on one store, before a venue that answers as it is told. */
export function openWorld() {
  const store = createMemoryOrderStore();
  /** The venue's time, and that since the start of the processes. */
  const clock = { now: START, uptime: 0 };
  const log = collectLog();
  const venue: { submit: Send; settle: Send; lookUp: Send } = { submit: placed, settle: placed, lookUp: unknown };
  const asked: string[] = [];
  let signed = 0;
  const ask =
    (name: keyof typeof venue): Send =>
    (order, call, venueReason) => {
      asked.push(`${name} ${order.orderId}`);
      return venue[name](order, call, venueReason);
    };
  const open = ({ own = store, dailyCap = '' }: Process = {}) =>
    createOrders({
      entry: {
        walletAddress: WALLET,
        signedFor: SIGNED_FOR,
        now: () => clock.now,
        syncClock: async () => undefined,
        sign: async ({ tokenId, postOnly, expiresAt }) => {
          signed += 1;
          const payload = `{"signed":${signed},"signature":"0x1b"}`;
          return {
            orderId: `0x${signed}`,
            tokenId,
            conditionId: null,
            postOnly,
            expiresAt,
            payload,
            signedAt: clock.now,
          };
        },
        submit: ask('submit'),
        settle: ask('settle'),
        lookUp: ask('lookUp'),
      },
      store: own,
      log: log.log,
      uptime: () => clock.uptime,
      maxDailyNotional: parseDecimal(dailyCap),
    });
  const place = (
    orders: Orders = open(),
    key: string | null = 'key',
    client: OrderClient | null = null,
    order: LimitOrder = ORDER,
  ) =>
    orders.place(
      { ...requestOf(order, key ?? undefined), client },
      { deadline: 24_000, venueRequests: [], trace: TRACE },
    );
  /** Leaves an unfinished order under the key, whose lease was given back. */
  const leaveOpen = async (send: Send = unknown, orders?: Orders, client?: OrderClient) => {
    venue.submit = send;
    await place(orders, 'key', client);
    venue.submit = placed;
    asked.length = 0;
  };
  return { store, clock, log, venue, asked, open, place, leaveOpen };
}

/** The processes, their store and their venue. */
export type World = ReturnType<typeof openWorld>;

/** Begins an order whose answer is late; `answer` lets it come. */
export async function beginSlowly(world: World, orders: Orders, send: Send = placed) {
  const answered = Promise.withResolvers<void>();
  world.venue.submit = async (order, call) => {
    await answered.promise;
    return send(order, call);
  };
  const slow = world.place(orders);
  await new Promise((resolve) => setImmediate(resolve));
  world.venue.submit = placed;
  return {
    answer: () => {
      answered.resolve();
      return slow;
    },
  };
}

/** Sums up what came of a request: the fate, whose order it is, and that it is a replay; or the error. */
export async function endOf(placing: Promise<OrderResult>): Promise<string> {
  try {
    const { fate, orderId, replayed } = await placing;
    const status = fate.kind === 'placed' ? ` ${fate.placement.status}` : '';
    return `${fate.kind}${status} ${orderId}${replayed ? ' replayed' : ''}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}${error.retryAfter === undefined ? '' : ` ${error.retryAfter}`}`;
  }
}
