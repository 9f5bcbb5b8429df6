import { makeDetails } from './answer.ts';
import type { OwnOrder } from './book.ts';
import { ask, counted, find, make, makeButton, replaceKeepingFocus, say } from './dom.ts';
import { describeOrder, formatShares, formatTime } from './figures.ts';
import { isRepeatable, isUnsettled, type Journal, type KeptOrder } from './journal.ts';
import type { Chosen } from './markets.ts';
import { cancelAtVenue, listVenueOrders } from './paper.ts';
import { createStaleness } from './staleness.ts';

/** Orders that are listed; those that can be acted on come first. */
const MAX_ORDERS = 50;

interface Parts {
  readonly journal: Journal;
  /** True on the paper venue, which lists orders and cancels them. */
  readonly isPaper: boolean;
  /** Called with all orders at the venue after each listing. */
  readonly onOrders: (orders: readonly OwnOrder[]) => void;
  readonly onCancelled: () => void;
  readonly onRepeat: (kept: KeptOrder) => void;
  readonly curlOf: (kept: KeptOrder) => string;
  readonly outcomeOf: (tokenId: string) => Chosen | undefined;
  /** Called with the outcome of an order whose market the user wants to see. */
  readonly onChoose: (chosen: Chosen) => void;
}

/** The orders of this page, and on paper all orders of the wallet as the venue has them. */
export interface Orders {
  /** Shows the orders as the journal has them now. */
  show(): void;
  /** Asks the paper venue for its orders; returns a sentence on how many of them have the id, if one is given. */
  refresh(orderId?: string): Promise<string | undefined>;
  /** Cancels orders at the paper venue, after a question. */
  cancel(orders: readonly OwnOrder[]): Promise<void>;
}

/** A row of the list: an order that this page wanted, one that the venue has, or both. */
interface Row {
  readonly kept?: KeptOrder | undefined;
  readonly atVenue?: OwnOrder | undefined;
}

function statusOf({ kept, atVenue }: Row): string {
  if (kept && isUnsettled(kept)) return isRepeatable(kept) ? 'not settled' : 'not settled, too old to be repeated';
  if (atVenue)
    return atVenue.filled === '0' ? atVenue.status : `${atVenue.status}, ${formatShares(atVenue.filled)} filled`;
  return kept?.state === 'refused' ? `not placed: ${kept.answer}` : `${kept?.answer} when placed`;
}

/** Joins the orders of this page with those at the venue: what can be acted on comes first. */
function join(kept: readonly KeptOrder[], atVenue: readonly OwnOrder[]): readonly Row[] {
  const rows = kept.map((order): Row => ({ kept: order, atVenue: atVenue.find(({ id }) => id === order.orderId) }));
  const others = atVenue.filter(({ id }) => !kept.some(({ orderId }) => orderId === id));
  const all = [...rows, ...others.map((order): Row => ({ atVenue: order }))];
  const rank = (row: Row) =>
    row.kept && isUnsettled(row.kept) && isRepeatable(row.kept) ? 0 : row.atVenue?.status === 'live' ? 1 : 2;
  return all.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_ORDERS);
}

/** Creates the list of orders. */
export function createOrders(parts: Parts): Orders {
  const { journal, isPaper, onOrders, onCancelled, onRepeat, curlOf, outcomeOf, onChoose } = parts;
  const list = find('own-orders', HTMLElement);
  const staleness = createStaleness(find('orders', HTMLElement), 'orders-error');
  let atVenue: readonly OwnOrder[] = [];
  let shown = '';

  function buttonsOf({ kept, atVenue: order }: Row, terms: string): readonly HTMLElement[] {
    if (kept && isUnsettled(kept) && isRepeatable(kept)) {
      const name = { class: 'primary', 'aria-label': `Repeat with the same key: ${terms}`, 'data-key': kept.key };
      return [makeButton('Repeat with the same key', () => onRepeat(kept), name)];
    }
    if (order?.status !== 'live') return [];
    const name = { 'aria-label': `Cancel: ${terms}`, 'data-key': order.id };
    return [makeButton('✕ Cancel', () => void cancel([order]), name)];
  }

  function makeRow(row: Row): HTMLElement {
    const { kept, atVenue: order } = row;
    const chosen = outcomeOf(kept?.order.token_id ?? order?.tokenId ?? '');
    const question = kept?.market || chosen?.market.question || 'a market that is not listed';
    const id = kept?.orderId ?? order?.id;
    const terms = kept ? describeOrder({ ...kept.order, outcome: kept.outcome }) : order ? describeOrder(order) : '';
    const facts = { 'Order id': id ?? 'not known', ...(kept && { 'Idempotency key': kept.key }) };
    const openIt = makeButton(question, () => chosen && onChoose(chosen), { 'data-key': `open ${kept?.key ?? id}` });
    const time = kept ? [make('small', {}, formatTime(new Date(kept.wantedAt)))] : [];
    return make(
      'li',
      { class: kept && isUnsettled(kept) ? 'unsettled' : '' },
      make('p', { class: 'question' }, openIt),
      make('p', { class: kept?.order.side ?? order?.side ?? '' }, terms),
      make('p', {}, `${statusOf(row)} `, time),
      kept ? [makeDetails({ facts, curl: curlOf(kept) })] : [],
      make('div', { class: 'actions' }, buttonsOf(row, `${terms}, ${question}`)),
    );
  }

  function show(): void {
    const kept = journal.list();
    const rows = join(kept, atVenue);
    // Rows that stay can be clicked while the market moves.
    const now = JSON.stringify(rows.map((row) => [row, statusOf(row), !outcomeOf(row.atVenue?.tokenId ?? '')]));
    if (now === shown) return;
    shown = now;
    const none = make('li', { class: 'empty' }, 'No orders yet: place one to see it here.');
    replaceKeepingFocus(list, rows.length > 0 ? rows.map(makeRow) : [none]);
    const open = kept.filter(isUnsettled).length;
    const live = atVenue.filter(({ status }) => status === 'live').length;
    const ours = `${counted(kept.length, 'order')}${open > 0 ? `, ${open} not settled` : ''}`;
    say('order-count', isPaper ? `${ours} · ${counted(atVenue.length, 'order')} at the venue, ${live} open` : ours);
  }

  async function refresh(orderId?: string): Promise<string | undefined> {
    try {
      atVenue = await listVenueOrders();
      staleness.confirm();
      show();
      onOrders(atVenue);
      if (orderId === undefined) return undefined;
      const count = atVenue.filter(({ id }) => id === orderId).length;
      return `The venue has ${counted(count, 'order')} under this id.`;
    } catch (error) {
      staleness.fail(`The orders cannot be listed: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  async function cancel(orders: readonly OwnOrder[]): Promise<void> {
    const terms = orders.map(describeOrder).join(', ');
    if (!(await ask(`Cancel ${terms}?`, 'Cancel it'))) return;
    const ends = await Promise.allSettled(orders.map(({ id }) => cancelAtVenue(id)));
    const lines = orders.map((order, index) => {
      const isCancelled = ends[index]?.status === 'fulfilled';
      const reason = isCancelled ? '' : ' (filled meanwhile, or the venue is unreachable)';
      return `${isCancelled ? 'Cancelled' : 'Not cancelled'}: ${describeOrder(order)}${reason}.`;
    });
    onCancelled();
    await refresh();
    say('order-note', lines.join(' '));
  }

  return { show, refresh, cancel };
}
