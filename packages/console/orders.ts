import { parseUnits } from '../client/client.ts';
import { makeDetails } from './answer.ts';
import { ask, make, makeButton, part, say, showRows } from './dom.ts';
import { costOf, describeOrder, formatCents, formatTime } from './figures.ts';
import type { OwnOrder } from './holdings.ts';
import { isRepeatable, isUnsettled, type Journal, type KeptOrder } from './journal.ts';
import { makeLink } from './markets.ts';
import type { Page } from './page.ts';
import { cancelAtVenue, listVenueOrders, NO_VENUE } from './paper.ts';
import { reasonOf, standingOf } from './words.ts';

/** Orders that are listed; those that can be acted on come first. */
const MAX_ORDERS = 100;
/** Where the page says how many orders are not settled. */
const COUNTS = ['unsettled', 'bar-unsettled'];

interface Parts {
  readonly journal: Journal;
  /** True if the page can ask the paper venue, which lists orders and cancels them. */
  readonly hasVenue: boolean;
  readonly onOrders: (orders: readonly OwnOrder[]) => void;
  readonly onRepeat: (kept: KeptOrder) => void;
}

/** A row of the list: an order that this page wanted, one that the venue has, or both. */
interface Row {
  readonly kept?: KeptOrder | undefined;
  /** The one with the id of the kept order; if that has none, the first that it may be, and no other kept order is. */
  readonly atVenue?: OwnOrder | undefined;
}

function standing({ kept, atVenue }: Row): string {
  const isOver = Date.parse(kept?.order.expires_at ?? '') <= Date.now();
  if (atVenue) {
    const { status, size, filled } = atVenue;
    return isOver && status === 'cancelled' ? 'expired' : standingOf(status, size, filled);
  }
  const { answer = '', filled = null, order } = kept ?? {};
  const words = standingOf(answer, String(order?.size ?? 0), filled);
  // It may have been filled, cancelled or ended since.
  if (answer !== 'live' && answer !== 'delayed') return words;
  return isOver ? 'expired, unless filled before' : `${words} when placed`;
}

function statusOf(row: Row): string {
  const { kept, atVenue } = row;
  if (kept?.state === 'refused') return `not placed: ${reasonOf(kept.answer ?? '', kept.order.side)}`;
  if (kept?.state === 'unsent') return 'not sent';
  if (!kept || !isUnsettled(kept)) return standing(row);
  const doubt = isRepeatable(kept) ? 'not settled' : 'not settled, too old to be repeated';
  return atVenue ? `${doubt}: perhaps ${standing(row)}` : doubt;
}

/** Returns true for an order of the same terms that the venue accepted after the kept one was wanted. */
function mayBe({ order, wantedAt }: KeptOrder, { tokenId, side, price, size, acceptedAt }: OwnOrder): boolean {
  const isSame = (one: string | number, other: string) => parseUnits(one) === parseUnits(other);
  const isOfMarket = order.token_id === tokenId && order.side === side && acceptedAt >= wantedAt;
  return isOfMarket && isSame(order.price, price) && isSame(order.size, size);
}

const timeOf = ({ kept, atVenue }: Row) => kept?.wantedAt ?? atVenue?.acceptedAt ?? 0;

/** Joins the orders of this page with those at the venue: what can be acted on comes first, then what is newest. */
function join(kept: readonly KeptOrder[], atVenue: readonly OwnOrder[]): readonly Row[] {
  const others = new Set(atVenue.filter(({ id }) => !kept.some(({ orderId }) => orderId === id)));
  const rows = kept.map((order): Row => {
    const known = atVenue.find(({ id }) => id === order.orderId);
    if (known || !isUnsettled(order)) return { kept: order, atVenue: known };
    const perhaps = [...others].find((other) => mayBe(order, other));
    if (perhaps) others.delete(perhaps);
    return { kept: order, atVenue: perhaps };
  });
  const all = [...rows, ...[...others].map((order): Row => ({ atVenue: order }))];
  const rank = (row: Row) => (row.kept && isRepeatable(row.kept) ? 0 : row.atVenue?.status === 'live' ? 1 : 2);
  return all.toSorted((one, other) => rank(one) - rank(other) || timeOf(other) - timeOf(one)).slice(0, MAX_ORDERS);
}

