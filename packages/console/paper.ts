import { formatUnits, parseUnits } from '../client/client.ts';
import type { LastTrade, RestingOrder } from './book.ts';
import { make, shorten } from './dom.ts';
import { decimalsOf, fixed, SHARES_DECIMALS } from './figures.ts';
import { isRecord } from './json.ts';

/** Order as the paper venue knows it. */
interface VenueOrder {
  readonly id: string;
  readonly side: string;
  readonly price: string;
  readonly size: string;
  readonly filled: string;
  readonly status: string;
  /** Set while it rests on a book. */
  readonly resting: RestingOrder | undefined;
}

interface SwitchSettings {
  /** Fault that the venue is armed with. */
  readonly fault?: Readonly<Record<string, string | number>>;
  /** Drops the answers to the next order in this page. */
  readonly losesAnswers?: boolean;
  /** Lasts for one order, and is off again when that one is answered. */
  readonly once?: boolean;
}

/** Faults to choose from, by the values of the switch. */
const FAULTS: Readonly<Record<string, SwitchSettings>> = {
  none: {},
  'lost-answer': { losesAnswers: true, once: true },
  'lost-venue-answer': { fault: { fault: 'reset-after', method: 'POST', path: '/order', times: 1 }, once: true },
  'venue-down': { fault: { fault: 'edge-503', times: 1_000_000 } },
};

const FAULTS_PATH = 'paper/faults';
/** Limit of a request to this page's own server. */
const CONTROL_MS = 5_000;

/** Asks the paper venue through the server of this page. Throws where there is no usable answer. */
async function control(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(path, {
    method,
    signal: AbortSignal.timeout(CONTROL_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`The paper venue answered ${response.status}.`);
  return response.json();
}

function readOrders(answer: unknown): readonly VenueOrder[] {
  const orders: readonly unknown[] = isRecord(answer) && Array.isArray(answer['orders']) ? answer['orders'] : [];
  return orders.filter(isRecord).map((order) => {
    const text = (name: string) => String(order[name] ?? '');
    const side = `${text('side')} ${text('outcome')}`.toLowerCase();
    const [price, size, filled] = [text('price'), text('original_size'), text('size_matched')];
    const resting: RestingOrder | undefined =
      text('status') === 'LIVE'
        ? {
            id: text('id'),
            tokenId: text('asset_id'),
            side: text('side') === 'BUY' ? 'bid' : 'ask',
            price,
            openSize: formatUnits(parseUnits(size) - parseUnits(filled)),
          }
        : undefined;
    return { id: text('id'), side, price, size, filled, status: text('status').toLowerCase(), resting };
  });
}

/** Lists the orders that the paper venue accepted, oldest first. */
export async function listVenueOrders(): Promise<readonly VenueOrder[]> {
  return readOrders(await control('GET', 'paper/orders'));
}

/** Takes an order off the paper venue's book. Throws where it does not rest any more, or nothing answers. */
export async function cancelAtVenue(orderId: string): Promise<void> {
  await control('POST', 'paper/cancel', { order_id: orderId });
}

/** Returns what was traded last of an outcome, newest first: a trade of the other outcome is one at the complement. */
export async function listTrades(tokenId: string, otherTokenId: string | undefined): Promise<readonly LastTrade[]> {
  const answer = await control('GET', 'paper/trades');
  const trades: readonly unknown[] = isRecord(answer) && Array.isArray(answer['trades']) ? answer['trades'] : [];
  return trades.filter(isRecord).flatMap(({ token_id, side, price, size, at }) => {
    const [text, isBuy] = [String(price), side === 'BUY'];
    const shared = { size: String(size), at: new Date(Number(at)) };
    if (token_id === tokenId) return [{ ...shared, isBuy, price: text }];
    if (token_id !== otherTokenId) return [];
    return [{ ...shared, isBuy: !isBuy, price: formatUnits(parseUnits('1') - parseUnits(text)) }];
  });
}

/** Shows the orders, newest first; their prices may be of markets with different ticks. */
export function showVenueOrders(body: HTMLElement, orders: readonly VenueOrder[]): void {
  const decimals = Math.max(0, ...orders.map(({ price }) => decimalsOf(price)));
  const rows = orders.toReversed().map(({ id, side, price, size, filled, status }) => {
    const cells = [side, fixed(price, decimals), fixed(size, SHARES_DECIMALS), fixed(filled, SHARES_DECIMALS), status];
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, shorten(id)),
      cells.map((cell) => make('td', {}, cell)),
    );
  });
  body.replaceChildren(...rows);
}

/** Switch for faults of the paper venue, and of the way from the service to this page. */
export interface FaultSwitch {
  losesAnswers(): boolean;
  /** Resolves once the venue has every change so far. */
  ready(): Promise<void>;
  /** Turns off what lasts for one order. */
  orderAnswered(): void;
}

/** Connects the switch to the venue; `onChange` is called after every change, with a sentence if it failed. */
export function createFaultSwitch(fields: HTMLFieldSetElement, onChange: (failure?: string) => void): FaultSwitch {
  const chosen = () => fields.querySelector('input:checked')?.getAttribute('value') ?? 'none';
  const off = fields.querySelector('input');
  let changing = Promise.resolve();
  let isArmed = false;

  async function change(): Promise<void> {
    const { fault } = FAULTS[chosen()] ?? {};
    try {
      // The venue disarms all faults at once: those of other clients stay only while this page has armed none.
      if (isArmed) await control('DELETE', FAULTS_PATH);
      isArmed = false;
      if (fault) await control('POST', FAULTS_PATH, fault);
      isArmed = fault !== undefined;
      onChange();
    } catch (error) {
      onChange(`The fault was not changed: ${error instanceof Error ? error.message : error}`);
    }
  }

  // One after the other: two that overlap would leave the venue with the faults of both.
  const queueChange = () => {
    changing = changing.then(change);
  };
  fields.addEventListener('change', queueChange);
  // A page that comes after this one would not know of the fault. The request outlives the page.
  addEventListener('pagehide', () => {
    if (isArmed) void fetch(FAULTS_PATH, { method: 'DELETE', keepalive: true });
  });
  return {
    ready: () => changing,
    losesAnswers: () => FAULTS[chosen()]?.losesAnswers === true,
    orderAnswered: () => {
      if (!off || !FAULTS[chosen()]?.once) return;
      off.checked = true;
      queueChange();
    },
  };
}
