import type { OwnOrder } from './book.ts';
import { counted, find, make, makeButton, replaceKeepingFocus, say } from './dom.ts';
import { formatPrice, formatShares } from './figures.ts';
import type { Chosen } from './markets.ts';
import { cancelAtVenue, listVenueOrders } from './paper.ts';
import { createStaleness } from './staleness.ts';
import type { Toast } from './toast.ts';

/** Orders that are listed; those that rest come first. */
const MAX_ORDERS = 50;

/** Describes an order, such as `buy 5.00 Yes at 0.51`. */
function describeOrder({ side, size, outcome, price }: Omit<OwnOrder, 'id' | 'tokenId' | 'filled' | 'status'>) {
  return `${side} ${formatShares(size)} ${outcome} at ${formatPrice(price)}`;
}

interface Parts {
  readonly toast: Toast;
  /** Called with all orders after each listing. */
  readonly onOrders: (orders: readonly OwnOrder[]) => void;
  readonly onCancelled: () => void;
  readonly outcomeOf: (tokenId: string) => Chosen | undefined;
  /** Called with the outcome of an order whose market the user wants to see. */
  readonly onChoose: (chosen: Chosen) => void;
}

/** The user's orders as the paper venue has them. */
export interface OwnOrders {
  /** Lists the orders; returns a sentence on how many of them have the id, if one is given. */
  refresh(orderId?: string): Promise<string | undefined>;
  /** Cancels orders, and confirms it in the toast. */
  cancel(orders: readonly OwnOrder[]): Promise<void>;
}

/** Creates the table of the user's orders. */
export function createOwnOrders({ toast, onOrders, onCancelled, outcomeOf, onChoose }: Parts): OwnOrders {
  const body = find('own-orders', HTMLElement);
  let shown = '';
  const staleness = createStaleness(find('orders', HTMLElement), 'orders-error');

  function makeRow(order: OwnOrder): HTMLElement {
    const { id, tokenId, side, outcome, price, size, filled, status } = order;
    const chosen = outcomeOf(tokenId);
    const question = chosen?.market.question ?? 'a market that is not listed';
    const openIt = () => chosen && onChoose(chosen);
    const name = `× Cancel: ${describeOrder(order)}, ${question}`;
    const attributes = { 'aria-label': name, title: name, 'data-key': id };
    return make(
      'tr',
      {},
      make('th', { scope: 'row', title: question }, makeButton(question, openIt, { 'data-key': `open ${id}` })),
      make('td', { class: side }, `${side === 'buy' ? 'Buy' : 'Sell'} ${outcome}`),
      make('td', {}, formatPrice(price)),
      make('td', {}, `${formatShares(filled)} / ${formatShares(size)}`),
      make('td', {}, status === 'live' ? [makeButton('× Cancel', () => void cancel([order]), attributes)] : [status]),
    );
  }

  function show(orders: readonly OwnOrder[]): void {
    // Rows that stay can be clicked while the market moves.
    if (JSON.stringify(orders) === shown) return;
    shown = JSON.stringify(orders);
    const resting = orders.filter(({ status }) => status === 'live');
    const rows = [...resting, ...orders.filter(({ status }) => status !== 'live')].slice(0, MAX_ORDERS).map(makeRow);
    const none = make(
      'tr',
      { class: 'empty' },
      make('td', { colspan: '5' }, 'No orders yet: place one to see it here.'),
    );
    replaceKeepingFocus(body, rows.length > 0 ? rows : [none]);
    say('order-count', `${counted(orders.length, 'order')} at the venue, ${resting.length} open`);
  }

  async function refresh(orderId?: string): Promise<string | undefined> {
    try {
      const orders = await listVenueOrders();
      staleness.confirm();
      show(orders);
      onOrders(orders);
      if (orderId === undefined) return undefined;
      const count = orders.filter(({ id }) => id === orderId).length;
      return `The venue has ${counted(count, 'order')} under this id.`;
    } catch (error) {
      staleness.fail(`The orders cannot be listed: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  async function cancel(orders: readonly OwnOrder[]): Promise<void> {
    const ends = await Promise.allSettled(orders.map(({ id }) => cancelAtVenue(id)));
    const lines = orders.map((order, index) => {
      const isCancelled = ends[index]?.status === 'fulfilled';
      const reason = isCancelled ? '' : ' (filled meanwhile, or the venue is unreachable)';
      return `${isCancelled ? 'Cancelled' : 'Not cancelled'}: ${describeOrder(order)}${reason}.`;
    });
    const isWhole = ends.every(({ status }) => status === 'fulfilled');
    toast.report(isWhole ? 'cancelled' : 'refused', lines);
    onCancelled();
    await refresh();
  }

  return { refresh, cancel };
}