/** Creates the list of the orders of this page, and on paper of all orders of the wallet as the venue has them. */
export function createOrders(page: Page, { journal, hasVenue, onOrders, onRepeat }: Parts) {
  const { outcomeOf } = page.list;
  let atVenue: readonly OwnOrder[] = [];
  let shown = '';

  function buttonsOf({ kept, atVenue: order }: Row, terms: string): readonly HTMLElement[] {
    const named = (what: string, key: string) => ({ 'aria-label': `${what}: ${terms}`, 'data-key': key });
    const buttons = [];
    if (kept && isRepeatable(kept)) {
      buttons.push(makeButton('Repeat', () => onRepeat(kept), named('Repeat safely', kept.key)));
    }
    if (order?.status === 'live') {
      buttons.push(makeButton('✕ Cancel', () => void cancel([order]), named('Cancel', order.id)));
    }
    return buttons;
  }

  function makeRow(row: Row): readonly HTMLElement[] {
    const { kept, atVenue: order } = row;
    const wanted = kept ? { ...kept.order, outcome: kept.outcome } : order;
    if (!wanted) return [];
    const chosen = outcomeOf(kept?.order.token_id ?? order?.tokenId ?? '');
    const question = kept?.market || chosen?.market.question || undefined;
    const terms = describeOrder(wanted);
    const ids = [`Order id: ${kept?.orderId ?? order?.id ?? 'not known'}`, kept && `Key: ${kept.key}`];
    const cells = [
      make('small', {}, formatTime(new Date(timeOf(row)))),
      makeLink(question, kept?.key ?? order?.id ?? '', () => chosen && page.choose(chosen)),
      make('p', { class: wanted.side }, terms),
      make('p', { class: 'value' }, formatCents(costOf(wanted.price, wanted.size))),
      makeDetails(statusOf(row), ...ids),
      make('div', { class: 'row' }, buttonsOf(row, `${terms}, ${question}`)),
    ];
    return [make('li', { class: `line${kept && isUnsettled(kept) ? ' unsettled' : ''}` }, cells)];
  }

  function show(): void {
    const kept = journal.list();
    const rows = join(kept, atVenue);
    // Rows that stay can be clicked while the market moves.
    const now = JSON.stringify(rows.map((row) => [row, statusOf(row), !outcomeOf(row.atVenue?.tokenId ?? '')]));
    if (now === shown) return;
    shown = now;
    showRows('own-orders', rows.flatMap(makeRow), 'No orders yet.');
    const [open, live] = [kept.filter(isUnsettled), atVenue.filter(({ status }) => status === 'live')];
    say('order-count', `${rows.length} listed${hasVenue ? `, ${live.length} resting` : ''}`);
    // Wherever the list is, an order that may be live is in sight.
    for (const id of COUNTS) say(id, open.length > 0 ? `${open.length} not settled` : '');
  }

  /** Asks the paper venue for its orders. */
  async function refresh(): Promise<void> {
    try {
      atVenue = await listVenueOrders();
      page.staleness.confirm('orders');
      show();
      onOrders(atVenue);
    } catch {
      page.staleness.fail('orders', NO_VENUE);
    }
  }

  /** Cancels orders at the paper venue, after a question. */
  async function cancel(orders: readonly OwnOrder[]): Promise<void> {
    if (!(await ask(`Cancel ${orders.map(describeOrder).join(', ')}?`, 'Cancel it'))) return;
    const ends = await Promise.allSettled(orders.map(({ id }) => cancelAtVenue(id)));
    const lines = orders.map((order, index) =>
      ends[index]?.status === 'fulfilled'
        ? `Cancelled: ${describeOrder(order)}.`
        : `Not cancelled: ${describeOrder(order)} (filled meanwhile, or the venue is unreachable).`,
    );
    void page.view.refresh();
    await refresh();
    say('order-note', lines.join(' '));
  }

  for (const id of COUNTS) {
    part(id).addEventListener('click', () => part('orders').scrollIntoView());
  }
  return { show, refresh, cancel };
}
