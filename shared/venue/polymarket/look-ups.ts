import * as z from 'zod/mini';
import { LOOK_UP_MS } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { Call, Placement, SignedOrder } from '../port.ts';
import type { AuthenticatedRequest, SendAsAccount } from './authenticated.ts';
import { classifyLookUp, type LookUp } from './read-order.ts';
import { readTrades } from './read-trades.ts';
import { parseJson } from './wire.ts';

/** Pages of trades that are looked at; there are hundreds of trades on each, all since the order was signed. */
const MAX_TRADE_PAGES = 5;
/** Seconds. Between our clock, by which the order is dated, and the venue's. */
const CLOCK_MARGIN = 60;

const timestamped = z.object({ timestamp: z.string().check(z.regex(/^\d{10,15}$/)) });

/** What the venue knows of an order. A venue that cannot be asked is `unusable` or `undefined`, never an error. */
export interface LookUps {
  order(orderId: string, call: Call): Promise<LookUp>;
  /** The fills of the order; `null` when there are none, `undefined` when the venue cannot be asked. */
  fills(order: SignedOrder, call: Call): Promise<Placement | null | undefined>;
}

export function createLookUps(send: SendAsAccount, log: Log): LookUps {
  async function ask(spec: Omit<AuthenticatedRequest, 'method' | 'timeLimit'>, call: Call) {
    try {
      return (await send(() => ({ ...spec, method: 'GET', timeLimit: LOOK_UP_MS }), call)).response;
    } catch (error) {
      log.debug('look-up failed', { venue_request: spec.name, error });
      return undefined;
    }
  }

  return {
    async order(orderId, call) {
      const response = await ask({ name: 'read-order', path: `/data/order/${orderId}` }, call);
      return response ? classifyLookUp(response, orderId) : { kind: 'unusable' };
    },

    async fills({ orderId, payload }, call) {
      const signed = timestamped.safeParse(parseJson(payload));
      const after = signed.success ? Math.floor(Number(signed.data.timestamp) / 1000) - CLOCK_MARGIN : 0;
      let cursor: string | undefined;
      for (let page = 0; page < MAX_TRADE_PAGES; page += 1) {
        const query = new URLSearchParams({
          after: String(after),
          ...(cursor !== undefined && { next_cursor: cursor }),
        });
        const response = await ask({ name: 'read-trades', path: '/data/trades', query: `?${query}` }, call);
        const trades = response && readTrades(response, orderId);
        if (!trades || trades.placement) return trades?.placement;
        if (trades.nextCursor === undefined) return null;
        cursor = trades.nextCursor;
      }
      return undefined;
    },
  };
}
