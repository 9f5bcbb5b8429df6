import { placementOf } from '../../../functions/orders/endpoint.ts';
import { AppError } from '../../../shared/errors.ts';
import { createOrders, type Orders } from '../../../shared/orders/orders.ts';
import type { OrderRequest } from '../../../shared/orders/turn.ts';
import type { LimitOrder } from '../../../shared/venue/port.ts';
import { WALLET } from './order-records.ts';
import { createSteps, type Steps, type WorldState } from './order-world-steps.ts';
import { createStoreModel, type Flaw } from './order-world-store.ts';
import { createEntryModel, LATE_TICKS } from './order-world-venue.ts';

/** The order that all of them ask for. */
export const ORDER: LimitOrder = {
  tokenId: '7',
  side: 'buy',
  price: '0.5',
  size: '10',
  postOnly: false,
  expiresAt: null,
};
/** Returns a request of no client for an order. */
export function requestOf(order: LimitOrder, idempotencyKey: string | undefined): OrderRequest {
  return { order, idempotencyKey, client: null, requestId: null, caller: null };
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, audit: () => {} };

/** A client with one request, which is served by a process of its own. */
export interface Client {
  readonly steps: Steps;
  readonly answers: readonly string[];
  busy(): boolean;
  ask(): void;
}

/** Returns true if no later answer under the same key may differ. */
export function isFinal(answer: string): boolean {
  return answer.startsWith('placed') || answer === 'refused';
}

/** Returns true if an answer says that the venue did not take the order. */
function saysNotTaken(answer: string): boolean {
  return answer === 'venue_unavailable' || answer === 'venue_refused_service';
}

async function place(orders: Orders): Promise<string> {
  try {
    const result = await orders.place(requestOf(ORDER, 'key'), {
      deadline: Number.POSITIVE_INFINITY,
      venueRequests: [],
    });
    return `placed ${placementOf(result, 'key').orderId}`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'order_rejected' ? 'refused' : error.code;
  }
}

/** Creates a client of a world, which sends the same order under the same key each time it is asked to. */
export function createClient(name: string, world: WorldState, flaw: Flaw | undefined): Client {
  const steps = createSteps(name, world);
  const answers: string[] = [];
  let busy = false;
  const ask = () => {
    const deps = { world, steps, process: name, flaw };
    const orders = createOrders({
      entry: { walletAddress: WALLET, ...createEntryModel(deps) },
      store: createStoreModel(deps),
      log: SILENT,
      leaseMs: 1,
      lateArrivalMs: flaw === 'a refusal of a second sending is believed at once' ? 0 : LATE_TICKS,
    });
    busy = true;
    void place(orders).then(answered);
  };
  const answered = (answer: string) => {
    if (saysNotTaken(answer) && world.taken.size > 0) world.untrue = answer;
    answers.push(answer);
    steps.forget();
    busy = false;
  };
  steps.onCrash(() => answered('crashed'));
  return { steps, answers, busy: () => busy, ask };
}
