import { type OrderEvent, orderEvent } from '../../../operator/follow/event.ts';

const CLOSED = {
  ...{ client_address: null, client_address_verified: null, caller: null, token_id: null, side: null, trade_id: null },
  ...{ question: null, outcome: null, filled_size: '0', remaining_size: null, status: 'CANCELED', reason: 'cancelled' },
  ...{ price: null, size: null, value: '0', fee: null },
};

/** Creates an event of its own for each number. */
export function event(number: number, members: object = {}): OrderEvent {
  const fact = { id: `evt_${number}`, type: 'order.closed', timestamp: '2026-11-18T11:06:40Z' };
  return orderEvent.parse({ ...fact, data: { ...CLOSED, revision: 1, order_id: `o${number}`, ...members } });
}
