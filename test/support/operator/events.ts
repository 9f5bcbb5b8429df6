import { type OrderEvent, orderEvent } from '../../../operator/follow/event.ts';

const EMPTY = {
  ...{ order_id: null, client_address: null, client_address_verified: null, caller: null, token_id: null, side: null },
  ...{ question: null, outcome: null, filled_size: null, remaining_size: null },
  ...{ price: null, size: null, value: null, fee: null },
};

/** Creates an event of its own for each number. */
export function event(number: number, members: object = {}): OrderEvent {
  const fact = { id: `evt_${number}`, type: 'order.unreadable', timestamp: '2026-11-18T11:06:40Z' };
  const data = { ...EMPTY, revision: 1, trade_id: `t${number}`, status: 'unreadable', ...members };
  return orderEvent.parse({ ...fact, data });
}
